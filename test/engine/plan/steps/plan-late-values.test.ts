import { AssemblyLateValue, AssemblyTarget } from '../../../../src/core/output/assembly';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { configMap, makePlan, MANAGER, planInput } from '../_planning';

describe('late values', () => {
  const late: AssemblyLateValue = {
    id: 'token',
    description: 'd',
    type: 'token',
    sensitive: true,
    construct: 'c',
    source: {
      resolver: 'secret-key',
      target: 'rancher',
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'default',
      name: 's',
      path: 'token',
    },
  };
  const declared = {
    manifest: configMap('a', { url: 'https://${late:token}', x: '1' }),
    lateValues: ['token'],
  };
  const lookup = (value?: string) => ({
    tryResolve: async () => value !== undefined,
    completeKnown: <T>(object: T): T =>
      value === undefined
        ? object
        : JSON.parse(JSON.stringify(object).replace(/\$\{late:token\}/g, value)),
  });
  const plan = async (cluster: FakeCluster, value?: string) =>
    (
      await makePlan(planInput([declared], fakeTargets({ rancher: cluster }), [late]), {
        fieldManager: MANAGER,
        late: lookup(value),
      })
    ).steps[0];

  test('that are not there are known after apply', async () => {
    const cluster = new FakeCluster();
    expect(await plan(cluster)).toMatchObject({
      action: 'create',
      waitsFor: ['token'],
      reason: 'no dry run: it waits for late values',
    });
    expect(cluster.did('dry-run')).toEqual([]);
    cluster.seed(configMap('a', { url: 'https://old', x: '0' }), MANAGER, 'Apply');
    expect(await plan(cluster)).toMatchObject({
      action: 'unknown',
      waitsFor: ['token'],
      changes: [
        { path: 'data.url', after: '(known after apply)' },
        { path: 'data.x', before: '0', after: '1' },
      ],
    });
  });

  test('that are there are compared, and never shown where they are sensitive', async () => {
    const cluster = new FakeCluster();
    cluster.seed(configMap('a', { url: 'https://CANARY-1', x: '1' }), MANAGER, 'Apply');
    expect(await plan(cluster, 'CANARY-1')).toMatchObject({ action: 'unchanged', waitsFor: [] });
    const changed = await plan(cluster, 'CANARY-2');
    expect(changed).toMatchObject({
      action: 'update',
      changes: [{ path: 'data.url', before: expect.stringMatching(/^<sha256:/) }],
    });
    expect(JSON.stringify(changed)).not.toContain('CANARY');
  });

  test('of a cluster that is yet to be made are not asked for', async () => {
    const guest: AssemblyTarget = {
      name: 'guest',
      kind: 'guest',
      version: 'v1.33.6+rke2r1',
      folder: 'guest',
      construct: 'g',
      properties: { provisioningCluster: 'fleet-default/shop', rancher: 'rancher' },
    };
    const guestCluster = new FakeCluster();
    const targets = fakeTargets({ rancher: new FakeCluster(), guest: guestCluster }, { guest });
    const { steps, targets: told } = await makePlan(
      planInput([{ target: 'guest', manifest: configMap('a') }], targets),
      { fieldManager: MANAGER },
    );
    expect(steps[0]).toMatchObject({
      action: 'create',
      reason: 'no dry run: the cluster does not exist yet',
    });
    expect(told.find(({ name }) => name === 'guest')!.absent).toBe(
      'the cluster does not exist yet: rancher has no Cluster fleet-default/shop',
    );
    expect(guestCluster.calls).toEqual([]);
  });
});
