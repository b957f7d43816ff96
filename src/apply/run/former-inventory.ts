import { App } from './app';
import { FORMER_SCHEMA, InventoryContent, unpacked } from './inventory-format';
import { isOurValue, missingMark } from './marks';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { ListedObjects } from '../cluster/listed-objects';
import { inParallel } from '../plan/in-parallel';
import { InventoryEntry } from '../plan/inventory-reader';
import { ownedBy } from '../plan/owned-fields';
import { ApiError } from '../transport/api';

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
