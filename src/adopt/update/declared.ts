import { FoundObject } from '../../core/draft/draft';
import { FoundCluster } from '../../core/draft/inverse';
import { isLate, mayBecome } from '../../core/late/late-token';
import { groupOf, idOf, kindKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyKnownObject } from '../../core/output/assembly';
import { InventoryEntry } from '../../engine/inventory/inventory';
import { foundId } from '../evaluate/statements';

/** An object that the inventory of an app lists. */
export interface Listed {
  readonly app: string;
  /** The target whose cluster the inventory is on, as this program names it. */
  readonly target: string;
  readonly entry: InventoryEntry;
}

/** The objects of a program among those that were found, by `foundId`. */
export function declaredIn(
  { objects, known = [] }: Assembly, clusters: readonly FoundCluster[], own: readonly Listed[],
): ReadonlyMap<string, string> {
  const found = clusters.flatMap((cluster) => cluster.objects);
  const written = new Map(own.map((each) => [each.entry.id, idOfListed(each)]));
  const declared = new Map<string, string>();
  for (const object of known) { for (const id of idsOf(object, found)) { declared.set(id, REFERRED); } }
  for (const object of objects) {
    const id = written.get(object.id);
    const ids = id === undefined ? idsOf(object, found) : [id];
    for (const each of ids) { declared.set(each, DECLARED); }
  }
  return declared;
}

/** The ID of a listed object on all targets. */
export function idOfListed({ target, entry: { apiVersion, kind, namespace, name } }: Listed): string {
  return idOf(target, groupOf(apiVersion), kind, namespace, name);
}

/** Why objects are left out that the program contains. */
const DECLARED = 'is declared by the program';
const REFERRED = 'the program refers to it as an existing object';

/** The live objects that an object of a program may be: one, unless only clusters know its name. */
function idsOf({ target, apiVersion, kind, namespace, name }: AssemblyKnownObject, found: readonly FoundObject[]): readonly string[] {
  const group = groupOf(apiVersion);
  // a manifest without a namespace is in default if its kind has namespaces
  if (!isLate(name) && !isLate(namespace)) {
    return [namespace, namespace ?? 'default'].map((each) => idOf(target, group, kind, each, name));
  }
  return found.filter((object) => {
    const { metadata } = object.manifest;
    return object.target === target && kindKey(groupOf(object.manifest.apiVersion), object.manifest.kind) === kindKey(group, kind)
      && mayBecome(name, metadata.name) && mayBecome(namespace ?? '', metadata.namespace ?? '');
  }).map(foundId);
}
