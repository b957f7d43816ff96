import { Duration, Size } from 'cdk8s';
import { Chart, programOf, vm } from './machines';
import { DiskBus } from '../../../src/guest/machine-pool/machine-devices';
import { VmAffinity, VmSelector } from '../../../src/guest/machine-pool/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { VmDisk, Volume } from '../../../src/harvester/storage/volume';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { VirtualMachineProps, VmNic } from '../../../src/harvester/virtual-machine/virtual-machine-props';
import { newApp, newHarvester } from '../../support/programs';

const disk = (): VmDisk => VmDisk.empty(Size.gibibytes(1));

test.each<[string, Partial<VirtualMachineProps>, string]>([
  ['a fraction of a processor', { cpus: 1.5 }, 'cpus: got 1.5, is no number of processors; give a whole number from 1'],
  ['memory in fractions', { memory: Size.kibibytes(1500) }, 'memory: got "1500Ki", is no whole number of MiB from 1; give Size.mebibytes(2)'],
  ['no memory left', { reservedMemory: Size.gibibytes(4) }, 'reservedMemory cannot be equal or greater than limits.memory'],
  ['no disk', { disks: [] }, 'disks: has no disk'],
  ['a volume twice', { disks: [VmDisk.empty(Size.gibibytes(1), { volumeName: 'a' }), VmDisk.empty(Size.gibibytes(1), { volumeName: 'a' })] }, 'disks[1]: got "a", is the volume of two disks'],
  ['a disk name twice', { disks: [VmDisk.container('a', { name: 'a' }), VmDisk.container('b', { name: 'a' })] }, 'disks[1].name: got "a", is the name of two of a kind: disk'],
  ['the name of the cloud-init disk', { disks: [VmDisk.container('a', { name: 'cloudinitdisk' })] }, 'disks[0].name: got "cloudinitdisk", is that of the disk with cloud-init'],
  ['a boot order twice', { disks: [VmDisk.container('a', { bootOrder: 2 }), disk()] }, 'disks[1].bootOrder: got 2, is the place of two devices (the server: "already set for a different device.")'],
  ['boot order 0', { disks: [VmDisk.container('a', { bootOrder: 0 })] }, 'disks[0].bootOrder: got 0, is no place in an order'],
  ['a CD on virtio', { disks: [VmDisk.containerCdRom('a', { bus: DiskBus.VIRTIO })] }, 'disks[0].bus: got "virtio", is no bus for a CD-ROM'],
  ['a hot-pluggable container image', { disks: [VmDisk.container('a', { hotPluggable: true })] }, 'disks[0].hotPluggable: does not go with a container image'],
  ['a volume name that is none', { disks: [VmDisk.empty(Size.gibibytes(1), { volumeName: 'A b' })] }, 'disks[0].volumeName: got "A b"'],
  ['the management network twice', { nics: [VmNic.management(), VmNic.management({ name: 'b' })] }, 'is the management network once more'],
  ['a bad address', { nics: [VmNic.management({ macAddress: '52:54' })] }, 'nics[0].macAddress: got "52:54", is no hardware address'],
  ['secure boot without EFI', { secureBoot: true }, 'secureBoot: needs efi; set efi too'],
  ['an isolated thread alone', { isolateEmulatorThread: true }, 'isolateEmulatorThread: needs cpuPinning; set cpuPinning too'],
  ['half a second of grace', { terminationGracePeriod: Duration.millis(500) }, 'terminationGracePeriod: got 0.5, is no number of whole seconds'],
  ['a bad name', { name: 'a.b' }, 'name: got "a.b", is no name of a virtual machine'],
  ['a host name that is none', { hostname: 'A_b' }, 'hostname: got "A_b", is no host name'],
  ['a bad device', { hostDevices: [{ name: 'a', deviceName: 'nvidia' }] }, 'hostDevices[0].deviceName: got "nvidia", is no resource of a device'],
  ['a device twice', { gpus: [{ name: 'a', deviceName: 'a/b' }, { name: 'a', deviceName: 'a/b' }] }, 'gpus[1].name: got "a", is the name of two devices'],
  ['an affinity of a pool', { affinity: VmAffinity.spreadOverHosts() }, 'affinity: speaks of machines of the same pool, and this one is in none'],
  ['an affinity of a cluster', { affinity: VmAffinity.of({ requiredApart: [{ vms: VmSelector.sameCluster() }] }) }, 'affinity: speaks of machines of the same cluster, and this one is a node of none'],
  ['a node of another name', { guestClusterName: 'orders', hostname: 'other' }, 'hostname: got "other", is not the name of the virtual machine'],
  ['a node that cloud-init names', { guestClusterName: 'orders', cloudInit: CloudInit.of({ hostname: 'x' }) }, 'cloudInit: got "hostname", names the node'],
  ['a node without a known card', { guestClusterName: 'orders' }, 'nics: got ["default"], has no card called nic-<number>'],
])('refuses %s', (_, props, what) => {
  expect(() => programOf(() => props)).toThrow(what);
  expect(() => programOf(() => props)).toThrow('[dc1/web]');
});

test('tells all that is wrong at once', () => {
  expect(() => vm({ cpus: 0, memory: Size.mebibytes(0.5), disks: [] })).toThrow(/cpus: [^]*memory: [^]*disks: /);
});

test('refuses what is on another Harvester or in another namespace', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id)) as [Chart, Chart];
  const make = (props: Partial<VirtualMachineProps>) => () => new VirtualMachine(dc1, `m${dc1.node.children.length}`, { cpus: 1, memory: Size.gibibytes(1), disks: [disk()], ...props });
  const image = VmImage.fromName(dc2, 'Noble', 'noble');
  expect(make({ disks: [VmDisk.image(image, Size.gibibytes(1))] })).toThrow('disks[0]: got "default/noble", is on dc2, and the machine on dc1; give one of dc1');
  expect(make({ nics: [VmNic.network(VmNetwork.fromName(dc2, 'n', 'n'))] })).toThrow('nics[0]: got "default/n", is on dc2');
  expect(make({ sshKeys: [KeyPair.fromName(dc2, 'k', 'k')] })).toThrow('sshKeys[0]: got "default/k", is on dc2');
  const secret = CloudInitSecret.fromName(dc1, 's', 's', 'other');
  expect(make({ cloudInitSecret: secret })).toThrow('cloudInitSecret: got "other/s", is in another namespace than the machine, which is in default');
  expect(make({ cloudInitSecret: secret, cloudInit: CloudInit.of() })).toThrow('does not go with cloudInit');
  expect(make({ disks: [VmDisk.volume(Volume.fromName(dc1, 'v', 'v', 'other'))] })).toThrow('disks[0]: got "other/v", is in another namespace');
});
