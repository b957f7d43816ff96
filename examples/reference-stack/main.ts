import { Size } from 'cdk8s';
import {
  ClusterNetwork,
  Cpu,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterLoadBalancer,
  Ipam,
  IpPool,
  IpPoolScope,
  Kubernetes,
  MachineRoles,
  Principal,
  ProjectMember,
  RancherChart,
  SecretValue,
  TenantProject,
  TokenSource,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

const harvester = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  registrationToken: TokenSource.value(
    SecretValue.unsafePlainText('exampleonly0123456789abcdefghijklmnopqrstuvwxyz012345'),
  ),
});

const image = VmImage.download(dc1, 'ubuntu', {
  displayName: 'ubuntu-24.04',
  url: 'https://cloud-images.example.com/noble/noble-server-cloudimg-amd64.img',
});
const network = new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });

const payments = new TenantProject(rancher, 'payments', {
  cluster: harvester,
  tenantNamespaces: [{ name: 'payments-vms' }],
  quota: { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) },
  members: [
    ProjectMember.owner(Principal.user('local://u-ana')),
    ProjectMember.readOnly(Principal.group('okta_group://audit')),
  ],
});

const shop = new GuestCluster(rancher, 'shop', {
  harvesterImport: harvester,
  vmNamespace: payments.declaredNamespace('payments-vms'),
  kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
  pools: [
    {
      name: 'all',
      quantity: 3,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(image, Size.gibibytes(40))],
      networks: [network],
    },
  ],
});

// addresses only for load balancers of this cluster
new IpPool(dc1, 'shop-addresses', {
  ranges: [
    {
      subnet: '10.10.100.0/24',
      start: '10.10.100.200',
      end: '10.10.100.219',
      gateway: '10.10.100.1',
    },
  ],
  network,
  scopes: [IpPoolScope.guestCluster(shop)],
});
new HarvesterLoadBalancer(shop.chart, 'web', {
  ipam: Ipam.pool(),
  ports: [{ port: 443 }],
  selector: { app: 'web' },
});

app.synth();
