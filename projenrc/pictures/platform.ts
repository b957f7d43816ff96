import { FakeCluster } from '../../test/support/fake-cluster';

/* eslint-disable @typescript-eslint/no-explicit-any */

/** The clusters of the reference stack. */
export interface Clusters {
  readonly rancher: FakeCluster;
  readonly dc1: FakeCluster;
  readonly shop: FakeCluster;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const ready = (...types: readonly string[]): object[] =>
  types.map((type) => ({ type, status: 'True' }));

const MANAGEMENT_CLUSTER = 'provisioning.cattle.io/management-cluster-name';

/** What controllers write, by kind. */
const CONTROLLERS: { readonly [kind: string]: (object: any, cluster: FakeCluster) => object } = {
  Namespace: () => ({ status: { phase: 'Active' } }),
  Secret: ({ type, metadata, data }) =>
    type === 'kubernetes.io/service-account-token'
      ? {
          data: {
            'token': base64(`token-of-${metadata.name}`),
            'ca.crt': base64('-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n'),
            'namespace': base64(metadata.namespace),
          },
        }
      : { data },
  Project: ({ metadata: { namespace, name } }, cluster) => {
    cluster.seed({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `${namespace}-${name}` },
    });
    return {
      status: {
        backingNamespace: `${namespace}-${name}`,
        conditions: ready('BackingNamespaceCreated'),
      },
    };
  },
  VirtualMachineImage: ({ metadata: { name } }) => ({
    status: {
      progress: 100,
      storageClassName: `longhorn-${name}`,
      conditions: ready('Imported', 'Initialized'),
    },
  }),
  Setting: () => ({ status: { conditions: ready('configured') } }),
  IPPool: () => ({ status: { total: 20, available: 20, conditions: ready('Ready') } }),
  Service: () => ({ status: { loadBalancer: { ingress: [{ ip: '10.10.100.200' }] } } }),
  Cluster: ({ apiVersion, metadata: { name, annotations } }, cluster) => {
    if (!apiVersion.startsWith('provisioning')) {
      return {};
    }
    const id = annotations[MANAGEMENT_CLUSTER] as string;
    cluster.seed({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Cluster',
      metadata: { name: id },
      spec: { displayName: name },
      status: { conditions: ready('Connected', 'Ready') },
    });
    return {
      status: {
        ready: true,
        clusterName: id,
        conditions: ready('Ready', 'Provisioned', 'Updated'),
      },
    };
  },
};

/** A Rancher, a Harvester and a guest cluster, whose controllers answer at once. */
export function platform(): Clusters {
  const clusters = { rancher: new FakeCluster(), dc1: new FakeCluster(), shop: new FakeCluster() };
  const setting = (apiVersion: string, name: string, value: string): object => ({
    apiVersion,
    kind: 'Setting',
    metadata: { name },
    value,
  });
  for (const manifest of [
    setting('management.cattle.io/v3', 'server-version', 'v2.13.8'),
    setting('management.cattle.io/v3', 'server-url', 'https://rancher.example.com'),
  ]) {
    clusters.rancher.seed(manifest as never);
  }
  for (const manifest of [
    setting('harvesterhci.io/v1beta1', 'server-version', 'v1.7.2'),
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'cluster-registration-url' },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' },
    },
  ]) {
    clusters.dc1.seed(manifest as never, 'harvester');
  }
  for (const cluster of Object.values(clusters)) {
    cluster.reactions.push((object, of) => {
      const write = CONTROLLERS[object.kind];
      if (write && !object.metadata.deletionTimestamp) {
        of.change(object, (live) => {
          Object.assign(live, write(live, of));
        });
      }
    });
  }
  return clusters;
}
