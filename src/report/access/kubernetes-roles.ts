import { HARVESTER_EDIT, HARVESTER_VIEW, harvesterRole } from './harvester-roles.data';
import { ALL, GrantedRule, RbacRule, READ, rbacRule, WRITE } from '../../core/rbac/policy-rule';
import { HarvesterVersion } from '../../harvester/version/harvester-version';

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
  const added = (rules: readonly RbacRule[] = [], suffix: string): GrantedRule[] => {
    if (harvester === false) {
      return [];
    }
    return rules.map((entry) => ({
      ...entry,
      through: `${id} (${suffix})`,
      ...(isSeen ? {} : { unconfirmed: AGGREGATED }),
    }));
  };
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
