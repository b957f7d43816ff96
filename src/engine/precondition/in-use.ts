import { importedId, ownerText, sharesWith, tenantsOfOthers } from './management-cluster';
import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import { credentialUsers, searchedKinds, workloadKinds } from '../../core/kind/retention';
import {
  FieldPath,
  groupOf,
  isRecord,
  leavesOf,
  Manifest,
  printName,
  valueAt,
} from '../../core/manifest/manifest';
import { ANNOTATION_OWNER_NAME } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { compare, grouped } from '../../core/text/values';
import {
  ANNOTATION_REMOVED_CLAIMS,
  KIND_VIRTUAL_MACHINE,
} from '../../harvester/virtual-machine/machine-manifest.facts';
import { managementClusterIdOf } from '../../rancher/cluster/cluster.facts';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { finalizersText } from '../fields/finalizers';
import { isManagement, isProvisioningCluster } from '../graph/object-index';
import { isFailure, onFailure } from '../transport/api';

/** Whether the run deletes an object. */
type IsGoing = (live: LiveObject) => boolean;

/** What would be lost with a namespace. */
interface NamespaceContents {
  /** For example `2 VirtualMachines (a, b), 1 Secret (c)`; empty if nothing would be lost. */
  readonly text: string;
  /** Whether all of it is already being deleted. */
  readonly passes: boolean;
  /** Kinds that this identity cannot list. */
  readonly unseen: readonly string[];
}

const SECRET = ['v1', 'Secret'] as const;

/**
 * Types of Secrets that a controller creates and recreates.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#secret-types
 */
const MADE_SECRETS: readonly unknown[] = [
  'kubernetes.io/service-account-token',
  'helm.sh/release.v1',
];

/**
 * Annotations of Secrets that Rancher copies into namespaces.
 * @see rancher/rancher:pkg/controllers/managementuserlegacy/secret, pkg/project-scoped-secret
 */
const COPIED_SECRETS: readonly string[] = [
  ANNOTATION_OWNER_NAME,
  'management.cattle.io/project-scoped-secret-copy',
  'secret.user.cattle.io/secret',
];

/** The number of names that a message lists per kind. */
const MAX_NAMES = 3;

/**
 * Lists what is lost when a namespace is deleted: machines, data and backups of any origin, and
 * Secrets and workloads that no controller recreates. Kinds that the cluster does not serve are
 * skipped.
 */
export async function contentsOfNamespace(
  namespace: string,
  target: AssemblyTarget,
  cluster: Cluster,
  {
    isGoing = () => false,
    signal,
  }: { readonly isGoing?: IsGoing; readonly signal?: AbortSignal } = {},
): Promise<NamespaceContents> {
  const holders = searchedKinds(target.kind);
  const kinds = [...holders, SECRET, ...workloadKinds()];
  const lists = await Promise.all(
    kinds.map(async ([apiVersion, kind]) => {
      const objects = await cluster
        .list(apiVersion, kind, { namespace, signal })
        .catch(onFailure(['forbidden'], () => undefined));
      return { kind, objects: objects ?? [], forbidden: objects === undefined };
    }),
  );
  const claims = deletedClaims(lists.flatMap(({ objects }) => objects).filter(isGoing));
  const lost = lists
    .map(({ kind, objects }, index) => ({
      kind,
      objects: objects.filter(
        (live) =>
          !isGoing(live) &&
          !isClaimOf(live, claims) &&
          (index < holders.length || !isRecreated(live)),
      ),
    }))
    .filter(({ objects }) => objects.length > 0);
  return {
    text: lost.map(({ kind, objects }) => countText(kind, objects)).join(', '),
    passes: lost.every(({ objects }) =>
      objects.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    ),
    unseen: lists.filter(({ forbidden }) => forbidden).map(({ kind }) => kind),
  };
}

/** Whether a namespace may be deleted although this identity cannot list a kind in it. */
function mayBeUnseen(kind: string): boolean {
  return kind === SECRET[1];
}

function isRecreated({ type, metadata }: LiveObject): boolean {
  const { ownerReferences = [], annotations = {}, labels = {} } = metadata;
  return (
    ownerReferences.length > 0 ||
    MADE_SECRETS.includes(type) ||
    COPIED_SECRETS.some((key) => key in annotations || key in labels)
  );
}

/** The claims that Harvester deletes with their virtual machines: `<namespace>/<name>`. */
function deletedClaims(going: readonly LiveObject[]): ReadonlySet<string> {
  return new Set(
    going
      .filter(({ kind }) => kind === KIND_VIRTUAL_MACHINE)
      .flatMap(({ metadata }) => {
        const { namespace, annotations = {} } = metadata;
        return (annotations[ANNOTATION_REMOVED_CLAIMS] ?? '')
          .split(',')
          .map((name) => `${namespace ?? ''}/${name.trim()}`);
      }),
  );
}

function isClaimOf({ kind, metadata }: LiveObject, claims: ReadonlySet<string>): boolean {
  const { namespace, name } = metadata;
  return (
    (kind === 'PersistentVolumeClaim' || kind === 'DataVolume') &&
    claims.has(`${namespace ?? ''}/${name}`)
  );
}

function countText(
  kind: string,
  objects: readonly LiveObject[],
  nameOf = ({ metadata }: LiveObject): string => metadata.name,
): string {
  const names = objects.map(nameOf).sort(compare);
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return `${names.length} ${kind}${names.length === 1 ? '' : 's'} (${names.slice(0, MAX_NAMES).join(', ')}${more})`;
}

/** What uses an object and keeps it from being deleted. */
interface InUse {
  /** Undefined if nothing is known to use it. */
  readonly why?: string;
  /** Whether what uses it is already being deleted. */
  readonly passes?: boolean;
  /** What could not be checked but does not keep the object. */
  readonly notes?: readonly string[];
}

/** An object to delete. */
interface Deletion {
  readonly id: string;
  readonly live: LiveObject;
  readonly target: AssemblyTarget;
  readonly cluster: Cluster;
}

/** Objects with their targets. */
type Deleted = Iterable<readonly [target: string, ref: ObjectRef]>;

/**
 * Why an object must not be deleted: something on the live cluster still needs it. A plan and the
 * deletion itself ask this.
 *
 * @param deleted the objects that the run deletes: what is on a guest cluster among them is lost anyway
 */
export async function refusedDeletion(
  { id, live, target, cluster }: Deletion,
  deleted: Deleted,
  options: UseOptions,
): Promise<InUse | undefined> {
  if (goesWithGuest(target, deleted)) {
    return undefined;
  }
  const use = await inUse(live, target, cluster, options);
  const ways = `delete or move that first, keep this object with Retention.of(construct).retain(), or delete it anyway with --accept-in-use '${id}'`;
  return use?.why === undefined ? use : { ...use, why: `${use.why}. Fix: ${ways}` };
}

/** Whether a guest cluster is deleted as a whole. */
function goesWithGuest({ kind, properties }: AssemblyTarget, deleted: Deleted): boolean {
  const { provisioningCluster, rancher } = properties;
  return (
    kind === 'guest' &&
    [...deleted].some(
      ([target, ref]) =>
        (rancher ?? target) === target &&
        isProvisioningCluster(ref) &&
        `${ref.namespace ?? ''}/${ref.name}` === provisioningCluster,
    )
  );
}

interface UseOptions {
  /** Objects that the same run deletes: they no longer use anything. @default - none */
  readonly isGoing?: IsGoing;
  /** The field manager of the app of the run. @default - objects of all apps are those of others */
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

/** Reports what on the live cluster still needs an object. */
export async function inUse(
  live: LiveObject,
  target: AssemblyTarget,
  cluster: Cluster,
  options: UseOptions = {},
): Promise<InUse | undefined> {
  const group = groupOf(live.apiVersion);
  try {
    if (isProvisioningCluster(live) || isManagement(live, 'Cluster')) {
      return await managementClusterInUse(live, cluster, options);
    }
    const made =
      target.kind === 'rancher' ? kindOf<KindReferences>(live)?.makes?.(live) : undefined;
    if (made && !made.stays) {
      return await credentialInUse(made.manifest.metadata, cluster, options);
    }
    if (group !== '') {
      return undefined;
    }
    if (live.kind === 'Secret' && target.kind === 'rancher') {
      return await credentialInUse(live.metadata, cluster, options);
    }
    return live.kind === 'Namespace'
      ? await lostIn(live.metadata.name, target, cluster, options)
      : undefined;
  } catch (error) {
    if (!isFailure(error, 'forbidden')) {
      throw error;
    }
    return { passes: false, why: `cannot check whether it is in use: ${error.message}` };
  }
}

/**
 * What a cluster can no longer do without a Secret.
 *
 * @param uses the fields that name it
 * @see rancher/rancher:pkg/capr/planner/s3args.go getS3Credential
 */
function lostWithout(uses: readonly FieldPath[]): string {
  const isOnlyOfSnapshots = uses.every((path) => path.includes('s3'));
  return isOnlyOfSnapshots
    ? 'the cluster can neither be changed nor restored from its etcd snapshots in S3'
    : 'Rancher can neither create nor delete the machines';
}

async function credentialInUse(
  { namespace, name }: Manifest['metadata'],
  cluster: Cluster,
  { isGoing = () => false, signal }: UseOptions,
): Promise<InUse | undefined> {
  const names: readonly unknown[] = [`${namespace}:${name}`, `secret://${namespace}:${name}`];
  const usesOf = (user: LiveObject): FieldPath[] =>
    leavesOf(user.spec)
      .filter(({ leaf }) => names.includes(leaf))
      .map(({ path }) => path);
  const isUser = (user: LiveObject): boolean => usesOf(user).length > 0 && !isGoing(user);
  for (const [apiVersion, kind] of credentialUsers()) {
    const users = (await cluster.list(apiVersion, kind, { signal })).filter(isUser);
    const user = users.find(({ metadata }) => !metadata.deletionTimestamp) ?? users[0];
    if (user) {
      const passes = user.metadata.deletionTimestamp !== undefined;
      const going = passes ? ' and still exists' : '';
      return {
        passes,
        why: `${kind} ${printName(user.metadata)} uses it${going}: without it, ${lostWithout(usesOf(user))}`,
      };
    }
  }
  return undefined;
}

/**
 * If two Clusters share a management cluster, deleting one deletes it for both. Deleting an import
 * deletes the projects and bindings of others.
 */
async function managementClusterInUse(
  live: LiveObject,
  cluster: Cluster,
  { isGoing = () => false, fieldManager, signal }: UseOptions,
): Promise<InUse | undefined> {
  const other = isProvisioningCluster(live) ? await sharesWith(live, cluster, signal) : undefined;
  if (other) {
    return {
      passes: other.metadata.deletionTimestamp !== undefined,
      why: `shares its management cluster ${managementClusterIdOf(live)} with Cluster ${printName(other.metadata)}: deleting it deletes the projects, members and tokens of both`,
    };
  }
  const id = importedId(live);
  const tenants =
    id === undefined ? [] : await tenantsOfOthers(id, cluster, { fieldManager, isGoing, signal });
  if (tenants.length === 0) {
    return undefined;
  }
  const counts = [...grouped(tenants, ({ kind }) => kind)].map(([kind, each]) =>
    countText(kind, each, tenantText),
  );
  return {
    passes: tenants.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    why: `its management cluster ${id} contains ${counts.join(', ')} of others: Rancher deletes them with it`,
  };
}

/** The name of a project or binding, the one that people see, and the app that wrote it. */
function tenantText(tenant: LiveObject): string {
  const { name } = tenant.metadata;
  const shown = valueAt(tenant.spec, 'displayName');
  const title = typeof shown === 'string' && shown !== name ? JSON.stringify(shown) : '';
  return [name, title, ownerText(tenant)].filter((text) => text).join(' ');
}

async function lostIn(
  namespace: string,
  target: AssemblyTarget,
  cluster: Cluster,
  { isGoing, signal }: UseOptions,
): Promise<InUse | undefined> {
  const { text, passes, unseen } = await contentsOfNamespace(namespace, target, cluster, {
    isGoing,
    signal,
  });
  const blind = unseen.filter((kind) => !mayBeUnseen(kind));
  const unknown =
    blind.length > 0
      ? `may contain objects of kinds that this identity cannot list: ${blind.join(', ')}`
      : undefined;
  const notes = unseen
    .filter(mayBeUnseen)
    .map(
      (kind) =>
        `Namespace ${namespace} was not searched for ${kind}s: this identity cannot list them`,
    );
  if (text === '' && unknown === undefined) {
    return notes.length > 0 ? { notes } : undefined;
  }
  const known = text === '' ? '' : `contains ${text}, which would be lost with it`;
  return {
    notes,
    passes: passes && unknown === undefined,
    why: [known, unknown].filter((part) => part).join('; '),
  };
}

/** Reports what delays the deletion of an object. */
export function heldBy(live: LiveObject): string {
  const finalizers = live.metadata.finalizers ?? [];
  const hints = HINTS.filter(({ finalizer }) =>
    finalizers.some((each) => finalizer.test(each)),
  ).map(({ hint }) => hint);
  return [
    finalizers.length > 0
      ? `held by the finalizers ${finalizersText(live)}`
      : 'waits for its contents to be deleted',
    ...conditionsOf(live),
    ...hints,
  ].join('; ');
}

/**
 * Whether an object has a finalizer that holds permissions on another cluster: without it, no
 * one removes them.
 */
export function standsForAccess({ metadata }: LiveObject): boolean {
  const { finalizers = [] } = metadata;
  return finalizers.some((finalizer) => BOUND_IN_CLUSTER.test(finalizer));
}

/**
 * The finalizer of a binding whose RoleBindings are in a connected cluster. While the agent is gone,
 * the members keep their permissions there, and lose them once it is back: seen on Rancher 2.15.0.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/handler_base.go
 */
const BOUND_IN_CLUSTER = /^clusterscoped\.controller\.cattle\.io\//;

const RECONNECT =
  'Rancher removes it while the cluster is connected. Fix: reconnect the cluster and check its agent';

/** @see harvester/harvester issue 8321, rancher/rancher issues 36450 and 45163 */
const HINTS: readonly { readonly finalizer: RegExp; readonly hint: string }[] = [
  {
    // @see rancher/rancher:pkg/controllers/management/auth/globalroles/common.go; seen on 2.15.0
    finalizer: /^controller\.cattle\.io\/mgmt-auth-grb-controller$/,
    hint: 'its members may keep permissions in other clusters until then. Rancher cannot remove it while one of its clusters is being deleted. Fix: let that deletion end',
  },
  {
    finalizer: /^controller\.cattle\.io\/namespace-auth$/,
    hint: RECONNECT,
  },
  {
    finalizer: BOUND_IN_CLUSTER,
    hint: `its members keep their permissions on the cluster until then. ${RECONNECT}`,
  },
  {
    finalizer:
      /^wrangler\.cattle\.io\/(provisioning-cluster-remove|rke-cluster-remove|machine-provision-remove)|cluster\.x-k8s\.io$/,
    hint: 'Rancher is still deleting it. Fix: check its machines, if it has any, and whether its credential still works on the Harvester',
  },
];

const REMAINING_CONTENT = /ContentRemaining|FinalizersRemaining|Failure/;

/**
 * The conditions of a Namespace that report what is left in it.
 * @see kubernetes/kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go
 */
function conditionsOf(live: LiveObject): string[] {
  const conditions = valueAt(live, 'status', 'conditions');
  if (live.kind !== 'Namespace' || !Array.isArray(conditions)) {
    return [];
  }
  return conditions
    .filter(
      (condition) =>
        isRecord(condition) &&
        condition.status === 'True' &&
        REMAINING_CONTENT.test(String(condition.type)),
    )
    .map(({ message }) => String(message));
}
