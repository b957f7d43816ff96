import { Size } from 'cdk8s';
import { SnapshotQuota } from '../../../src/harvester/backup/snapshot-quota';
import { HarvesterNamespace } from '../../../src/harvester/namespace/harvester-namespace';
import { newApp, newHarvester } from '../../support/programs';
import { written } from '../../support/written';

test('writes a snapshot quota with the name that Harvester requires and sizes in bytes', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const namespace = HarvesterNamespace.fromName(dc1, 'ns', 'vms');
  new SnapshotQuota(dc1, 'quota', { namespace, total: Size.gibibytes(100), perVirtualMachine: { web: Size.gibibytes(20), db: Size.gibibytes(50) } });
  const quota = written(app)['dc1/ResourceQuota/default-resource-quota'];
  expect(quota).toEqual({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'ResourceQuota',
    metadata: { name: 'default-resource-quota', namespace: 'vms' },
    spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 107374182400, vmTotalSnapshotSizeQuota: { db: 53687091200, web: 21474836480 } } },
  });
  expect(Object.keys(quota.spec.snapshotLimit.vmTotalSnapshotSizeQuota)).toEqual(['db', 'web']);
});

test('refuses a quota without limits or on another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app), newHarvester(app, '1.7.2', 'dc2')];
  const namespace = HarvesterNamespace.fromName(dc1, 'ns', 'vms');
  expect(() => new SnapshotQuota(dc1, 'a', { namespace })).toThrow('[dc1/a] total: must be set, unless perVirtualMachine is set');
  expect(() => new SnapshotQuota(dc2, 'b', { namespace, total: Size.gibibytes(1) })).toThrow('namespace: must be on the Harvester of the quota, dc2, got "vms": it is on dc1');
  expect(() => new SnapshotQuota(dc1, 'c', { namespace, perVirtualMachine: { 'A b': Size.gibibytes(1) } })).toThrow('perVirtualMachine[A b]: must be the name of a virtual machine');
});
