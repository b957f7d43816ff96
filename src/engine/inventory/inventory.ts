import { gunzipSync, gzipSync } from 'zlib';
import { hasLateName } from '../../core/late/late-token';
import { isRecord, Manifest, objectId, refId, valueAt } from '../../core/manifest/manifest';
import { AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { Cluster, ListedObjects, LiveObject, ObjectRef } from '../cluster/cluster';
import {
  App,
  APPLY_SET,
  applySetId,
  contentsOf,
  isOurValue,
  memberSelector,
  missingMark,
  TOOL,
} from '../fields/apply-set';
import { ownedBy } from '../fields/managed-fields';
import { LateDigests, readDigestKey, removeDigestKey, Written } from '../secret/digest';
import { ApiError, onFailure } from '../transport/api';
import { Clock, inParallel } from '../transport/pace';

/** The UIDs of Secrets that others wrote and that the user accepted, by the ID of the Secret. */
export type AcceptedSecrets = { readonly [id: string]: string };

/** The content of an inventory. */
export interface InventoryContent {
  readonly entries: readonly InventoryEntry[];
  /**
   * The UIDs of kube-system of all targets, as seen by runs: they show a target that is bound to
   * another cluster than before.
   */
  readonly clusterUids: { readonly [target: string]: string };
  /** The targets of earlier runs: they show a target that the program no longer declares. */
  readonly targets?: { readonly [target: string]: KnownTarget };
  /**
   * Digests of the secret late values that were read from this cluster, with the key of digests, by
   * ID: they show a value that someone replaced.
   */
  readonly late?: LateDigests;
  /** The Secrets of others that the program may use. */
  readonly secrets?: AcceptedSecrets;
  /** The UID of an earlier version's ConfigMap that must still be deleted. */
  readonly replaces?: string;
}

/** The key of the list in `binaryData`. */
const INVENTORY_KEY = 'inventory';

/**
 * Schema version: changes when earlier readers would misread it. Version 2 is in another namespace,
 * and its digests have a key.
 */
const SCHEMA = 2;

/** Schema version of an inventory in its previous namespace. */
export const FORMER_SCHEMA = 1;

/**
 * Size limit of a ConfigMap, less its other content.
 * @see kubernetes/kubernetes:pkg/apis/core/validation MaxSecretSize
 */
const MAX_BYTES = 1_000_000;

/** Far more than a list of that size can contain: larger content has another origin. */
const MAX_UNPACKED = 64_000_000;

/**
 * The content for a ConfigMap. Digests without a key are left out: weak secrets could be guessed
 * from them.
 */
function packed(
  { entries, clusterUids, targets, late, secrets, replaces }: InventoryContent,
  app: App,
): string {
  const stored = [...entries]
    .sort((a, b) => compare(a.id, b.id))
    .map(({ written, ...entry }) =>
      written?.key === undefined ? entry : { ...entry, written: written.digest },
    );
  const content = {
    schema: SCHEMA,
    app: app.id,
    clusterUids,
    targets,
    late,
    secrets,
    replaces,
    entries: stored,
  };
  const text = gzipSync(JSON.stringify(content)).toString('base64');
  if (text.length > MAX_BYTES) {
    throw new Error(
      `the inventory of ${entries.length} objects exceeds the size of a ConfigMap. Fix: split the program in two, each with its own --app`,
    );
  }
  return text;
}

/** The content of a ConfigMap; digests are without their key. */
function unpacked(live: LiveObject, place: string, expected = SCHEMA): InventoryContent {
  let content: unknown;
  try {
    content = JSON.parse(
      gunzipSync(Buffer.from(String(valueAt(live, 'binaryData', INVENTORY_KEY) ?? ''), 'base64'), {
        maxOutputLength: MAX_UNPACKED,
      }).toString('utf8'),
    );
  } catch {
    throw new Error(
      `${place}: its list is damaged. Fix: restore it, or delete the ConfigMap; then previously applied objects are not pruned`,
    );
  }
  const { schema, entries, clusterUids, targets, late, secrets, replaces } = isRecord(content)
    ? content
    : {};
  if (schema !== expected) {
    throw new Error(
      `${place}: schema must be ${expected}, got ${String(schema)}, of another version of cdk8s-harvester. Fix: use that version, or a newer one`,
    );
  }
  if (!Array.isArray(entries) || !entries.every(isStored)) {
    throw new Error(`${place}: its list is damaged. Fix: restore it, or delete the ConfigMap`);
  }
  return {
    entries: entries.map(({ written, ...entry }) =>
      typeof written === 'string' ? { ...entry, written: { digest: written } } : entry,
    ),
    clusterUids: isRecord(clusterUids) ? (clusterUids as InventoryContent['clusterUids']) : {},
    ...(isRecord(targets) ? { targets: targets as InventoryContent['targets'] } : {}),
    ...(isRecord(late) ? { late: late as LateDigests } : {}),
    ...(isRecord(secrets) ? { secrets: secrets as AcceptedSecrets } : {}),
    ...(typeof replaces === 'string' ? { replaces } : {}),
  };
}

type StoredEntry = Omit<InventoryEntry, 'written'> & { readonly written?: unknown };

function isStored(value: unknown): value is StoredEntry {
  return (
    isRecord(value) &&
    [value.id, value.apiVersion, value.kind, value.name].every(
      (text) => typeof text === 'string',
    ) &&
    ['delete', 'reset', 'keep'].includes(value.policy as string)
  );
}

const CONCURRENCY = 8;

/** The inventory of earlier versions. */
export function formerParentOf({ formerParent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...formerParent };
}

/** How an inventory is read. */
export interface InventoryOptions {
  /** The target that the inventory is on. @default - one on which others may write to `default` */
  readonly target?: Pick<AssemblyTarget, 'name' | 'kind'>;
  /**
   * Targets whose inventory of an earlier version is read although others may write it
   * (`--former-inventory`).
   * @default - none
   */
  readonly formerInventory?: readonly string[];
  readonly signal?: AbortSignal;
  /** Receives the reason why the inventory of an earlier version is not used. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Whether only administrators write to `default`, where earlier versions kept the inventory: on
 * Rancher, no role of users reaches it.
 */
function isTrusted({ target, formerInventory = [] }: InventoryOptions): boolean {
  return (
    target !== undefined && (target.kind === 'rancher' || formerInventory.includes(target.name))
  );
}

/**
 * Reads the inventory of earlier versions, which is in a namespace that tenants of a Harvester may
 * write to. So it is used only where administrators alone write, or on request; only entries whose
 * live objects have the marks of the app are used, and an unreadable inventory is ignored.
 */
async function readFormerInventory(
  cluster: Cluster,
  app: App,
  labelSelector: string,
  { signal, onWarning, ...options }: InventoryOptions,
): Promise<(InventoryContent & { readonly uid: string }) | undefined> {
  const place = `ConfigMap ${app.formerParent.namespace}/${app.formerParent.name}, where earlier versions kept the inventory`;
  try {
    const live = await cluster.read(formerParentOf(app), { signal });
    if (!live || ownedBy(live, app.fieldManager) === undefined) {
      return undefined;
    }
    if (!isTrusted(options)) {
      const name = options.target?.name ?? '<target>';
      onWarning?.(
        `${place}, is not read: tenants may write there. Fix: if an earlier version applied to ${name}, check the list and set --former-inventory ${name}, once; ` +
          'otherwise delete the ConfigMap',
      );
      return undefined;
    }
    const content = unpacked(live, place, FORMER_SCHEMA);
    return {
      ...content,
      uid: live.metadata.uid,
      entries: await marked(cluster, app, content.entries, labelSelector, signal),
    };
  } catch (error) {
    if (error instanceof ApiError && error.failure !== 'forbidden') {
      throw error;
    }
    onWarning?.(
      error instanceof ApiError
        ? `${place}, cannot be read: ${error.message}`
        : `${(error as Error).message}; it is ignored`,
    );
    return undefined;
  }
}

async function marked(
  cluster: Cluster,
  { fieldManager }: App,
  entries: readonly InventoryEntry[],
  labelSelector: string,
  signal?: AbortSignal,
): Promise<InventoryEntry[]> {
  const listed = listedObjects(cluster, { entries, labelSelector });
  const found = await inParallel(
    entries,
    () => '',
    CONCURRENCY,
    async (entry) =>
      // this identity cannot delete what it cannot read
      listed.read(entry, { signal }).catch(onFailure(['forbidden', 'invalid'], () => undefined)),
    signal,
  );
  return entries.filter((entry, index) => {
    const live = found[index];
    return (
      live !== undefined &&
      (entry.uid === undefined || entry.uid === live.metadata.uid) &&
      carriesMarks(entry, live, fieldManager)
    );
  });
}

function carriesMarks(
  { policy, written }: InventoryEntry,
  live: LiveObject,
  fieldManager: string,
): boolean {
  switch (policy) {
    case 'delete':
      return missingMark(live, fieldManager) === undefined;
    // a controller may own the value now, but not the other fields of the app
    case 'reset':
      return (
        isOurValue(live, fieldManager) ||
        (written !== undefined && ownedBy(live, fieldManager) !== undefined)
      );
    case 'keep':
      return ownedBy(live, fieldManager) !== undefined;
  }
}

/** The inventory of an app on one cluster as it is stored. */
export interface StoredInventory
  extends InventoryContent, Pick<Inventory, 'labelSelector' | 'digestKey'> {
  /** The UID of the ConfigMap; undefined if there is only one of an earlier version. */
  readonly uid?: string;
}

/** The ConfigMap of an app's inventory. */
export function parentOf({ parent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...parent };
}

/**
 * Reads the inventory of an app; undefined if it was never applied to the cluster. Throws if the
 * ConfigMap belongs to another tool.
 */
export async function readInventory(
  cluster: Cluster,
  app: App,
  options: InventoryOptions = {},
): Promise<StoredInventory | undefined> {
  const labelSelector = memberSelector(app);
  const { signal } = options;
  const live = await cluster.read(parentOf(app), { signal });
  if (!live) {
    const former = await readFormerInventory(cluster, app, labelSelector, options);
    if (!former) {
      return undefined;
    }
    const { uid: replaces, entries, clusterUids } = former;
    return { entries, clusterUids, replaces, labelSelector };
  }
  const place = `ConfigMap ${app.parent.namespace}/${app.parent.name}`;
  checkParent(live, app, place);
  const content = unpacked(live, place);
  const hasDigests = content.late !== undefined || content.entries.some(({ written }) => written);
  const digestKey = hasDigests ? await readDigestKey(cluster, app, signal) : undefined;
  return {
    ...content,
    entries: content.entries.map((entry) => withKey(entry, digestKey)),
    uid: live.metadata.uid,
    labelSelector,
    ...(digestKey === undefined ? {} : { digestKey }),
  };
}

interface ReaderOptions extends Pick<InventoryOptions, 'formerInventory'> {
  readonly onWarning?: (target: string, message: string) => void;
}

/** Reads inventories for a plan. */
export function inventoryReader(
  app: App,
  { formerInventory, onWarning }: ReaderOptions = {},
): InventoryReader {
  return async (cluster: Cluster, target: AssemblyTarget, signal?: AbortSignal) => {
    const stored = await readInventory(cluster, app, {
      target,
      formerInventory,
      signal,
      onWarning: (message) => onWarning?.(target.name, message),
    });
    return stored && withTrustedUids(stored, target);
  };
}

/**
 * Drops UIDs of clusters that a tenant may have written: of an earlier version's inventory on
 * another cluster than Rancher's.
 */
export function withTrustedUids(
  stored: StoredInventory,
  { kind }: Pick<AssemblyTarget, 'kind'>,
): StoredInventory {
  return stored.uid === undefined && kind !== 'rancher' ? { ...stored, clusterUids: {} } : stored;
}

/**
 * Writes the inventory. Each object must be in it before the object is written, so that the
 * inventory always contains all live objects.
 */
export async function writeInventory(
  cluster: Cluster,
  app: App,
  content: InventoryContent,
  version: string,
  signal?: AbortSignal,
): Promise<void> {
  const { kinds, namespaces } = contentsOf(
    content.entries.filter(({ policy }) => policy === 'delete'),
    app,
  );
  const { apiVersion, kind, namespace, name } = parentOf(app);
  const manifest: Manifest = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [APPLY_SET.ID]: applySetId(app) },
      annotations: {
        [APPLY_SET.TOOLING]: `${TOOL}/${version}`,
        [APPLY_SET.KINDS]: kinds,
        [APPLY_SET.NAMESPACES]: namespaces,
      },
    },
    binaryData: { [INVENTORY_KEY]: packed(content, app) },
  };
  // no one else writes it
  await cluster.apply(manifest, { fieldManager: app.fieldManager, force: true, signal });
}

/** Deletes the inventory, and the key of its digests. */
export async function removeInventory(
  cluster: Cluster,
  app: App,
  signal?: AbortSignal,
): Promise<void> {
  await removeDigestKey(cluster, app, signal);
  const live = await cluster.read(parentOf(app), { signal });
  if (live) {
    await cluster.delete(parentOf(app), live.metadata.uid, { signal });
  }
}

/** Deletes the inventory of an earlier version if it is still the one that was read. */
export async function removeFormerInventory(
  cluster: Cluster,
  app: App,
  uid: string,
  signal?: AbortSignal,
): Promise<void> {
  // one that was recreated belongs to another program
  await cluster
    .delete(formerParentOf(app), uid, { signal })
    .catch(onFailure(['precondition'], () => undefined));
}

/** Digests without their key are useless. */
function withKey({ written, ...entry }: InventoryEntry, key: string | undefined): InventoryEntry {
  return written && key !== undefined ? { ...entry, written: { ...written, key } } : entry;
}

function checkParent({ metadata }: LiveObject, app: App, place: string): void {
  const { labels = {}, annotations = {} } = metadata;
  const tooling = annotations[APPLY_SET.TOOLING];
  if (tooling === undefined) {
    throw new Error(
      `${place}: is not an inventory, it has no annotation ${APPLY_SET.TOOLING}. Fix: set another --app, or delete it`,
    );
  }
  const tool = tooling.slice(0, Math.max(0, tooling.lastIndexOf('/'))) || tooling;
  if (tool !== TOOL) {
    throw new Error(
      `${place}: ApplySet parent object already exists and is managed by tooling ${JSON.stringify(tool)} instead of ${JSON.stringify(TOOL)}. Fix: set another --app`,
    );
  }
  if (labels[APPLY_SET.ID] !== applySetId(app)) {
    throw new Error(
      `${place}: label ${APPLY_SET.ID} must be ${applySetId(app)}: the ConfigMap was copied or changed. Fix: correct the label`,
    );
  }
}

/** An object that earlier applies of the app wrote to a cluster. */
export interface InventoryEntry extends ObjectRef {
  /** The ID of the object in the assembly. */
  readonly id: string;
  /** The UID of the written object; undefined if it was only about to be written. */
  readonly uid?: string;
  /** The deletion policy when it was written. */
  readonly policy: 'delete' | 'reset' | 'keep';
  /** The reason for the policy. */
  readonly reason?: string;
  readonly construct?: string;
  /**
   * Digest of the last write: distinguishes edits of the program from edits on the cluster in
   * fields that others rewrite.
   */
  readonly written?: Written;
}

/** What earlier runs recorded of a target. */
export interface KnownTarget {
  readonly kind: AssemblyTarget['kind'];
  /** The declared version. */
  readonly version: string;
  /** IDs of the Clusters on Rancher that import a Harvester. */
  readonly imports?: readonly string[];
  /**
   * IDs of the objects on other targets that are deleted with a Harvester: its import, and what
   * needs it.
   */
  readonly parts?: readonly string[];
}

/** The inventory of an app on one cluster. */
export interface Inventory extends Partial<Omit<InventoryContent, 'entries' | 'replaces'>> {
  readonly entries: readonly InventoryEntry[];
  /** Selects the objects of the app by their label. */
  readonly labelSelector: string;
  /** The key of its digests; undefined if there is none. */
  readonly digestKey?: string;
}

/** A cluster that reads objects of the inventory by lists. */
export function listedObjects(
  cluster: Cluster,
  { entries, labelSelector }: Inventory,
  clock?: Clock,
): ListedObjects {
  // only members have the label
  return new ListedObjects(
    cluster,
    labelSelector,
    entries.filter(({ uid, policy }) => uid !== undefined && policy === 'delete'),
    clock,
  );
}

/**
 * Reads the inventory of an app on a cluster; undefined if it was never applied there. Throws if
 * the ConfigMap belongs to another tool.
 */
export type InventoryReader = (
  cluster: Cluster,
  target: AssemblyTarget,
  signal?: AbortSignal,
) => Promise<Inventory | undefined>;

/** An object of an inventory that the program no longer declares. */
export interface Leftover {
  readonly target: string;
  readonly entry: InventoryEntry;
  /** Undefined if it no longer exists. */
  readonly live?: LiveObject;
}

/** The entry of an object whose late name is another one now: it is no longer declared. */
export function underFormerName(entry: InventoryEntry): InventoryEntry {
  return { ...entry, id: `${entry.id} (${entry.namespace ?? ''}/${entry.name})` };
}

/**
 * The objects of inventories that the program no longer declares. It declares an object whose late
 * name is known now under this name alone: the object with the previous name is no longer declared.
 *
 * @param declared objects, with their manifests as far as late values are known
 */
export function undeclaredIn(
  formers: readonly Leftover[],
  declared: readonly { readonly object: AssemblyObject; readonly manifest: Manifest }[],
): Leftover[] {
  const named = new Set(
    declared.flatMap(({ object, manifest }) =>
      hasLateName(object) && !hasLateName(manifest.metadata) ? [object.id] : [],
    ),
  );
  const ids = new Set(
    declared.flatMap(({ object, manifest }) => [
      ...(named.has(object.id) ? [] : [object.id]),
      objectId(object.target, manifest),
    ]),
  );
  return formers
    .filter(({ target, entry }) => !ids.has(entry.id) && !ids.has(refId(target, entry)))
    .map(({ target, entry }) => ({
      target,
      entry: named.has(entry.id) ? underFormerName(entry) : entry,
    }));
}
