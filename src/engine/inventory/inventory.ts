import { gunzipSync, gzipSync } from 'zlib';
import { APPLY_SET, App, TOOL, applySetId, contentsOf, isOurValue, memberSelector, missingMark } from './apply-set';
import { Inventory, InventoryEntry, InventoryReader, KnownTarget } from './inventory-reader';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { ListedObjects } from '../cluster/listed-objects';
import { ownedBy } from '../fields/owned-fields';
import { readDigestKey, removeDigestKey } from '../secret/digest';
import { ApiError } from '../transport/api';
import { inParallel } from '../transport/pace';

/** What an inventory holds. */
export interface InventoryContent {
  readonly entries: readonly InventoryEntry[];
  /** The uids of kube-system of all targets, as runs saw them: a target that is bound to another cluster than before is noticed. */
  readonly clusterUids: { readonly [target: string]: string };
  /** The targets that the app had, so that one which is no longer in the program is noticed. */
  readonly targets?: { readonly [target: string]: KnownTarget };
  /** The uid of the ConfigMap of an earlier version that this one replaces and that is still to be deleted. */
  readonly replaces?: string;
}

/** The key of the list below `binaryData`. */
export const INVENTORY_KEY = 'inventory';

/** Changes when a reader of the former version would misunderstand it: 2 lies in another namespace, and its digests have a key. */
const SCHEMA = 2;

/** What an inventory in the former place has. */
export const FORMER_SCHEMA = 1;

/** What a ConfigMap holds at most, less what the rest of it takes. @see kubernetes/kubernetes:pkg/apis/core/validation MaxSecretSize */
const MAX_BYTES = 1_000_000;

/** Far more than a list of that size can hold; what is larger was not written by us. */
const MAX_UNPACKED = 64_000_000;

/** The content as a ConfigMap keeps it. Digests that have no key are left out: a weak secret could be guessed from them. */
export function packed({ entries, clusterUids, targets, replaces }: InventoryContent, app: App): string {
  const stored = [...entries].sort((a, b) => compare(a.id, b.id)).map(({ written, ...entry }) => (
    written?.key === undefined ? entry : { ...entry, written: written.digest }));
  const content = { schema: SCHEMA, app: app.id, clusterUids, targets, replaces, entries: stored };
  const text = gzipSync(JSON.stringify(content)).toString('base64');
  if (text.length > MAX_BYTES) {
    throw new Error(`the inventory of ${entries.length} objects is larger than a ConfigMap may be; split the program in two, each with its own --app`);
  }
  return text;
}

/** The content of a ConfigMap; digests are without their key. */
export function unpacked(live: LiveObject, place: string, expected = SCHEMA): InventoryContent {
  let content: unknown;
  try {
    content = JSON.parse(gunzipSync(Buffer.from(String(valueAt(live, 'binaryData', INVENTORY_KEY) ?? ''), 'base64'), { maxOutputLength: MAX_UNPACKED }).toString('utf8'));
  } catch {
    throw new Error(`${place}: its list cannot be read, someone changed it. Fix: restore it, or delete the ConfigMap; then nothing that was applied before is pruned`);
  }
  const { schema, entries, clusterUids, targets, replaces } = isRecord(content) ? content : {};
  if (schema !== expected) {
    throw new Error(`${place}: got schema ${String(schema)}, expected ${expected}: it was written by another version of cdk8s-harvester. Fix: use that version, or a newer one`);
  }
  if (!Array.isArray(entries) || !entries.every(isStored)) { throw new Error(`${place}: its list is damaged. Fix: restore it, or delete the ConfigMap`); }
  return {
    entries: entries.map(({ written, ...entry }) => (typeof written === 'string' ? { ...entry, written: { digest: written } } : entry)),
    clusterUids: isRecord(clusterUids) ? clusterUids as InventoryContent['clusterUids'] : {},
    ...(isRecord(targets) ? { targets: targets as InventoryContent['targets'] } : {}),
    ...(typeof replaces === 'string' ? { replaces } : {}),
  };
}

type StoredEntry = Omit<InventoryEntry, 'written'> & { readonly written?: unknown };

function isStored(value: unknown): value is StoredEntry {
  return isRecord(value) && [value.id, value.apiVersion, value.kind, value.name].every((text) => typeof text === 'string')
    && ['delete', 'reset', 'keep'].includes(value.policy as string);
}

const CONCURRENCY = 8;

/** Where earlier versions kept the inventory of an app. */
export function formerParentOf({ formerParent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...formerParent };
}

export interface FormerInventory extends InventoryContent {
  /** Of the ConfigMap. */
  readonly uid: string;
}

export interface FormerOptions {
  readonly labelSelector: string;
  readonly signal?: AbortSignal;
  /** Called with why it cannot be used. */
  readonly onWarning?: (message: string) => void;
}

/**
 * The inventory where earlier versions kept it: in a namespace that tenants of a Harvester may write to. So it is a hint: of its entries those are left whose
 * live objects carry the marks of the app, and one that cannot be read counts for none.
 */
export async function readFormerInventory(
  cluster: Cluster, app: App, { labelSelector, signal, onWarning }: FormerOptions,
): Promise<FormerInventory | undefined> {
  const place = `ConfigMap ${app.formerParent.namespace}/${app.formerParent.name}, where earlier versions kept the inventory`;
  try {
    const live = await cluster.read(formerParentOf(app), { signal });
    if (!live || ownedBy(live, app.fieldManager) === undefined) { return undefined; }
    const content = unpacked(live, place, FORMER_SCHEMA);
    return { ...content, uid: live.metadata.uid, entries: await marked(cluster, app, content.entries, labelSelector, signal) };
  } catch (error) {
    if (error instanceof ApiError && error.failure !== 'forbidden') { throw error; }
    onWarning?.(error instanceof ApiError ? `${place}, cannot be read: ${error.message}` : `${(error as Error).message}; it is ignored`);
    return undefined;
  }
}

async function marked(
  cluster: Cluster, { fieldManager }: App, entries: readonly InventoryEntry[], labelSelector: string, signal?: AbortSignal,
): Promise<InventoryEntry[]> {
  const listed = new ListedObjects(cluster, labelSelector, entries.filter(({ uid, policy }) => uid !== undefined && policy === 'delete'));
  const found = await inParallel(entries, () => '', CONCURRENCY, async (entry) => readable(listed, entry, signal), signal);
  return entries.filter((entry, index) => {
    const live = found[index];
    return live !== undefined && (entry.uid === undefined || entry.uid === live.metadata.uid) && carriesMarks(entry, live, fieldManager);
  });
}

// what this identity may not even read it does not delete either
async function readable(listed: ListedObjects, entry: InventoryEntry, signal?: AbortSignal): Promise<LiveObject | undefined> {
  try {
    return await listed.read(entry, { signal });
  } catch (error) {
    if (error instanceof ApiError && ['forbidden', 'invalid'].includes(error.failure)) { return undefined; }
    throw error;
  }
}

function carriesMarks({ policy, written }: InventoryEntry, live: LiveObject, fieldManager: string): boolean {
  switch (policy) {
    case 'delete': return missingMark(live, fieldManager) === undefined;
    // a controller took the value over; what was written last is compared with the program and with nothing else
    case 'reset': return isOurValue(live, fieldManager) || written !== undefined;
    case 'keep': return ownedBy(live, fieldManager) !== undefined;
  }
}

/** The inventory of one app on one cluster, as it stands there. */
export interface StoredInventory extends InventoryContent, Pick<Inventory, 'labelSelector'> {
  /** Of the ConfigMap; undefined where there is only the one of an earlier version. */
  readonly uid?: string;
  /** The key of its digests; undefined where there is none. */
  readonly digestKey?: string;
}

/** Where the inventory of an app is on a cluster. */
export function parentOf({ parent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...parent };
}

/**
 * What an app has on a cluster; undefined where it was never applied there. Throws where the ConfigMap is not one of ours.
 *
 * @param onWarning called with why the inventory of an earlier version cannot be used
 */
export async function readInventory(
  cluster: Cluster, app: App, signal?: AbortSignal, onWarning?: (message: string) => void,
): Promise<StoredInventory | undefined> {
  const labelSelector = memberSelector(app);
  const live = await cluster.read(parentOf(app), { signal });
  if (!live) {
    const former = await readFormerInventory(cluster, app, { labelSelector, signal, onWarning });
    if (!former) { return undefined; }
    const { uid: replaces, entries, clusterUids } = former;
    return { entries, clusterUids, replaces, labelSelector };
  }
  const place = `ConfigMap ${app.parent.namespace}/${app.parent.name}`;
  checkParent(live, app, place);
  const content = unpacked(live, place);
  const digestKey = content.entries.some(({ written }) => written) ? await readDigestKey(cluster, app, signal) : undefined;
  return {
    ...content,
    entries: content.entries.map((entry) => withKey(entry, digestKey)),
    uid: live.metadata.uid,
    labelSelector,
    ...(digestKey === undefined ? {} : { digestKey }),
  };
}

/** Reads inventories for a plan. */
export function inventoryReader(app: App): InventoryReader {
  return async (cluster: Cluster, target: AssemblyTarget, signal?: AbortSignal) => {
    const stored = await readInventory(cluster, app, signal);
    return stored && withTrustedUids(stored, target);
  };
}

/** Without the uids of clusters where a tenant may have written them: the inventory of an earlier version on another cluster than the Rancher. */
export function withTrustedUids(stored: StoredInventory, { kind }: Pick<AssemblyTarget, 'kind'>): StoredInventory {
  return stored.uid === undefined && kind !== 'rancher' ? { ...stored, clusterUids: {} } : stored;
}

/**
 * Writes it. Every object must stand in it before it is written itself, so that nothing is ever on a cluster that no inventory knows.
 */
export async function writeInventory(cluster: Cluster, app: App, content: InventoryContent, version: string, signal?: AbortSignal): Promise<void> {
  const { kinds, namespaces } = contentsOf(content.entries.filter(({ policy }) => policy === 'delete'), app);
  const { apiVersion, kind, namespace, name } = parentOf(app);
  const manifest: Manifest = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [APPLY_SET.ID]: applySetId(app) },
      annotations: { [APPLY_SET.TOOLING]: `${TOOL}/${version}`, [APPLY_SET.KINDS]: kinds, [APPLY_SET.NAMESPACES]: namespaces },
    },
    binaryData: { [INVENTORY_KEY]: packed(content, app) },
  };
  // it is ours alone
  await cluster.apply(manifest, { fieldManager: app.fieldManager, force: true, signal });
}

/** Deletes the inventory, and the key of its digests. */
export async function removeInventory(cluster: Cluster, app: App, signal?: AbortSignal): Promise<void> {
  await removeDigestKey(cluster, app, signal);
  const live = await cluster.read(parentOf(app), { signal });
  if (live) { await cluster.delete(parentOf(app), live.metadata.uid, { signal }); }
}

/** Deletes the inventory of an earlier version, where it is still the one that was read. */
export async function removeFormerInventory(cluster: Cluster, app: App, uid: string, signal?: AbortSignal): Promise<void> {
  try {
    await cluster.delete(formerParentOf(app), uid, { signal });
  } catch (error) {
    // another one has its name by now, which is not ours
    if (!(error instanceof ApiError) || error.failure !== 'precondition') { throw error; }
  }
}

/** A digest without its key tells nothing. */
function withKey({ written, ...entry }: InventoryEntry, key: string | undefined): InventoryEntry {
  return written && key !== undefined ? { ...entry, written: { ...written, key } } : entry;
}

function checkParent({ metadata: { labels = {}, annotations = {} } }: LiveObject, app: App, place: string): void {
  const tooling = annotations[APPLY_SET.TOOLING];
  if (tooling === undefined) { throw new Error(`${place}: is not an inventory, it has no annotation ${APPLY_SET.TOOLING}. Fix: give another --app, or delete it`); }
  const tool = tooling.slice(0, Math.max(0, tooling.lastIndexOf('/'))) || tooling;
  if (tool !== TOOL) { throw new Error(`${place}: ApplySet parent object already exists and is managed by tooling ${JSON.stringify(tool)} instead of ${JSON.stringify(TOOL)}. Fix: give another --app`); }
  if (labels[APPLY_SET.ID] !== applySetId(app)) {
    throw new Error(`${place}: its label ${APPLY_SET.ID} is not the one of its name, so it was copied or changed. Fix: correct it to ${applySetId(app)}`);
  }
}
