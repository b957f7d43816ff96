import { applyAll, complaints, deleteAll } from './apply-all';
import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { lost } from './subset';
import { Manifest } from '../../src/core/manifest/manifest';
import { TaintEffect } from '../../src/core/manifest/taint';
import { Rke1Cluster } from '../../src/guest/rke1/rke1-cluster';
import { Rke1CloudProvider } from '../../src/guest/rke1/rke1-cluster-props';
import { platform, poolsOn } from '../guest/cluster/_clusters';
import { written } from '../support/written';

function objects(): Manifest[] {
  const { app, rancher, dc1, harvester, namespace } = platform({
    rancher: '2.10.3',
    harvester: '1.5.1',
  });
  new Rke1Cluster(rancher, 'legacy', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetesVersion: 'v1.27.16-rancher1-1',
    pools: poolsOn(dc1, {
      sshUser: 'ubuntu',
      quantity: 3,
      nodeLabels: { tier: 'gold' },
      taints: [{ key: 'gpu', effect: TaintEffect.NO_SCHEDULE }],
    }),
    cloudProvider: Rke1CloudProvider.none(),
    authorizedEndpoint: { fqdn: 'legacy.example.com' },
    agentEnvVars: { HTTPS_PROXY: 'http://proxy.example.com:3128' },
    description: 'of old',
    upgradeStrategy: { drain: {} },
  });
  return Object.entries(written(app))
    .filter(([key]) => key.startsWith('rancher/'))
    .map(([, object]) => object)
    .filter(({ metadata }) => metadata.name !== 'dc1');
}

// the definitions are those of Rancher 2.13.8, which lets the fields of management Clusters and
// node pools pass as they are
describeCluster('RKE1 clusters', () => {
  const all = objects();
  const served = all.filter(({ kind }) => kind !== 'NodeTemplate');
  let client: Client;

  beforeAll(async () => {
    client = clientOf('rancher');
    const { applied } = await applyAll(client, served, { createNamespaces: true });
    expect(applied.flatMap(complaints)).toEqual([]);
  });

  afterAll(async () =>
    deleteAll(
      client,
      served.filter(({ kind }) => kind !== 'Namespace'),
    ),
  );

  test('node templates have no definition any more, so that only the others were applied', async () => {
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      'Cluster',
      'Namespace',
      'NodePool',
      'NodeTemplate',
    ]);
    await expect(client.serves('management.cattle.io/v3', 'NodeTemplate')).resolves.toBe(false);
  });

  test('the server takes the Cluster and the node pool strictly and keeps every byte', async () => {
    const stored = served.filter(({ kind }) => kind !== 'Namespace');
    expect(stored).toHaveLength(2);
    for (const object of stored) {
      const { body } = await client.read(object);
      expect(lost(object, body)).toEqual([]);
    }
  });
});
