import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import { bundledAddon } from '../../harvester/addon/addon.kind';
import { ANNOTATION_RESERVED_CLASS, HARVESTER_LONGHORN } from '../../harvester/storage/host-storage-class.kind';
import { API_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/virtual-machine.kind';
import { Manifest, groupOf, isRecord, kindKey, valueAt } from '../manifest/manifest';
import { API_VERSIONS, FLEET_DEFAULT, FLEET_LOCAL, GROUPS, GROUP_HARVESTER_NETWORK, LOCAL_CLUSTER, SYSTEM_NAMESPACES } from '../manifest/names';
import { AssemblyTarget } from '../output/assembly';

/** Annotation by which Flux keeps an object that is removed. @see fluxcd/kustomize-controller:api/v1/reference_types.go DisabledValue, docs/spec/v1/kustomizations.md */
const FLUX = ['kustomize.toolkit.fluxcd.io/prune', 'disabled'] as const;

/** Annotation by which Helm, and so Fleet, keeps an object. @see helm/helm:pkg/kube/resource_policy.go */
const HELM = ['helm.sh/resource-policy', 'keep'] as const;

/** Annotation of Argo CD: options with commas. @see argoproj/argo-cd:docs/user-guide/sync-options.md */
const ARGO = 'argocd.argoproj.io/sync-options';
const ARGO_OPTIONS: readonly (readonly [name: string, value: string])[] = [['Prune', 'false'], ['Delete', 'false']];

/** A manifest with the annotations by which GitOps engines keep the object; options that it has for Argo CD stay. */
export function asRetained(manifest: Manifest): Manifest {
  const annotations = manifest.metadata.annotations ?? {};
  const others = optionsOf(annotations[ARGO]).filter((option) => !ARGO_OPTIONS.some(([name]) => option.startsWith(`${name}=`)));
  const options = [...others, ...ARGO_OPTIONS.map(([name, value]) => `${name}=${value}`)].join(',');
  const marks = { [ARGO]: options, [FLUX[0]]: FLUX[1], [HELM[0]]: HELM[1] };
  return { ...manifest, metadata: { ...manifest.metadata, annotations: { ...annotations, ...marks } } };
}

/** Whether an object carries all of these: no engine deletes it. */
export function isRetained(manifest: Manifest): boolean {
  // rules judge manifests of any form
  const annotation = (key: string): unknown => valueAt(manifest, 'metadata', 'annotations', key);
  return [FLUX, HELM].every(([key, value]) => annotation(key) === value) && optionsOf(annotation(ARGO)).includes('Prune=false');
}

function optionsOf(text: unknown): string[] {
  return typeof text === 'string' ? text.split(',').map((option) => option.trim()).filter((option) => option !== '') : [];
}

/**
 * What is lost with the objects of a kind, and which objects are kept unless the program says otherwise. The one table that plan, apply, destroy,
 * rules and synthesis read.
 */

/** What an object holds that deleting it takes along, and that recreating it does not bring back. */
export interface Holding {
  /** `machines` run; `data` is stored; `tenants` are the projects, members and objects of others. */
  readonly holds: 'machines' | 'data' | 'tenants';
  /** What is lost, as a noun phrase: `its machines and their disks`. */
  readonly what: string;
}

type TargetName = AssemblyTarget['kind'];

interface HoldingRow extends Holding {
  readonly apiVersion: string;
  readonly kind: string;
  /** The targets whose namespaces are searched for it before they are deleted. @default - none: its namespace is never deleted, or it has none */
  readonly searchedOn?: readonly TargetName[];
  /** An apply deletes it only where that was agreed to. @default false */
  readonly asks?: boolean;
  /** Which objects of the kind. @default - all */
  readonly when?: (manifest: Manifest) => boolean;
}

const HARVESTER: readonly TargetName[] = ['harvester'];
const ALL: readonly TargetName[] = ['rancher', 'harvester', 'guest'];

const MACHINES = { holds: 'machines', what: 'its machines and their disks', asks: true } as const;
const DATA = { holds: 'data', what: 'the data on it', asks: true } as const;

/** Whether a provisioning Cluster is one whose machines Rancher creates: an import has none of its own. */
export function isProvisioned(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
}

const isImport = (manifest: Manifest): boolean => !isProvisioned(manifest);
const isRke1 = (manifest: Manifest): boolean => isRecord(valueAt(manifest, 'spec', RKE1_CONFIG));
const isDownload = (manifest: Manifest): boolean => valueAt(manifest, 'spec', 'sourceType') === 'download';

const HOLDINGS: readonly HoldingRow[] = [
  { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', ...MACHINES, searchedOn: ['rancher'], when: isProvisioned },
  {
    apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', holds: 'tenants', what: 'its projects, members and registration', searchedOn: ['rancher'], when: isImport,
  },
  { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster', ...MACHINES, when: isRke1 },
  { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster', holds: 'tenants', what: 'its projects, members and registration', when: (manifest) => !isRke1(manifest) },
  { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'NodePool', ...MACHINES },
  { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', holds: 'tenants', what: 'its members and quotas' },
  { apiVersion: `${GROUP_MACHINE_CONFIG}/v1`, kind: HARVESTER_CONFIG_KIND, holds: 'machines', what: 'the definition of the machines of its pool' },
  { apiVersion: 'v1', kind: 'Namespace', holds: 'data', what: 'everything in it' },
  { apiVersion: API_KUBEVIRT, kind: KIND_VIRTUAL_MACHINE, holds: 'machines', what: 'the machine, and the disks that are its own', asks: true, searchedOn: HARVESTER },
  { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', ...DATA, searchedOn: HARVESTER },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...DATA, searchedOn: ALL },
  // a download is downloaded again
  { apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineImage', holds: 'data', what: 'the image', asks: true, when: (manifest) => !isDownload(manifest) },
  { apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineImage', holds: 'data', what: 'the image', searchedOn: HARVESTER, when: isDownload },
  { apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineBackup', holds: 'data', what: 'the backup or snapshot', asks: true, searchedOn: HARVESTER },
  { apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineTemplateVersion', holds: 'data', what: 'this version of the template', searchedOn: HARVESTER },
  { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshot', holds: 'data', what: 'the snapshot', asks: true, searchedOn: ALL },
];

const rowsOf = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): readonly HoldingRow[] => (
  HOLDINGS_BY_KIND.get(kindKey(groupOf(apiVersion), kind)) ?? []);

const HOLDINGS_BY_KIND: ReadonlyMap<string, readonly HoldingRow[]> = byKind(HOLDINGS, ({ apiVersion }) => groupOf(apiVersion));

const rowOf = (manifest: Manifest): HoldingRow | undefined => rowsOf(manifest).find(({ when }) => when?.(manifest) ?? true);

/** What an object holds; undefined for one that can be recreated without a loss. */
export function holdingOf(manifest: Manifest): Holding | undefined {
  const row = rowOf(manifest);
  return row && { holds: row.holds, what: row.what };
}

/** What is lost with an object that an apply deletes only where that was agreed to; undefined for all others. */
export function lostWith(manifest: Manifest): string | undefined {
  const row = rowOf(manifest);
  return row?.asks ? row.what : undefined;
}

/** Whether `lostWith` names a loss for every object of a kind. */
export function alwaysAsks(kind: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  const rows = rowsOf(kind);
  return rows.length > 0 && rows.every(({ asks }) => asks);
}

/** The kinds that a namespace of a target is searched for before it is deleted. */
export function searchedKinds(target: TargetName): readonly (readonly [apiVersion: string, kind: string])[] {
  const rows = HOLDINGS.filter(({ searchedOn }) => searchedOn?.includes(target));
  return [...new Map(rows.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, [apiVersion, kind] as const])).values()];
}

// ---- what belongs to the servers

interface RetainedRow {
  readonly group: string;
  readonly kind: string;
  /** Which objects of the kind. @default - all */
  readonly when?: (manifest: Manifest) => boolean;
  /** Why it is kept, as a clause without its subject. */
  readonly says: string;
  /** Nothing lifts it: not `Retention.delete()`, no option. @default false */
  readonly never?: boolean;
}

/** Namespaces that Kubernetes, Rancher, Harvester and Longhorn live in. */
const SYSTEM_NAMESPACE = /^(kube|cattle|fleet|harvester|longhorn|rancher)-|^(default|local)$/;

const called = (...names: readonly string[]) => ({ metadata: { name } }: Manifest): boolean => names.includes(name);
const isBuiltin = ({ builtin }: Manifest): boolean => builtin === true;
const MADE_BY_HARVESTER = 'Harvester makes one for each node or device';
const RANCHER_CLUSTER = 'is the cluster that Rancher runs on';

/**
 * Objects of the servers themselves.
 *
 * @see rancher/rancher issues 33800 and 37874 for cattle-system; rancher/rancher:pkg/data/management/add_data.go for what Rancher makes at its start;
 *   seen on Rancher 2.13.8: the webhook lets built-in role templates go
 */
const RETAINED: readonly RetainedRow[] = [
  {
    group: '', kind: 'Namespace', never: true, says: 'is a namespace of the system', when: ({ metadata: { name } }) => SYSTEM_NAMESPACES.includes(name) || SYSTEM_NAMESPACE.test(name),
  },
  { group: '', kind: 'Node', says: 'is a machine of the cluster: deleting it drops the machine from the cluster' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', never: true, says: 'would take all objects of its kind along' },
  { group: 'storage.k8s.io', kind: 'StorageClass', never: true, says: 'is built into Harvester', when: isReservedClass },
  { group: GROUPS.HARVESTER, kind: 'Setting', never: true, says: 'a Setting is Harvester\'s: it is reset, never deleted' },
  {
    group: GROUPS.HARVESTER,
    kind: 'Addon',
    never: true,
    says: 'is built into Harvester: set spec.enabled to false instead',
    when: ({ metadata: { name, namespace } }) => bundledAddon(name, namespace) !== undefined,
  },
  { group: GROUPS.HARVESTER, kind: 'BlockDevice', says: MADE_BY_HARVESTER },
  { group: GROUPS.HARVESTER_NODE, kind: 'NodeConfig', says: MADE_BY_HARVESTER },
  { group: 'devices.harvesterhci.io', kind: 'PCIDevice', says: MADE_BY_HARVESTER },
  { group: 'devices.harvesterhci.io', kind: 'VGPUDevice', says: MADE_BY_HARVESTER },
  { group: 'devices.harvesterhci.io', kind: 'SRIOVNetworkDevice', says: MADE_BY_HARVESTER },
  { group: 'devices.harvesterhci.io', kind: 'SRIOVGPUDevice', says: MADE_BY_HARVESTER },
  { group: 'longhorn.io', kind: 'Setting', says: 'is Longhorn\'s own' },
  { group: 'longhorn.io', kind: 'Node', says: 'is Longhorn\'s own' },
  { group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', never: true, says: 'is the network of the nodes themselves', when: called('mgmt') },
  { group: GROUPS.MANAGEMENT, kind: 'Setting', never: true, says: 'a Setting is Rancher\'s: it is reset, never deleted' },
  { group: GROUPS.MANAGEMENT, kind: 'Feature', says: 'a Feature is Rancher\'s: set spec.value instead' },
  { group: GROUPS.MANAGEMENT, kind: 'AuthConfig', says: 'an AuthConfig is Rancher\'s: set enabled to false instead' },
  { group: GROUPS.MANAGEMENT, kind: 'NodeDriver', says: 'machines are made and removed by it' },
  { group: GROUPS.MANAGEMENT, kind: 'RoleTemplate', never: true, says: 'is built into Rancher', when: isBuiltin },
  { group: GROUPS.MANAGEMENT, kind: 'GlobalRole', never: true, says: 'is built into Rancher', when: isBuiltin },
  { group: GROUPS.MANAGEMENT, kind: 'Cluster', never: true, says: RANCHER_CLUSTER, when: called(LOCAL_CLUSTER) },
  { group: GROUPS.MANAGEMENT, kind: 'Cluster', says: 'its projects, members and registration would be lost with it' },
  { group: GROUPS.MANAGEMENT, kind: 'FleetWorkspace', never: true, says: 'is built into Rancher', when: called(FLEET_DEFAULT, FLEET_LOCAL) },
  {
    group: GROUPS.MANAGEMENT, kind: 'PodSecurityAdmissionConfigurationTemplate', says: 'is built into Rancher', when: called('rancher-privileged', 'rancher-restricted'),
  },
  { group: GROUPS.PROVISIONING, kind: 'Cluster', never: true, says: RANCHER_CLUSTER, when: ({ metadata: { namespace } }) => namespace === FLEET_LOCAL },
  {
    group: 'catalog.cattle.io', kind: 'ClusterRepo', says: 'is built into Rancher', when: called('rancher-charts', 'rancher-partner-charts', 'rancher-rke2-charts'),
  },
];

/** Reserved by name: others of Harvester's classes are also names of classes on guest clusters. */
const RESERVED_CLASSES: readonly string[] = [HARVESTER_LONGHORN, 'vmstate-persistence'];

function isReservedClass({ metadata: { name, annotations = {} } }: Manifest): boolean {
  return RESERVED_CLASSES.includes(name) || annotations[ANNOTATION_RESERVED_CLASS] === 'true';
}

const RETAINED_BY_KIND = byKind(RETAINED, ({ group }) => group);

const retainedRow = (manifest: Manifest, never: boolean): RetainedRow | undefined => (
  (RETAINED_BY_KIND.get(kindKey(groupOf(manifest.apiVersion), manifest.kind)) ?? [])
    .find((row) => (!never || row.never) && (row.when?.(manifest) ?? true)));

/** Why an object is kept unless the program says that it is to be deleted; undefined for one that is deleted. */
export function retainedByDefault(manifest: Manifest): string | undefined {
  return retainedRow(manifest, false)?.says;
}

/** Why an object is never deleted, whatever the program says; undefined for one that may be. */
export function neverDeletedKind(manifest: Manifest): string | undefined {
  return retainedRow(manifest, true)?.says;
}

function byKind<T extends { readonly kind: string }>(rows: readonly T[], group: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const key = kindKey(group(row), row.kind);
    found.set(key, [...found.get(key) ?? [], row]);
  }
  return found;
}
