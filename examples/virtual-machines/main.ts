import { ApiObject, Duration, Size } from 'cdk8s';
import {
  BundledAddon,
  CloudInit,
  ClusterNetwork,
  Disk,
  HarvesterApp,
  HarvesterChart,
  HarvesterNamespace,
  HarvesterNode,
  HarvesterStorageClass,
  KeyPair,
  Nic,
  OsType,
  OverlayNetwork,
  OverlaySubnet,
  OverlayVpc,
  Retention,
  ScheduleVmBackup,
  SnapshotQuota,
  VirtualMachine,
  VirtualMachineTemplate,
  VirtualMachineTemplateVersion,
  VmAccessCredential,
  VmAffinity,
  VmFilesystem,
  VmImage,
  VmNetwork,
  VmSelector,
  HarvesterVolume,
} from 'cdk8s-harvester';
import { PciDeviceClaim, UsbDeviceClaim } from 'cdk8s-harvester/devices';
import { BackupTarget, HarvesterSetting } from 'cdk8s-harvester/settings';

const app = new HarvesterApp();
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.9.0', vip: '10.10.0.10' });
const namespace = new HarvesterNamespace(dc1, 'clinic');

// images: one that exists, with the class of its volumes, and one that apply uploads
const noble = VmImage.fromName(dc1, 'noble', {
  name: 'image-noble',
  volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'noble-class', {
    name: 'lh-2f1c5a53-6a0e-4a26-9d0b-0f1c4f6f4f51',
  }),
});
const windows = VmImage.upload(dc1, 'windows-2025', {
  file: 'images/windows-2025.qcow2',
  osType: OsType.WINDOWS,
});
const admin = new KeyPair(dc1, 'admin', {
  namespace,
  publicKey:
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa admin@example.com',
});

// networks: a VLAN, and an overlay network with a VPC of its own that can reach the VPC of the
// laboratory
const vlan = new VmNetwork(dc1, 'prod', {
  namespace,
  clusterNetwork: ClusterNetwork.mgmt(dc1),
  vlan: 100,
});
BundledAddon.kubeOvn(dc1, 'kube-ovn');
const overlay = new OverlayNetwork(dc1, 'records', { namespace });
const [clinic, laboratory] = [
  new OverlayVpc(dc1, 'clinic-vpc'),
  new OverlayVpc(dc1, 'laboratory-vpc'),
];
new OverlaySubnet(dc1, 'records-subnet', {
  network: overlay,
  vpc: clinic,
  cidr: '10.20.0.0/24',
  dnsServers: ['10.0.0.2'],
});
new OverlaySubnet(dc1, 'laboratory-subnet', {
  network: new OverlayNetwork(dc1, 'laboratory', { namespace }),
  vpc: laboratory,
  cidr: '10.21.0.0/24',
});
clinic.peerWith(laboratory, '169.254.0.0/30');

// a database on two machines: one disk of the storage array for both, a fixed address for each,
// CPUs and memory that grow while it runs
const shared = new HarvesterVolume(dc1, 'records-data', {
  namespace,
  size: Size.gibibytes(500),
  storageClass: HarvesterStorageClass.fromName(dc1, 'array', { name: 'storage-array' }),
});
Retention.of(shared).retain();
const [database] = ['10.20.0.11', '10.20.0.12'].map(
  (staticAddress, index) =>
    new VirtualMachine(dc1, `records-${index + 1}`, {
      namespace,
      cpus: 4,
      memory: Size.gibibytes(16),
      hotplug: { maxCpus: 16, maxMemory: Size.gibibytes(64) },
      disks: [Disk.image(noble, Size.gibibytes(40)), Disk.volume(shared, { shareable: true })],
      nics: [Nic.network(overlay, { staticAddress, managedTap: true }), Nic.network(vlan)],
      cloudInit: CloudInit.of({ packages: ['qemu-guest-agent', 'pacemaker'] }),
      sshKeys: [admin],
      accessCredentials: [VmAccessCredential.passwords('records-passwords')],
      instanceLabels: { app: 'records' },
      affinity: VmAffinity.of({ requiredApart: [{ vms: VmSelector.labels({ app: 'records' }) }] }),
    }),
);

// the first database on the VLAN by a name in the cluster: DHCP chooses its address, which apply
// reads once it runs
const records = { name: 'records', namespace: namespace.name };
new ApiObject(dc1, 'records-service', {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: records,
  spec: { ports: [{ port: 5432 }] },
});
new ApiObject(dc1, 'records-address', {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...records, labels: { 'kubernetes.io/service-name': records.name } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [database.addressOf('nic-1')] }],
  ports: [{ port: 5432 }],
});

// a web server with the keys of a ConfigMap as files
const settings = { name: 'web-settings', namespace: namespace.name };
new ApiObject(dc1, 'settings', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: settings,
  data: { LANGUAGE: 'de', TIMEZONE: 'Europe/Vienna' },
});
const web = new VirtualMachine(dc1, 'web', {
  namespace,
  cpus: 2,
  memory: Size.gibibytes(4),
  disks: [Disk.image(noble, Size.gibibytes(20))],
  networks: [vlan],
  cloudInit: CloudInit.of({
    packages: ['nginx'],
    other: { mounts: [['settings', '/etc/web', 'virtiofs', 'ro']] },
  }),
  filesystems: [VmFilesystem.configMap('settings', settings.name)],
});

// Windows for the scanner: a license for one socket, a TPM and EFI variables that are kept, a GPU
// and a USB dongle of the node
BundledAddon.pciDevices(dc1, 'pci-devices');
const node = HarvesterNode.fromName(dc1, 'node1', { name: 'node1' });
const gpu = new PciDeviceClaim(dc1, 'gpu', { node, address: '0000:04:01.0' });
const dongle = new UsbDeviceClaim(dc1, 'dongle', { name: 'node1-0951-1666-001002' });
new VirtualMachine(dc1, 'scanner', {
  namespace,
  cpus: 8,
  cpuSockets: 1,
  cpuThreads: 2,
  memory: Size.gibibytes(32),
  disks: [Disk.image(windows, Size.gibibytes(80))],
  networks: [vlan],
  osType: OsType.WINDOWS,
  efi: true,
  efiPersistent: true,
  secureBoot: true,
  tpm: true,
  tpmPersistent: true,
  hostDevices: [{ claim: gpu }, { claim: dongle }],
});

// what users of the UI begin with
const template = new VirtualMachineTemplate(dc1, 'small', {
  namespace,
  description: 'Ubuntu 24.04 for test machines',
});
new VirtualMachineTemplateVersion(dc1, 'small-v1', {
  template,
  isDefault: true,
  cpus: 2,
  memory: Size.gibibytes(4),
  disks: [Disk.image(noble, Size.gibibytes(20))],
  networks: [vlan],
  sshKeys: [admin],
});

// backups: a target, a schedule, one backup before an upgrade, and its restore as a second machine
HarvesterSetting.backupTarget(
  dc1,
  'backup-target',
  BackupTarget.nfs('nfs://10.10.0.5:/backups', { refreshInterval: Duration.minutes(5) }),
);
new SnapshotQuota(dc1, 'snapshots', { namespace, total: Size.gibibytes(500) });
new ScheduleVmBackup(dc1, 'web-nightly', {
  virtualMachine: web,
  schedule: '0 3 * * *',
  retention: 14,
  fsFreezeDeadline: Duration.seconds(5),
});
const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: web.name };
new ApiObject(dc1, 'backup', {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineBackup',
  metadata: { name: 'web-before-upgrade', namespace: namespace.name },
  spec: { type: 'backup', source },
});
new ApiObject(dc1, 'restore', {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineRestore',
  metadata: { name: 'web-restored', namespace: namespace.name },
  spec: {
    newVM: true,
    target: { ...source, name: 'web-restored' },
    virtualMachineBackupName: 'web-before-upgrade',
    virtualMachineBackupNamespace: namespace.name,
  },
});

app.synth();
