import { Duration, Size } from 'cdk8s';
import {
  CloudInit,
  ClusterNetwork,
  CsiDriver,
  CloudProvider,
  Disk,
  GuestAgent,
  GuestCluster,
  GuestStorageClass,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  HarvesterStorageClass,
  Kubernetes,
  MachineRoles,
  TaintEffect,
  ClusterId,
  RancherChart,
  Rke2Cni,
  VmAffinity,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// an existing import; Rancher's UI shows the ID in its URL
const harvester = HarvesterImport.fromClusterId(rancher, 'dc1', {
  clusterId: 'c-m-x7k2p9ab',
  harvester: dc1,
});
const image = VmImage.download(dc1, 'sles', {
  displayName: 'sles-15-sp7',
  url: 'https://images.example.com/sles-15-sp7.qcow2',
});
const network = new VmNetwork(dc1, 'production', {
  clusterNetwork: ClusterNetwork.fromName(dc1, 'fabric', { name: 'prod' }),
  vlan: 210,
});
const fast = HarvesterStorageClass.fromName(dc1, 'nvme', { name: 'longhorn-nvme' });

// the image contains the guest agent, so machines start without a package mirror
const cloudInit = CloudInit.of({
  guestAgent: GuestAgent.preinstalled(),
  sshAuthorizedKeys: [
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMZ9rcL4kmRrH0fXOKLqHZVlZCvAbFEqkRGPLaSTAmTq ops@example.com',
  ],
  ntpServers: ['ntp.example.com'],
});
const common = {
  cloudInit,
  networks: [network],
  sshUser: 'sles',
  efi: true,
  rollingUpdate: { maxSurge: '0', maxUnavailable: '1' },
};

const shop = new GuestCluster(rancher, 'shop', {
  harvesterImport: harvester,
  vmNamespace: new HarvesterNamespace(dc1, 'shop-vms'),
  clusterId: ClusterId.fixed('c-m-shop'),
  description: 'Web shop, production',
  kubernetes: Kubernetes.rke2('v1.33.6+rke2r1', {
    cni: Rke2Cni.CILIUM,
    tlsSans: ['shop.example.com'],
    etcdExposeMetrics: true,
  }),
  cloudProvider: CloudProvider.harvester({ csi: CsiDriver.install({ hostStorageClass: fast }) }),
  pools: [
    {
      ...common,
      name: 'cp',
      quantity: 3,
      roles: MachineRoles.CONTROL_PLANE_ETCD,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(image, Size.gibibytes(60))],
      // three machines in three zones: one zone may fail
      affinity: VmAffinity.spreadOverZones({ required: true }),
    },
    {
      ...common,
      name: 'worker',
      quantity: 5,
      roles: MachineRoles.WORKER,
      cpus: 8,
      memory: Size.gibibytes(32),
      disks: [
        Disk.image(image, Size.gibibytes(80)),
        Disk.empty(Size.gibibytes(200), { storageClass: fast }),
      ],
      affinity: VmAffinity.spreadOverZones(),
      nodeStartupTimeout: Duration.minutes(20),
      unhealthyNodeTimeout: Duration.minutes(10),
      maxUnhealthy: '40%',
    },
    {
      ...common,
      name: 'batch',
      roles: MachineRoles.WORKER,
      autoscaling: { min: 0, max: 6 },
      cpus: 16,
      memory: Size.gibibytes(64),
      disks: [Disk.image(image, Size.gibibytes(80))],
      nodeLabels: { 'example.com/pool': 'batch' },
      taints: [{ key: 'example.com/batch', value: 'true', effect: TaintEffect.NO_SCHEDULE }],
    },
  ],
  upgradeStrategy: {
    workerConcurrency: '10%',
    workerDrain: { timeout: Duration.minutes(10) },
  },
});

// an object in the guest cluster
new GuestStorageClass(shop.chart, 'fast', { hostStorageClass: fast });

app.synth();
