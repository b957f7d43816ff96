import { NETWORK_SETTINGS } from '../../harvester/settings/harvester-setting.kind';
import { Manifest, groupOf, isRecord, valueAt } from '../manifest/manifest';
import { GROUPS, GROUP_HARVESTER_NETWORK } from '../manifest/names';

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

/** An object of the same cluster that another names. */
export interface FoundReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Where to look for it. @default - in the namespace of who refers, and among objects without one */
  readonly namespaces?: readonly string[];
}

/**
 * What the content of an object refers to. Texts that look like references and are none do no harm: nothing of that name is found.
 */
export function referencesIn(manifest: Manifest): FoundReference[] {
  const found: FoundReference[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      const secret = SECRET_URL.exec(value);
      if (secret) { found.push({ group: '', kind: 'Secret', name: secret[2], namespaces: [secret[1]] }); }
    } else if (Array.isArray(value)) {
      value.forEach(walk);
    } else if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) {
        found.push(...named(key, inner));
        walk(inner);
      }
    }
  };
  walk({ ...manifest, metadata: { annotations: manifest.metadata.annotations } });
  found.push(...machineConfigs(manifest), ...bridge(manifest), ...networkOfSetting(manifest));
  return found;
}

function named(key: string, value: unknown): FoundReference[] {
  const byName = NAME_FIELDS.get(key) ?? NAME_ANNOTATIONS.get(key);
  if (byName && typeof value === 'string' && value !== '') { return [inForm(byName, value)]; }
  const byObject = OBJECT_FIELDS.get(key);
  if (byObject && isRecord(value) && typeof value.name === 'string') { return [at(byObject, value.name, value.namespace)]; }
  if (key === 'imagePullSecrets' && Array.isArray(value)) {
    return value.flatMap((item) => (isRecord(item) && typeof item.name === 'string' ? [{ group: '', kind: 'Secret', name: item.name }] : []));
  }
  return [];
}

function inForm(reference: Reference, text: string): FoundReference {
  const mark = { [NameForm.NAME]: undefined, [NameForm.SLASH]: '/', [NameForm.COLON]: ':' }[reference.form];
  const place = mark === undefined ? -1 : text.indexOf(mark);
  return place < 0 ? at(reference, text) : at(reference, text.slice(place + 1), text.slice(0, place));
}

function at({ group, kind }: Reference, name: string, namespace?: unknown): FoundReference {
  return { group, kind, name, ...(typeof namespace === 'string' ? { namespaces: [namespace] } : {}) };
}

/** The machine configs of the pools of a provisioning Cluster. @see rancher/rancher:pkg/apis/rke.cattle.io/v1 RKEMachinePool */
function machineConfigs(manifest: Manifest): FoundReference[] {
  const pools = valueAt(manifest, 'spec', 'rkeConfig', 'machinePools');
  return (Array.isArray(pools) ? pools : []).flatMap((pool: unknown) => {
    const config = valueAt(pool, 'machineConfigRef');
    if (!isRecord(config) || typeof config.kind !== 'string' || typeof config.name !== 'string') { return []; }
    return [{ group: 'rke-machine-config.cattle.io', kind: config.kind, name: config.name }];
  });
}

/** The cluster network that a network setting of Harvester names in its JSON. */
function networkOfSetting({ apiVersion, kind, metadata: { name: setting }, value }: Manifest): FoundReference[] {
  if (groupOf(apiVersion) !== GROUPS.HARVESTER || kind !== 'Setting' || !NETWORK_SETTINGS.includes(setting) || typeof value !== 'string') { return []; }
  const name = /"clusterNetwork"\s*:\s*"([^"]+)"/.exec(value)?.[1];
  return name === undefined ? [] : [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name }];
}

/** The cluster network of a NetworkAttachmentDefinition: Harvester's webhook reads it from the name of the bridge. */
function bridge({ kind, spec }: Manifest): FoundReference[] {
  const config = valueAt(spec, 'config');
  if (kind !== 'NetworkAttachmentDefinition' || typeof config !== 'string') { return []; }
  const name = /"bridge"\s*:\s*"([^"]+)"/.exec(config)?.[1];
  if (!name?.endsWith(BRIDGE_SUFFIX)) { return []; }
  return [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name: name.slice(0, -BRIDGE_SUFFIX.length) }];
}
