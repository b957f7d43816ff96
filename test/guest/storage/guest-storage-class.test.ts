import { Manifest } from '../../../src/core/manifest/manifest';
import { GuestChart } from '../../../src/guest/guest-chart';
import {
  GuestStorageClass,
  GuestVolumeSnapshotClass,
} from '../../../src/guest/storage/guest-storage-class';
import {
  HarvesterStorageClass,
  ReclaimPolicy,
  VolumeBindingMode,
} from '../../../src/harvester/storage/harvester-storage-class';
import { judgePlaced } from '../../support/judging';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';

function guest(version = 'v1.33.6+rke2r1', harvesterVersion?: string) {
  const app = newApp();
  const harvester =
    harvesterVersion === undefined ? undefined : newHarvester(app, harvesterVersion);
  return { app, chart: new GuestChart(app, 'shop', { version, harvester }) };
}

describe('a storage class in a guest cluster', () => {
  test('is the one that the chart makes, except for the default mark', () => {
    const { app, chart } = guest();
    new GuestStorageClass(chart, 'plain');
    expect(rendered(app)['shop/StorageClass/plain']).toEqual({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'plain' },
      provisioner: 'driver.harvesterhci.io',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      allowVolumeExpansion: true,
    });
  });

  test('names the class of the Harvester', () => {
    const { app, chart } = guest();
    const host = HarvesterStorageClass.fromName(newHarvester(app), 'nvme', { name: 'nvme' });
    new GuestStorageClass(chart, 'class', {
      name: 'fast',
      hostStorageClass: host,
      isDefault: true,
      reclaimPolicy: ReclaimPolicy.RETAIN,
      volumeBindingMode: VolumeBindingMode.WAIT_FOR_FIRST_CONSUMER,
      allowVolumeExpansion: false,
      mountOptions: ['noatime'],
      hostFilesystem: true,
    });
    expect(rendered(app)['shop/StorageClass/fast']).toMatchObject({
      metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      parameters: { hostStorageClass: 'nvme', hostVolumeMode: 'filesystem' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      mountOptions: ['noatime'],
    });
    expect(rendered(app)['shop/StorageClass/fast']).not.toHaveProperty('allowVolumeExpansion');
  });

  test('refuses a name that is none, and a place in no guest cluster', () => {
    expect(() => new GuestStorageClass(guest().chart, 'class', { name: 'Fast' })).toThrow(
      '[shop/class] name: must be a valid object name, got "Fast". Fix: set a name of a-z, 0-9, hyphens and dots',
    );
    expect(() => new GuestStorageClass(newRancher(newApp()), 'class')).toThrow(
      'GuestStorageClass must be in a guest target',
    );
  });
});

describe('a class of volume snapshots', () => {
  test('is one of the CSI driver', () => {
    const { app, chart } = guest();
    new GuestVolumeSnapshotClass(chart, 'daily', {
      isDefault: true,
      deletionPolicy: ReclaimPolicy.RETAIN,
    });
    expect(rendered(app)['shop/VolumeSnapshotClass/daily']).toEqual({
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: {
        name: 'daily',
        annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' },
      },
      driver: 'driver.harvesterhci.io',
      deletionPolicy: 'Retain',
    });
  });

  test('may make backups, on a Harvester that has them', () => {
    const { app, chart } = guest('v1.33.11+rke2r1', '1.8.0');
    new GuestVolumeSnapshotClass(chart, 'backup', { backup: true });
    expect(rendered(app)['shop/VolumeSnapshotClass/backup']).toMatchObject({
      parameters: { type: 'backup' },
      deletionPolicy: 'Delete',
    });
  });

  test.each([
    [
      false,
      '1.6.1',
      'volume snapshots in guest clusters (CSI chart 0.1.25) needs Harvester 1.7.0 or later, got 1.6.1. Fix: upgrade Harvester first',
    ],
    [
      true,
      '1.7.2',
      'volume backups in guest clusters (CSI chart 0.1.28) needs Harvester 1.8.0 or later, got 1.7.2. Fix: upgrade Harvester first',
    ],
  ])('backup %s is refused on Harvester %s', (backup, version, message) => {
    const { chart } = guest(undefined, version);
    expect(() => new GuestVolumeSnapshotClass(chart, 'class', { backup })).toThrow(message);
  });
});

test('refers to existing classes and writes nothing', () => {
  const { app, chart } = guest();
  const classes = [
    GuestStorageClass.fromName(chart, 'a', { name: 'harvester' }),
    GuestVolumeSnapshotClass.fromName(chart, 'b', { name: 'harvester-snapshot' }),
  ];
  expect(classes.map(({ name, guest: { targetName } }) => [name, targetName])).toEqual([
    ['harvester', 'shop'],
    ['harvester-snapshot', 'shop'],
  ]);
  expect(rendered(app)).toEqual({});
});

test('reports a second default StorageClass of a guest cluster', () => {
  const storageClass = (name: string, value: string): Manifest => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': value } },
    provisioner: 'driver.harvesterhci.io',
  });
  const found = (...shop: Manifest[]): string[] => judgePlaced(['guest/default-class'], { shop });
  expect(found(storageClass('a', 'true'), storageClass('b', 'true'))).toEqual([
    expect.stringContaining(
      'warning guest/default-class a metadata.annotations[storageclass.kubernetes.io/is-default-class]: makes it a default StorageClass besides b',
    ),
    expect.stringContaining('besides a'),
  ]);
  expect(found(storageClass('a', 'true'), storageClass('b', 'false'))).toEqual([]);
});

test('a storage class refuses a class of another Harvester than that of its machines', () => {
  const app = newApp();
  const [harvester, other] = [newHarvester(app), newHarvester(app, '1.7.2', 'dc2')];
  const make = (chart: GuestChart, id: string) =>
    new GuestStorageClass(chart, id, {
      hostStorageClass: HarvesterStorageClass.fromName(other, id, { name: 'ssd' }),
    });
  expect(
    messageOf(() =>
      make(new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1', harvester }), 'ssd'),
    ),
  ).toBe(
    '[shop/ssd] hostStorageClass: must be on the same Harvester, dc1, got "ssd": it is on dc2. Fix: use one on dc1',
  );
  // a chart that does not know its Harvester
  make(new GuestChart(app, 'plain', { version: 'v1.33.6+rke2r1' }), 'other');
});
