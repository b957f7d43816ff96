import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { groupOf } from '../../core/manifest/manifest';
import { LiveObject, ObjectRef } from '../cluster/cluster';

/** An object that a run deletes. */
export interface DeletedObject {
  readonly target: string;
  readonly entry: ObjectRef & { readonly id: string; readonly uid?: string };
}

/**
 * The objects of a run that own an object, if the garbage collector deletes it with them: it waits
 * until the last owner is gone. It knows owners by their UIDs, and one with a namespace only in
 * that namespace. Undefined if an owner remains, or if the object has none.
 *
 * @param deleted the objects that the run deletes
 * @see kubernetes/kubernetes:pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem
 */
export function ownersAmong<T extends DeletedObject>(
  live: LiveObject,
  target: string,
  deleted: readonly T[],
): readonly T[] | undefined {
  const { namespace, ownerReferences = [] } = live.metadata;
  const owners = ownerReferences.map(({ apiVersion, kind, name, uid }) =>
    deleted.find(
      ({ target: on, entry }) =>
        on === target &&
        entry.uid !== undefined &&
        entry.uid === uid &&
        entry.kind === kind &&
        entry.name === name &&
        groupOf(entry.apiVersion) === groupOf(String(apiVersion)) &&
        (entry.namespace === undefined || entry.namespace === namespace),
    ),
  );
  return owners.length > 0 && owners.every((owner) => owner !== undefined)
    ? (owners as T[])
    : undefined;
}

/** Why a server refuses to delete an object while its owner exists; undefined for all others. */
export function refusedWhileOwned(live: LiveObject): string | undefined {
  const row = kindOf<KindRemoval>(live)?.refusedWhileOwned;
  const owner = row && live.metadata.ownerReferences?.find(({ kind }) => kind === row.owner);
  return (
    owner &&
    `is deleted with ${String(owner.kind)} ${String(owner.name)}, which owns it: ${row.says}`
  );
}
