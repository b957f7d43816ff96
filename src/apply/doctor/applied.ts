import { LiveObject } from '../cluster/cluster';
import { InventoryEntry } from '../plan/inventory-reader';
import { ownedBy } from '../plan/owned-fields';
import { App } from '../run/app';

/** Whether a live object was written by an app: it is the very one that its inventory remembers, or has fields of it. */
export function isApplied(live: LiveObject, entry: InventoryEntry | undefined, { fieldManager }: App): boolean {
  return entry?.uid === live.metadata.uid || ownedBy(live, fieldManager) !== undefined;
}

/** What is said of an object that is there without its app. */
export const NOT_APPLIED = 'not applied';
