import { sharesWith } from './shared-ids';
import { neverDeletedKind, searchedKinds } from '../../core/kind/retention';
import { Manifest, groupOf, isRecord, refKey, valueAt } from '../../core/manifest/manifest';
import { ANNOTATION_OWNER_NAME, GROUPS } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/host-storage-class.kind';
import { ANNOTATION_REMOVED_CLAIMS, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/virtual-machine.kind';
import { managementClusterIdOf } from '../../rancher/cluster/cluster-id.rules';
import { Cluster, LiveObject } from '../cluster/cluster';
import { ApiError } from '../transport/api';

/** Whether the run deletes an object itself. */
export type IsGoing = (live: LiveObject) => boolean;

/** What would be lost with a namespace. */
export interface NamespaceContents {
  /** As people say it: `2 VirtualMachines (a, b), 1 Secret (c)`; empty where nothing would be lost. */
  readonly text: string;
  /** All of it is being deleted already. */
  readonly passes: boolean;
  /** Kinds that this identity may not list. */
  readonly unseen: readonly string[];
}

/** Objects that run or configure something and are not recreated by anyone; those that a controller owns are. */
export const WORKLOADS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['apps/v1', 'Deployment'], ['apps/v1', 'StatefulSet'], ['apps/v1', 'DaemonSet'], ['batch/v1', 'Job'], ['batch/v1', 'CronJob'], ['v1', 'Pod'],
];

const SECRET = ['v1', 'Secret'] as const;

/** Types of Secrets that a controller makes, and makes again. @see https://kubernetes.io/docs/concepts/configuration/secret/#secret-types */
const MADE_SECRETS: readonly unknown[] = ['kubernetes.io/service-account-token', 'helm.sh/release.v1'];

/** Annotations of Secrets that Rancher copies into namespaces. @see rancher/rancher:pkg/controllers/managementuserlegacy/secret, pkg/project-scoped-secret */
const COPIED_SECRETS: readonly string[] = [ANNOTATION_OWNER_NAME, 'management.cattle.io/project-scoped-secret-copy', 'secret.user.cattle.io/secret'];

/** How many names of a kind are said. */
const SAID = 3;

/**
 * What a namespace holds that is lost when it is deleted: machines, data and backups whoever made them, Secrets and workloads that no controller makes
 * again. Kinds that the cluster does not serve are skipped.
 */
export async function contentsOfNamespace(
  namespace: string, target: AssemblyTarget, cluster: Cluster,
  { isGoing = () => false, signal }: { readonly isGoing?: IsGoing; readonly signal?: AbortSignal } = {},
): Promise<NamespaceContents> {
  const holders = searchedKinds(target.kind);
  const kinds = [...holders, SECRET, ...WORKLOADS];
  const lists = await Promise.all(kinds.map(async ([apiVersion, kind]) => listed(cluster, apiVersion, kind, namespace, signal)));
  const claims = goingClaims(lists.flatMap(({ objects }) => objects).filter(isGoing));
  const lost = lists.map(({ kind, objects }, index) => ({
    kind, objects: objects.filter((live) => !isGoing(live) && !isClaimOf(live, claims) && (index < holders.length || !isMadeAgain(live))),
  })).filter(({ objects }) => objects.length > 0);
  return {
    text: lost.map(({ kind, objects }) => countText(kind, objects)).join(', '),
    passes: lost.every(({ objects }) => objects.every(({ metadata }) => metadata.deletionTimestamp !== undefined)),
    unseen: lists.filter(({ forbidden }) => forbidden).map(({ kind }) => kind),
  };
}

/** Whether objects of a kind may be overlooked: all the others are what a namespace is searched for. */
export function mayBeUnseen(kind: string): boolean {
  return kind === SECRET[1];
}

interface Listed {
  readonly kind: string;
  readonly objects: readonly LiveObject[];
  readonly forbidden?: boolean;
}

async function listed(cluster: Cluster, apiVersion: string, kind: string, namespace: string, signal?: AbortSignal): Promise<Listed> {
  try {
    return { kind, objects: await cluster.list(apiVersion, kind, { namespace, signal }) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') { throw error; }
    return { kind, objects: [], forbidden: true };
  }
}

function isMadeAgain({ type, metadata: { ownerReferences = [], annotations = {}, labels = {} } }: LiveObject): boolean {
  return ownerReferences.length > 0 || MADE_SECRETS.includes(type) || COPIED_SECRETS.some((key) => key in annotations || key in labels);
}

/** The claims that go with virtual machines, as Harvester deletes them: `<namespace>/<name>`. */
function goingClaims(going: readonly LiveObject[]): ReadonlySet<string> {
  return new Set(going.filter(({ kind }) => kind === KIND_VIRTUAL_MACHINE).flatMap(({ metadata: { namespace, annotations = {} } }) => (
    (annotations[ANNOTATION_REMOVED_CLAIMS] ?? '').split(',').map((name) => `${namespace ?? ''}/${name.trim()}`))));
}

function isClaimOf({ kind, metadata: { namespace, name } }: LiveObject, claims: ReadonlySet<string>): boolean {
  return (kind === 'PersistentVolumeClaim' || kind === 'DataVolume') && claims.has(`${namespace ?? ''}/${name}`);
}

function countText(kind: string, objects: readonly LiveObject[]): string {
  const names = objects.map(({ metadata: { name } }) => name).sort(compare);
  const more = names.length > SAID ? `, and ${names.length - SAID} more` : '';
  return `${names.length} ${kind}${names.length === 1 ? '' : 's'} (${names.slice(0, SAID).join(', ')}${more})`;
}

/** Whether a live object is one of some that are named. */
export function isOneOf(keys: ReadonlySet<string>): IsGoing {
  return ({ apiVersion, kind, metadata: { namespace, name } }) => keys.has(refKey({ apiVersion, kind, namespace, name }));
}

/** Why an object is never deleted; undefined for those that may be. */
export function neverDeleted(live: LiveObject): string | undefined {
  return isDefaultClass(live) ? 'is the default one of the cluster' : neverDeletedKind(live);
}

/** Another class may be the default by the next run. */
function isDefaultClass({ kind, metadata: { annotations = {} } }: LiveObject): boolean {
  return kind === 'StorageClass' && annotations[ANNOTATION_DEFAULT_CLASS] === 'true';
}

/** Why an object must not be deleted now. */
export interface InUse {
  /** Undefined where nothing is known to use it. */
  readonly why?: string;
  /** What uses it is being deleted itself. */
  readonly passes?: boolean;
  /** What could not be looked at and does not keep the object, as sentences. */
  readonly notes?: readonly string[];
}

/** What to do about an object that is in use. */
export function waysToDelete(id: string): string {
  return `delete or move that first, keep this object by Retention.of(construct).retain() in the program, or delete it nevertheless by --delete-anyway '${id}'`;
}

interface UseOptions {
  /** What the same run deletes does not count. @default - nothing: it is gone by then */
  readonly isGoing?: IsGoing;
  readonly signal?: AbortSignal;
}

/** Whether others on the cluster still need an object. Looks at the cluster as it is. */
export async function inUse(live: LiveObject, target: AssemblyTarget, cluster: Cluster, options: UseOptions = {}): Promise<InUse | undefined> {
  const { signal } = options;
  const group = groupOf(live.apiVersion);
  try {
    if (group === GROUPS.PROVISIONING && live.kind === 'Cluster') { return await managementClusterInUse(live, cluster, signal); }
    if (group !== '') { return undefined; }
    if (live.kind === 'Secret' && target.kind === 'rancher') { return await credentialInUse(live, cluster, options); }
    return live.kind === 'Namespace' ? await lostIn(live.metadata.name, target, cluster, options) : undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') { throw error; }
    return { passes: false, why: `nobody can tell whether it is in use: ${error.message}` };
  }
}

/**
 * The kinds that name cloud credentials and the Secrets of machine configs.
 *
 * @see rancher/rancher:pkg/apis/provisioning.cattle.io/v1 cloudCredentialSecretName, pkg/apis/management.cattle.io/v3 NodeTemplateSpec
 */
const USERS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['provisioning.cattle.io/v1', 'Cluster'], ['management.cattle.io/v3', 'NodeTemplate'], ['management.cattle.io/v3', 'Cluster'],
];

async function credentialInUse(live: LiveObject, cluster: Cluster, { isGoing = () => false, signal }: UseOptions): Promise<InUse | undefined> {
  const { namespace, name } = live.metadata;
  const names = [`${namespace}:${name}`, `secret://${namespace}:${name}`];
  for (const [apiVersion, kind] of USERS) {
    const users = (await cluster.list(apiVersion, kind, { signal })).filter((user) => mentions(user.spec, names) && !isGoing(user));
    const user = users.find(({ metadata }) => !metadata.deletionTimestamp) ?? users[0];
    if (user) {
      const passes = user.metadata.deletionTimestamp !== undefined;
      const going = passes ? ' and is not gone yet' : '';
      return { passes, why: `${kind} ${label(user)} uses it${going}: without it, its machines can be neither made nor removed` };
    }
  }
  return undefined;
}

/** Deleting one of two Clusters that share a management cluster deletes it for both. */
async function managementClusterInUse(live: LiveObject, cluster: Cluster, signal?: AbortSignal): Promise<InUse | undefined> {
  const other = await sharesWith(live, cluster, signal);
  return other && {
    passes: other.metadata.deletionTimestamp !== undefined,
    why: `shares its management cluster ${managementClusterIdOf(live)} with Cluster ${label(other)}: deleting it deletes the projects, members and tokens of both`,
  };
}

async function lostIn(namespace: string, target: AssemblyTarget, cluster: Cluster, { isGoing, signal }: UseOptions): Promise<InUse | undefined> {
  const { text, passes, unseen } = await contentsOfNamespace(namespace, target, cluster, { isGoing, signal });
  const blind = unseen.filter((kind) => !mayBeUnseen(kind));
  const unknown = blind.length > 0 ? `may contain objects of kinds that this identity cannot list: ${blind.join(', ')}` : undefined;
  const notes = unseen.filter(mayBeUnseen).map((kind) => `Namespace ${namespace} was not searched for ${kind}s: this identity cannot list them`);
  if (text === '' && unknown === undefined) { return notes.length > 0 ? { notes } : undefined; }
  return { notes, passes: passes && unknown === undefined, why: [text === '' ? '' : `contains ${text}, which would be lost with it`, unknown].filter((part) => part).join('; ') };
}

function mentions(value: unknown, names: readonly string[]): boolean {
  if (typeof value === 'string') { return names.includes(value); }
  const inner = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return inner.some((item) => mentions(item, names));
}

function label({ metadata: { namespace, name } }: Manifest): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** What holds an object back that is being deleted, for people. */
export function heldBy(live: LiveObject): string {
  const finalizers = live.metadata.finalizers ?? [];
  const words = conditionsOf(live);
  const hints = HINTS.filter(({ finalizer }) => finalizers.some((each) => finalizer.test(each))).map(({ says }) => says);
  return [
    finalizers.length > 0 ? `held by the finalizers ${finalizers.join(', ')}` : 'waits for what it contains',
    ...words,
    ...hints,
  ].join('; ');
}

/**
 * @see harvester/harvester issue 8321, rancher/rancher issues 36450 and 45163
 */
const HINTS: readonly { readonly finalizer: RegExp; readonly says: string }[] = [
  {
    finalizer: /^controller\.cattle\.io\/namespace-auth$|^clusterscoped\.controller\.cattle\.io\//,
    says: 'Rancher removes it while the cluster is connected to it: connect it again and look at its agent',
  },
  {
    finalizer: /^wrangler\.cattle\.io\/(provisioning-cluster-remove|rke-cluster-remove|machine-provision-remove)|cluster\.x-k8s\.io$/,
    says: 'Rancher is still taking it apart: where it made its machines, see these, and whether the credential still works on the Harvester',
  },
];

const TELLS_WHAT_IS_LEFT = /ContentRemaining|FinalizersRemaining|Failure/;

/** A Namespace says itself what is left in it. @see kubernetes/kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go */
function conditionsOf(live: LiveObject): string[] {
  const conditions = valueAt(live, 'status', 'conditions');
  return live.kind !== 'Namespace' || !Array.isArray(conditions) ? [] : conditions.filter((condition) => (
    isRecord(condition) && condition.status === 'True' && TELLS_WHAT_IS_LEFT.test(String(condition.type)))).map(({ message }) => String(message));
}
