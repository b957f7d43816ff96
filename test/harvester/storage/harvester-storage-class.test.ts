import { ApiObject, Duration } from 'cdk8s';
import { Ordering } from '../../../src/core/construct/edge';
import { notesOf } from '../../../src/core/construct/object-notes';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { SecretValue } from '../../../src/core/value/secret-value';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNode } from '../../../src/harvester/node/node';
import {
  DataLocality,
  HarvesterStorageClass,
  LonghornEngine,
  LvmType,
  ReclaimPolicy,
  StorageDriver,
} from '../../../src/harvester/storage/harvester-storage-class';
import {
  CdiCloneStrategy,
  VolumeAccessMode,
  VolumeMode,
} from '../../../src/harvester/storage/storage.data';
import { VolumeEncryption } from '../../../src/harvester/storage/volume-encryption';
import { newApp, newHarvester } from '../../support/programs';

test('writes a class of Longhorn with the defaults of Harvester', () => {
  const dc1 = newHarvester(newApp());
  new HarvesterStorageClass(dc1, 'plain');
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'plain' },
      provisioner: 'driver.longhorn.io',
      parameters: { numberOfReplicas: '3', staleReplicaTimeout: '30', migratable: 'true' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      allowVolumeExpansion: true,
    },
  ]);
});

test('writes all parameters of a class as text', () => {
  const dc1 = newHarvester(newApp());
  new HarvesterStorageClass(dc1, 'fast', {
    driver: StorageDriver.longhorn({
      replicas: 2,
      staleReplicaTimeout: Duration.hours(1),
      migratable: false,
      dataLocality: DataLocality.BEST_EFFORT,
      engine: LonghornEngine.V2,
      diskTags: ['ssd', 'nvme'],
      nodeTags: ['big'],
      fsType: 'xfs',
      nfsOptions: 'vers=4.2',
      parameters: { recurringJobSelector: '[]' },
    }),
    isDefault: true,
    reclaimPolicy: ReclaimPolicy.RETAIN,
    allowVolumeExpansion: false,
    allowedTopologies: [{ key: 'zone', values: ['a', 'b'] }],
    cdi: {
      accessModes: {
        [VolumeMode.FILESYSTEM]: [VolumeAccessMode.READ_WRITE_ONCE],
        [VolumeMode.BLOCK]: [VolumeAccessMode.READ_WRITE_MANY],
      },
      cloneStrategy: CdiCloneStrategy.SNAPSHOT,
      volumeSnapshotClassName: 'longhorn-snapshot',
      filesystemOverhead: 0.055,
    },
    description: 'SSDs',
  });
  expect(dc1.toJson()[0]).toMatchObject({
    metadata: {
      annotations: {
        'field.cattle.io/description': 'SSDs',
        'storageclass.kubernetes.io/is-default-class': 'true',
        'cdi.harvesterhci.io/storageProfileVolumeModeAccessModes':
          '{"Block":["ReadWriteMany"],"Filesystem":["ReadWriteOnce"]}',
        'cdi.harvesterhci.io/storageProfileCloneStrategy': 'snapshot',
        'cdi.harvesterhci.io/storageProfileVolumeSnapshotClass': 'longhorn-snapshot',
        'cdi.harvesterhci.io/filesystemOverhead': '0.055',
      },
    },
    parameters: {
      numberOfReplicas: '2',
      staleReplicaTimeout: '60',
      migratable: 'false',
      dataLocality: 'best-effort',
      dataEngine: 'v2',
      diskSelector: 'ssd,nvme',
      nodeSelector: 'big',
      fsType: 'xfs',
      nfsOptions: 'vers=4.2',
      recurringJobSelector: '[]',
    },
    reclaimPolicy: 'Retain',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
  });
  expect(dc1.toJson()[0]).not.toHaveProperty('allowVolumeExpansion');
});

test('writes classes of LVM and of other drivers', () => {
  const dc1 = newHarvester(newApp());
  new HarvesterStorageClass(dc1, 'local', {
    driver: StorageDriver.lvm({
      node: HarvesterNode.fromName(dc1, 'n1', { name: 'n1' }),
      volumeGroup: 'vg1',
      type: LvmType.DM_THIN,
    }),
  });
  new HarvesterStorageClass(dc1, 'san', {
    driver: StorageDriver.csi('csi.example.com', { parameters: { pool: 'a' } }),
    cdi: { accessModes: { [VolumeMode.BLOCK]: [VolumeAccessMode.READ_WRITE_ONCE] } },
  });
  expect(dc1.toJson()).toMatchObject([
    {
      provisioner: 'lvm.driver.harvesterhci.io',
      parameters: { type: 'dm-thin', vgName: 'vg1' },
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [
        { matchLabelExpressions: [{ key: 'topology.lvm.csi/node', values: ['n1'] }] },
      ],
    },
    { provisioner: 'csi.example.com', parameters: { pool: 'a' } },
  ]);
});

test('writes encrypted volumes, and retains their key', () => {
  const dc1 = newHarvester(newApp());
  const encryption = new VolumeEncryption(dc1, 'disks', {
    passphrase: SecretValue.unsafePlainText('correct horse'),
    keySize: 512,
  });
  const encrypted = new HarvesterStorageClass(dc1, 'safe', {
    driver: StorageDriver.longhorn({ encryption }),
  });
  const [secret, storageClass] = dc1.toJson();
  expect(
    Object.fromEntries(
      Object.entries(secret.data as { [key: string]: string }).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]),
    ),
  ).toEqual({
    CRYPTO_KEY_CIPHER: 'aes-xts-plain64',
    CRYPTO_KEY_HASH: 'sha256',
    CRYPTO_KEY_SIZE: '512',
    CRYPTO_PBKDF: 'argon2i',
    CRYPTO_KEY_PROVIDER: 'secret',
    CRYPTO_KEY_VALUE: 'correct horse',
  });
  expect(storageClass.parameters).toMatchObject({
    encrypted: 'true',
    ...Object.fromEntries(
      ['provisioner', 'node-stage', 'node-publish', 'node-expand'].flatMap((step) => [
        [`csi.storage.k8s.io/${step}-secret-name`, 'disks'],
        [`csi.storage.k8s.io/${step}-secret-namespace`, 'default'],
      ]),
    ),
  });
  const key = ApiObject.of(encryption);
  expect(kindOf<KindDescription>(key)!.deletions![notesOf(key).deletion!]!.policy).toBe('keep');
  expect(
    Ordering.of(encrypted)
      ._declared()
      .map(({ to, type }) => [to.node.id, type]),
  ).toEqual([['disks', 'applied']]);
  expect(
    () =>
      new VolumeEncryption(dc1, 'weak', {
        passphrase: SecretValue.unsafePlainText('x'),
        keySize: 128,
      }),
  ).toThrow('[dc1/weak] keySize: must be one of 256, 384, 512, got 128');
});

test('refuses values that Harvester would refuse', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(() => new HarvesterStorageClass(dc1, 'harvester-longhorn')).toThrow(
    '[dc1/harvester-longhorn] name: cannot be created, got "harvester-longhorn": Harvester has this StorageClass',
  );
  expect(
    () =>
      new HarvesterStorageClass(dc1, 'a', {
        driver: StorageDriver.longhorn({ parameters: { dataLocality: 'strict-local' } }),
      }),
  ).toThrow(
    '[dc1/a] driver.parameters.dataLocality: cannot be strict-local, got "strict-local": volumes could not move, and nodes not be drained (the server: "storage class with strict-local data locality is not allowed")',
  );
  expect(
    () =>
      new HarvesterStorageClass(dc1, 'b', {
        driver: StorageDriver.csi('x.example.com'),
        cdi: { cloneStrategy: CdiCloneStrategy.SNAPSHOT, filesystemOverhead: 1.5 },
      }),
  ).toThrow(
    /cdi\.filesystemOverhead: must be 0 to 1 with at most three decimals, got "1\.5"[^]*cdi\.volumeSnapshotClassName: must be set/,
  );
  expect(
    () =>
      new HarvesterStorageClass(dc1, 'zoned', {
        allowedTopologies: [{ key: 'my zone', values: ['a'] }],
      }),
  ).toThrow(
    /\[dc1\/zoned\] allowedTopologies\[0\]\.key: must be the name of a label, got "my zone".*name part must consist of/s,
  );
  const elsewhere = VolumeEncryption.fromName(newHarvester(app, '1.7.2', 'dc2'), 'k', {
    name: 'k',
    namespace: 'default',
  });
  expect(
    () =>
      new HarvesterStorageClass(dc1, 'c', {
        driver: StorageDriver.longhorn({ encryption: elsewhere }),
      }),
  ).toThrow('[dc1/c] driver.encryption: must be on the same Harvester, dc1, got "k": it is on dc2');
  const node = HarvesterNode.fromName(elsewhere.harvester as HarvesterChart, 'n1', { name: 'n1' });
  expect(
    () =>
      new HarvesterStorageClass(dc1, 'd', {
        driver: StorageDriver.lvm({ node, volumeGroup: 'vg1', type: LvmType.STRIPED }),
      }),
  ).toThrow('[dc1/d] driver.node: must be on the same Harvester, dc1, got "n1": it is on dc2');
});

test('refers to an existing object', () => {
  const dc1 = newHarvester(newApp());
  expect(HarvesterStorageClass.fromName(dc1, 'there', { name: 'harvester-longhorn' }).name).toBe(
    'harvester-longhorn',
  );
  expect(dc1.toJson()).toEqual([]);
});
