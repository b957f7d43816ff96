import { Size } from 'cdk8s';
import {
  AuthProvider,
  ClusterMember,
  ClusterMembers,
  ClusterNetwork,
  ClusterMemberRole,
  Cpu,
  GlobalPermission,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  HashedPassword,
  ClusterId,
  Principal,
  ProjectMember,
  ProjectMemberRole,
  RancherChart,
  RoleTemplate,
  RoleTemplateContext,
  TenantProject,
  TokenSource,
  LocalUser,
  VmImage,
  VmNetwork,
  VmQuota,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

const harvester = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  clusterId: ClusterId.fixed('c-m-harvdc01'),
  // another tool creates the Secret with the token, such as a SealedSecret
  registrationToken: TokenSource.secret(),
});

// the tenants share the objects in this namespace, which all users can read
const shared = HarvesterNamespace.fromName(dc1, 'shared', { name: 'harvester-public' });
VmImage.download(dc1, 'ubuntu-noble', {
  namespace: shared,
  displayName: 'ubuntu-24.04',
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
new VmNetwork(dc1, 'shared-net', {
  namespace: shared,
  clusterNetwork: ClusterNetwork.mgmt(dc1),
  vlan: 100,
});

// custom roles: operators run virtual machines, but do not create or delete them
const operator = new RoleTemplate(rancher, 'vm-operator', {
  context: RoleTemplateContext.PROJECT,
  displayName: 'VM Operator',
  description: 'starts, stops and watches virtual machines, with their consoles',
  rules: [
    {
      apiGroups: ['kubevirt.io'],
      resources: ['virtualmachines', 'virtualmachineinstances'],
      verbs: ['get', 'list', 'watch'],
    },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
      verbs: ['update'],
    },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['virtualmachineinstances/console', 'virtualmachineinstances/vnc'],
      verbs: ['get'],
    },
  ],
});
const backups = new RoleTemplate(rancher, 'vm-backup', {
  context: RoleTemplateContext.PROJECT,
  displayName: 'VM Backup',
  rules: [
    {
      apiGroups: ['harvesterhci.io'],
      resources: ['virtualmachinebackups', 'virtualmachinerestores'],
      verbs: ['get', 'list', 'watch', 'create'],
    },
  ],
  inherits: [operator],
});

// local users with example passwords, hashed by `cdk8s-harvester hash-password`
const ana = new LocalUser(rancher, 'u-ana', {
  username: 'ana',
  displayName: 'Ana Alvarez',
  permissions: [GlobalPermission.USER],
  password: HashedPassword.fromText(
    'pbkdf2sha3512:tFbGgVXVsijmsv7zOFbIeba1RZ8XcBEy2etF30+8S30=:M6hq3UTyaHT/c8UA1fKqHMb2PAF/m8+ftAjlYWecjxE=',
  ),
});
const ben = new LocalUser(rancher, 'u-ben', {
  username: 'ben',
  displayName: 'Ben Berger',
  permissions: [GlobalPermission.USER],
  password: HashedPassword.fromText(
    'pbkdf2sha3512:1SuJMmdlKe3o7Tmn9TL6QONR+ewWLzqH5lSKaM4Ra5Y=:xHsx+XQ6Se6iemTYi2hnYq5dWiYU0i+Vo9GbYXEPNEQ=',
  ),
});
const team = (name: string) => Principal.groupOf(AuthProvider.OKTA, name);

// the platform team owns the cluster, and the auditors can view every project
new ClusterMembers(rancher, 'members', {
  cluster: harvester,
  members: [
    ClusterMember.owner(team('platform')),
    ClusterMember.of(team('audit'), ClusterMemberRole.VIEW_PROJECTS),
  ],
});

const payments = new TenantProject(rancher, 'payments', {
  cluster: harvester,
  displayName: 'Payments',
  quota: {
    limitsCpu: Cpu.units(64),
    limitsMemory: Size.gibibytes(256),
    requestsStorage: Size.tebibytes(4),
  },
  namespaceQuota: {
    limitsCpu: Cpu.units(16),
    limitsMemory: Size.gibibytes(64),
    requestsStorage: Size.tebibytes(1),
  },
  tenantNamespaces: [{ name: 'payments-test' }],
  members: [
    ProjectMember.owner(Principal.localUser(ana)),
    ProjectMember.member(team('payments')),
    ProjectMember.of(team('night-shift'), ProjectMemberRole.template(operator)),
  ],
});
payments.addNamespace('payments-prod', {
  quota: {
    limitsCpu: Cpu.units(48),
    limitsMemory: Size.gibibytes(192),
    requestsStorage: Size.tebibytes(3),
  },
});

new TenantProject(rancher, 'research', {
  cluster: harvester,
  displayName: 'Research',
  tenantNamespaces: [{ name: 'research' }],
  // ten machines with 8 CPUs and 32 GiB, plus the overhead of virtualization
  quota: VmQuota.forVirtualMachines([
    { cpus: 8, memory: Size.gibibytes(32), storage: Size.gibibytes(200), count: 10 },
  ]),
  members: [
    ProjectMember.owner(Principal.localUser(ben)),
    ProjectMember.of(team('night-shift'), ProjectMemberRole.template(backups)),
  ],
});

new TenantProject(rancher, 'web', {
  cluster: harvester,
  displayName: 'Web',
  tenantNamespaces: [{ name: 'web' }],
  quota: { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) },
  containerDefaults: {
    requestsCpu: Cpu.millis(100),
    requestsMemory: Size.mebibytes(128),
    limitsCpu: Cpu.millis(500),
    limitsMemory: Size.mebibytes(512),
  },
  members: [ProjectMember.member(team('web')), ProjectMember.readOnly(Principal.localUser(ana))],
});

app.synth();
