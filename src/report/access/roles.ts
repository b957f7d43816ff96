import { HARVESTER_EDIT, HARVESTER_VIEW, harvesterRole } from './harvester-roles.data';
import { Manifest, isRecord, textsAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from '../../core/manifest/names';
import {
  ALL,
  GrantedRule,
  RbacRule,
  READ,
  rbacRule,
  WRITE,
  rulesOf,
} from '../../core/rbac/policy-rule';
import { World } from '../../core/rule/rule';
import { remembered } from '../../core/text/values';
import { GROUP_LOAD_BALANCER } from '../../harvester/load-balancer/load-balancer.kind';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { GROUP_KUBEVIRT } from '../../harvester/virtual-machine/machine-manifest.facts';

/** A role that Rancher or a chart of Harvester creates, with the fields that the matrix needs. */
export interface RoleData {
  readonly name: string;
  readonly rules: readonly RbacRule[];
  readonly inherits: readonly string[];
  /** Why its rules are not sure. */
  readonly unconfirmed?: string;
}

const { HARVESTER, MANAGEMENT, PROVISIONING } = GROUPS;
const STORAGE_CLASSES = rbacRule('storage.k8s.io', ['storageclasses'], READ);
const NODES = rbacRule('', ['nodes'], READ);
const VOLUMES = (verbs: readonly string[]): RbacRule =>
  rbacRule('', ['persistentvolumeclaims'], verbs);
const PROJECT_MEMBERS = (verbs: readonly string[]): RbacRule =>
  rbacRule(MANAGEMENT, ['projectroletemplatebindings'], verbs);
const CLUSTER_MEMBERS = (verbs: readonly string[]): RbacRule =>
  rbacRule(MANAGEMENT, ['clusterroletemplatebindings'], verbs);
const CREATE_PROJECTS = rbacRule(MANAGEMENT, ['projects'], ['create']);
const CREATE_NAMESPACES = rbacRule('', ['namespaces'], ['create']);
const EVERYTHING: RbacRule = { apiGroups: ALL, resources: ALL, verbs: ALL };

type Row = readonly [name: string, rules: readonly RbacRule[], inherits?: readonly string[]];

/**
 * Rancher's cluster and project roles; rules on what the matrix does not ask about are left out.
 * @see rancher/rancher:pkg/data/management/role_data.go
 */
const ROLE_TEMPLATES: Readonly<Record<string, Row>> = {
  'cluster-owner': ['Cluster Owner', [EVERYTHING]],
  'cluster-member': [
    'Cluster Member',
    [
      CLUSTER_MEMBERS(READ),
      CREATE_PROJECTS,
      NODES,
      STORAGE_CLASSES,
      rbacRule(PROVISIONING, ['clusters'], ['get', 'watch']),
    ],
  ],
  'projects-create': ['Create Projects', [CREATE_PROJECTS]],
  'projects-view': [
    'View All Projects',
    [
      rbacRule(MANAGEMENT, ['projects'], READ),
      PROJECT_MEMBERS(READ),
      rbacRule('', ['namespaces'], READ),
      STORAGE_CLASSES,
      VOLUMES(READ),
    ],
    ['view'],
  ],
  'nodes-manage': ['Manage Nodes', [rbacRule('', ['nodes'], ALL)]],
  'nodes-view': ['View Nodes', [NODES]],
  'storage-manage': [
    'Manage Storage',
    [rbacRule('storage.k8s.io', ['storageclasses'], ALL), VOLUMES(ALL)],
  ],
  'clusterroletemplatebindings-manage': ['Manage Cluster Members', [CLUSTER_MEMBERS(ALL)]],
  'clusterroletemplatebindings-view': ['View Cluster Members', [CLUSTER_MEMBERS(READ)]],
  'clustercatalogs-manage': ['Manage Cluster Catalogs', []],
  'clustercatalogs-view': ['View Cluster Catalogs', []],
  'backups-manage': ['Manage Cluster Backups', []],
  'navlinks-manage': ['Manage Navlinks', []],
  'project-owner': [
    'Project Owner',
    [
      NODES,
      PROJECT_MEMBERS(ALL),
      CREATE_NAMESPACES,
      STORAGE_CLASSES,
      VOLUMES(ALL),
      rbacRule(MANAGEMENT, ['projects'], ['own']),
    ],
    ['admin'],
  ],
  'project-member': [
    'Project Member',
    [PROJECT_MEMBERS(READ), CREATE_NAMESPACES, STORAGE_CLASSES, VOLUMES(ALL)],
    ['edit'],
  ],
  'read-only': ['Read-only', [PROJECT_MEMBERS(READ), STORAGE_CLASSES, VOLUMES(READ)], ['view']],
  'create-ns': ['Create Namespaces', [CREATE_NAMESPACES]],
  'workloads-manage': [
    'Manage Workloads',
    [
      rbacRule('', ['pods', 'pods/exec', 'pods/attach', 'pods/portforward'], ALL),
      rbacRule('apps', ['deployments', 'statefulsets', 'daemonsets'], ALL),
    ],
  ],
  'workloads-view': [
    'View Workloads',
    [
      rbacRule('', ['pods'], READ),
      rbacRule('apps', ['deployments', 'statefulsets', 'daemonsets'], READ),
    ],
  ],
  'ingress-manage': ['Manage Ingress', []],
  'ingress-view': ['View Ingress', []],
  'services-manage': ['Manage Services', [rbacRule('', ['services'], ALL)]],
  'services-view': ['View Services', [rbacRule('', ['services'], READ)]],
  'secrets-manage': ['Manage Secrets', [rbacRule('', ['secrets'], ALL)]],
  'secrets-view': ['View Secrets', [rbacRule('', ['secrets'], READ)]],
  'configmaps-manage': ['Manage Config Maps', [rbacRule('', ['configmaps'], ALL)]],
  'configmaps-view': ['View Config Maps', [rbacRule('', ['configmaps'], READ)]],
  'persistentvolumeclaims-manage': ['Manage Volumes', [STORAGE_CLASSES, VOLUMES(ALL)]],
  'persistentvolumeclaims-view': ['View Volumes', [STORAGE_CLASSES, VOLUMES(READ)]],
  'serviceaccounts-manage': ['Manage Service Accounts', [rbacRule('', ['serviceaccounts'], ALL)]],
  'serviceaccounts-view': ['View Service Accounts', [rbacRule('', ['serviceaccounts'], READ)]],
  'projectroletemplatebindings-manage': ['Manage Project Members', [PROJECT_MEMBERS(ALL)]],
  'projectroletemplatebindings-view': ['View Project Members', [PROJECT_MEMBERS(READ)]],
  'project-monitoring-readonly': ['Project Monitoring View Role', [], ['view']],
  'monitoring-ui-view': ['View Monitoring', []],
  'navlinks-view': ['View Navlinks', []],
};

const groups = (verbs: readonly string[], ...names: readonly string[]): RbacRule[] =>
  names.map((name) => rbacRule(name, ['*'], verbs));
const HARVESTER_GROUPS = [
  GROUP_LOAD_BALANCER,
  GROUP_HARVESTER_NETWORK,
  GROUPS.HARVESTER_NODE,
  'devices.harvesterhci.io',
  GROUPS.HARVESTER,
];

/**
 * The roles of the chart harvester-rbac.
 * @see harvester/harvester:enhancements/20260130-rancher-integration-rbac.md
 */
const HARVESTER_ROLE_TEMPLATES: Readonly<Record<string, Row>> = {
  'virt-cluster-manage': [
    'Manage Virtualization Resources',
    [rbacRule('', ['namespaces'], ALL), ...groups(ALL, ...HARVESTER_GROUPS)],
    [
      'cluster-member',
      'storage-manage',
      'nodes-manage',
      'projects-view',
      'edit',
      'projectroletemplatebindings-manage',
      'project-member',
    ],
  ],
  'virt-view-cluster': [
    'View Virtualization Resources',
    groups(READ, ...HARVESTER_GROUPS),
    ['projects-view', 'clusterroletemplatebindings-view', 'nodes-view'],
  ],
  'virt-project-manage': [
    'Manage Virtualization Resources',
    groups(ALL, GROUP_LOAD_BALANCER),
    ['project-member'],
  ],
  'virt-project-view': [
    'View Virtualization Resources',
    groups(READ, GROUP_LOAD_BALANCER),
    ['read-only'],
  ],
};

const CREATE_CLUSTERS = [
  rbacRule(PROVISIONING, ['clusters'], ['create']),
  rbacRule(MANAGEMENT, ['clusters'], ['create']),
];

/** Rancher's global roles. @see rancher/rancher:pkg/data/management/role_data.go */
const GLOBAL_ROLES: Readonly<Record<string, Row>> = {
  'admin': ['Administrator', [EVERYTHING], ['cluster-owner']],
  'restricted-admin': [
    'Restricted Administrator',
    [
      ...CREATE_CLUSTERS,
      rbacRule(MANAGEMENT, ['roletemplates', 'globalroles', 'users'], ALL),
      rbacRule(MANAGEMENT, ['settings'], READ),
    ],
    ['cluster-owner'],
  ],
  'user': [
    'Standard User',
    [...CREATE_CLUSTERS, rbacRule(MANAGEMENT, ['roletemplates', 'settings'], READ)],
  ],
  'user-base': ['User-Base', [rbacRule(MANAGEMENT, ['settings'], READ)]],
  'clusters-create': ['Create Clusters', CREATE_CLUSTERS],
  'users-manage': [
    'Manage Users',
    [rbacRule(MANAGEMENT, ['users'], ALL), rbacRule(MANAGEMENT, ['globalroles'], READ)],
  ],
  'roles-manage': ['Manage Roles', [rbacRule(MANAGEMENT, ['roletemplates'], ALL)]],
  'settings-manage': ['Manage Settings', [rbacRule(MANAGEMENT, ['settings'], ALL)]],
  'authn-manage': ['Manage Authentication', []],
  'features-manage': ['Manage Features', []],
  'nodedrivers-manage': ['Manage Node Drivers', []],
  'kontainerdrivers-manage': ['Manage Cluster Drivers', []],
  'view-rancher-metrics': ['View Rancher Metrics', []],
  'manage-oidc-clients': ['Manage OIDC Clients', []],
  'proxy-endpoints-manage': ['Manage Proxy Endpoints', []],
};

const CHART =
  'it is a role of the chart harvester-rbac, which was read in its design and may have rules of your own';

function table(rows: Readonly<Record<string, Row>>, unconfirmed?: string): [string, RoleData][] {
  return Object.entries(rows).map(([id, [name, rules, inherits = []]]) => [
    id,
    { name, rules, inherits, ...(unconfirmed ? { unconfirmed } : {}) },
  ]);
}

/** Cluster and project roles that Rancher creates. */
export const BUILT_IN_ROLE_TEMPLATES: ReadonlyMap<string, RoleData> = new Map([
  ...table(ROLE_TEMPLATES),
  ...table(HARVESTER_ROLE_TEMPLATES, CHART),
]);

/** Global roles that Rancher creates; what they inherit are cluster roles, on every cluster. */
export const BUILT_IN_GLOBAL_ROLES: ReadonlyMap<string, RoleData> = new Map(table(GLOBAL_ROLES));

// Where the rules of the three roles are from: the role itself, and what Harvester and KubeVirt add
// to it by aggregation.
// @see kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go,
// kubevirt/kubevirt:pkg/virt-operator/resource/generate/rbac/cluster.go

const READABLE = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'services',
  'serviceaccounts',
  'resourcequotas',
  'limitranges',
  'namespaces',
];

const VIEW: readonly RbacRule[] = [
  rbacRule('', READABLE, READ),
  rbacRule('apps', ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], READ),
];

const EDIT: readonly RbacRule[] = [
  ...VIEW,
  rbacRule(
    '',
    ['configmaps', 'persistentvolumeclaims', 'pods', 'services', 'secrets', 'serviceaccounts'],
    WRITE,
  ),
  rbacRule('', ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy'], WRITE),
  rbacRule('apps', ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], WRITE),
];

const MACHINES = ['virtualmachines', 'virtualmachineinstances'];
// later KubeVirts give migrations to cluster admins only
const MIGRATIONS = ['virtualmachineinstancemigrations'];
const KUBEVIRT_EDIT: readonly RbacRule[] = [
  rbacRule('kubevirt.io', MACHINES, WRITE),
  rbacRule(
    'subresources.kubevirt.io',
    ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
    ['update'],
  ),
  rbacRule(
    'subresources.kubevirt.io',
    ['virtualmachineinstances/addvolume', 'virtualmachineinstances/removevolume'],
    ['update'],
  ),
  rbacRule(
    'subresources.kubevirt.io',
    ['virtualmachineinstances/console', 'virtualmachineinstances/vnc'],
    ['get'],
  ),
  rbacRule('kubevirt.io', MIGRATIONS, READ),
];
const KUBEVIRT_VIEW: readonly RbacRule[] = [
  rbacRule('kubevirt.io', [...MACHINES, ...MIGRATIONS], READ),
];

const AGGREGATED =
  'it comes from a role that Harvester or KubeVirt adds to one of Kubernetes by aggregation, which was seen on Harvester 1.8 and read in the source of other versions';
/** The minor line of Harvester whose aggregated roles were asked on a running API server. */
const SEEN_LINE = '1.8';

/** What decides what a role gives on a cluster. */
export interface RoleCluster {
  /** Whether it is a Harvester. @default - it may be one */
  readonly harvester?: boolean;
  readonly version?: HarvesterVersion;
}

/**
 * The roles of Kubernetes that Rancher's project roles inherit, with what Harvester and KubeVirt
 * add to them, and those of Harvester itself.
 *
 * @param id `admin`, `edit`, `view`, `cluster-admin`, or a ClusterRole of Harvester
 */
export function kubernetesRole(
  id: string,
  { harvester, version }: RoleCluster = {},
): readonly GrantedRule[] | undefined {
  const own = (rules: readonly RbacRule[]): GrantedRule[] =>
    rules.map((entry) => ({ ...entry, through: id }));
  const isSeen = version?.minor === SEEN_LINE;
  const added = (rules: readonly RbacRule[] = [], suffix: string): GrantedRule[] =>
    harvester === false
      ? []
      : rules.map((entry) => ({
          ...entry,
          through: `${id} (${suffix})`,
          ...(isSeen ? {} : { unconfirmed: AGGREGATED }),
        }));
  switch (id) {
    case 'cluster-admin':
      return own([{ apiGroups: ALL, resources: ALL, verbs: ALL }]);
    case 'admin':
    case 'edit':
      return [
        ...own(EDIT),
        ...added(harvesterRole(HARVESTER_EDIT, version), HARVESTER_EDIT),
        ...added(KUBEVIRT_EDIT, `kubevirt.io:${id}`),
      ];
    case 'view':
      return [
        ...own(VIEW),
        ...added(harvesterRole(HARVESTER_VIEW, version), HARVESTER_VIEW),
        ...added(KUBEVIRT_VIEW, 'kubevirt.io:view'),
      ];
    default:
      return harvester === false ? undefined : harvesterRole(id, version);
  }
}

/**
 * Something that people ask about: may this user do that?
 *
 * The matrix has a column for each, not for every resource that exists: what tenancy on Harvester
 * is about.
 */
export interface Permission {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly resource: string;
  /** Where its objects are: in a namespace of a cluster, on a cluster as a whole, or on Rancher. */
  readonly scope: 'namespace' | 'cluster' | 'rancher';
  /** Whether it exists on Harvester clusters only. */
  readonly harvester: boolean;
  /**
   * The one verb that matters, where the permission is an action instead of an object.
   * @default - every verb
   */
  readonly action?: string;
}

type PermissionsRow = readonly [
  id: string,
  label: string,
  group: string,
  resource: string,
  action?: string,
];

const SUBRESOURCES = 'subresources.kubevirt.io';

const HARVESTER_NAMESPACE: readonly PermissionsRow[] = [
  ['vms', 'virtual machines', GROUP_KUBEVIRT, 'virtualmachines'],
  [
    'vm-power',
    'start, stop, restart of virtual machines',
    SUBRESOURCES,
    'virtualmachines/start',
    'update',
  ],
  ['vm-console', 'console of virtual machines', SUBRESOURCES, 'virtualmachineinstances/vnc', 'get'],
  [
    'vm-volumes',
    'volumes of running virtual machines',
    SUBRESOURCES,
    'virtualmachineinstances/addvolume',
    'update',
  ],
  [
    'vm-migration',
    'migration of virtual machines',
    GROUP_KUBEVIRT,
    'virtualmachineinstancemigrations',
  ],
  ['images', 'images', HARVESTER, 'virtualmachineimages'],
  ['vm-templates', 'virtual machine templates', HARVESTER, 'virtualmachinetemplates'],
  ['key-pairs', 'SSH keys', HARVESTER, 'keypairs'],
  ['backups', 'backups and snapshots', HARVESTER, 'virtualmachinebackups'],
  ['restores', 'restores', HARVESTER, 'virtualmachinerestores'],
  ['networks', 'virtual machine networks', 'k8s.cni.cncf.io', 'network-attachment-definitions'],
  ['load-balancers', 'load balancers', GROUP_LOAD_BALANCER, 'loadbalancers'],
];

const NAMESPACE: readonly PermissionsRow[] = [
  ['volumes', 'volumes', '', 'persistentvolumeclaims'],
  ['volume-snapshots', 'volume snapshots', 'snapshot.storage.k8s.io', 'volumesnapshots'],
  ['secrets', 'secrets', '', 'secrets'],
  ['config-maps', 'config maps', '', 'configmaps'],
  ['pods', 'pods', '', 'pods'],
  ['pod-exec', 'commands in pods', '', 'pods/exec', 'create'],
  ['deployments', 'deployments', 'apps', 'deployments'],
  ['services', 'services', '', 'services'],
  ['service-accounts', 'service accounts', '', 'serviceaccounts'],
];

const HARVESTER_CLUSTER: readonly PermissionsRow[] = [
  ['harvester-settings', 'settings of Harvester', HARVESTER, 'settings'],
  ['cluster-networks', 'cluster networks', 'network.harvesterhci.io', 'clusternetworks'],
  ['ip-pools', 'IP pools', GROUP_LOAD_BALANCER, 'ippools'],
  ['devices', 'PCI devices', 'devices.harvesterhci.io', 'pcideviceclaims'],
];

const CLUSTER: readonly PermissionsRow[] = [
  ['namespaces', 'namespaces', '', 'namespaces'],
  ['nodes', 'nodes', '', 'nodes'],
  ['storage-classes', 'storage classes', 'storage.k8s.io', 'storageclasses'],
];

const RANCHER: readonly PermissionsRow[] = [
  ['projects', 'projects', MANAGEMENT, 'projects'],
  ['project-members', 'members of projects', MANAGEMENT, 'projectroletemplatebindings'],
  ['cluster-members', 'members of clusters', MANAGEMENT, 'clusterroletemplatebindings'],
  ['clusters', 'clusters', 'provisioning.cattle.io', 'clusters'],
  ['management-clusters', 'management clusters', MANAGEMENT, 'clusters'],
  ['role-templates', 'cluster and project roles', MANAGEMENT, 'roletemplates'],
  ['global-roles', 'global roles', MANAGEMENT, 'globalroles'],
  ['users', 'users', MANAGEMENT, 'users'],
  ['rancher-settings', 'settings of Rancher', MANAGEMENT, 'settings'],
];

const rows = (
  list: readonly PermissionsRow[],
  scope: Permission['scope'],
  harvester: boolean,
): Permission[] =>
  list.map(([id, label, group, resource, action]) => ({
    id,
    label,
    group,
    resource,
    scope,
    harvester,
    ...(action ? { action } : {}),
  }));

/** The columns of the matrix, in their order. */
export const PERMISSIONS: readonly Permission[] = [
  ...rows(HARVESTER_NAMESPACE, 'namespace', true),
  ...rows(NAMESPACE, 'namespace', false),
  ...rows(HARVESTER_CLUSTER, 'cluster', true),
  ...rows(CLUSTER, 'cluster', false),
  ...rows(RANCHER, 'rancher', false),
];

/** The objects of Rancher that roles on a cluster apply to. The others are for global roles. */
export const OF_A_CLUSTER: readonly string[] = [
  'projects',
  'project-members',
  'cluster-members',
  'clusters',
];

/** The objects of Rancher that roles in a project apply to. */
export const OF_A_PROJECT: readonly string[] = ['projects', 'project-members'];

/**
 * Resources of a whole cluster that Rancher gives to members of a project, by a role
 * `<role>-promoted`; other rules on such resources do nothing.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/handler_base.go globalResourceRulesNeededInProjects
 */
export const PROMOTED: readonly string[] = ['nodes', 'storage-classes'];

/** A cluster or project role with all that it inherits. */
export interface ResolvedRole {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly GrantedRule[];
  /** Unknown roles: what they give is not in the rules. */
  readonly unknown: readonly string[];
}

/** What the role template itself holds. */
interface KnownRules {
  readonly rules: readonly GrantedRule[];
  readonly inherits: readonly string[];
  /** Whether there is more that is not to be seen. */
  readonly isElsewhere?: boolean;
}

/** A global role: what it gives on Rancher, in namespaces of Rancher, and on every cluster. */
interface ResolvedGlobalRole extends ResolvedRole {
  readonly namespaced: Readonly<Record<string, readonly GrantedRule[]>>;
  /** What it gives in namespaces of every cluster. */
  readonly inNamespaces: Readonly<Record<string, readonly GrantedRule[]>>;
  /** Ids of the cluster roles that it gives on every cluster. */
  readonly onClusters: readonly string[];
}

/**
 * All roles that are known: those that Rancher and Harvester create, and those among the objects,
 * which win.
 */
export class RoleBook {
  private readonly templates: ReadonlyMap<string, Manifest>;
  private readonly globals: ReadonlyMap<string, Manifest>;
  private readonly resolved = new Map<string, ResolvedRole>();

  constructor(world: World) {
    const byName = (kind: string) =>
      new Map(
        world
          .ofKind(GROUPS.MANAGEMENT, kind)
          .map(({ manifest }) => [manifest.metadata.name, manifest]),
      );
    this.templates = byName('RoleTemplate');
    this.globals = byName('GlobalRole');
  }

  /** A cluster or project role, as it is on a cluster. */
  public template(id: string, on: RoleCluster = {}): ResolvedRole {
    return remembered(
      this.resolved,
      JSON.stringify([id, on.harvester, on.version?.toString()]),
      () => this.resolveTemplate(id, on),
    );
  }

  /** A global role. */
  public global(id: string): ResolvedGlobalRole {
    const manifest = this.globals.get(id);
    const builtIn = BUILT_IN_GLOBAL_ROLES.get(id);
    if (!manifest) {
      return {
        id,
        name: builtIn?.name ?? id,
        rules: granted(builtIn?.rules ?? [], id),
        unknown: builtIn ? [] : [id],
        namespaced: {},
        inNamespaces: {},
        onClusters: builtIn?.inherits ?? [],
      };
    }
    return {
      id,
      name: displayName(manifest) ?? builtIn?.name ?? id,
      rules: granted(rulesOf(manifest.rules), id),
      unknown: [],
      namespaced: byNamespace(manifest.namespacedRules, id),
      inNamespaces: byNamespace(manifest.inheritedNamespacedRules, id),
      // an administrator's permissions on the clusters are not in its rules
      onClusters: [
        ...new Set([
          ...textsAt(manifest.inheritedClusterRoles),
          ...(builtIn?.inherits ?? []),
          ...(isAdmin(manifest) ? ['cluster-admin'] : []),
        ]),
      ],
    };
  }

  private resolveTemplate(id: string, on: RoleCluster): ResolvedRole {
    const rules: GrantedRule[] = [];
    const unknown: string[] = [];
    const seen = new Set([id]);
    // a set keeps its order and takes what is added on the way, so a circle ends
    for (const role of seen) {
      const found = this.rulesOf(role, on);
      if (!found || found.isElsewhere) {
        unknown.push(role);
      }
      if (!found) {
        continue;
      }
      rules.push(...found.rules);
      for (const inherited of found.inherits) {
        seen.add(inherited);
      }
    }
    const manifest = this.templates.get(id);
    return {
      id,
      name: (manifest && displayName(manifest)) ?? BUILT_IN_ROLE_TEMPLATES.get(id)?.name ?? id,
      rules,
      unknown,
    };
  }

  private rulesOf(id: string, on: RoleCluster): KnownRules | undefined {
    const manifest = this.templates.get(id);
    const kubernetes = kubernetesRole(id, on);
    if (
      manifest &&
      !(manifest.external === true && kubernetes && manifest.externalRules === undefined)
    ) {
      const rules = rulesOf(manifest.external === true ? manifest.externalRules : manifest.rules);
      // the rules of an external role are in a ClusterRole of the cluster, unless the role holds
      // them itself
      const isElsewhere = manifest.external === true && !Array.isArray(manifest.externalRules);
      return {
        rules: granted(rules, id),
        inherits: textsAt(manifest.roleTemplateNames),
        isElsewhere,
      };
    }
    if (kubernetes) {
      return { rules: kubernetes, inherits: [] };
    }
    const data = BUILT_IN_ROLE_TEMPLATES.get(id);
    return data && { rules: granted(data.rules, id, data), inherits: data.inherits };
  }
}

/**
 * Whether Rancher makes those who have a global role administrators of all clusters.
 * @see rancher/rancher:pkg/rbac/common.go IsAdminGlobalRole
 */
function isAdmin({ rules }: Manifest): boolean {
  const allows = (...fields: readonly string[]): boolean =>
    Array.isArray(rules) &&
    rules.some(
      (entry) => isRecord(entry) && fields.every((field) => textsAt(entry[field]).includes('*')),
    );
  return allows('apiGroups', 'resources', 'verbs') && allows('nonResourceURLs', 'verbs');
}

function byNamespace(field: unknown, id: string): Readonly<Record<string, readonly GrantedRule[]>> {
  return Object.fromEntries(
    isRecord(field)
      ? Object.entries(field).map(([namespace, rules]) => [namespace, granted(rulesOf(rules), id)])
      : [],
  );
}

function granted(rules: readonly RbacRule[], through: string, data?: RoleData): GrantedRule[] {
  return rules.map((entry) => ({
    ...entry,
    through,
    ...(data?.unconfirmed ? { unconfirmed: data.unconfirmed } : {}),
  }));
}

function displayName({ displayName: name }: Manifest): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}
