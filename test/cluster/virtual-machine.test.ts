import { Duration, Size } from 'cdk8s';
import { clientOf, describeCluster } from './clusters';
import { Manifest } from '../../src/core/manifest/manifest';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { VALUE_RULES } from '../../src/core/shape/shape.rules';
import { GuestCluster } from '../../src/guest/cluster/guest-cluster';
import { VmAffinity } from '../../src/harvester/affinity/vm-affinity';
import { ScheduleVmBackup, VmBackupType } from '../../src/harvester/backup/backup';
import { SCHEDULE_RULES } from '../../src/harvester/backup/backup.rules';
import { CloudInit } from '../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../src/harvester/cloud-init/cloud-init-secret';
import { NetworkData } from '../../src/harvester/cloud-init/network-data';
import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { VmImage } from '../../src/harvester/image/vm-image';
import { KeyPair } from '../../src/harvester/key-pair/key-pair';
import { Disk, DiskCache } from '../../src/harvester/machine/disk';
import { Nic } from '../../src/harvester/machine/nic';
import { OsType } from '../../src/harvester/machine/os-type';
import { VGpu } from '../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../src/harvester/storage/harvester-storage-class';
import { VolumeAccessMode } from '../../src/harvester/storage/storage.data';
import {
  VmMaintenanceStrategy,
  VmRunStrategy,
} from '../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterVolume } from '../../src/harvester/volume/volume';
import { newApp, newHarvester, newRancher } from '../support/programs';

const NAMESPACE = 'machines-test';
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';

/** Machines with everything that this family writes. */
function everything(): Manifest[] {
  const app = newApp();
  const dc1 = newHarvester(app, '1.8.2');
  const namespace = new HarvesterNamespace(dc1, NAMESPACE);
  const image = VmImage.fromName(dc1, 'Noble', {
    name: 'noble',
    namespace: 'default',
    volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'Noble-class', { name: 'lh-1234' }),
  });
  const network = VmNetwork.fromName(dc1, 'Prod', { name: 'prod' });
  const volume = new HarvesterVolume(dc1, 'data', {
    size: Size.gibibytes(1),
    namespace,
    accessMode: VolumeAccessMode.READ_WRITE_ONCE,
  });
  new HarvesterVolume(dc1, 'copy', { size: Size.gibibytes(1), namespace, image });
  const machine = new VirtualMachine(dc1, 'web', {
    cpus: 4,
    memory: Size.gibibytes(8),
    reservedMemory: Size.mebibytes(256),
    disks: [
      Disk.image(image, Size.gibibytes(40), { deleteWithMachine: true, cache: DiskCache.NONE }),
      Disk.cdRom(image, Size.gibibytes(1)),
      Disk.empty(Size.mebibytes(500), { hotPluggable: true }),
      Disk.volume(volume),
      Disk.container('docker.io/library/a:1'),
      Disk.containerCdRom('docker.io/library/b:1'),
    ],
    nics: [
      Nic.management({ bootOrder: 7 }),
      Nic.network(network, { macAddress: '52:54:00:00:00:01' }),
    ],
    cloudInit: CloudInit.of(),
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
    sshKeys: [new KeyPair(dc1, 'ana', { publicKey: KEY, namespace })],
    runStrategy: VmRunStrategy.HALTED,
    hostname: 'shop',
    cpuModel: 'host-passthrough',
    cpuPinning: true,
    isolateEmulatorThread: true,
    machineType: 'q35',
    efi: true,
    secureBoot: true,
    tpm: true,
    hostDevices: [{ name: 'node1-000004000', deviceName: 'intel.com/82599' }],
    vgpus: [VGpu.nvidia('NVIDIA A2-2Q', { device: 'node1-00000a004' })],
    nodeSelector: { zone: 'a' },
    affinity: VmAffinity.onNodes({ disk: 'ssd' }),
    maintenanceStrategy: VmMaintenanceStrategy.SHUTDOWN,
    terminationGracePeriod: Duration.minutes(2),
    namespace,
    description: 'the shop',
    osType: OsType.UBUNTU,
    tags: { 'ssh-user': 'ubuntu' },
    labels: { tier: 'web' },
    instanceLabels: { app: 'shop' },
  });
  new VirtualMachine(dc1, 'node', {
    cpus: 1,
    memory: Size.gibibytes(1),
    disks: [Disk.image(image, Size.gibibytes(10))],
    nics: [Nic.network(network)],
    namespace,
    guestCluster: GuestCluster.fromName(newRancher(app), 'orders', {
      name: 'orders',
      kubernetesVersion: 'v1.33.6+rke2r1',
    }),
    cloudInitSecret: new CloudInitSecret(dc1, 'base', { cloudInit: CloudInit.of(), namespace }),
  });
  new ScheduleVmBackup(dc1, 'nightly', {
    virtualMachine: machine,
    schedule: '@daily',
    type: VmBackupType.SNAPSHOT,
  });
  return dc1.toJson() as Manifest[];
}

const schedule = (spec: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'ScheduleVMBackup',
  metadata: { name: 'one', namespace: 'default' },
  spec: {
    cron: '@daily',
    retain: 8,
    maxFailure: 4,
    vmbackup: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    ...spec,
  },
});

describeCluster('virtual machines', () => {
  const client = () => clientOf('harvester');

  test('and their other objects are accepted by a strict server, and a second apply changes nothing', async () => {
    const objects = everything();
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'KeyPair',
      'Namespace',
      'PersistentVolumeClaim',
      'PersistentVolumeClaim',
      'ScheduleVMBackup',
      'Secret',
      'Secret',
      'VirtualMachine',
      'VirtualMachine',
    ]);
    try {
      for (const object of objects) {
        const { status, body } = await client().apply(object);
        expect({
          kind: object.kind,
          name: object.metadata.name,
          message: status >= 300 ? body.message : '',
        }).toMatchObject({ message: '' });
        // the server's own controllers write to these
        if (object.kind === 'Namespace' || object.kind === 'PersistentVolumeClaim') {
          continue;
        }
        const again = await client().apply(object);
        expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
      }
    } finally {
      for (const object of [...objects].reverse()) {
        await client().delete(object);
      }
    }
  });

  test.each<[string, Manifest]>([
    ['one backup to keep', schedule({ retain: 1, maxFailure: 0 })],
    ['too many backups to keep', schedule({ retain: 251 })],
    ['one failure', schedule({ maxFailure: 1 })],
  ])('a schedule with %s is refused by the server, and by us', async (_, manifest) => {
    const path = (await client().pathOf(manifest)).replace(/\/[^/]+$/, '');
    const { status, body } = await client().request('POST', path, {
      query: { dryRun: 'All', fieldValidation: 'Strict' },
      body: manifest,
    });
    const findings = judge(
      [...SCHEDULE_RULES, ...VALUE_RULES],
      new World([{ manifest, target: { name: 'dc1', kind: 'harvester' } }]),
    );
    expect(status).toBe(422);
    const says = findings.map(({ message }) => /\(the server: "(.*?)"\)/.exec(message)?.[1] ?? '-');
    expect(says.some((words) => String(body.message).includes(words))).toBe(true);
  });
});
