import { Duration, Size } from 'cdk8s';
import { VmAffinity, VmSelector } from '../../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../../src/harvester/cloud-init/cloud-init';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { Disk, DiskBus, DiskCache } from '../../../../src/harvester/machine/disk';
import { InterfaceModel, Nic } from '../../../../src/harvester/machine/nic';
import { OsType } from '../../../../src/harvester/machine/os-type';
import { VGpu } from '../../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../../../src/harvester/storage/harvester-storage-class';
import { VolumeAccessMode, VolumeMode } from '../../../../src/harvester/storage/storage.data';
import {
  VirtualMachineProps,
  VmMaintenanceStrategy,
  VmRunStrategy,
} from '../../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { HarvesterVolume } from '../../../../src/harvester/volume/volume';
import { CLAIMS, programOf, vm } from '../_machines';

const instance = (props: Partial<VirtualMachineProps>): any => vm(props).spec.template.spec;

test("writes a VM as Harvester's UI does", () => {
  expect(vm()).toEqual({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'default',
      labels: { 'harvesterhci.io/creator': 'harvester' },
      annotations: {
        [CLAIMS]:
          '[{"metadata":{"name":"web-disk-0","annotations":{"harvesterhci.io/imageId":"default/noble"}},"spec":{"accessModes":["ReadWriteMany"],' +
          '"resources":{"requests":{"storage":"40Gi"}},"volumeMode":"Block","storageClassName":"longhorn-noble"}}]',
        'harvesterhci.io/vmRunStrategy': 'RerunOnFailure',
      },
    },
    spec: {
      runStrategy: 'RerunOnFailure',
      template: {
        metadata: {
          annotations: { 'harvesterhci.io/sshNames': '[]' },
          labels: { 'harvesterhci.io/creator': 'harvester', 'harvesterhci.io/vmName': 'web' },
        },
        spec: {
          domain: {
            cpu: { cores: 2, sockets: 1, threads: 1 },
            resources: { limits: { cpu: '2', memory: '4Gi' } },
            features: { acpi: { enabled: true } },
            devices: {
              disks: [{ name: 'disk-0', disk: { bus: 'virtio' }, bootOrder: 1 }],
              interfaces: [
                {
                  name: 'default',
                  masquerade: {},
                  model: 'virtio',
                  macAddress: '16:9c:6d:32:d2:77',
                },
              ],
              inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }],
            },
          },
          evictionStrategy: 'LiveMigrateIfPossible',
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'disk-0', persistentVolumeClaim: { claimName: 'web-disk-0' } }],
        },
      },
    },
  });
});

test('writes virtual GPUs as host devices from Harvester 1.8.0 on', () => {
  const vgpus = ['node1-000008004', 'node1-000008005'].map((device) =>
    VGpu.of('nvidia.com/NVIDIA_A2-4Q', { device }),
  );
  const devicesOn = (version: string): any =>
    programOf(() => ({ vgpus }), version).rendered().spec.template.spec.domain.devices;
  const written = vgpus.map(({ _device, _resourceName }) => ({
    name: _device,
    deviceName: _resourceName,
  }));
  expect(devicesOn('1.7.2')).toMatchObject({ gpus: written });
  for (const version of ['1.8.2', '1.9.0']) {
    expect(devicesOn(version)).toMatchObject({ hostDevices: written });
    expect(devicesOn(version)).not.toHaveProperty('gpus');
  }
});

test('leaves the memory of the guest to Harvester, which subtracts what QEMU needs', () => {
  expect(instance({ memory: Size.mebibytes(1536) }).domain).toMatchObject({
    resources: { limits: { memory: '1536Mi' } },
  });
  expect(instance({}).domain).not.toHaveProperty('memory');
  expect(
    vm({ reservedMemory: Size.mebibytes(256) }).metadata.annotations[
      'harvesterhci.io/reservedMemory'
    ],
  ).toBe('256Mi');
});

test('writes disks of every kind, each on its default bus', () => {
  const { rendered } = programOf((dc1) => {
    const fast = new HarvesterStorageClass(dc1, 'fast');
    const iso = VmImage.fromName(dc1, 'Iso', {
      name: 'installer',
      namespace: 'isos',
      volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'Iso-class', { name: 'iso-class' }),
    });
    return {
      disks: [
        Disk.empty(Size.gibibytes(10), {
          storageClass: fast,
          name: 'root',
          cache: DiskCache.NONE,
          bootOrder: 2,
        }),
        Disk.cdRom(iso, Size.gibibytes(5), {
          volumeName: 'cd',
          accessMode: VolumeAccessMode.READ_WRITE_ONCE,
          volumeMode: VolumeMode.FILESYSTEM,
          bootOrder: 1,
        }),
        Disk.volume(HarvesterVolume.fromName(dc1, 'Data', { name: 'data' }), {
          hotPluggable: true,
        }),
        Disk.container('docker.io/a/b:1', { bus: DiskBus.SCSI }),
        Disk.containerCdRom('docker.io/a/c:1'),
        Disk.empty(Size.mebibytes(100)),
      ],
    };
  });
  const { metadata, spec } = rendered();
  expect(spec.template.spec.domain.devices.disks).toEqual([
    { name: 'root', disk: { bus: 'virtio' }, bootOrder: 2, cache: 'none' },
    { name: 'disk-1', cdrom: { bus: 'sata' }, bootOrder: 1 },
    { name: 'disk-2', disk: { bus: 'scsi' }, bootOrder: 3 },
    { name: 'disk-3', disk: { bus: 'scsi' }, bootOrder: 4 },
    { name: 'disk-4', cdrom: { bus: 'sata' }, bootOrder: 5 },
    { name: 'disk-5', disk: { bus: 'virtio' }, bootOrder: 6 },
  ]);
  expect(spec.template.spec.volumes).toEqual([
    { name: 'root', persistentVolumeClaim: { claimName: 'web-root' } },
    { name: 'disk-1', persistentVolumeClaim: { claimName: 'cd' } },
    { name: 'disk-2', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } },
    {
      name: 'disk-3',
      containerDisk: { image: 'docker.io/a/b:1', imagePullPolicy: 'IfNotPresent' },
    },
    {
      name: 'disk-4',
      containerDisk: { image: 'docker.io/a/c:1', imagePullPolicy: 'IfNotPresent' },
    },
    { name: 'disk-5', persistentVolumeClaim: { claimName: 'web-disk-5' } },
  ]);
  expect(metadata.annotations[CLAIMS]).toBe(
    '[{"metadata":{"name":"web-root"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"10Gi"}},' +
      '"volumeMode":"Block","storageClassName":"fast"}},{"metadata":{"name":"cd","annotations":{"harvesterhci.io/imageId":"isos/installer"}},' +
      '"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}},"volumeMode":"Filesystem","storageClassName":"iso-class"}},' +
      '{"metadata":{"name":"web-disk-5"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"100Mi"}},"volumeMode":"Block"}}]',
  );
});

test('lists the volumes that are deleted with the VM', () => {
  const gone = Disk.empty(Size.gibibytes(1), { deleteWithMachine: true });
  const key = 'harvesterhci.io/removedPersistentVolumeClaims';
  expect(vm({ disks: [gone, Disk.empty(Size.gibibytes(1)), gone] }).metadata.annotations[key]).toBe(
    'web-disk-0,web-disk-2',
  );
  expect(vm().metadata.annotations).not.toHaveProperty(key);
});

test('writes NICs in VM networks and in the management network', () => {
  const { rendered } = programOf((dc1) => {
    const prod = VmNetwork.fromName(dc1, 'Prod', { name: 'prod', namespace: 'nets' });
    return {
      nics: [
        Nic.management(),
        Nic.network(prod, { macAddress: '52:54:00:AB:00:01', bootOrder: 2 }),
        Nic.network(prod, { name: 'a', model: InterfaceModel.E1000 }),
      ],
    };
  });
  const { spec } = rendered().spec.template;
  expect(spec.networks).toEqual([
    { name: 'default', pod: {} },
    { name: 'nic-1', multus: { networkName: 'nets/prod' } },
    { name: 'a', multus: { networkName: 'nets/prod' } },
  ]);
  expect(spec.domain.devices.interfaces).toEqual([
    { name: 'default', masquerade: {}, model: 'virtio', macAddress: '16:9c:6d:32:d2:77' },
    { name: 'nic-1', bridge: {}, model: 'virtio', macAddress: '52:54:00:ab:00:01', bootOrder: 2 },
    { name: 'a', bridge: {}, model: 'e1000', macAddress: '26:99:d2:19:16:75' },
  ]);
});

test('writes the hardware of the props', () => {
  const hardware = instance({
    cpuModel: 'host-passthrough',
    cpuPinning: true,
    isolateEmulatorThread: true,
    machineType: 'q35',
    efi: true,
    secureBoot: true,
    tpm: true,
    inputs: [],
    hostDevices: [{ name: 'node1-000004000', deviceName: 'intel.com/82599' }],
    vgpus: [VGpu.nvidia('NVIDIA A2-2Q', { device: 'node1-00000a004' })],
  }).domain;
  expect(hardware.cpu).toEqual({
    cores: 2,
    sockets: 1,
    threads: 1,
    model: 'host-passthrough',
    dedicatedCpuPlacement: true,
    isolateEmulatorThread: true,
  });
  expect(hardware.machine).toEqual({ type: 'q35' });
  expect(hardware.firmware).toEqual({ bootloader: { efi: { secureBoot: true } } });
  expect(hardware.features).toEqual({ acpi: { enabled: true }, smm: { enabled: true } });
  expect(hardware.devices).toMatchObject({
    tpm: {},
    hostDevices: [{ name: 'node1-000004000', deviceName: 'intel.com/82599' }],
    gpus: [{ name: 'node1-00000a004', deviceName: 'nvidia.com/NVIDIA_A2-2Q' }],
  });
  expect(hardware.devices).not.toHaveProperty('inputs');
  expect(instance({ efi: true }).domain.firmware).toEqual({
    bootloader: { efi: { secureBoot: false } },
  });
});

test('writes labels, tags and scheduling', () => {
  const { metadata, spec } = vm({
    runStrategy: VmRunStrategy.HALTED,
    description: 'the shop',
    osType: OsType.UBUNTU,
    tags: { 'ssh-user': 'ubuntu' },
    labels: { tier: 'web' },
    instanceLabels: { app: 'shop' },
    maintenanceStrategy: VmMaintenanceStrategy.SHUTDOWN,
    nodeSelector: { zone: 'a' },
    hostname: 'shop',
    terminationGracePeriod: Duration.minutes(5),
    affinity: VmAffinity.of({
      requiredApart: [{ vms: VmSelector.labels({ app: 'shop' }) }],
      spread: false,
    }),
  });
  expect(metadata.labels).toEqual({
    'tier': 'web',
    'tag.harvesterhci.io/ssh-user': 'ubuntu',
    'harvesterhci.io/creator': 'harvester',
    'harvesterhci.io/os': 'ubuntu',
    'harvesterhci.io/maintain-mode-strategy': 'Shutdown',
  });
  expect(metadata.annotations).toMatchObject({ 'field.cattle.io/description': 'the shop' });
  expect(metadata.annotations).not.toHaveProperty(['harvesterhci.io/vmRunStrategy']);
  expect(spec.runStrategy).toBe('Halted');
  expect(spec.template.metadata.labels).toEqual({
    'app': 'shop',
    'harvesterhci.io/creator': 'harvester',
    'harvesterhci.io/vmName': 'web',
  });
  expect(spec.template.spec).toMatchObject({
    nodeSelector: { zone: 'a' },
    hostname: 'shop',
    terminationGracePeriodSeconds: 300,
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchLabels: { app: 'shop' } },
            topologyKey: 'kubernetes.io/hostname',
          },
        ],
      },
    },
  });
});

test('writes labels and annotations of the program to the VM and to its Secret', () => {
  const { dc1 } = programOf(() => ({
    labels: { 'tier': 'web', 'harvesterhci.io/creator': 'me' },
    annotations: { 'example.com/owner': 'shop' },
    cloudInit: CloudInit.of(),
  }));
  const [secret, machine] = ['Secret', 'VirtualMachine'].map(
    (kind) => dc1.toJson().find((object) => object.kind === kind)!.metadata,
  );
  expect(secret).toMatchObject({
    labels: { tier: 'web' },
    annotations: { 'example.com/owner': 'shop' },
  });
  expect(machine).toMatchObject({
    labels: { 'tier': 'web', 'harvesterhci.io/creator': 'harvester' },
    annotations: { 'example.com/owner': 'shop' },
  });
});
