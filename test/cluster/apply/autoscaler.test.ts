import { SharedServer } from './_shared-server';
import { Manifest } from '../../../src/core/manifest/manifest';
import { guest, pool } from '../../support/guest';
import { describeCluster } from '../clusters';
import { newestDefinition } from '../definitions';

const KEY = 'provisioning.cattle.io/v1/Cluster';
const BOUNDS = {
  'cluster.provisioning.cattle.io/autoscaler-min-size': '1',
  'cluster.provisioning.cattle.io/autoscaler-max-size': '5',
};

/** A cluster with a pool that an autoscaler scales, next to one with a fixed number of machines. */
function clusterWith(...workers: readonly object[]): Manifest {
  const pools = workers.map((fields) =>
    pool({
      name: 'work',
      etcdRole: false,
      controlPlaneRole: false,
      machineDeploymentAnnotations: BOUNDS,
      ...fields,
    }),
  );
  return guest({ machinePools: [pool(), ...pools] });
}

describeCluster('an apply of a pool that an autoscaler scales', () => {
  let server: SharedServer;

  beforeAll(async () => {
    server = await SharedServer.start();
    const definition = newestDefinition(KEY);
    server.kubectlApply(definition, '--server-side');
    server.kubectl('wait', '--for=condition=Established', `crd/${definition.metadata.name}`);
    server.kubectl('create', 'namespace', 'fleet-default');
  });

  afterAll(async () => server?.stop());

  const quantities = async (): Promise<unknown> => {
    const { spec } = (await server.live(clusterWith())) as unknown as {
      spec: { rkeConfig: { machinePools: { name: string; quantity: number }[] } };
    };
    return spec.rkeConfig.machinePools.map(({ name, quantity }) => [name, quantity]);
  };

  test('writes the number once, and keeps that of the autoscaler, also with other edits', async () => {
    expect(await server.apply(clusterWith({ quantity: 2 }))).toBe('');
    expect(await quantities()).toEqual([
      ['all', 3],
      ['work', 2],
    ]);
    server.kubectl(
      'patch',
      'clusters.provisioning.cattle.io/shop',
      '--namespace=fleet-default',
      '--type=json',
      '--field-manager=cluster-autoscaler',
      '--patch=[{"op":"replace","path":"/spec/rkeConfig/machinePools/1/quantity","value":4}]',
    );
    expect(await server.stepOf(clusterWith({ quantity: 2 }))).toMatchObject({
      action: 'unchanged',
      reason: expect.stringContaining('the quantity of pool work remains 4'),
    });
    const edited = clusterWith({ quantity: 1, drainBeforeDelete: true });
    expect(
      await server.apply(edited, {
        forceConflicts: ['rancher/provisioning.cattle.io/Cluster/fleet-default/shop'],
      }),
    ).toBe('');
    expect(await quantities()).toEqual([
      ['all', 3],
      ['work', 4],
    ]);
  });
});
