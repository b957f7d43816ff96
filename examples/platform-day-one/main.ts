import { ApiObject, Duration } from 'cdk8s';
import {
  AuthProvider,
  BondMode,
  BundledAddon,
  ClusterMember,
  ClusterMembers,
  ClusterNetwork,
  ClusterRepo,
  ClusterMemberRole,
  GlobalPermission,
  GlobalRole,
  GlobalRoleBinding,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNode,
  HarvesterUiExtension,
  HelmChartConfig,
  HostAddresses,
  HostNetworkConfig,
  ClusterId,
  NodeCloudInit,
  RancherChart,
  Suppressions,
  TokenSource,
  VlanConfig,
} from 'cdk8s-harvester';
import { AuthAccess, OidcAuthConfig } from 'cdk8s-harvester/auth';
import {
  HarvesterSetting,
  ImagePreload,
  NodeUpgrade,
  RancherFeature,
  RancherSetting,
  TokenLifetime,
} from 'cdk8s-harvester/settings';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.9.0', vip: '10.10.0.10' });

// the Harvester, with the pages that show it, and charts of the company
const cluster = new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  clusterId: ClusterId.fixed('c-m-harvdc01'),
  registrationToken: TokenSource.secret(),
});
const ui = new HarvesterUiExtension(rancher, 'ui');
Suppressions.of(ui).suppress(
  'ui-plugin/newer-harvester',
  'there is no extension for Harvester 1.9 yet',
);
const charts = new ClusterRepo(rancher, 'platform-charts', {
  url: 'oci://registry.example.com/charts',
  oci: { tagFilter: '>= 1.0.0' },
  clientSecret: { name: 'charts-login', namespace: 'cattle-system' },
});
Suppressions.of(charts).suppress('cluster-repo/secret', 'the External Secrets Operator writes it');
new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: true });

// users log in with Keycloak; another tool writes the secret of the client, as
// cattle-global-data/keycloakoidcconfig-clientsecret
const sso = new OidcAuthConfig(rancher, 'sso', {
  provider: AuthProvider.KEYCLOAK_OIDC,
  clientId: 'rancher',
  issuer: 'https://sso.example.com/realms/platform',
  access: AuthAccess.RESTRICTED,
  groupSearchEnabled: true,
});
const [platform, audit] = ['platform', 'audit'].map((id) => sso.group(id));
sso.grant(platform);
sso.grant(audit);

// roles for all of Rancher: administrators, and auditors who view every cluster
const auditor = new GlobalRole(rancher, 'auditor', {
  rules: [
    {
      verbs: ['get', 'list', 'watch'],
      apiGroups: ['management.cattle.io'],
      resources: ['clusters', 'projects', 'users'],
    },
  ],
  inheritedClusterRoles: [ClusterMemberRole.VIEW_PROJECTS, ClusterMemberRole.VIEW_NODES],
});
new GlobalRoleBinding(rancher, 'administrators', {
  permission: GlobalPermission.ADMIN,
  principal: platform,
});
new GlobalRoleBinding(rancher, 'auditors', {
  permission: GlobalPermission.role(auditor),
  principal: audit,
});
new ClusterMembers(rancher, 'operators', {
  cluster,
  members: [ClusterMember.of(sso.group('operators'), ClusterMemberRole.MANAGE_NODES)],
});

// settings
RancherSetting.sessionIdleLifetime(rancher, 'idle', Duration.hours(2));
RancherSetting.passwordMinLength(rancher, 'password-length', 16);
RancherSetting.disableInactiveUsersAfter(rancher, 'inactive', Duration.days(90));
RancherSetting.userRetentionSchedule(rancher, 'retention', '0 3 * * *');
new TokenLifetime(rancher, 'tokens');

// kinds without a construct: pod security of guest clusters, a log in for Grafana, a link, and
// applications of a Git repository
new ApiObject(rancher, 'restricted', {
  apiVersion: 'management.cattle.io/v3',
  kind: 'PodSecurityAdmissionConfigurationTemplate',
  metadata: { name: 'platform-restricted' },
  configuration: {
    defaults: {
      'enforce': 'restricted',
      'enforce-version': 'latest',
      'warn': 'restricted',
      'warn-version': 'latest',
    },
    exemptions: {
      namespaces: ['kube-system', 'cattle-system', 'cattle-fleet-system', 'harvester-system'],
    },
  },
});
new ApiObject(rancher, 'grafana', {
  apiVersion: 'management.cattle.io/v3',
  kind: 'OIDCClient',
  metadata: { name: 'grafana' },
  spec: {
    redirectURIs: ['https://grafana.example.com/login/generic_oauth'],
    tokenExpirationSeconds: 600,
    refreshTokenExpirationSeconds: 3600,
  },
});
new ApiObject(rancher, 'runbooks', {
  apiVersion: 'ui.cattle.io/v1',
  kind: 'NavLink',
  metadata: { name: 'runbooks' },
  spec: { label: 'Runbooks', target: '_blank', toURL: 'https://runbooks.example.com' },
});
new ApiObject(rancher, 'apps', {
  apiVersion: 'fleet.cattle.io/v1alpha1',
  kind: 'GitRepo',
  metadata: { namespace: 'fleet-default', name: 'platform-apps' },
  spec: {
    repo: 'https://git.example.com/platform/apps.git',
    branch: 'main',
    paths: ['monitoring'],
    targets: [{ clusterSelector: { matchLabels: { stage: 'production' } } }],
  },
});

// the Harvester itself: uplinks, an address of each node in the storage VLAN, settings, DNS, logs,
// and a file of the nodes
const storage = new ClusterNetwork(dc1, 'storage');
new VlanConfig(dc1, 'storage-uplinks', {
  clusterNetwork: storage,
  nics: ['ens2f0', 'ens2f1'],
  bondMode: BondMode.LACP,
  mtu: 9000,
});
new HostNetworkConfig(dc1, 'nas', {
  clusterNetwork: storage,
  vlan: 30,
  addresses: HostAddresses.fixed(
    [1, 2, 3].map((number) => ({
      node: HarvesterNode.fromName(dc1, `node${number}`, { name: `node${number}` }),
      address: `10.30.0.1${number}/24`,
    })),
  ),
});
HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
HarvesterSetting.overcommitConfig(dc1, 'overcommit', {
  cpuPercent: 800,
  memoryPercent: 120,
  storagePercent: 150,
});
HarvesterSetting.upgradeConfig(dc1, 'upgrade', {
  imagePreload: ImagePreload.parallel({ concurrency: 2 }),
  nodeUpgrade: NodeUpgrade.auto(),
});
new HelmChartConfig(dc1, 'rke2-coredns', { values: { nodelocal: { enabled: true } } });
new NodeCloudInit(dc1, '99-sysctl', {
  stages: { boot: [{ commands: ['sysctl -w vm.max_map_count=262144'] }] },
});
BundledAddon.logging(dc1, 'logging');
const logging = { apiVersion: 'logging.banzaicloud.io/v1beta1' };
const namespace = 'cattle-logging-system';
new ApiObject(dc1, 'syslog', {
  ...logging,
  kind: 'ClusterOutput',
  metadata: { namespace, name: 'syslog' },
  spec: { syslog: { host: 'logs.example.com', port: 514, transport: 'tcp' } },
});
new ApiObject(dc1, 'all-logs', {
  ...logging,
  kind: 'ClusterFlow',
  metadata: { namespace, name: 'all' },
  spec: { globalOutputRefs: ['syslog'] },
});

app.synth();
