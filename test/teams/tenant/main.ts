import { Size } from 'cdk8s';
import {
  CloudConfigSecret,
  CloudCredential,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  CloudProvider,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  RancherChart,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

// the repository of a tenant: it refers to what the platform team declared, and writes none of it
const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
const cluster = HarvesterImport.fromClusterId(rancher, 'dc1', {
  clusterId: 'c-m-platform',
  harvester: dc1,
});
const images = HarvesterNamespace.fromName(dc1, 'images', { name: 'harvester-public' });

new GuestCluster(rancher, 'shop', {
  harvesterImport: cluster,
  vmNamespace: HarvesterNamespace.fromName(dc1, 'vms', { name: 'shop-vms' }),
  credential: CloudCredential.fromName(rancher, 'credential', { name: 'cc-shop' }),
  cloudProvider: CloudProvider.harvester({
    existingCloudConfig: CloudConfigSecret.fromName(rancher, 'config', {
      name: 'harvesterconfig-shop',
    }),
  }),
  kubernetes: Kubernetes.rke2('v1.34.2+rke2r1'),
  pools: [
    {
      name: 'all',
      quantity: 3,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [
        Disk.image(
          VmImage.fromName(dc1, 'noble', { name: 'noble', namespace: images.name }),
          Size.gibibytes(40),
        ),
      ],
      networks: [VmNetwork.fromName(dc1, 'servers', { name: 'servers', namespace: images.name })],
    },
  ],
});

app.synth();
