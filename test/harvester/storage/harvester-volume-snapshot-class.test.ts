import { ReclaimPolicy } from '../../../src/harvester/storage/harvester-storage-class';
import { HarvesterVolumeSnapshotClass } from '../../../src/harvester/storage/harvester-volume-snapshot-class';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { written } from '../../support/written';

test('writes a class of snapshots for a driver', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  new HarvesterVolumeSnapshotClass(dc1, 'ceph', {
    provisioner: 'rbd.csi.ceph.com',
    parameters: { clusterID: 'rook' },
    deletionPolicy: ReclaimPolicy.RETAIN,
    isDefault: true,
  });
  new HarvesterVolumeSnapshotClass(dc1, 'plain', { provisioner: 'rbd.csi.ceph.com' });
  const objects = written(app);
  expect(objects['dc1/VolumeSnapshotClass/ceph']).toEqual({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: {
      name: 'ceph',
      annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' },
    },
    driver: 'rbd.csi.ceph.com',
    deletionPolicy: 'Retain',
    parameters: { clusterID: 'rook' },
  });
  expect(objects['dc1/VolumeSnapshotClass/plain'].deletionPolicy).toBe('Delete');
});

test('refers to an existing class, and is on a Harvester', () => {
  const app = newApp();
  expect(
    HarvesterVolumeSnapshotClass.fromName(newHarvester(app), 'a', { name: 'longhorn-snapshot' })
      .name,
  ).toBe('longhorn-snapshot');
  expect(
    () => new HarvesterVolumeSnapshotClass(newRancher(app), 'b', { provisioner: 'x' }),
  ).toThrow('must be in a harvester target');
});
