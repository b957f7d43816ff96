import { ALL, GrantedRule, PolicyRule, READ, rule, WRITE } from './policy-rule';

const KUBERNETES = 'kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go';
const HARVESTER = 'harvester/harvester:deploy/charts/harvester/templates/rbac.yaml';
const KUBEVIRT = 'kubevirt/kubevirt:pkg/virt-operator/resource/generate/rbac/cluster.go';

/** Where the rules of the three roles are from: the role itself, and what Harvester and KubeVirt add to it by aggregation. */
export const KUBERNETES_ROLE_SOURCES: readonly string[] = [KUBERNETES, HARVESTER, KUBEVIRT];

const READABLE = ['configmaps', 'persistentvolumeclaims', 'pods', 'services', 'serviceaccounts', 'resourcequotas', 'limitranges', 'namespaces'];

const VIEW: readonly PolicyRule[] = [rule('', READABLE, READ), rule('apps', ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], READ)];

const EDIT: readonly PolicyRule[] = [
  ...VIEW,
  rule('', ['configmaps', 'persistentvolumeclaims', 'pods', 'services', 'secrets', 'serviceaccounts'], WRITE),
  rule('', ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy'], WRITE),
  rule('apps', ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], WRITE),
];

const HARVESTER_OBJECTS = [
  'keypairs', 'virtualmachineimages', 'virtualmachinetemplates', 'virtualmachinetemplateversions', 'virtualmachinebackups', 'virtualmachinerestores',
];
const NETWORKS = rule('k8s.cni.cncf.io', ['network-attachment-definitions'], READ);

const HARVESTER_EDIT: readonly PolicyRule[] = [rule('harvesterhci.io', HARVESTER_OBJECTS, ALL), NETWORKS];
// Kubernetes' view has no secrets, Harvester's has
const HARVESTER_VIEW: readonly PolicyRule[] = [rule('harvesterhci.io', HARVESTER_OBJECTS, READ), NETWORKS, rule('', ['secrets'], READ)];

const MACHINES = ['virtualmachines', 'virtualmachineinstances'];
// later KubeVirts give migrations to nobody but cluster admins
const MIGRATIONS = ['virtualmachineinstancemigrations'];
const KUBEVIRT_EDIT: readonly PolicyRule[] = [
  rule('kubevirt.io', MACHINES, WRITE),
  rule('subresources.kubevirt.io', ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'], ['update']),
  rule('subresources.kubevirt.io', ['virtualmachineinstances/console', 'virtualmachineinstances/vnc'], ['get']),
  rule('kubevirt.io', MIGRATIONS, READ),
];
const KUBEVIRT_VIEW: readonly PolicyRule[] = [rule('kubevirt.io', [...MACHINES, ...MIGRATIONS], READ)];

const AGGREGATED = 'it comes from a role that Harvester or KubeVirt adds to one of Kubernetes by aggregation, which was read in their source and not seen';

/**
 * The roles of Kubernetes that Rancher's project roles inherit, with what Harvester and KubeVirt add to them.
 *
 * @param id `admin`, `edit`, `view` or `cluster-admin`
 */
export function kubernetesRole(id: string): readonly GrantedRule[] | undefined {
  const own = (rules: readonly PolicyRule[]): GrantedRule[] => rules.map((entry) => ({ ...entry, through: id }));
  const added = (rules: readonly PolicyRule[], suffix: string): GrantedRule[] => rules.map((entry) => ({
    ...entry, through: `${id} (${suffix})`, unconfirmed: AGGREGATED,
  }));
  switch (id) {
    case 'cluster-admin': return own([{ apiGroups: ALL, resources: ALL, verbs: ALL }]);
    case 'admin':
    case 'edit': return [...own(EDIT), ...added(HARVESTER_EDIT, 'harvesterhci.io:edit'), ...added(KUBEVIRT_EDIT, `kubevirt.io:${id}`)];
    case 'view': return [...own(VIEW), ...added(HARVESTER_VIEW, 'harvesterhci.io:view'), ...added(KUBEVIRT_VIEW, 'kubevirt.io:view')];
    default: return undefined;
  }
}
