import { Size } from 'cdk8s';
import {
  CustomCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterLoadBalancer,
  HarvesterNamespace,
  Ipam,
  Kubernetes,
  MachineRoles,
  RancherChart,
  SecretValue,
  TokenSource,
  VirtualMachine,
  Disk,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
const namespace = new HarvesterNamespace(dc1, 'edge-vms');

const edge = new CustomCluster(rancher, 'edge', {
  kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
  harvesterImport: HarvesterImport.fromClusterId(rancher, 'dc1', {
    clusterId: 'c-m-x7k2p9ab',
    harvester: dc1,
  }),
  vmNamespace: namespace,
  // an example token, known at synthesis, so that the command of the nodes is too; use
  // SecretValue.fromEnv for yours
  registrationToken: TokenSource.value(
    SecretValue.unsafePlainText('exampleonly0123456789abcdefghijklmnopqrstuvwxyz012345'),
  ),
});

const image = VmImage.fromName(dc1, 'noble', {
  name: 'image-noble',
  namespace: 'harvester-public',
});
const network = VmNetwork.fromName(dc1, 'lan', { name: 'lan' });
const nodes = [
  { name: 'edge-control', roles: MachineRoles.CONTROL_PLANE_ETCD, memory: 8 },
  { name: 'edge-work-1', roles: MachineRoles.WORKER, memory: 16 },
  { name: 'edge-work-2', roles: MachineRoles.WORKER, memory: 16 },
];
for (const { name, roles, memory } of nodes) {
  new VirtualMachine(dc1, name, {
    namespace,
    cpus: 4,
    memory: Size.gibibytes(memory),
    disks: [Disk.image(image, Size.gibibytes(60))],
    networks: [network],
    // the labels of cluster.vmLabels, on the machine and in its template
    guestCluster: edge,
    cloudInit: edge.nodeRegistration(roles, { nodeName: name }).cloudInit,
  });
}

new HarvesterLoadBalancer(edge.chart, 'web', {
  ipam: Ipam.dhcp(),
  ports: [{ port: 443 }],
  selector: { app: 'web' },
});

app.synth();
