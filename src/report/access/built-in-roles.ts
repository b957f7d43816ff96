import { GROUP_HARVESTER_NETWORK, GROUPS, GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { ALL, RbacRule, READ, rbacRule } from '../../core/rbac/policy-rule';

/** A role that Rancher or a chart of Harvester creates, with the fields that the matrix needs. */
export interface RoleData {
  readonly name: string;
  readonly rules: readonly RbacRule[];
  readonly inherits: readonly string[];
  /** Why its rules are not sure. */
  readonly unconfirmed?: string;
}

const { MANAGEMENT, PROVISIONING } = GROUPS;
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
