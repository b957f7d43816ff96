import { InventoryEntry } from './inventory';
import { underFormerName } from './inventory-keeper';
import { hasLateName } from '../../core/late/late-token';
import { Manifest, objectId, refId } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';

/** An object of an inventory that the program no longer declares. */
export interface Leftover {
  readonly target: string;
  readonly entry: InventoryEntry;
  /** Undefined if it no longer exists. */
  readonly live?: LiveObject;
}

/**
 * The objects of inventories that the program no longer declares. It declares an object whose late name is known now under this name alone: the object with
 * the previous name is no longer declared.
 *
 * @param declared objects, with their manifests as far as late values are known
 */
export function undeclaredIn(
  formers: readonly Leftover[], declared: readonly { readonly object: AssemblyObject; readonly manifest: Manifest }[],
): Leftover[] {
  const named = new Set(declared.flatMap(({ object, manifest }) => (hasLateName(object) && !hasLateName(manifest.metadata) ? [object.id] : [])));
  const ids = new Set(declared.flatMap(({ object: { id, target }, manifest }) => [...(named.has(id) ? [] : [id]), objectId(target, manifest)]));
  return formers.filter(({ target, entry }) => !ids.has(entry.id) && !ids.has(refId(target, entry)))
    .map(({ target, entry }) => ({ target, entry: named.has(entry.id) ? underFormerName(entry) : entry }));
}
