import {
  ClusterNetwork,
  Delivery,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  IpPool,
  IpPoolScope,
  Principal,
  ProjectMember,
  ProjectMemberRole,
  RancherChart,
  RoleTemplate,
  RoleTemplateContext,
  Suppressions,
  TenantProject,
  TokenSource,
  VlanConfig,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';
import { HarvesterSetting } from 'cdk8s-harvester/settings';

const app = new HarvesterApp({
  delivery: Delivery.argoCd({
    repository: 'https://git.example.com/platform.git',
    revision: 'main',
  }),
});
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// another tool writes the Secret with the token; the Setting with the registration URL waits for it
// in a late stage
const cluster = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  registrationToken: TokenSource.secret(),
});
// the ID of this cluster is well known; a new program sets idSalt of HarvesterApp instead, so that
// no one else can prepare the Cluster
Suppressions.of(cluster).suppress('delivery/predictable-id', 'the cluster was delivered before');

// a role, and one that inherits it: Rancher refuses the second one before the first exists
const operator = new RoleTemplate(rancher, 'vm-operator', {
  context: RoleTemplateContext.PROJECT,
  displayName: 'VM Operator',
  rules: [
    {
      apiGroups: ['kubevirt.io'],
      resources: ['virtualmachines', 'virtualmachineinstances'],
      verbs: ['get', 'list', 'watch'],
    },
  ],
});
const backups = new RoleTemplate(rancher, 'vm-backup', {
  context: RoleTemplateContext.PROJECT,
  displayName: 'VM Backup',
  rules: [
    {
      apiGroups: ['harvesterhci.io'],
      resources: ['virtualmachinebackups'],
      verbs: ['get', 'list', 'watch', 'create'],
    },
  ],
  inherits: [operator],
});

// a tenant: its members need the namespace that Rancher creates for the project
const payments = new TenantProject(rancher, 'payments', {
  cluster,
  tenantNamespaces: [{ name: 'payments-vms' }],
  members: [
    ProjectMember.owner(Principal.user('okta_user://ana')),
    ProjectMember.of(Principal.group('okta_group://backup'), ProjectMemberRole.template(backups)),
  ],
});

// a network of its own, with addresses for load balancers: Harvester refuses each object before the
// previous one exists
const fabric = new ClusterNetwork(dc1, 'tenants');
new VlanConfig(dc1, 'tenants-uplinks', { clusterNetwork: fabric, nics: ['ens1f0', 'ens1f1'] });
const network = new VmNetwork(dc1, 'payments-net', {
  clusterNetwork: fabric,
  vlan: 110,
  namespace: payments.declaredNamespace('payments-vms'),
});
new IpPool(dc1, 'payments-addresses', {
  network,
  ranges: [
    {
      subnet: '10.20.110.0/24',
      start: '10.20.110.200',
      end: '10.20.110.219',
      gateway: '10.20.110.1',
    },
  ],
  scopes: [IpPoolScope.namespace(payments.declaredNamespace('payments-vms'))],
});

VmImage.download(dc1, 'ubuntu-noble', {
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);

app.synth();
