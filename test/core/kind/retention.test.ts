import {
  alwaysAsks,
  holdingOf,
  lostWith,
  neverDeleted,
  retainedByDefault,
  searchedKinds,
} from '../../../src/core/kind/retention';
import { Manifest } from '../../../src/core/manifest/manifest';

const of = (apiVersion: string, kind: string, rest: object = {}): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'x' },
  ...rest,
});
const named = (
  apiVersion: string,
  kind: string,
  name: string,
  metadata: object = {},
): Manifest => ({ apiVersion, kind, metadata: { name, ...metadata } });
const HARVESTER = 'harvesterhci.io/v1beta1';
const MANAGEMENT = 'management.cattle.io/v3';

describe('asks before it is pruned', () => {
  test.each<[what: string, manifest: Manifest, loss: RegExp]>([
    [
      'a Cluster with machines',
      of('provisioning.cattle.io/v1', 'Cluster', { spec: { rkeConfig: {} } }),
      /machines/,
    ],
    [
      'a Cluster of RKE1',
      of(MANAGEMENT, 'Cluster', { spec: { rancherKubernetesEngineConfig: {} } }),
      /machines/,
    ],
    ['a node pool of RKE1', of(MANAGEMENT, 'NodePool', { spec: { quantity: 3 } }), /machines/],
    ['a virtual machine', of('kubevirt.io/v1', 'VirtualMachine'), /machine/],
    ['a volume', of('v1', 'PersistentVolumeClaim'), /data/],
    ['a volume that CDI fills', of('cdi.kubevirt.io/v1beta1', 'DataVolume'), /data/],
    ['a backup', of(HARVESTER, 'VirtualMachineBackup'), /backup/],
    ['a snapshot of a volume', of('snapshot.storage.k8s.io/v1', 'VolumeSnapshot'), /snapshot/],
    [
      'an uploaded image',
      of(HARVESTER, 'VirtualMachineImage', { spec: { sourceType: 'upload' } }),
      /image/,
    ],
  ])('%s', (_, manifest, loss) => {
    expect(lostWith(manifest)).toMatch(loss);
  });
});

describe('is pruned without a question', () => {
  test.each<[what: string, manifest: Manifest]>([
    ['an import', of('provisioning.cattle.io/v1', 'Cluster', { spec: {} })],
    [
      'the management Cluster of an import',
      of(MANAGEMENT, 'Cluster', { spec: { imported: true } }),
    ],
    [
      'a Cluster of Cluster API',
      of('cluster.x-k8s.io/v1beta1', 'Cluster', { spec: { rkeConfig: {} } }),
    ],
    ['a Namespace, which is searched instead', of('v1', 'Namespace')],
    [
      'an image that is downloaded again',
      of(HARVESTER, 'VirtualMachineImage', { spec: { sourceType: 'download' } }),
    ],
  ])('%s', (_, manifest) => {
    expect(lostWith(manifest)).toBeUndefined();
  });
});

test('reports of a virtual machine whether volumes are deleted with it', () => {
  const machine = (fields: object): string | undefined =>
    lostWith(of('kubevirt.io/v1', 'VirtualMachine', fields));
  const removes = { 'harvesterhci.io/removedPersistentVolumeClaims': 'web-disk-0' };
  expect(machine({})).toBe('the machine (its volumes are kept)');
  expect(machine({ metadata: { name: 'web', annotations: removes } })).toBe(
    'the machine, and the volumes that it deletes',
  );
  expect(machine({ spec: { dataVolumeTemplates: [{}] } })).toBe(
    'the machine, and the volumes that it deletes',
  );
});

test('distinguishes machines, data and tenants', () => {
  expect(
    holdingOf(of('provisioning.cattle.io/v1', 'Cluster', { spec: { rkeConfig: {} } }))?.holds,
  ).toBe('machines');
  expect(holdingOf(of('provisioning.cattle.io/v1', 'Cluster', { spec: {} }))?.holds).toBe(
    'tenants',
  );
  expect(holdingOf(of('v1', 'PersistentVolumeClaim'))?.holds).toBe('data');
  expect(holdingOf(of('rke-machine-config.cattle.io/v1', 'HarvesterConfig'))?.holds).toBe(
    'machines',
  );
  expect(holdingOf(of('v1', 'ConfigMap'))).toBeUndefined();
});

test('knows the kinds of which every object asks', () => {
  expect(alwaysAsks({ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' })).toBe(false);
  expect(alwaysAsks({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })).toBe(true);
  expect(alwaysAsks({ apiVersion: 'v1', kind: 'ConfigMap' })).toBe(false);
});

test('searches a namespace of a Harvester for backups, images, templates and snapshots too, each kind once', () => {
  expect(
    searchedKinds('harvester')
      .map(([, kind]) => kind)
      .sort(),
  ).toEqual([
    'DataVolume',
    'PersistentVolumeClaim',
    'VirtualMachine',
    'VirtualMachineBackup',
    'VirtualMachineImage',
    'VirtualMachineTemplateVersion',
    'VolumeRemoteBackup',
    'VolumeSnapshot',
  ]);
  expect(
    searchedKinds('rancher')
      .map(([, kind]) => kind)
      .sort(),
  ).toEqual(['Cluster', 'PersistentVolumeClaim', 'VolumeSnapshot']);
});

describe('keeps by default', () => {
  test.each<[what: string, manifest: Manifest, reason: string]>([
    [
      'a management Cluster',
      of(MANAGEMENT, 'Cluster'),
      'its projects, members and registration would be lost with it',
    ],
    [
      'an AuthConfig',
      named(MANAGEMENT, 'AuthConfig', 'okta'),
      "an AuthConfig is Rancher's: it is disabled, never deleted",
    ],
    [
      'a Feature',
      named(MANAGEMENT, 'Feature', 'fleet'),
      "a Feature is Rancher's: it is reset, not deleted",
    ],
    [
      'a Setting of Rancher',
      named(MANAGEMENT, 'Setting', 'server-url'),
      "a Setting is Rancher's: it is reset, never deleted",
    ],
    [
      'a Node',
      named('v1', 'Node', 'node-1'),
      'is a machine of the cluster: deleting it drops the machine from the cluster',
    ],
    [
      'a device',
      named('devices.harvesterhci.io/v1beta1', 'SRIOVNetworkDevice', 'node-1-eno1'),
      'Harvester creates one for each node or device',
    ],
    [
      'a repository of Rancher',
      named('catalog.cattle.io/v1', 'ClusterRepo', 'rancher-charts'),
      'is built into Rancher',
    ],
  ])('%s', (_, manifest, reason) => {
    expect(retainedByDefault(manifest)).toBe(reason);
  });
});

describe('never deletes', () => {
  test.each<[what: string, manifest: Manifest, reason: string]>([
    [
      'a built-in add-on',
      named(HARVESTER, 'Addon', 'rancher-monitoring', { namespace: 'cattle-monitoring-system' }),
      'is built into Harvester: set spec.enabled to false instead',
    ],
    [
      'a reserved storage class',
      named('storage.k8s.io/v1', 'StorageClass', 'fast', {
        annotations: { 'harvesterhci.io/is-reserved-storageclass': 'true' },
      }),
      'is built into Harvester',
    ],
    [
      'the storage class of Harvester',
      named('storage.k8s.io/v1', 'StorageClass', 'harvester-longhorn'),
      'is built into Harvester',
    ],
    [
      'the network of the nodes',
      named('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'mgmt'),
      'is the network of the nodes themselves',
    ],
    [
      'the namespace of Rancher',
      named('v1', 'Namespace', 'cattle-system'),
      'is a namespace of the system',
    ],
    [
      'the workspace of the clusters',
      named(MANAGEMENT, 'FleetWorkspace', 'fleet-default'),
      'is built into Rancher',
    ],
  ])('%s', (_, manifest, reason) => {
    expect(neverDeleted(manifest)?.says).toBe(reason);
  });

  test.each<[what: string, manifest: Manifest]>([
    [
      'an add-on of the user',
      named(HARVESTER, 'Addon', 'rancher-monitoring', { namespace: 'mine' }),
    ],
    ['a storage class of the user', named('storage.k8s.io/v1', 'StorageClass', 'longhorn')],
    ['another cluster network', named('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'vlan')],
    ['a namespace of the user', named('v1', 'Namespace', 'payments')],
  ])('but deletes %s', (_, manifest) => {
    expect(neverDeleted(manifest)).toBeUndefined();
    expect(retainedByDefault(manifest)).toBeUndefined();
  });
});
