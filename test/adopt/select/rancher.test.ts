import { Fields, Row, expectReasons, live, ownedBy } from './_live';
import { TargetKind } from '../../../src/core/construct/target';

const V3 = 'management.cattle.io/v3';
const V1 = 'provisioning.cattle.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const FOR_EACH = 'Rancher creates it for each cluster';
const MADE = 'Rancher creates it for a cluster, a project or a user';
const LOCAL = 'is the cluster that Rancher runs on';
const BUILT_IN = 'is built into Rancher';
const OF_RANCHER = 'gives its role to an account of Rancher itself, or to the first administrator';
const OF_ROLES = 'Rancher creates it from its roles and bindings';
const labels = (key: string, value = 'true'): Fields => ({ labels: { [key]: value } });

// what the rows of a test look up
const SHOP = [
  live(V1, 'Cluster', 'fleet-default/shop', { status: { clusterName: 'c-m-abcdefgh' } }),
] as Row;
const ADMIN = [
  live(V3, 'User', 'user-admin', {
    username: 'admin',
    ...labels('authz.management.cattle.io/bootstrapping', 'admin-user'),
  }),
  'is the first administrator',
] as Row;
const SYSTEM = [
  live(V3, 'User', 'u-b4qkhsnliz', { principalIds: ['system://local', 'local://u-b4qkhsnliz'] }),
  'is an account of Rancher itself',
] as Row;
const OKTA = [
  live(V3, 'User', 'u-okta1', { principalIds: ['okta_user://ana', 'local://u-okta1'] }),
  'Rancher creates it when its user logs in',
] as Row;

test('leaves out the cluster that Rancher runs on, and what it makes from Clusters', () => {
  expectReasons(TargetKind.RANCHER, [
    [live(V3, 'Cluster', 'local'), LOCAL],
    [live(V1, 'Cluster', 'fleet-local/local', { status: { clusterName: 'local' } }), LOCAL],
    SHOP,
    [
      live(V3, 'Cluster', 'c-m-abcdefgh'),
      'Rancher creates it from the Cluster in provisioning.cattle.io',
    ],
    // an import from before Rancher 2.6, to which Rancher added the second Cluster
    [
      live(V1, 'Cluster', 'fleet-default/c-abcde', {
        ...labels('objectset.rio.cattle.io/hash', 'x'),
        status: { clusterName: 'c-abcde' },
      }),
    ],
    [live(V3, 'Cluster', 'c-rke1x')],
    [
      live(
        'rke-machine-config.cattle.io/v1',
        'HarvesterConfig',
        'fleet-default/nc-shop-a-abcde',
        ownedBy('Cluster', 'shop'),
      ),
    ],
    [
      live('rke-machine.cattle.io/v1', 'HarvesterMachine', 'fleet-default/shop-a-x'),
      'is written by controllers only',
    ],
    [
      live('cluster.x-k8s.io/v1beta1', 'Machine', 'fleet-default/shop-a-x'),
      'is written by controllers only',
    ],
    [live(V3, 'Token', 'token-abcde'), 'is written by controllers only'],
    [live(V3, 'ClusterRegistrationToken', 'c-m-abcdefgh/default-token'), FOR_EACH],
    [live(V3, 'ClusterRegistrationToken', 'c-m-abcdefgh/gitops')],
  ]);
});

test('leaves out default projects, and the namespaces that Rancher generates', () => {
  expectReasons(TargetKind.RANCHER, [
    SHOP,
    [
      live(V3, 'Project', 'local/p-aaaaa', labels('authz.management.cattle.io/default-project')),
      FOR_EACH,
    ],
    [
      live(
        V3,
        'Project',
        'c-m-abcdefgh/p-bbbbb',
        labels('authz.management.cattle.io/system-project'),
      ),
      FOR_EACH,
    ],
    [
      live(V3, 'Project', 'c-m-abcdefgh/pay', {
        ...labels('cattle.io/creator', 'norman'),
        status: { backingNamespace: 'c-m-abcdefgh-pay' },
      }),
    ],
    [live(V3, 'Project', 'local/p-tools')],
    [live('v1', 'Namespace', 'c-m-abcdefgh'), MADE],
    [live('v1', 'Namespace', 'c-m-abcdefgh-pay'), MADE],
    [live(V3, 'User', 'u-ana12', { username: 'ana' })],
    [live('v1', 'Namespace', 'u-ana12'), MADE],
    [live('v1', 'Namespace', 'p-tools'), MADE],
    [live('v1', 'Namespace', 'p-other')],
    // what deleted clusters, projects and users leave behind
    [live('v1', 'Namespace', 'c-m-gone1234'), MADE],
    [live('v1', 'Namespace', 'c-m-gone1234-p-gone1'), MADE],
    [live('v1', 'Namespace', 'p-gone1', { managedFields: [{ manager: 'rancher' }] }), MADE],
    [live('v1', 'Namespace', 'p-mine1', { managedFields: [{ manager: 'kubectl' }] })],
    [live('v1', 'Namespace', 'p-mine2')],
    [live('v1', 'Namespace', 'cluster-fleet-default-shop-1a2b'), MADE],
    [live('v1', 'Namespace', 'cattle-system'), 'is a namespace of the system'],
    [live('v1', 'Namespace', 'default'), 'is a namespace of the system'],
    [live('v1', 'Namespace', 'tools')],
  ]);
});

test('knows generated namespaces by their form where no project was read', () => {
  expectReasons(TargetKind.RANCHER, [
    [live('v1', 'Namespace', 'c-m-abcdefgh'), MADE],
    [live('v1', 'Namespace', 'c-m-abcdefgh-p-abcde'), MADE],
    [live('v1', 'Namespace', 'p-abcde'), MADE],
    [live('v1', 'Namespace', 'payments')],
  ]);
});

test('leaves out built-in roles, accounts of Rancher, and bindings that it makes', () => {
  expectReasons(TargetKind.RANCHER, [
    ADMIN,
    SYSTEM,
    OKTA,
    [live(V3, 'User', 'u-ana', { username: 'ana', principalIds: ['local://u-ana'] })],
    [live(V3, 'RoleTemplate', 'anything', { builtin: true }), BUILT_IN],
    [live(V3, 'RoleTemplate', 'project-member', { builtin: false }), BUILT_IN],
    [
      live(
        V3,
        'GlobalRole',
        'gr-new',
        labels('authz.management.cattle.io/bootstrapping', 'default-globalrole'),
      ),
      BUILT_IN,
    ],
    [live(V3, 'GlobalRole', 'user', { builtin: true, newUserDefault: true }), BUILT_IN],
    [live(V3, 'RoleTemplate', 'vm-operator', { builtin: false })],
    [
      live(V3, 'GlobalRoleBinding', 'globalrolebinding-abcde', {
        userName: 'user-admin',
        globalRoleName: 'admin',
      }),
      OF_RANCHER,
    ],
    [
      live(V3, 'GlobalRoleBinding', 'grb-okta1', { userName: 'u-okta1', globalRoleName: 'user' }),
      'gives the role that Rancher gives everyone who logs in',
    ],
    [
      live(V3, 'GlobalRoleBinding', 'grb-okta2', {
        userName: 'u-okta1',
        globalRoleName: 'admin',
        ...ownedBy('User', 'u-okta1'),
      }),
    ],
    [
      live(V3, 'ClusterRoleTemplateBinding', 'c-m-abcdefgh/creator-cluster-owner', {
        userName: 'u-ana',
      }),
      'makes the creator the owner',
    ],
    [
      live(
        V3,
        'ClusterRoleTemplateBinding',
        'c-m-abcdefgh/crtb-1',
        labels('authz.management.cattle.io/grb-owner', 'grb-x'),
      ),
      'Rancher creates it from a GlobalRoleBinding',
    ],
    [
      live(V3, 'ClusterRoleTemplateBinding', 'c-m-abcdefgh/u-b4qkhsnliz-admin', {
        userName: 'u-b4qkhsnliz',
      }),
      OF_RANCHER,
    ],
    [live(V3, 'ClusterRoleTemplateBinding', 'local/crtb-2', { userName: 'u-ana' })],
    [
      live(V3, 'ProjectRoleTemplateBinding', 'c-m-abcdefgh-pay/prtb-1', {
        userPrincipalName: 'local://u-ana',
      }),
    ],
    [live(RBAC, 'ClusterRole', 'vm-operator'), OF_ROLES],
    [live(RBAC, 'ClusterRole', 'p-shop1-namespaces-edit'), OF_ROLES],
    [
      live(
        RBAC,
        'ClusterRoleBinding',
        'crb-abcde',
        labels('authz.cluster.cattle.io/rtb-owner-updated'),
      ),
      OF_ROLES,
    ],
    [
      live(RBAC, 'ClusterRole', 'view', labels('kubernetes.io/bootstrapping', 'rbac-defaults')),
      'is built into Kubernetes',
    ],
    [live(RBAC, 'ClusterRole', 'rancher-node-driver')],
  ]);
});

test('leaves out the Secrets that Rancher and its controllers write', () => {
  expectReasons(TargetKind.RANCHER, [
    SHOP,
    [live('v1', 'Secret', 'c-m-abcdefgh/crt-token-default-token'), 'is written by Rancher'],
    [live('v1', 'Secret', 'c-m-abcdefgh/c-c-xyz'), 'is written by Rancher'],
    [live('v1', 'Secret', 'c-m-abcdefgh/crt-token-gitops')],
    [
      live('v1', 'Secret', 'cattle-global-data/cc-abcde', {
        data: { 'harvestercredentialConfig-clusterId': '' },
      }),
    ],
    [
      live('v1', 'Secret', 'cattle-global-data/cluster-serviceaccounttoken-x', {
        data: { credential: '' },
      }),
      'is written by Rancher',
    ],
    [
      live('v1', 'Secret', 'cattle-local-user-passwords/u-ana'),
      'is the password of a User, of which Rancher keeps a hash',
    ],
    [live('v1', 'Secret', 'fleet-default/shop-kubeconfig'), 'is written by Rancher'],
    [
      live('v1', 'Secret', 'fleet-default/shop-rke-state', { type: 'rke.cattle.io/cluster-state' }),
      'holds the state of a controller',
    ],
    [live('v1', 'Secret', 'fleet-default/registry', { type: 'rke.cattle.io/auth-config' })],
    [
      live('v1', 'Secret', 'fleet-default/harvesterconfig1', {
        annotations: { 'v2prov-secret-authorized-for-cluster': 'shop' },
      }),
    ],
    [
      live('v1', 'Secret', 'cattle-system/tls-rancher-ingress'),
      'is in cattle-system, a namespace of the system',
    ],
    [
      live('v1', 'Secret', 'tools/copy', {
        annotations: { 'management.cattle.io/project-scoped-secret-copy': 'true' },
      }),
      'is a copy of a Secret of its project',
    ],
    [
      live('v1', 'Secret', 'tools/sh.helm.release.v1.gitea.v1', { type: 'helm.sh/release.v1' }),
      'holds the state of a controller',
    ],
    [live('v1', 'Secret', 'tools/ci-token', { type: 'kubernetes.io/service-account-token' })],
    [
      live('v1', 'Secret', 'tools/ci-token-x7k2p', { type: 'kubernetes.io/service-account-token' }),
      'is a token that Kubernetes creates for a ServiceAccount',
    ],
  ]);
});

test('leaves out what has its default, is built in, or is not enabled', () => {
  const setting = (name: string, value: string, standard: string, source = ''): Row[0] =>
    live(V3, 'Setting', name, { value, default: standard, source });
  expectReasons(TargetKind.RANCHER, [
    [setting('ui-pl', '', 'rancher'), 'has its default'],
    [setting('telemetry-opt', 'prompt', 'prompt'), 'has its default'],
    [setting('server-url', 'https://r.example.com', '')],
    [setting('install-uuid', 'x', ''), 'is written by Rancher'],
    [setting('cacerts', 'x', ''), 'is written by Rancher'],
    [
      setting('system-default-registry', 'registry.example.com', '', 'env'),
      'is set by the environment of Rancher',
    ],
    [
      live(V3, 'Feature', 'fleet', { spec: { value: null }, status: { default: true } }),
      'has its default',
    ],
    [
      live(V3, 'Feature', 'legacy', { spec: { value: true }, status: { default: true } }),
      'has its default',
    ],
    [live(V3, 'Feature', 'rke1', { spec: { value: false }, status: { default: true } })],
    [live(V3, 'AuthConfig', 'okta', { enabled: false }), 'is not enabled'],
    [live(V3, 'AuthConfig', 'github', { enabled: true })],
    [live(V3, 'AuthConfig', 'local', { enabled: true }), 'is the login of local users'],
    [live(V3, 'NodeDriver', 'harvester', { spec: { builtin: true } }), BUILT_IN],
    [live(V3, 'PodSecurityAdmissionConfigurationTemplate', 'rancher-restricted'), BUILT_IN],
    [live(V3, 'PodSecurityAdmissionConfigurationTemplate', 'ours')],
    [live('catalog.cattle.io/v1', 'ClusterRepo', 'rancher-charts'), BUILT_IN],
    [live('catalog.cattle.io/v1', 'ClusterRepo', 'ours')],
  ]);
});

test('leaves out what Fleet, Helm and controllers deploy', () => {
  const release = {
    'meta.helm.sh/release-name': 'gitea',
    'meta.helm.sh/release-namespace': 'tools',
  };
  expectReasons(TargetKind.RANCHER, [
    [
      live(
        'fleet.cattle.io/v1alpha1',
        'Bundle',
        'fleet-default/apps-shop',
        labels('fleet.cattle.io/repo-name', 'apps'),
      ),
      'Fleet creates it from a GitRepo, or Rancher from a chart',
    ],
    [live('fleet.cattle.io/v1alpha1', 'GitRepo', 'fleet-default/apps')],
    [live('fleet.cattle.io/v1alpha1', 'GitRepo', 'fleet-local/platform')],
    [
      live('apps/v1', 'Deployment', 'tools/gitea', { annotations: release }),
      'belongs to the Helm release tools/gitea',
    ],
    [
      live('apps/v1', 'Deployment', 'flux-system/helm-controller', {
        labels: {
          'app.kubernetes.io/part-of': 'flux',
          'app.kubernetes.io/instance': 'flux-system',
        },
        managedFields: [{ manager: 'kustomize-controller', operation: 'Apply' }],
      }),
      'belongs to Flux itself, which its bootstrap installs',
    ],
    ...['GitRepository', 'Kustomization'].map((kind): [ReturnType<typeof live>, string] => [
      live('kustomize.toolkit.fluxcd.io/v1', kind, 'flux-system/flux-system'),
      'belongs to Flux itself, which its bootstrap installs',
    ]),
    [live('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'flux-system/apps')],
    [live('apps/v1', 'Deployment', 'shop/web', labels('app.kubernetes.io/part-of', 'shop'))],
    [live('v1', 'ConfigMap', 'tools/templated', labels('app.kubernetes.io/managed-by', 'Helm'))],
    [
      live('v1', 'ConfigMap', 'tools/deployed', {
        annotations: { 'objectset.rio.cattle.io/id': 'default-apps-shop' },
        ...labels('objectset.rio.cattle.io/hash', 'x'),
      }),
      'Fleet or Rancher deploys it (default-apps-shop)',
    ],
    [live('v1', 'ConfigMap', 'tools/kube-root-ca.crt'), 'Kubernetes creates it in every namespace'],
    [
      live(
        'v1',
        'ConfigMap',
        'kube-system/cdk8s-harvester-default',
        labels('applyset.kubernetes.io/id', 'x'),
      ),
      'is the inventory of a program',
    ],
    [
      live('batch/v1', 'Job', 'tools/backup-1', ownedBy('CronJob', 'backup')),
      'belongs to CronJob backup',
    ],
    [live('batch/v1', 'CronJob', 'tools/backup')],
  ]);
});
