import { App } from './app';
import { APPLY_SET, applySetId, contentsOf, memberSelector, TOOL } from './apply-set';
import { readDigestKey, removeDigestKey } from './digest-key';
import { formerParentOf, readFormerInventory } from './former-inventory';
import { INVENTORY_KEY, InventoryContent, packed, unpacked } from './inventory-format';
import { AssemblyTarget } from '../../model/assembly';
import { Manifest } from '../../model/manifest';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { Inventory, InventoryEntry, InventoryReader } from '../plan/inventory-reader';
import { ApiError } from '../transport/api';

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
