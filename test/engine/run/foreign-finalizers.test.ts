import { createHash } from 'crypto';
import { Trial } from './_running';
import { finalizersText, isHeldByOthers } from '../../../src/engine/fields/finalizers';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';

const SECRET = 'dc1//Secret/shop/token';
const NAMESPACE = 'dc1//Namespace//shop';
const PROJECT = 'rancher/management.cattle.io/Project/c-m-dc1/shop';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const HARVESTER = 'harvesterhci.io/v1beta1';
const REF = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'token' };

/** An import with a tenant that has a Secret. */
function platform(): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
    spec: {},
  });
  program.object('rancher', 'management.cattle.io/v3', 'Project', 'c-m-dc1/shop', {
    spec: { clusterName: 'c-m-dc1', displayName: 'shop' },
  });
  program.object('dc1', 'v1', 'Namespace', 'shop', {
    metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-dc1:shop' } },
  });
  program.object('dc1', 'v1', 'Secret', 'shop/token');
  program.object('dc1', HARVESTER, 'Setting', 'cluster-registration-url', {
    value: 'https://rancher/v3/import/t_c-m-dc1.yaml',
  });
  program.objects[4] = {
    ...program.objects[4],
    deletion: { policy: 'reset', reason: 'it registers' },
  };
  return program;
}

/** Sets a finalizer as kubectl of a tenant does. */
function hold(cluster: FakeCluster, finalizer: string): void {
  cluster.change(REF, ({ metadata }) => {
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    metadata.managedFields.push({
      manager: 'kubectl-edit',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, [`v:"${finalizer}"`]: {} } } },
    });
  });
}

async function applied(finalizer?: string): Promise<Trial> {
  const trial = new Trial(platform());
  trial.clusters.rancher.reactions.push((object) => {
    if (object.kind === 'Project') {
      (object as { status?: object }).status = {
        conditions: [
          { type: 'BackingNamespaceCreated', status: 'True' },
          { type: 'InitialRolesPopulated', status: 'True' },
        ],
      };
    }
    if (object.kind === 'Cluster') {
      (object as { status?: object }).status = { clusterName: 'c-m-dc1', ready: true };
    }
  });
  trial.clusters.dc1.seed(
    { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'cluster-registration-url' } },
    'harvester',
  );
  trial.clusters.dc1.reactions.push((object) => {
    if (object.kind === 'Setting') {
      (object.metadata as { annotations?: object }).annotations = {
        'harvesterhci.io/hash': createHash('sha224')
          .update(String(object.value ?? ''))
          .digest('hex'),
      };
    }
  });
  expect((await trial.apply()).failed).toEqual([]);
  trial.forget();
  if (finalizer !== undefined) {
    hold(trial.clusters.dc1, finalizer);
  }
  return trial;
}

describe('a finalizer that a tenant set on one Secret', () => {
  test('does not stop destroy --target from deleting everything else, and its setter is named', async () => {
    const trial = await applied('example.com/hold');
    const { failed, skipped, pending, done } = await trial.destroy({ target: 'dc1' });
    expect(failed.map(({ id }) => id).sort()).toEqual([NAMESPACE, SECRET].sort());
    expect(failed.find(({ id }) => id === SECRET)!.message).toContain(
      'held by the finalizers example.com/hold (set by kubectl-edit)',
    );
    expect(failed.find(({ id }) => id === SECRET)!.message).toContain(
      `--remove-finalizer '${SECRET}=<finalizer>'`,
    );
    expect(failed.find(({ id }) => id === NAMESPACE)!.message).toContain(
      'example.com/hold in 1 resource instances',
    );
    expect([skipped, pending]).toEqual([[], []]);
    expect(done).toEqual(expect.arrayContaining([PROJECT, IMPORT]));
    expect(
      trial.clusters.rancher.live('provisioning.cattle.io/v1', 'Cluster', 'dc1', 'fleet-default'),
    ).toBeUndefined();
    expect(await trial.inventory('dc1')).toEqual(expect.arrayContaining([SECRET, NAMESPACE]));
  });

  test('is removed if the administrator lists it, and only it', async () => {
    const trial = await applied('example.com/hold');
    hold(trial.clusters.dc1, 'example.com/other');
    await trial.destroy({ target: 'dc1', removeFinalizer: [`${SECRET}=example.com/hold`] });
    expect(trial.clusters.dc1.live('v1', 'Secret', 'token', 'shop').metadata.finalizers).toEqual([
      'example.com/other',
    ]);
    trial.forget();
    const summary = await trial.destroy({
      target: 'dc1',
      removeFinalizer: [`${SECRET}=example.com/other`],
    });
    expect(summary).toMatchObject({ failed: [], skipped: [], pending: [] });
    expect(trial.told).toContain('removed the finalizers example.com/other');
    expect(trial.clusters.dc1.live('v1', 'Namespace', 'shop')).toBeUndefined();
    expect(await trial.inventory('dc1')).toEqual([]);
  });

  test('is not removed from an object that is not being deleted', async () => {
    const trial = await applied('example.com/hold');
    await trial.apply({ removeFinalizer: [`${SECRET}=example.com/hold`] });
    expect(trial.clusters.dc1.live('v1', 'Secret', 'token', 'shop').metadata.finalizers).toEqual([
      'example.com/hold',
    ]);
  });

  test('on an object of their own in the namespace stops only the namespace', async () => {
    const trial = await applied();
    trial.clusters.dc1.seed(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'mine', namespace: 'shop', finalizers: ['example.com/hold'] } as never,
      },
      'kubectl',
    );
    const { failed, skipped } = await trial.destroy({ target: 'dc1' });
    expect(failed).toEqual([
      expect.objectContaining({
        id: NAMESPACE,
        message: expect.stringContaining('example.com/hold in 1 resource instances'),
      }),
    ]);
    expect(skipped).toEqual([]);
  });
});

test('a finalizer of a product is waited for, and what depends on the object is skipped', async () => {
  const trial = await applied('wrangler.cattle.io/on-remove');
  const { failed, skipped } = await trial.destroy({ target: 'dc1' });
  expect(failed.map(({ id }) => id)).toEqual([SECRET]);
  expect(skipped.map(({ id }) => id)).toContain(NAMESPACE);
});

test('a controller of someone else that removes its finalizer in time fails nothing', async () => {
  const trial = await applied('example.com/hold');
  const { dc1 } = trial.clusters;
  let looks = 0;
  dc1.before = async ({ verb, what }) => {
    if (verb === 'read' && what === 'Secret shop/token' && ++looks === 4) {
      dc1.change(REF, ({ metadata }) => {
        metadata.finalizers = [];
      });
    }
  };
  expect(await trial.destroy({ target: 'dc1' })).toMatchObject({ failed: [], skipped: [] });
});

test.each([
  ['--remove-finalizer: must be <id>=<finalizer>', 'x'],
  [
    '--remove-finalizer: must be the ID of an object, got dc1//Secret/shop/none',
    'dc1//Secret/shop/none=a/b',
  ],
])('refuses %s', async (says, option) => {
  const trial = await applied();
  await expect(trial.destroy({ removeFinalizer: [option] })).rejects.toThrow(says);
});

describe('finalizers', () => {
  const live = (finalizers: string[], managedFields: object[] = []): never =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '1',
        deletionTimestamp: 'x',
        finalizers,
        managedFields,
      },
    }) as never;

  test.each([
    ['wrangler.cattle.io/x', false],
    ['harvester-lb-vm-controller', false],
    ['kubernetes.io/pvc-protection', false],
    ['foregroundDeletion', false],
    ['harvesterhci.io/x', false],
    ['kubevirt.io/virtualMachineControllerFinalize', false],
    ['longhorn.io', false],
    ['example.com/hold', true],
    ['cattle.io.example.com/x', true],
    ['evilcattle.io/x', true],
  ])('%s is foreign: %s', (finalizer, foreign) => {
    expect(isHeldByOthers(live([finalizer]))).toBe(foreign);
  });

  test('name all managers whose set of finalizers is one unit', () => {
    const fieldsV1 = { 'f:metadata': { 'f:finalizers': {} } };
    expect(
      finalizersText(
        live(
          ['example.com/a'],
          [
            { manager: 'kubectl', fieldsV1 },
            { manager: 'rancher', fieldsV1: {} },
          ],
        ),
      ),
    ).toBe('example.com/a (set by kubectl)');
  });
});
