import { Size } from 'cdk8s';
import {
  Disk,
  GuestCluster,
  GuestStorageClass,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  NetworkData,
  RancherChart,
  ReclaimPolicy,
  Registries,
  RegistryAuth,
  Rke2Cni,
  S3Credential,
  StackPreference,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

const registries: Registries = {
  mirrors: {
    'docker.io': {
      endpoints: ['https://registry.example.com'],
      rewrites: { '^rancher/(.*)': 'rancher-mirror/$1' },
    },
  },
  // Secrets that another tool creates in fleet-default, the namespace of the Cluster
  configs: { 'registry.example.com': { auth: RegistryAuth.fromSecretName('registry-auth') } },
};

const mesh = new GuestCluster(rancher, 'mesh', {
  harvesterImport: HarvesterImport.fromClusterId(rancher, 'dc1', {
    clusterId: 'c-m-x7k2p9ab',
    harvester: dc1,
  }),
  vmNamespace: new HarvesterNamespace(dc1, 'mesh-vms'),
  // IPv4 first, since Rancher's node driver needs an IPv4 address of each machine
  kubernetes: Kubernetes.rke2('v1.34.10+rke2r1', {
    cni: Rke2Cni.CILIUM,
    clusterCidrs: ['10.42.0.0/16', 'fd00:42::/56'],
    serviceCidrs: ['10.43.0.0/16', 'fd00:43::/112'],
    chartValues: { 'rke2-cilium': { ipv6: { enabled: true } } },
  }),
  stackPreference: StackPreference.DUAL,
  registries,
  etcd: {
    schedule: '0 */2 * * *',
    retention: 12,
    s3: {
      credential: S3Credential.fromName(rancher, 'snapshots', { name: 'cc-snapshots' }),
      bucket: 'etcd-snapshots',
      folder: 'mesh',
    },
  },
  pools: [
    {
      name: 'all',
      quantity: 3,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(16),
      disks: [
        Disk.image(
          VmImage.fromName(dc1, 'noble', { name: 'image-noble', namespace: 'harvester-public' }),
          Size.gibibytes(60),
        ),
      ],
      networks: [VmNetwork.fromName(dc1, 'dual', { name: 'dual' })],
      networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true, dhcp6: true } } }),
    },
  ],
});

// volumes that are kept when their claims are deleted
new GuestStorageClass(mesh.chart, 'retained', { reclaimPolicy: ReclaimPolicy.RETAIN });

app.synth();
