import { alwaysHolds, lostWith } from '../../../src/apply/plan/lost-with';
import { Manifest } from '../../../src/model/manifest';

const of = (apiVersion: string, kind: string, spec?: object): Manifest => ({ apiVersion, kind, metadata: { name: 'x' }, ...(spec ? { spec } : {}) });

test.each<[what: string, live: Manifest]>([
  ['a Cluster with machines', of('provisioning.cattle.io/v1', 'Cluster', { rkeConfig: {} })],
  ['one of RKE1', of('management.cattle.io/v3', 'Cluster', { rancherKubernetesEngineConfig: {} })],
  ['its pools', of('management.cattle.io/v3', 'NodePool', { quantity: 3 })],
  ['a virtual machine', of('kubevirt.io/v1', 'VirtualMachine')],
  ['a volume', of('v1', 'PersistentVolumeClaim')],
  ['a volume that is filled', of('cdi.kubevirt.io/v1beta1', 'DataVolume')],
])('%s is lost with what it holds', (_, live) => {
  expect(lostWith(live)).toMatch(/machine|data/);
});

test.each<[what: string, live: Manifest]>([
  ['an import', of('provisioning.cattle.io/v1', 'Cluster', {})],
  ['the management cluster of one', of('management.cattle.io/v3', 'Cluster', { imported: true })],
  ['a Cluster of Cluster API', of('cluster.x-k8s.io/v1beta1', 'Cluster', { rkeConfig: {} })],
  ['a Namespace', of('v1', 'Namespace')],
])('%s holds none', (_, live) => {
  expect(lostWith(live)).toBeUndefined();
});

test('of a Cluster nobody knows until it is read', () => {
  expect(alwaysHolds({ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' })).toBe(false);
  expect(alwaysHolds({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })).toBe(true);
});
