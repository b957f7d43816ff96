import { Around, OwnRule, hasLabelOf, manifestText } from './own-rule';
import { isOfUser } from './writers';
import { TargetKind } from '../../core/construct/target';
import {
  Manifest,
  annotationsOf,
  isRecord,
  itemsAt,
  labelsOf,
  valueAt,
  textsAt,
} from '../../core/manifest/manifest';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { CREDENTIAL_DRIVER, kubeconfigSecretOf } from '../../guest/cluster/cluster.kind';
import { LABEL_GLOBAL_BINDING_OWNER } from '../../rancher/binding/binding.kind';
import { isOfCreator, SYSTEM_PRINCIPAL } from '../../rancher/binding/made-binding.facts';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  PROVIDER_HARVESTER,
  clusterProviderOf,
} from '../../rancher/cluster/cluster.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import {
  DEFAULT_TOKEN,
  SYSTEM_TOKEN,
  TOKEN_SECRET_PREFIX,
} from '../../rancher/import/registration-token.kind';
import { isProjectOfRancher } from '../../rancher/project/project.kind';
import { ANNOTATION_PROJECT_SECRET_COPY } from '../../rancher/project-secret/project-secret.kind';
import { BUILT_IN_NODE_DRIVERS } from '../../rancher/rancher.kind';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';
import { BUILT_IN_GLOBAL_ROLES, BUILT_IN_ROLE_TEMPLATES } from '../../report/access/built-in-roles';

const management = (...kinds: readonly string[]): string[] =>
  kinds.map((kind) => `${GROUPS.MANAGEMENT}/${kind}`);
const fleet = (...kinds: readonly string[]): string[] =>
  kinds.map((kind) => `fleet.cattle.io/${kind}`);
const ON_RANCHER = [TargetKind.RANCHER];

/**
 * Label of the first administrator and of built-in roles.
 * @see rancher/rancher:pkg/data/management/role_data.go defaultAdminLabelKey, rolebuilder.go
 */
const LABEL_BOOTSTRAPPING = 'authz.management.cattle.io/bootstrapping';

/**
 * Names that Rancher generates of namespaces, where their clusters, projects and users were not
 * read.
 * @see rancher/rancher:pkg/controllers/management/auth
 */
const GENERATED_NAMESPACE =
  /^(c-m-[a-z0-9]{8}|c-[a-z0-9]{5}|p-[a-z0-9]{5}|u-[a-z0-9]{5,10}|user-[a-z0-9]{5})$|^(c-m-[a-z0-9]{8}|c-[a-z0-9]{5})-p-[a-z0-9]{5}$/;

/**
 * Names that only Rancher generates: the namespaces of a cluster, and of its projects, remain where
 * the cluster was deleted.
 */
const OF_CLUSTERS = /^c-m-[a-z0-9]{8}(-p-[a-z0-9]{5})?$/;

/**
 * Annotation of the namespaces that Rancher creates for clusters, projects and users.
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/common.go
 */
const ANNOTATION_SYSTEM_NAMESPACE = 'management.cattle.io/system-namespace';

/**
 * The namespace of a cluster on its Fleet.
 * @see rancher/fleet:internal/cmd/controller/reconciler/cluster_controller.go
 */
const FLEET_CLUSTER_NAMESPACE = /^cluster-fleet-/;

/**
 * Where Rancher may send requests for its own node drivers.
 * @see rancher/rancher:pkg/data/management/proxy_endpoint_data.go
 */
const BUILT_IN_PROXY_ENDPOINT = /^rancher-(aws|digitalocean|linode)-endpoints$/;

/** @see rancher/rancher:pkg/clusterprovisioninglogger/log.go configMapName */
const PROVISIONING_LOG = 'provisioning-log';

/**
 * The role by which members of a cluster read its registration token.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken crtTokenReaderRole
 */
const TOKEN_READER = 'crt-token-reader';

const BUILT_IN = 'is built into Rancher';
const BUILT_IN_ROLES = [BUILT_IN_ROLE_TEMPLATES, BUILT_IN_GLOBAL_ROLES];
const FOR_EACH_CLUSTER = 'Rancher creates it for each cluster';

/** What Rancher and Fleet write. */
export const RANCHER_RULES: readonly OwnRule[] = [
  {
    kinds: management('Project'),
    when: isProjectOfRancher,
    says: FOR_EACH_CLUSTER,
  },
  {
    kinds: management('ClusterRegistrationToken'),
    when: ({ metadata }) => metadata.name === DEFAULT_TOKEN || metadata.name === SYSTEM_TOKEN,
    says: FOR_EACH_CLUSTER,
  },
  {
    kinds: management('Cluster'),
    when: isProvisionedCluster,
    says: 'Rancher creates it from the Cluster in provisioning.cattle.io',
  },
  {
    kinds: management('RoleTemplate', 'GlobalRole'),
    when: (role) =>
      LABEL_BOOTSTRAPPING in labelsOf(role) ||
      BUILT_IN_ROLES.some((known) => known.has(role.metadata.name)),
    says: BUILT_IN,
  },
  {
    kinds: management('NodeDriver'),
    when: (driver) =>
      valueAt(driver, 'spec', 'builtin') === true ||
      // users activate those that Rancher downloads then
      (BUILT_IN_NODE_DRIVERS.includes(driver.metadata.name) && !isOfUser(driver)),
    says: BUILT_IN,
  },
  {
    kinds: management('ProxyEndpoint'),
    when: ({ metadata }) => BUILT_IN_PROXY_ENDPOINT.test(metadata.name),
    says: BUILT_IN,
  },
  {
    on: ON_RANCHER,
    kinds: ['/ConfigMap'],
    when: ({ metadata }, around) => {
      const { name, namespace = '' } = metadata;
      return name === PROVISIONING_LOG && isOfCluster(namespace, around);
    },
    says: 'is the log of a cluster that Rancher creates',
  },
  {
    on: ON_RANCHER,
    kinds: ['rbac.authorization.k8s.io/Role'],
    when: ({ metadata }, around) => {
      const { name, namespace = '' } = metadata;
      return name === TOKEN_READER && isOfCluster(namespace, around);
    },
    says: FOR_EACH_CLUSTER,
  },
  {
    kinds: management('AuthConfig'),
    when: ({ metadata }) => metadata.name === 'local',
    says: 'is the login of local users',
  },
  {
    kinds: management('AuthConfig'),
    when: ({ enabled }) => enabled !== true,
    says: 'is not enabled',
  },
  { kinds: management('User'), when: isFirstAdministrator, says: 'is the first administrator' },
  {
    kinds: management('User'),
    when: (user) => principalsOf(user).some((id) => id.startsWith(SYSTEM_PRINCIPAL)),
    says: 'is an account of Rancher itself',
  },
  {
    kinds: management('User'),
    when: isFromLogin,
    says: 'Rancher creates it when its user logs in',
  },
  {
    kinds: management('GlobalRoleBinding'),
    when: isOfRancher,
    says: 'gives its role to an account of Rancher itself, or to the first administrator',
  },
  {
    kinds: management('GlobalRoleBinding'),
    when: isDefaultRole,
    says: 'gives the role that Rancher gives everyone who logs in',
  },
  {
    kinds: management('ClusterRoleTemplateBinding'),
    when: (binding) => LABEL_GLOBAL_BINDING_OWNER in labelsOf(binding),
    says: 'Rancher creates it from a GlobalRoleBinding',
  },
  {
    kinds: management('ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'),
    when: isOfCreator,
    says: 'makes the creator the owner',
  },
  {
    kinds: management('ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'),
    when: (binding) => manifestText(binding, 'serviceAccount') !== '',
    says: 'Rancher creates it for a service account',
  },
  {
    kinds: management('ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'),
    when: isOfRancher,
    says: 'gives its role to an account of Rancher itself, or to the first administrator',
  },
  {
    kinds: fleet('Bundle'),
    when: isMadeBundle,
    says: 'Fleet creates it from a GitRepo, or Rancher from a chart',
  },
  {
    kinds: management('ManagedChart'),
    when: ({ metadata }) => metadata.namespace === FLEET_LOCAL,
    says: 'installs a part of Rancher or Harvester',
  },
  { kinds: ['catalog.cattle.io/App'], says: 'shows the state of a Helm release' },
  {
    on: ON_RANCHER,
    kinds: ['/Namespace'],
    when: isMadeNamespace,
    says: 'Rancher creates it for a cluster, a project or a user',
  },
  {
    kinds: ['/Secret'],
    when: (secret) => ANNOTATION_PROJECT_SECRET_COPY in annotationsOf(secret),
    says: 'is a copy of a Secret of its project',
  },
  {
    on: ON_RANCHER,
    kinds: ['/Secret'],
    when: ({ metadata }) => metadata.namespace === PASSWORD_NAMESPACE,
    says: 'is the password of a User, of which Rancher keeps a hash',
  },
  { on: ON_RANCHER, kinds: ['/Secret'], when: isRancherSecret, says: 'is written by Rancher' },
  // @see rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go
  // resourceQuotaLabel
  {
    kinds: ['/ResourceQuota', '/LimitRange'],
    when: (quota) =>
      hasLabelOf(quota, [
        'resourcequota.management.cattle.io/',
        'limitrange.management.cattle.io/',
      ]),
    says: 'Rancher creates it from the limits of the project',
  },
  // @see rancher/rancher:pkg/controllers/managementuser/networkpolicy
  {
    kinds: ['networking.k8s.io/NetworkPolicy'],
    when: ({ metadata }) => metadata.name === 'np-default' || metadata.name === 'hn-nodes',
    says: 'Rancher creates it to isolate projects',
  },
];

/**
 * Whether Rancher makes a management Cluster; that of a cluster which was imported in its UI is the
 * user's, apart from Harvesters.
 */
function isProvisionedCluster(cluster: Manifest, around: Around): boolean {
  const { name } = cluster.metadata;
  return (
    name === LOCAL_CLUSTER ||
    around
      .ofKind(`${GROUPS.PROVISIONING}/Cluster`)
      .some(
        (own) =>
          valueAt(own, 'status', 'clusterName') === name &&
          (own.metadata.name !== name ||
            [own, cluster].some((each) => clusterProviderOf(each) === PROVIDER_HARVESTER)),
      )
  );
}

/** Whether a namespace is that of a cluster, which may have been deleted. */
function isOfCluster(namespace: string, around: Around): boolean {
  return around.hasCluster(namespace) || GENERATED_NAMESPACE.test(namespace);
}

function principalsOf({ principalIds }: Manifest): string[] {
  return textsAt(principalIds);
}

function isFirstAdministrator(user: Manifest): boolean {
  return LABEL_BOOTSTRAPPING in labelsOf(user);
}

/**
 * The value of the label by which Rancher finds the User of a principal, whose hash is the key.
 * @see rancher/rancher:pkg/auth/providerrefresh; pkg/user/manager.go EnsureUser
 */
const HASHED_PRINCIPAL = 'hashed-principal-name';

function isFromLogin(user: Manifest): boolean {
  const isOfPrincipal = Object.values(labelsOf(user)).includes(HASHED_PRINCIPAL);
  const isOfProvider = principalsOf(user).some((id) => !id.startsWith('local://'));
  return manifestText(user, 'username') === '' && (isOfPrincipal || isOfProvider);
}

/** The User of a binding; undefined where it was not read. */
function userOf(binding: Manifest, around: Around): Manifest | undefined {
  const name =
    manifestText(binding, 'userName') ||
    manifestText(binding, 'userPrincipalName').replace(/^local:\/\//, '');
  return name === '' ? undefined : around.find(GROUPS.MANAGEMENT, 'User', name);
}

function isOfRancher(binding: Manifest, around: Around): boolean {
  const user = userOf(binding, around);
  return (
    LABEL_BOOTSTRAPPING in labelsOf(binding) ||
    manifestText(binding, 'userPrincipalName').startsWith(SYSTEM_PRINCIPAL) ||
    (user !== undefined &&
      (isFirstAdministrator(user) ||
        principalsOf(user).some((id) => id.startsWith(SYSTEM_PRINCIPAL))))
  );
}

function isDefaultRole(binding: Manifest, around: Around): boolean {
  const user = userOf(binding, around);
  const name = manifestText(binding, 'globalRoleName');
  const role = around.find(GROUPS.MANAGEMENT, 'GlobalRole', name);
  return (
    user !== undefined &&
    isFromLogin(user) &&
    (role ? role.newUserDefault === true : name === 'user')
  );
}

function isMadeBundle(bundle: Manifest): boolean {
  const { name, namespace } = bundle.metadata;
  return (
    namespace === FLEET_LOCAL ||
    hasLabelOf(bundle, ['fleet.cattle.io/']) ||
    /^(fleet-agent|mcc)-/.test(name)
  );
}

function isMadeNamespace(namespace: Manifest, around: Around): boolean {
  const { name } = namespace.metadata;
  // an import of the program writes it, where something of the program is in it
  if (
    around
      .ofKind(`${GROUPS.PROVISIONING}/Cluster`)
      .some((cluster) => annotationsOf(cluster)[ANNOTATION_MANAGEMENT_CLUSTER_NAME] === name)
  ) {
    return false;
  }
  if (annotationsOf(namespace)[ANNOTATION_SYSTEM_NAMESPACE] === 'true' && !isOfUser(namespace)) {
    return true;
  }
  const projects = around.ofKind(`${GROUPS.MANAGEMENT}/Project`);
  // that of a user or a project that was deleted looks like one that someone made
  const isLeftover =
    OF_CLUSTERS.test(name) ||
    (GENERATED_NAMESPACE.test(name) && hasManagers(namespace) && !isOfUser(namespace));
  const isGenerated =
    FLEET_CLUSTER_NAMESPACE.test(name) ||
    isLeftover ||
    (projects.length === 0 && GENERATED_NAMESPACE.test(name));
  return (
    isGenerated ||
    around.hasCluster(name) ||
    around.find(GROUPS.MANAGEMENT, 'User', name) !== undefined ||
    projects.some((project) =>
      [project.metadata.name, manifestText(project, 'status', 'backingNamespace')].includes(name),
    )
  );
}

/** Whether it is known who wrote an object. */
function hasManagers({ metadata }: Manifest): boolean {
  const { managedFields } = metadata;
  return itemsAt(managedFields).length > 0;
}

function isRancherSecret(secret: Manifest, around: Around): boolean {
  const { data } = secret;
  const { name, namespace = '' } = secret.metadata;
  if (namespace === GLOBAL_DATA) {
    return (
      !(CREDENTIAL_DRIVER in annotationsOf(secret)) &&
      !(isRecord(data) && Object.keys(data).some((key) => /credentialConfig-/.test(key)))
    );
  }
  if (namespace === FLEET_DEFAULT) {
    return around
      .ofKind(`${GROUPS.PROVISIONING}/Cluster`)
      .some((cluster) => kubeconfigSecretOf(cluster.metadata.name) === name);
  }
  // its own namespace of a cluster holds its credentials, besides the tokens of registrations
  const token = name.startsWith(TOKEN_SECRET_PREFIX)
    ? name.slice(TOKEN_SECRET_PREFIX.length)
    : undefined;
  return (
    around.hasCluster(namespace) &&
    (token === undefined || token === DEFAULT_TOKEN || token === SYSTEM_TOKEN)
  );
}
