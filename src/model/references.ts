import { GROUPS } from './names';

/**
 * Where objects name others of the same cluster that must be there first.
 */

/** How a text names an object. */
export enum NameForm {
  /** The name, in the namespace of who refers. */
  NAME = 'name',
  /** `<namespace>/<name>`, or the name alone. */
  SLASH = 'slash',
  /** `<namespace>:<name>`. */
  COLON = 'colon',
}

/** What a field refers to. */
export interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly form: NameForm;
}

const to = (group: string, kind: string, form = NameForm.NAME): Reference => ({ group, kind, form });

/**
 * Fields, by their key at any depth, whose value is a name. A text that names nothing of the program orders nothing, so a key may be one of
 * other fields too.
 * @see kubernetes/api:core/v1/types.go, rbac/v1, storage/v1; rancher/rancher:pkg/apis/rke.cattle.io/v1; kubevirt/api:core/v1/types.go;
 * harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1
 */
export const NAME_FIELDS: ReadonlyMap<string, Reference> = new Map([
  ['secretName', to('', 'Secret')],
  ['tokenSecretName', to('', 'Secret')],
  ['authConfigSecretName', to('', 'Secret')],
  ['claimName', to('', 'PersistentVolumeClaim')],
  ['serviceAccountName', to('', 'ServiceAccount')],
  ['storageClassName', to('storage.k8s.io', 'StorageClass')],
  ['volumeSnapshotClassName', to('snapshot.storage.k8s.io', 'VolumeSnapshotClass')],
  ['priorityClassName', to('scheduling.k8s.io', 'PriorityClass')],
  ['runtimeClassName', to('node.k8s.io', 'RuntimeClass')],
  ['ingressClassName', to('networking.k8s.io', 'IngressClass')],
  ['cloudCredentialSecretName', to('', 'Secret', NameForm.COLON)],
  ['networkName', to('k8s.cni.cncf.io', 'NetworkAttachmentDefinition', NameForm.SLASH)],
  ['clusterNetwork', to('network.harvesterhci.io', 'ClusterNetwork')],
  ['ipPool', to('loadbalancer.harvesterhci.io', 'IPPool')],
  ['network', to('k8s.cni.cncf.io', 'NetworkAttachmentDefinition', NameForm.SLASH)],
]);

/** Fields, by their key at any depth, whose value is `{ name, namespace? }`. */
export const OBJECT_FIELDS: ReadonlyMap<string, Reference> = new Map([
  ['secretRef', to('', 'Secret')],
  ['secretKeyRef', to('', 'Secret')],
  ['configMapRef', to('', 'ConfigMap')],
  ['configMapKeyRef', to('', 'ConfigMap')],
  ['configMap', to('', 'ConfigMap')],
]);

/** Annotations, at any depth, that name an object. @see harvester/harvester:pkg/util/constants.go */
export const NAME_ANNOTATIONS: ReadonlyMap<string, Reference> = new Map([
  ['harvesterhci.io/storageClassName', to('storage.k8s.io', 'StorageClass')],
  ['harvesterhci.io/imageId', to(GROUPS.HARVESTER, 'VirtualMachineImage', NameForm.SLASH)],
]);

/** Kinds whose content refers to nothing, as `group/Kind`. */
export const NO_REFERENCES: ReadonlySet<string> = new Set(['/Secret', '/ConfigMap', 'apiextensions.k8s.io/CustomResourceDefinition']);

/** Fields of Rancher's bindings and roles, by the kind that they name. Rancher's webhook looks for each. */
export const RANCHER_FIELDS: readonly (readonly [field: string, kind: string])[] = [
  ['roleTemplateName', 'RoleTemplate'], ['roleTemplateNames', 'RoleTemplate'], ['inheritedClusterRoles', 'RoleTemplate'],
  ['inheritedFleetWorkspacePermissions', 'RoleTemplate'], ['globalRoleName', 'GlobalRole'], ['userName', 'User'], ['nodeTemplateName', 'NodeTemplate'],
];

/** Text that names a Secret wherever it stands. @see rancher/rancher:pkg/capr/planner (secret:// paths of machine global and selector config) */
export const SECRET_URL = /^secret:\/\/([^:/]+):([^:/]+)$/;

/** What the name of a bridge is that Harvester makes for a cluster network. @see harvester/harvester-network-controller:pkg/network/iface (bridge suffix) */
export const BRIDGE_SUFFIX = '-br';

/** Annotation on a Secret: the ServiceAccount whose token Kubernetes writes into it. @see kubernetes/api:core/v1/types.go ServiceAccountNameKey */
export const ANNOTATION_SERVICE_ACCOUNT = 'kubernetes.io/service-account.name';

/** `local://<user>`: the principal of a user of Rancher's own. @see rancher/rancher:pkg/auth/providers/local/local_auth_provider.go */
export const LOCAL_PRINCIPAL = 'local://';
