import { holdingOf, lostWith } from '../../core/kind/retention';
import { acceptedRemoval } from '../../core/leaving/removal-pattern';
import {
  Manifest,
  groupOf,
  kindKey,
  objectLabel,
  printName,
  valueAt,
} from '../../core/manifest/manifest';
import { AssemblyObject, AssemblyRemoval } from '../../core/output/assembly';
import { grouped } from '../../core/text/values';
import { isManagement } from '../graph/object-index';
import { InventoryEntry, Leftover } from '../inventory/inventory';

/**
 * The objects of inventories whose constructs declare another object now, which was never applied.
 * Removals that the program accepts are left out.
 *
 * @param formers objects of inventories that the program no longer declares
 * @param isApplied whether an inventory contains a declared object, with its UID
 */
export function renamings(
  objects: readonly AssemblyObject[],
  formers: readonly Leftover[],
  removals: readonly AssemblyRemoval[],
  isApplied: (object: AssemblyObject) => boolean,
): (Leftover & { readonly object: AssemblyObject })[] {
  if (formers.length === 0) {
    return [];
  }
  const declared = grouped(
    objects.filter((object) => !isApplied(object)),
    (object) => keyOf(object.target, object),
  );
  return formers
    .filter(
      ({ entry }) =>
        entry.construct !== undefined && !acceptedRemoval(removals, entry.id, entry.construct),
    )
    .flatMap(({ target, entry }) =>
      (declared.get(keyOf(target, entry)) ?? []).map((object) => ({ target, entry, object })),
    );
}

/**
 * Why an object under another name must not be created: a previous one is live, and holds what the
 * new one would not have.
 */
export function renamedProblem(
  object: AssemblyObject,
  formers: readonly Leftover[],
): string | undefined {
  const problems = formers.flatMap((former) => {
    const { entry, live } = former;
    const held =
      live && live.metadata.deletionTimestamp === undefined ? heldBy(live, entry) : undefined;
    return live && held !== undefined
      ? [{ isMoved: isMoved(object.id, former), text: problemOf(entry, object, live, held) }]
      : [];
  });
  return (problems.find((each) => !each.isMoved) ?? problems[0])?.text;
}

/**
 * Whether an object only has another namespace: what follows a cluster into another one has the
 * same fix.
 */
export function isMoved(id: string, { entry }: Leftover): boolean {
  return id.endsWith(`/${entry.name}`);
}

function keyOf(
  target: string,
  { apiVersion, kind, construct }: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'construct'>,
): string {
  return `${target} ${kindKey(groupOf(apiVersion), kind)} ${construct}`;
}

/**
 * The loss if the new object replaced the live one. Tenants follow the new one also where the
 * previous one is kept.
 */
function heldBy(live: Manifest, { policy }: InventoryEntry): string | undefined {
  const { holds, what } = holdingOf(live) ?? {};
  if (holds === 'tenants') {
    return what;
  }
  return policy === 'delete' ? lostWith(live) : undefined;
}

function problemOf(
  { id, name }: InventoryEntry,
  { construct, kind, ...object }: AssemblyObject,
  live: Manifest,
  held: string,
): string {
  const { namespace = '' } = live.metadata;
  // a management Cluster has its ID as name
  const previous = isManagement(live, 'Cluster')
    ? String(valueAt(live, 'spec', 'displayName') ?? name)
    : name;
  const fix =
    name === object.name
      ? `to keep it, restore its namespace ${JSON.stringify(namespace)}`
      : `to rename only the construct, set its prop name to ${JSON.stringify(previous)}`;
  return (
    `is another object than ${objectLabel(live)}, which the same construct (${construct}) wrote before and which holds ${held}: ` +
    `${kind} ${printName(object)} would be created next to it, and would have none of that. ` +
    `Fix: ${fix}; to replace the object, add app.acceptRemoval('${id}', '<why>')`
  );
}
