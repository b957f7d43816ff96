import { GROUPS, GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { GROUP_KUBEVIRT } from '../../harvester/virtual-machine/machine-manifest.facts';

const { HARVESTER, MANAGEMENT } = GROUPS;

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
