import { Size } from 'cdk8s';
import {
  CloudConfigSecret,
  CloudCredential,
  Disk,
  ClusterNetwork,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  ClusterId,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

// the repository of the platform team: it imports the Harvester, and declares what a tenant needs
const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
const cluster = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  clusterId: ClusterId.fixed('c-m-platform'),
});

const images = HarvesterNamespace.fromName(dc1, 'images', { name: 'harvester-public' });
const noble = VmImage.download(dc1, 'noble', {
  namespace: images,
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
const network = new VmNetwork(dc1, 'servers', {
  namespace: images,
  clusterNetwork: ClusterNetwork.mgmt(dc1),
  vlan: 100,
});

// a tenant with a repository of its own: a project, and the two Secrets that its cluster names
const shop = new TenantProject(rancher, 'shop', {
  cluster,
  tenantNamespaces: [{ name: 'shop-vms' }],
  members: [ProjectMember.owner(Principal.group('okta_group://shop'))],
});
const vms = shop.declaredNamespace('shop-vms');
CloudCredential.serviceAccount(rancher, 'cc-shop', { harvesterImport: cluster, namespaces: [vms] });
new CloudConfigSecret(rancher, 'shop-config', { vmNamespace: vms, clusterName: 'shop' });

// the platform's own cluster, with the credential that its clusters share
const ops = new TenantProject(rancher, 'ops', { cluster, tenantNamespaces: [{ name: 'ops-vms' }] });
new GuestCluster(rancher, 'ops-cluster', {
  name: 'ops',
  harvesterImport: cluster,
  vmNamespace: ops.declaredNamespace('ops-vms'),
  kubernetes: Kubernetes.rke2('v1.34.2+rke2r1'),
  pools: [
    {
      name: 'all',
      quantity: 3,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(noble, Size.gibibytes(40))],
      networks: [network],
    },
  ],
});

app.synth();
