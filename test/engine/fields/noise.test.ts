import { Manifest } from '../../../src/core/manifest/manifest';
import { FakeCluster } from '../../support/fake-cluster';
import { MANAGER, setting, stepOf } from '../plan/_planning';

test('lists of storage-network have no order', async () => {
  const cluster = new FakeCluster();
  cluster.seed(
    setting('storage-network', '{"vlan":1,"exclude":["10.0.0.1/32","10.0.0.2/32"]}'),
    MANAGER,
    'Apply',
  );
  expect(
    (
      await stepOf(cluster, {
        manifest: setting('storage-network', '{"exclude":["10.0.0.2/32","10.0.0.1/32"],"vlan":1}'),
      })
    ).action,
  ).toBe('unchanged');
  expect(
    (
      await stepOf(cluster, {
        manifest: setting('storage-network', '{"exclude":["10.0.0.2/32"],"vlan":1}'),
      })
    ).action,
  ).toBe('update');
});

test('reports no change for another token in a registration URL, but one for another Rancher', async () => {
  const cluster = new FakeCluster();
  const url = (host: string, token: string): Manifest =>
    setting(
      'cluster-registration-url',
      `{"url":"https://${host}/v3/import/${token}_c-m-1.yaml","insecureSkipTLSVerify":false}`,
    );
  cluster.seed(url('r.example.com', 'old'), MANAGER, 'Apply');
  expect((await stepOf(cluster, { manifest: url('r.example.com', 'new') })).action).toBe(
    'unchanged',
  );
  expect((await stepOf(cluster, { manifest: url('other.example.com', 'old') })).action).toBe(
    'update',
  );
  // one that Harvester could do nothing with is replaced
  cluster.change(url('r.example.com', 'old'), (live) => {
    live.status = {
      conditions: [
        { type: 'configured', status: 'False', message: 'cluster not found or invalid token' },
      ],
    };
  });
  expect((await stepOf(cluster, { manifest: url('r.example.com', 'new') })).action).toBe('update');
});

test('a placeholder in a registration URL is never taken for a token', async () => {
  const cluster = new FakeCluster();
  cluster.seed(
    setting('cluster-registration-url', 'https://r.example.com/v3/import/{token}_c-m-1.yaml'),
    MANAGER,
    'Apply',
  );
  expect(
    (
      await stepOf(cluster, {
        manifest: setting(
          'cluster-registration-url',
          'https://r.example.com/v3/import/abc_c-m-1.yaml',
        ),
      })
    ).action,
  ).toBe('update');
});

test('reports no change for equal quantities', async () => {
  const cluster = new FakeCluster();
  const quota = (memory: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard: { 'limits.memory': memory } },
  });
  cluster.seed(quota('1Gi'), MANAGER, 'Apply');
  expect((await stepOf(cluster, { manifest: quota('1024Mi') })).action).toBe('unchanged');
  expect((await stepOf(cluster, { manifest: quota('1025Mi') })).changes).toEqual([
    { path: 'spec.hard[limits.memory]', before: '1Gi', after: '1025Mi' },
  ]);
});
