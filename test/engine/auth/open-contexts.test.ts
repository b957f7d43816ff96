import { writeFileSync } from 'fs';
import { join } from 'path';
import { fakeGuest, guestObjects, serve } from './_fake-api';
import { Manifest } from '../../../src/core/manifest/manifest';
import { openContexts, openGuest } from '../../../src/engine/auth/bind-targets';
import { Connection } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { tempFolder } from '../../support/temp';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

test('reports all contexts that are missing, as a plan does', async () => {
  const kubeconfig = join(tempFolder(), 'config');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u' } }],
    }),
  );
  const context = new Map([
    ['rancher', 'prod'],
    ['dc1', 'dc1-admin'],
    ['dc2', 'dc2-admin'],
  ]);
  await expect(openContexts({ context, kubeconfig, env: {}, cwd: tempFolder() })).rejects.toThrow(
    ['dc1', 'dc2']
      .map(
        (name) =>
          `${name}: context ${name}-admin is not in ${kubeconfig}; its contexts: prod. Fix: set --context ${name}=<context>, or name the context in the config file`,
      )
      .join('\n'),
  );
});

/** A Rancher that keeps the kubeconfig of a guest cluster. */
function rancherWith(objects: ReturnType<typeof guestObjects>): FakeCluster {
  const rancher = new FakeCluster();
  const [cluster, secret] = Object.values(objects);
  rancher.seed({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    ...cluster,
  } as Manifest);
  rancher.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'shop-kubeconfig', namespace: 'fleet-default' },
    ...secret,
  } as Manifest);
  return rancher;
}

const SHOP = { namespace: 'fleet-default', name: 'shop' };

test('reaches a guest cluster by the Secret on Rancher', async () => {
  const guest = await serve(fakeGuest());
  closers.push(() => guest.close());
  const rancher = {
    name: 'rancher',
    by: 'context prod',
    cluster: rancherWith(guestObjects(guest.url, 'guest-token', guest.ca)),
    connection: {} as Connection,
  };
  const { cluster, by } = await openGuest('shop', SHOP, rancher, 'https://rancher.example.com', {
    env: {},
  });
  closers.push(() => cluster.close());
  expect(by).toBe('Secret fleet-default/shop-kubeconfig on rancher');
  expect((await cluster.get('/version')).gitVersion).toBe('v1.33.6+rke2r1');
  expect(new Set(guest.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer guest-token']),
  );
});

test('reports a guest cluster that is not ready yet', async () => {
  const rancher = {
    name: 'rancher',
    by: 'context prod',
    cluster: new FakeCluster(),
    connection: {} as Connection,
  };
  await expect(openGuest('shop', SHOP, rancher, undefined, { env: {} })).rejects.toThrow(
    'Cluster fleet-default/shop on rancher does not exist yet',
  );
});
