import { Size } from 'cdk8s';
import {
  AccountRole,
  AuthProvider,
  CloudInit,
  ClusterMemberRole,
  ClusterNetwork,
  Cpu,
  Disk,
  GuestAgent,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterLoadBalancer,
  IpPool,
  IpPoolScope,
  Ipam,
  Kubernetes,
  KubernetesObject,
  LateSource,
  LateValue,
  MachineRoles,
  Principal,
  ProjectMember,
  RancherChart,
  SecretDelivery,
  SecretValue,
  ServiceAccountKubeconfig,
  TenantProject,
  TokenSource,
  VirtualMachine,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';
import { OidcAuthConfig } from 'cdk8s-harvester/auth';
import { HarvesterSetting } from 'cdk8s-harvester/settings';

const app = new HarvesterApp({ secrets: SecretDelivery.plainText() });
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

const sso = new OidcAuthConfig(rancher, 'sso', {
  provider: AuthProvider.KEYCLOAK_OIDC,
  clientId: 'rancher',
  clientSecret: SecretValue.unsafePlainText('a-client-secret-for-examples'),
  issuer: 'https://sso.example.com/realms/platform',
});
const team = sso.group('shop');
sso.grant(team);

const harvester = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  registrationToken: TokenSource.value(
    SecretValue.unsafePlainText('a-registration-token-for-examples'),
  ),
});
HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
HarvesterSetting.overcommitConfig(dc1, 'overcommit', {
  cpuPercent: 800,
  memoryPercent: 120,
  storagePercent: 150,
});

const project = new TenantProject(rancher, 'shop-project', {
  cluster: harvester,
  quota: { limitsCpu: Cpu.units(128), limitsMemory: Size.gibibytes(512) },
  members: [ProjectMember.owner(team)],
});
const vms = project.addNamespace('shop-vms', {
  quota: { limitsCpu: Cpu.units(96), limitsMemory: Size.gibibytes(384) },
});

const image = VmImage.download(dc1, 'noble', {
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
const network = new VmNetwork(dc1, 'prod', {
  clusterNetwork: ClusterNetwork.mgmt(dc1),
  vlan: 100,
});
const addresses = new IpPool(dc1, 'shop', {
  network,
  ranges: [{ subnet: '10.20.0.0/24', start: '10.20.0.100', end: '10.20.0.119' }],
});
addresses.addRange({ subnet: '10.20.1.0/24', start: '10.20.1.100', end: '10.20.1.119' });

const shop = new GuestCluster(rancher, 'shop', {
  harvesterImport: harvester,
  vmNamespace: vms,
  kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
  pools: [
    {
      name: 'control',
      quantity: 3,
      roles: MachineRoles.CONTROL_PLANE_ETCD,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(image, Size.gibibytes(40))],
      networks: [network],
      sshUser: 'ubuntu',
    },
  ],
});
shop.addPool({
  name: 'workers',
  quantity: 4,
  roles: MachineRoles.WORKER,
  cpus: 8,
  memory: Size.gibibytes(32),
  disks: [Disk.image(image, Size.gibibytes(80))],
  networks: [network],
  sshUser: 'ubuntu',
  nodeLabels: { tier: 'shop' },
});
addresses.addScope(IpPoolScope.guestCluster(shop));
shop.grant(Principal.groupOf(AuthProvider.KEYCLOAK_OIDC, 'operations'), ClusterMemberRole.MEMBER);

const web = new HarvesterLoadBalancer(shop.chart, 'web', {
  ipam: Ipam.pool(),
  ports: [{ name: 'http', port: 80 }],
  selector: { app: 'web' },
});
web.addPort({ name: 'https', port: 443, targetPort: 8443 });

const bastion = new VirtualMachine(dc1, 'bastion', {
  namespace: vms,
  cpus: 2,
  memory: Size.gibibytes(4),
  disks: [Disk.image(image, Size.gibibytes(20))],
  networks: [network],
  cloudInit: CloudInit.of({ packages: ['tmux'], guestAgent: GuestAgent.install() }),
});
bastion.addDisk(Disk.empty(Size.gibibytes(100)));

const account = new ServiceAccountKubeconfig(dc1, 'pipeline', { namespace: vms });
account.grant(AccountRole.vmCreator(), vms);

const token = new LateValue(rancher, 'mirror-token', {
  description: 'token of the mirror',
  source: LateSource.secretKey('token', {
    target: rancher,
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'mirror',
    name: 'pull',
  }),
  sensitive: true,
});
const password = SecretValue.unsafePlainText('a-password-for-examples');
new KubernetesObject(rancher, 'mirror', {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'mirror', namespace: 'delivery' },
  fields: {
    stringData: {
      url: `https://mirror.example.com/?token=${token}`,
      login: `shop:${password}`,
    },
  },
});

app.synth();
