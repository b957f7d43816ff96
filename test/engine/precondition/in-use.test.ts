import { neverDeleted } from '../../../src/core/kind/retention';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { heldBy, inUse } from '../../../src/engine/precondition/in-use';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';

const target = (kind: AssemblyTarget['kind']): AssemblyTarget => ({
  name: kind,
  kind,
  version: '1',
  folder: kind,
  construct: kind,
  properties: {},
});

function live(
  apiVersion: string,
  kind: string,
  path: string,
  fields: { [field: string]: unknown } = {},
): LiveObject {
  const [name, namespace] = path.split('/').reverse();
  const { metadata, ...rest } = fields;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid: 'u', resourceVersion: '1', ...(metadata as object) },
    ...rest,
  };
}

test.each<
  [
    apiVersion: string,
    kind: string,
    path: string,
    fields: { [field: string]: unknown },
    says: string,
  ]
>([
  ...([
    'default',
    'kube-system',
    'cattle-system',
    'cattle-fleet-system',
    'fleet-default',
    'fleet-local',
    'harvester-system',
    'harvester-public',
    'longhorn-system',
    'local',
  ].map((name): [string, string, string, object, string] => [
    'v1',
    'Namespace',
    name,
    {},
    'is a namespace of the system',
  ]) as []),
  ['harvesterhci.io/v1beta1', 'Setting', 'ntp-servers', {}, 'it is reset, never deleted'],
  ['management.cattle.io/v3', 'Setting', 'server-url', {}, 'it is reset, never deleted'],
  [
    'management.cattle.io/v3',
    'RoleTemplate',
    'project-owner',
    { builtin: true },
    'is built into Rancher',
  ],
  ['management.cattle.io/v3', 'GlobalRole', 'admin', { builtin: true }, 'is built into Rancher'],
  ['management.cattle.io/v3', 'Cluster', 'local', {}, 'is the cluster that Rancher runs on'],
  [
    'provisioning.cattle.io/v1',
    'Cluster',
    'fleet-local/local',
    {},
    'is the cluster that Rancher runs on',
  ],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'x',
    {},
    'would take all objects of its kind along',
  ],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    'x',
    { metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } },
    'is the default StorageClass',
  ],
  ['network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'mgmt', {}, 'is the network of the nodes'],
])('never deletes %s %s %s', (apiVersion, kind, path, fields, says) => {
  expect(neverDeleted(live(apiVersion, kind, path, fields))?.says).toContain(says);
});

test.each<[apiVersion: string, kind: string, path: string]>([
  ['v1', 'Namespace', 'shop-vms'],
  ['v1', 'Namespace', 'c-m-dc1'],
  ['management.cattle.io/v3', 'RoleTemplate', 'vm-operator'],
  ['provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop'],
  ['storage.k8s.io/v1', 'StorageClass', 'fast'],
  ['network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'prod'],
  ['example.com/v1', 'Setting', 'x'],
])('may delete %s %s %s', (apiVersion, kind, path) => {
  expect(neverDeleted(live(apiVersion, kind, path))).toBeUndefined();
});

const SECRET = live('v1', 'Secret', 'fleet-default/hc-shop');

test('a Secret that a machine config of a live cluster names is in use; one that is going lets it pass soon', async () => {
  const cluster = new FakeCluster();
  expect(await inUse(SECRET, target('rancher'), cluster)).toBeUndefined();
  const shop = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    namespace: 'fleet-default',
    name: 'shop',
  };
  const {
    metadata: { uid },
  } = cluster.seed({
    apiVersion: shop.apiVersion,
    kind: shop.kind,
    metadata: { name: 'shop', namespace: 'fleet-default', finalizers: ['x'] },
    spec: {
      rkeConfig: {
        machineSelectorConfig: [
          { config: { 'cloud-provider-config': 'secret://fleet-default:hc-shop' } },
        ],
      },
    },
  });
  expect(await inUse(SECRET, target('rancher'), cluster)).toMatchObject({
    passes: false,
    why: expect.stringContaining('Cluster fleet-default/shop uses it: without it'),
  });
  await cluster.delete(shop, uid);
  expect(await inUse(SECRET, target('rancher'), cluster)).toMatchObject({
    passes: true,
    why: expect.stringContaining('uses it and still exists'),
  });
});

test('names what a cluster loses without its credential of S3', async () => {
  const cluster = new FakeCluster();
  cluster.seed({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: { rkeConfig: { etcd: { s3: { cloudCredentialName: 'cattle-global-data:cc-s3' } } } },
  });
  const credential = live('v1', 'Secret', 'cattle-global-data/cc-s3');
  expect(await inUse(credential, target('rancher'), cluster)).toEqual({
    passes: false,
    why: 'Cluster fleet-default/shop uses it: without it, the cluster can neither be changed nor restored from its etcd snapshots in S3',
  });
});

test('treats nothing as unused where it cannot look', async () => {
  const cluster = new FakeCluster();
  cluster.fault = () => new ApiError('forbidden', 'clusters is forbidden', 403);
  expect(await inUse(SECRET, target('rancher'), cluster)).toEqual({
    passes: false,
    why: 'cannot check whether it is in use: clusters is forbidden',
  });
});

test('reports what holds an object, in the words of a Namespace, and what to do', () => {
  const conditions = [
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      message: 'Some resources are remaining: pods. has 1 resource instances',
    },
    { type: 'Ready', status: 'True', message: 'no' },
  ];
  expect(
    heldBy(
      live('v1', 'Namespace', 'shop', {
        metadata: { finalizers: ['controller.cattle.io/namespace-auth'] },
        status: { conditions },
      }),
    ),
  ).toBe(
    'held by the finalizers controller.cattle.io/namespace-auth; Some resources are remaining: pods. has 1 resource instances; ' +
      'Rancher removes it while the cluster is connected. Fix: reconnect the cluster and check its agent',
  );
  expect(heldBy(live('v1', 'ConfigMap', 'x/y'))).toBe('waits for its contents to be deleted');
});

test.each<
  [
    kind: AssemblyTarget['kind'],
    seeded: { apiVersion: string; kind: string; spec?: object },
    says: string | undefined,
  ]
>([
  [
    'harvester',
    { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' },
    'contains 1 VirtualMachine (x), which would be lost with it',
  ],
  [
    'guest',
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    'contains 1 PersistentVolumeClaim (x), which would be lost with it',
  ],
  [
    'rancher',
    { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', spec: { rkeConfig: {} } },
    'contains 1 Cluster (x), which would be lost with it',
  ],
  [
    'rancher',
    { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', spec: {} },
    'contains 1 Cluster (x), which would be lost with it',
  ],
  [
    'harvester',
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'VirtualMachineBackup' },
    'contains 1 VirtualMachineBackup (x), which would be lost with it',
  ],
  ['guest', { apiVersion: 'v1', kind: 'ConfigMap' }, undefined],
])('a namespace on a %s with %j', async (kind, seeded, says) => {
  const cluster = new FakeCluster();
  cluster.seed({ ...seeded, metadata: { name: 'x', namespace: 'team' } });
  expect((await inUse(live('v1', 'Namespace', 'team'), target(kind), cluster))?.why).toBe(says);
});
