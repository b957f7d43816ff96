import { Duration, Size } from 'cdk8s';
import { GuestCluster } from '../../../../src/guest/cluster/guest-cluster';
import { VmAffinity, VmSelector } from '../../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../../../src/harvester/cloud-init/cloud-init-secret';
import { HarvesterNamespace } from '../../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { KeyPair } from '../../../../src/harvester/key-pair/key-pair';
import { Disk, DiskBus } from '../../../../src/harvester/machine/disk';
import { Nic } from '../../../../src/harvester/machine/nic';
import { VGpu } from '../../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../../src/harvester/network/vm-network';
import {
  VirtualMachineProps,
  VmCreator,
} from '../../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterVolume } from '../../../../src/harvester/volume/volume';
import { newApp, newHarvester, newRancher } from '../../../support/programs';
import { Chart, programOf, vm } from '../_machines';

const disk = (): Disk => Disk.empty(Size.gibibytes(1));

const ORDERS = GuestCluster.fromName(newRancher(newApp()), 'orders', {
  name: 'orders',
  kubernetesVersion: 'v1.33.6+rke2r1',
});

test.each<[string, Partial<VirtualMachineProps>, string]>([
  [
    'a fraction of a processor',
    { cpus: 1.5 },
    'cpus: must be a whole number of 1 or more, got 1.5',
  ],
  [
    'memory in fractions',
    { memory: Size.kibibytes(1500) },
    'memory: must be a whole number of MiB, at least 1, got "1500Ki". Fix: use Size.mebibytes(2)',
  ],
  [
    'no memory left',
    { reservedMemory: Size.gibibytes(4) },
    'reservedMemory cannot be equal or greater than limits.memory',
  ],
  ['no disk', { disks: [] }, 'disks: must have at least one disk'],
  [
    'a volume twice',
    {
      disks: [
        Disk.empty(Size.gibibytes(1), { volumeName: 'a' }),
        Disk.empty(Size.gibibytes(1), { volumeName: 'a' }),
      ],
    },
    'disks[1]: must be unique, got "a": another disk has this volume',
  ],
  [
    'a disk name twice',
    { disks: [Disk.container('a', { name: 'a' }), Disk.container('b', { name: 'a' })] },
    'disks[1].name: must be unique, got "a": another disk has this name',
  ],
  [
    'the name of the cloud-init disk',
    { disks: [Disk.container('a', { name: 'cloudinitdisk' })] },
    'disks[0].name: cannot be used, got "cloudinitdisk": it is the name of the disk with cloud-init',
  ],
  [
    'a boot order twice',
    { disks: [Disk.container('a', { bootOrder: 2 }), disk()] },
    'disks[1].bootOrder: must be unique, got 2: another device has this position (the server: "already set for a different device.")',
  ],
  [
    'a negative boot order',
    { disks: [Disk.container('a', { bootOrder: -1 })] },
    'disks[0].bootOrder: must be a whole number of 1 or more, got -1',
  ],
  [
    'a CD on virtio',
    { disks: [Disk.containerCdRom('a', { bus: DiskBus.VIRTIO })] },
    'disks[0].bus: cannot be the bus of a CD-ROM, got "virtio"',
  ],
  [
    'a hot-pluggable container image',
    { disks: [Disk.container('a', { hotPluggable: true })] },
    'disks[0].hotPluggable: cannot be set for a container image',
  ],
  [
    'a container image that VMs share',
    { disks: [Disk.containerCdRom('a', { shareable: true })] },
    'disks[0].shareable: cannot be set for a container image',
  ],
  [
    'an empty drive before 1.8',
    { disks: [disk(), Disk.emptyCdRom()] },
    'disks[1]: an empty CD-ROM drive, into which an image is inserted while the virtual machine runs needs Harvester 1.8.0 or later',
  ],
  [
    'the name of the answer file',
    { disks: [Disk.container('a', { name: 'sysprep' })] },
    'disks[0].name: cannot be used, got "sysprep": it is the name of the disk with the answer file of Windows',
  ],
  [
    'an invalid volume name',
    { disks: [Disk.empty(Size.gibibytes(1), { volumeName: 'A b' })] },
    'disks[0].volumeName: must be a valid name of a PersistentVolumeClaim, got "A b"',
  ],
  [
    'the management network twice',
    { nics: [Nic.management(), Nic.management({ name: 'b' })] },
    'nics[1].pod: cannot be used twice',
  ],
  [
    'a bad address',
    { nics: [Nic.management({ macAddress: '52:54' })] },
    'nics[0].macAddress: must be a MAC address, got "52:54"',
  ],
  ['secure boot without EFI', { secureBoot: true }, 'secureBoot: requires efi. Fix: set efi: true'],
  [
    'kept EFI variables without EFI',
    { efiPersistent: true },
    'efiPersistent: requires efi. Fix: set efi: true',
  ],
  [
    'a kept TPM without a TPM',
    { tpmPersistent: true },
    'tpmPersistent: requires tpm. Fix: set tpm: true',
  ],
  [
    'inline cloud-init without any',
    { cloudInitInline: true },
    'cloudInitInline: has no effect: the VM has no cloud-init. Fix: set cloudInit, or remove it',
  ],
  [
    'inline cloud-init with the name of a Secret',
    { cloudInitInline: true, adopted: { cloudInitSecretName: 'a' }, cloudInit: CloudInit.of() },
    'cloudInitInline: cannot be combined with adopted.cloudInitSecretName',
  ],
  [
    'long inline cloud-init',
    { cloudInitInline: true, cloudInit: CloudInit.fromYaml(`packages: [${'a'.repeat(2048)}]`) },
    'cloudInit: must have at most 2048 bytes',
  ],
  [
    'an isolated thread alone',
    { isolateEmulatorThread: true },
    'isolateEmulatorThread: requires cpuPinning (the server: "IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement"). Fix: set cpuPinning: true',
  ],
  [
    'half a second of grace',
    { terminationGracePeriod: Duration.millis(500) },
    'terminationGracePeriod: must be a whole number of seconds, got 0.5',
  ],
  ['a bad name', { name: 'a.b' }, '] name: must be an RFC 1123 label, got "a.b"'],
  ['an invalid host name', { hostname: 'A_b' }, 'hostname: must be an RFC 1123 label, got "A_b"'],
  [
    'an invalid name of the cloud-init disk',
    { adopted: { cloudInitDiskName: 'A_b' } },
    'adopted.cloudInitDiskName: must be an RFC 1123 label, got "A_b"',
  ],
  [
    'the name of another disk for that of cloud-init',
    { adopted: { cloudInitDiskName: 'disk-0' } },
    'disks[0].name: cannot be used, got "disk-0": it is the name of the disk with cloud-init',
  ],
  [
    'the name of the CD-ROM of Windows for the disk of cloud-init',
    { adopted: { cloudInitDiskName: 'sysprep' } },
    'adopted.cloudInitDiskName: cannot be used, got "sysprep": it is the name of the disk with the answer file of Windows',
  ],
  [
    'a bad device',
    { hostDevices: [{ name: 'a', deviceName: 'nvidia' }] },
    'hostDevices[0].deviceName: must be a resource name, <vendor>/<type>, got "nvidia"',
  ],
  [
    'a device twice',
    { vgpus: [VGpu.of('a/b', { device: 'a' }), VGpu.of('a/b', { device: 'a' })] },
    'vgpus[1].device: must be unique, got "a": another device has this name',
  ],
  [
    'a virtual GPU without its device',
    { vgpus: [VGpu.nvidia('A2')] },
    'vgpus[0].device: must be set: a VirtualMachine names its devices. Fix: set the name of a VGPUDevice',
  ],
  [
    'networks twice',
    { networks: [], nics: [] },
    'nics: cannot be set together with networks. Fix: set one of the two',
  ],
  [
    'an affinity of a pool',
    { affinity: VmAffinity.spreadOverHosts() },
    'affinity: refers to the machines of its pool, but this VM is in no pool',
  ],
  [
    'an affinity of a cluster',
    { affinity: VmAffinity.of({ requiredApart: [{ vms: VmSelector.sameCluster() }] }) },
    'affinity: refers to the machines of its cluster, but this VM is not a node of a cluster',
  ],
  [
    'a node of another name',
    { guestCluster: ORDERS, hostname: 'other' },
    'hostname: must be the name of the VM, web, by which the cloud provider looks up the node, got "other"',
  ],
  [
    'a node that cloud-init renames',
    { guestCluster: ORDERS, cloudInit: CloudInit.of({ hostname: 'x' }) },
    'cloudInit: cannot rename the node, got "hostname"',
  ],
  [
    'a node that Terraform created',
    { guestCluster: ORDERS, adopted: { createdBy: VmCreator.TERRAFORM } },
    'adopted.createdBy: cannot be combined with guestCluster, which sets the same label, got "terraform-provider-harvester"',
  ],
  [
    'a node without a NIC of a known name',
    { guestCluster: ORDERS },
    'nics: must contain a NIC named nic-<number>, by which Harvester finds the address of a node, got ["default"]',
  ],
])('refuses %s', (_, props, what) => {
  expect(() => programOf(() => props)).toThrow(what);
  expect(() => programOf(() => props)).toThrow('[dc1/web]');
});

test('reports all problems at once, also those of the manifest', () => {
  const wrong = {
    cpus: 0,
    memory: Size.mebibytes(0.5),
    isolateEmulatorThread: true,
    disks: [Disk.container('a', { name: 'A' })],
  };
  expect(() => vm(wrong)).toThrow(
    /cpus: [^]*memory: [^]*disks\[0\].name: [^]*isolateEmulatorThread: /,
  );
});

test('refuses references to another Harvester or another namespace', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id)) as [Chart, Chart];
  const make = (props: Partial<VirtualMachineProps>) => () =>
    new VirtualMachine(dc1, `m${dc1.node.children.length}`, {
      cpus: 1,
      memory: Size.gibibytes(1),
      disks: [disk()],
      ...props,
    });
  const image = VmImage.fromName(dc2, 'Noble', { name: 'noble' });
  expect(make({ disks: [Disk.image(image, Size.gibibytes(1))] })).toThrow(
    'disks[0]: must be on the Harvester of the VM, dc1, got "default/noble": it is on dc2. Fix: use one on dc1',
  );
  expect(make({ nics: [Nic.network(VmNetwork.fromName(dc2, 'n', { name: 'n' }))] })).toThrow(
    'nics[0]: must be on the Harvester of the VM, dc1, got "default/n"',
  );
  expect(make({ sshKeys: [KeyPair.fromName(dc2, 'k', { name: 'k' })] })).toThrow(
    'sshKeys[0]: must be on the Harvester of the VM, dc1, got "default/k"',
  );
  const near = VmAffinity.of({
    requiredNear: [
      {
        vms: VmSelector.any(),
        namespaces: [HarvesterNamespace.fromName(dc2, 'ns', { name: 'ns' })],
      },
    ],
  });
  expect(make({ affinity: near })).toThrow(
    'affinity.namespaces: must be on the Harvester of the machines, dc1, got "ns": it is on dc2. Fix: use a namespace on dc1',
  );
  const secret = CloudInitSecret.fromName(dc1, 's', { name: 's', namespace: 'other' });
  expect(make({ cloudInitSecret: secret })).toThrow(
    'cloudInitSecret: must be in the namespace of the VM, default, got "other/s"',
  );
  expect(make({ cloudInitSecret: secret, cloudInit: CloudInit.of() })).toThrow(
    'cannot be combined with cloudInit, got "s": ',
  );
  expect(
    make({
      disks: [Disk.volume(HarvesterVolume.fromName(dc1, 'v', { name: 'v', namespace: 'other' }))],
    }),
  ).toThrow('disks[0]: must be in the namespace of the VM, default, got "other/v"');
});

test('refuses a key that is not in inline cloud-init, since no Secret is written that would contain it', () => {
  const publicKey =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana';
  const given = (cloudInit: CloudInit) =>
    programOf((dc1) => ({
      cloudInitInline: true,
      cloudInit,
      sshKeys: [new KeyPair(dc1, 'ana', { publicKey })],
    }));
  expect(() => given(CloudInit.of())).toThrow(
    'sshKeys[0]: must be in the user data, got "default/ana": with cloudInitInline, Harvester only shows the key',
  );
  const { rendered, machine, dc1 } = given(CloudInit.of({ sshAuthorizedKeys: [publicKey] }));
  expect(rendered().spec.template.spec.volumes[1].cloudInitNoCloud.userData).toContain(publicKey);
  expect(machine.cloudInitSecret).toBeUndefined();
  expect(dc1.toJson().map(({ kind }) => kind)).not.toContain('Secret');
});

test('refuses state that is kept before Harvester 1.5', () => {
  expect(() => programOf(() => ({ efi: true, efiPersistent: true }), '1.4.3')).toThrow(
    'efiPersistent: a TPM and EFI variables of a virtual machine that are kept when it stops',
  );
  expect(
    programOf(() => ({ efi: true, efiPersistent: true }), '1.5.0').rendered().spec.template.spec
      .domain.firmware.bootloader.efi,
  ).toMatchObject({ persistent: true });
});
