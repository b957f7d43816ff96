import { Size } from 'cdk8s';
import { VmAffinity } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { Disk, DiskBus, DiskCache } from '../../../src/harvester/machine/disk';
import { MachineProps } from '../../../src/harvester/machine/machine-props';
import { InterfaceModel, Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { VolumeAccessMode, VolumeMode } from '../../../src/harvester/storage/storage.data';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterVolume } from '../../../src/harvester/volume/volume';
import { PoolProgram, refusal } from '../../guest/machine-pool/_pools';

const AFFINITY = VmAffinity.onNodes({ 'topology.kubernetes.io/zone': 'a' });

/** The lines of a machine, without those that a pool or a VirtualMachine must have besides. */
function linesOf({ image, network, harvester }: PoolProgram): MachineProps {
  const named = (name: string) => HarvesterStorageClass.fromName(harvester, name, { name });
  return {
    cpus: 4,
    memory: Size.gibibytes(8),
    reservedMemory: Size.mebibytes(512),
    disks: [
      Disk.image(image, Size.gibibytes(40), {
        name: 'disk-0',
        bus: DiskBus.SCSI,
        deleteWithMachine: true,
      }),
      Disk.empty(Size.gibibytes(100), {
        storageClass: named('fast'),
        accessMode: VolumeAccessMode.READ_WRITE_MANY,
        volumeMode: VolumeMode.BLOCK,
      }),
      Disk.cdRom(image, Size.gibibytes(1)),
      Disk.empty(Size.gibibytes(10), {
        storageClass: named('slow'),
        bus: DiskBus.SCSI,
        hotPluggable: true,
        deleteWithMachine: false,
      }),
    ],
    nics: [
      Nic.network(network, {
        name: 'nic-0',
        model: InterfaceModel.E1000,
        macAddress: '52:54:00:12:34:56',
      }),
    ],
    cpuModel: 'host-passthrough',
    cpuPinning: true,
    isolateEmulatorThread: true,
    efi: true,
    secureBoot: true,
    tpm: true,
    cloudInit: CloudInit.of({ packages: ['nginx'], guestAgent: GuestAgent.preinstalled() }),
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
    affinity: AFFINITY,
  };
}

/** The image of a claim, or the class of an empty one. */
function sourceOf({ metadata: { annotations }, spec: { storageClassName } }: any): object {
  const imageName = annotations?.['harvesterhci.io/imageId'];
  return imageName ? { imageName } : { storageClassName };
}

test('moves from a pool to a VirtualMachine by its lines', () => {
  const program = new PoolProgram();
  const lines = linesOf(program);
  const machine = new VirtualMachine(program.harvester, 'web', lines);
  const [
    config,
    {
      template: { spec },
    },
  ] = [program.config({ ...lines, networks: undefined }), machine.apiObject.toJson().spec];
  const [cpu, { disks, interfaces }] = [spec.domain.cpu, spec.domain.devices];
  const claims = JSON.parse(
    machine.apiObject.toJson().metadata.annotations['harvesterhci.io/volumeClaimTemplates'],
  );

  expect([config.cpuCount, `${config.memorySize}Gi`]).toEqual([
    String(cpu.cores),
    spec.domain.resources.limits.memory,
  ]);
  expect(`${config.reservedMemorySize}Mi`).toBe(
    machine.apiObject.toJson().metadata.annotations['harvesterhci.io/reservedMemory'],
  );
  const { cpuModel: model, cpuPinning: dedicatedCpuPlacement, isolateEmulatorThread } = config;
  expect(cpu).toMatchObject({ model, dedicatedCpuPlacement, isolateEmulatorThread });
  expect(spec.domain.firmware.bootloader).toEqual(
    config.enableEfi && { efi: { secureBoot: config.enableSecureBoot } },
  );
  expect(spec.domain.devices.tpm).toEqual(config.enableTpm && {});
  // the node driver's default bus is virtio
  const ofPool = JSON.parse(config.diskInfo).disks.map(
    ({ size, bus = 'virtio', type = 'disk', ...disk }: any) => ({
      ...disk,
      storage: `${size}Gi`,
      bus,
      type,
    }),
  );
  expect(ofPool).toEqual(
    disks.slice(0, -1).map((disk: any, index: number) => ({
      ...sourceOf(claims[index]),
      bootOrder: disk.bootOrder,
      storage: claims[index].spec.resources.requests.storage,
      bus: (disk.disk ?? disk.cdrom).bus,
      type: disk.cdrom ? 'cd-rom' : 'disk',
      hotPlugAble: spec.volumes[index].persistentVolumeClaim.hotpluggable,
    })),
  );
  expect(JSON.parse(config.networkInfo).interfaces).toEqual(
    interfaces.map((nic: any, index: number) => ({
      networkName: spec.networks[index].multus.networkName,
      model: nic.model,
      macAddress: nic.macAddress,
    })),
  );
  expect(JSON.parse(config.vmAffinity)).toEqual(spec.affinity);
  const { data } = program.harvester.toJson().find(({ kind }) => kind === 'Secret')!;
  expect([config.userData, config.networkData]).toEqual(
    [data.userdata, data.networkdata].map((text) => Buffer.from(text, 'base64').toString()),
  );
});

test('has one short form of its NICs', () => {
  const program = new PoolProgram();
  const { disks } = linesOf(program);
  const lines = { cpus: 1, memory: Size.gibibytes(1), disks, networks: [program.network] };
  const {
    template: { spec },
  } = new VirtualMachine(program.harvester, 'web', lines).apiObject.toJson().spec;
  expect(spec.networks).toEqual([{ name: 'nic-0', multus: { networkName: 'default/prod' } }]);
  expect(JSON.parse(program.config(lines).networkInfo).interfaces).toEqual([
    { networkName: 'default/prod', macAddress: '' },
  ]);
});

const GIB = Size.gibibytes(1);

test.each<[string, (program: PoolProgram) => Partial<MachineProps>, string]>([
  [
    'a volume',
    ({ harvester }) => ({
      disks: [Disk.volume(HarvesterVolume.fromName(harvester, 'data', { name: 'data' }))],
    }),
    'disks[0]: cannot be a volume, which only one machine could use, got "data": the node driver creates the volumes of each machine. Fix: use Disk.image, Disk.empty or Disk.cdRom',
  ],
  [
    'a container image',
    () => ({ disks: [Disk.container('registry/a:1')] }),
    'disks[0]: cannot be a container image: the node driver creates the volumes of each machine',
  ],
  [
    'a CD-ROM of a container image',
    ({ image }) => ({ disks: [Disk.image(image, GIB), Disk.containerCdRom('registry/a:1')] }),
    'disks[1]: cannot be a container image',
  ],
  [
    'a named disk',
    ({ image }) => ({ disks: [Disk.image(image, GIB, { name: 'root' })] }),
    'disks[0].name: must be disk-0 in a pool, got "root": the node driver names the disks. Fix: remove it, or use VirtualMachine',
  ],
  [
    'a cache',
    ({ image }) => ({ disks: [Disk.image(image, GIB, { cache: DiskCache.NONE })] }),
    'disks[0].cache: cannot be set in a pool, got "none": the node driver sets no cache',
  ],
  [
    'a named volume',
    ({ image }) => ({ disks: [Disk.image(image, GIB, { volumeName: 'data' })] }),
    'disks[0].volumeName: cannot be set in a pool, got "data"',
  ],
  [
    'a volume of one node',
    ({ image }) => ({
      disks: [Disk.image(image, GIB, { accessMode: VolumeAccessMode.READ_WRITE_ONCE })],
    }),
    'disks[0].accessMode: must be ReadWriteMany in a pool, got "ReadWriteOnce"',
  ],
  [
    'a file system',
    ({ image }) => ({ disks: [Disk.image(image, GIB, { volumeMode: VolumeMode.FILESYSTEM })] }),
    'disks[0].volumeMode: must be Block in a pool, got "Filesystem"',
  ],
  [
    'a volume that is kept',
    ({ image }) => ({ disks: [Disk.image(image, GIB, { deleteWithMachine: false })] }),
    'disks[0].deleteWithMachine: must be true in a pool, got false',
  ],
  [
    'a hot-pluggable volume that is deleted',
    ({ image }) => ({
      disks: [Disk.image(image, GIB, { hotPluggable: true, deleteWithMachine: true })],
    }),
    'disks[0].deleteWithMachine: must be false in a pool, got true',
  ],
  [
    'the management network',
    () => ({ networks: undefined, nics: [Nic.management()] }),
    'nics[0]: cannot be in the management network: Rancher could not reach the machines there. Fix: use Nic.network with a VmNetwork',
  ],
  [
    'a named NIC',
    ({ network }) => ({ networks: undefined, nics: [Nic.network(network, { name: 'lan' })] }),
    'nics[0].name: must be nic-0 in a pool, got "lan"',
  ],
  [
    'a NIC to boot from',
    ({ network }) => ({ networks: undefined, nics: [Nic.network(network, { bootOrder: 1 })] }),
    'nics[0].bootOrder: cannot be set in a pool, got 1',
  ],
  [
    'a NIC on managedtap',
    ({ network }) => ({ networks: undefined, nics: [Nic.network(network, { managedTap: true })] }),
    'nics[0].managedTap: must be false in a pool, got true',
  ],
  [
    'a GPU by its device',
    () => ({ vgpus: [VGpu.nvidia('A2', { device: 'node1-1' })] }),
    'vgpus[0].device: cannot be set in a pool, got "node1-1": Harvester chooses a device for each machine',
  ],
])('of a pool cannot have %s', (_, lines, message) => {
  const text = refusal(lines);
  expect(text).toContain(`pools[all].${message}`);
  // one finding, none about the fields that it would become
  expect(text.split('\n')).toHaveLength(1);
});

test('of a pool reports all that the node driver cannot create', () => {
  expect(
    refusal({
      disks: [Disk.container('a'), Disk.container('b')],
      networks: undefined,
      nics: [Nic.management({ name: 'a' })],
    }).split('\n'),
  ).toHaveLength(4);
});
