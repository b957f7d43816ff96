import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { Manifest, kindKey, itemsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/** The kind of a role of clusters and projects. */
export const ROLE_TEMPLATE = kindKey(GROUPS.MANAGEMENT, 'RoleTemplate');

/** The kind of a global role. */
export const GLOBAL_ROLE = kindKey(GROUPS.MANAGEMENT, 'GlobalRole');

const ROLE = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Cluster',
  targets: ON_RANCHER,
  access: 'role',
  writtenByOthers: ['metadata.annotations', 'metadata.labels'],
  power: {
    preparedBy: [],
    keeps: 'its subjects keep its permissions',
    when: ({ builtin }: Manifest) => builtin !== true,
  },
  // seen on Rancher 2.13.8: the webhook lets built-in role templates go
  kept: [
    {
      never: true,
      says: 'is built into Rancher',
      when: ({ builtin }: Manifest) => builtin === true,
    },
  ],
} as const;

/**
 * Rancher's roles.
 * @see rancher/rancher:pkg/data/management/role_data.go for the ones that Rancher creates
 */
export const ROLE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...ROLE,
    kind: 'RoleTemplate',
    part: { noun: 'role template', order: 230 },
    alwaysThere: 'cluster-owner',
    deletion: deletes(
      'removes the permissions of all its users; refused while another role inherits it: delete its bindings and those roles first',
    ),
    rank: 28,
    // Rancher's webhook looks up the templates that it inherits from
    stage: ({ roleTemplateNames }) => ({
      stage: 'roles',
      isAlone: itemsAt(roleTemplateNames).length > 0,
    }),
    passing: [
      {
        status: [500],
        words: /unable to get roletemplate (\S+)/,
        missing: ([, name]) => ({ kind: ROLE_TEMPLATE, name }),
        source:
          'seen on Rancher 2.13.8; rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go',
      },
    ],
    refers: 'also to its own kind',
    namedBy: {
      peers: [
        'roleTemplateName',
        'roleTemplateNames',
        'inheritedClusterRoles',
        'inheritedFleetWorkspacePermissions',
      ],
    },
  },
  {
    ...ROLE,
    kind: 'GlobalRole',
    part: { noun: 'global role', order: 220 },
    rank: 29,
    stage: 'global-roles',
    alwaysThere: 'admin',
    namedBy: { peers: ['globalRoleName'] },
    deletion: deletes('deletes its bindings, and so the permissions of all its users'),
  },
];

/** What a role is for: all of Rancher, a cluster, a project. */
export type RoleKind = 'global' | 'cluster' | 'project';

/** A role that is built into Rancher or installed by a chart of Harvester. */
export interface BuiltInRole {
  /** The name of its GlobalRole or RoleTemplate. */
  readonly id: string;
  readonly kind: RoleKind;
  /** The versions of Rancher that have it, one for each line; none: every one. */
  readonly since?: readonly string[];
  /** The versions from which on it is gone. */
  readonly until?: readonly string[];
  /** The chart that must be installed on Rancher for it to exist. */
  readonly chart?: string;
  /** Whether Rancher's UI does not offer it. */
  readonly hidden?: true;
  /** Whether it refers to the ClusterRole of that name in the cluster. */
  readonly external?: true;
}

type Options = Omit<BuiltInRole, 'id' | 'kind'>;

const roles = (kind: RoleKind, ids: string, options: Options = {}): BuiltInRole[] =>
  ids
    .trim()
    .split(/\s+/)
    .map((id) => ({ id, kind, ...options }));

/**
 * The roles by kind; those of clusters and projects share one space of names.
 * @see rancher/rancher:pkg/data/management/role_data.go, at the release tags 2.8 to 2.16-dev
 * @see harvester/charts:charts/harvester-rbac, harvester-pcidevices-roles, harvester-resourcequotas-roles
 */
export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  ...roles(
    'global',
    `admin user user-base clusters-create nodedrivers-manage kontainerdrivers-manage users-manage roles-manage authn-manage
    settings-manage features-manage view-rancher-metrics`,
  ),
  ...roles('global', 'manage-oidc-clients', { since: ['2.13.0'] }),
  ...roles('global', 'proxy-endpoints-manage', { since: ['2.15.0'] }),
  ...roles(
    'global',
    'restricted-admin catalogs-manage catalogs-use podsecuritypolicytemplates-manage',
    { until: ['2.9.0'] },
  ),
  ...roles('global', 'clustertemplates-create clustertemplaterevisions-create', {
    until: ['2.12.0'],
  }),

  ...roles(
    'cluster',
    `cluster-owner cluster-member projects-create projects-view nodes-manage nodes-view storage-manage
    clusterroletemplatebindings-manage clusterroletemplatebindings-view clustercatalogs-manage clustercatalogs-view backups-manage
    navlinks-manage`,
  ),
  ...roles('cluster', 'cluster-admin', { external: true, hidden: true }),

  ...roles(
    'project',
    `project-owner project-member read-only create-ns workloads-manage workloads-view ingress-manage ingress-view services-manage
    services-view secrets-manage secrets-view configmaps-manage configmaps-view persistentvolumeclaims-manage persistentvolumeclaims-view
    serviceaccounts-manage serviceaccounts-view projectroletemplatebindings-manage projectroletemplatebindings-view navlinks-view`,
  ),
  ...roles('project', 'admin edit view', { external: true, hidden: true }),
  ...roles('project', 'project-monitoring-readonly', { hidden: true }),
  ...roles('project', 'monitoring-ui-view', { external: true }),
  ...roles('project', 'projectcatalogs-manage projectcatalogs-view', { until: ['2.9.0'] }),

  // the file of the second is virt-cluster-view.yaml, its name is virt-view-cluster
  ...roles('cluster', 'virt-cluster-manage virt-view-cluster', {
    since: ['2.14.1'],
    chart: 'harvester-rbac',
  }),
  ...roles('project', 'virt-project-manage virt-project-view', {
    since: ['2.14.1'],
    chart: 'harvester-rbac',
  }),
  ...roles('cluster', 'harvester-pcidevices-admin harvester-pcidevices-readonly', {
    chart: 'harvester-pcidevices-roles',
  }),
  ...roles('cluster', 'harvester-resourcequotas-admin harvester-resourcequotas-read-only', {
    chart: 'harvester-resourcequotas-roles',
  }),
];

const GLOBAL_ROLES = new Map(
  BUILT_IN_ROLES.filter(({ kind }) => kind === 'global').map((role) => [role.id, role]),
);
const ROLE_TEMPLATES = new Map(
  BUILT_IN_ROLES.filter(({ kind }) => kind !== 'global').map((role) => [role.id, role]),
);

/** The built-in GlobalRole of a name, in whatever version. */
export function builtInGlobalRole(id: string): BuiltInRole | undefined {
  return GLOBAL_ROLES.get(id);
}

/** The built-in RoleTemplate of a name, in whatever version, of clusters or projects. */
export function builtInRoleTemplate(id: string): BuiltInRole | undefined {
  return ROLE_TEMPLATES.get(id);
}
