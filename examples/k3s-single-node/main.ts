import { Size } from 'cdk8s';
import {
  CloudProvider,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterLoadBalancer,
  HarvesterNamespace,
  Ipam,
  Kubernetes,
  MachineRoles,
  RancherChart,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const edge = new HarvesterChart(app, 'edge', { version: '1.7.2', vip: '10.20.0.10' });

const lab = new GuestCluster(rancher, 'lab', {
  harvesterImport: HarvesterImport.fromClusterId(rancher, 'edge', {
    clusterId: 'c-m-x7k2p9ab',
    harvester: edge,
  }),
  vmNamespace: HarvesterNamespace.fromName(edge, 'default', { name: 'default' }),
  kubernetes: Kubernetes.k3s('v1.33.6+k3s1', { disabledComponents: ['traefik'] }),
  // K3s bundles no cloud provider: a HelmChart installs the version that Harvester's documentation
  // names
  cloudProvider: CloudProvider.harvester({ chartVersion: '0.2.15' }),
  pools: [
    {
      name: 'all',
      roles: MachineRoles.ALL,
      cpus: 2,
      memory: Size.gibibytes(4),
      disks: [
        Disk.image(VmImage.fromName(edge, 'leap', { name: 'image-leap' }), Size.gibibytes(40)),
      ],
      networks: [VmNetwork.fromName(edge, 'lan', { name: 'lan' })],
    },
  ],
});

new HarvesterLoadBalancer(lab.chart, 'web', {
  ipam: Ipam.dhcp(),
  ports: [{ port: 80 }, { port: 443 }],
  selector: { app: 'web' },
});

app.synth();
