import { Inventory, InventoryEntry, KnownTarget } from './inventory';
import { SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyTarget, TARGET_KINDS } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { isProvisioningCluster, isRegistration } from '../graph/object-index';

/** A target of an earlier run that the program no longer declares. */
export interface RemovedTarget extends Partial<KnownTarget> {
  readonly name: string;
  /** The UID of its kube-system. */
  readonly uid?: string;
}

/** The property of targets that a run includes only to remove what the app left there. */
const REMOVED = 'removed';

/** The targets that inventories of an app contain and the program does not declare. */
export function removedTargets(
  inventories: readonly Pick<Inventory, 'clusterUids' | 'targets'>[],
  targets: readonly Pick<AssemblyTarget, 'name'>[],
): RemovedTarget[] {
  const declared = new Set(targets.map(({ name }) => name));
  const removed = new Map<string, RemovedTarget>();
  for (const { clusterUids = {}, targets: known = {} } of inventories) {
    for (const name of [...Object.keys(clusterUids), ...Object.keys(known)]) {
      if (declared.has(name)) {
        continue;
      }
      const uid = clusterUids[name];
      removed.set(name, {
        ...removed.get(name),
        ...known[name],
        name,
        ...(uid === undefined ? {} : { uid }),
      });
    }
  }
  return [...removed.values()].sort((a, b) => compare(a.name, b.name));
}

/** A removed target as a target of the program, so that a run reaches its cluster. */
export function asTarget({
  name,
  kind = 'harvester',
  version = '',
}: RemovedTarget): AssemblyTarget {
  return {
    name,
    kind,
    version,
    folder: name,
    construct: 'no longer declared',
    properties: { [REMOVED]: 'true' },
  };
}

/** Whether the program no longer declares a target. */
export function isRemoved({ properties }: AssemblyTarget): boolean {
  return properties[REMOVED] !== undefined;
}

/**
 * Whether an apply removes an object of an inventory. On a target that the program no longer
 * declares, only the registration is reset: other objects are kept until `destroy --target`.
 */
export function isPruned(target: AssemblyTarget, entry: InventoryEntry): boolean {
  return !isRemoved(target) || isRegistration(entry);
}

/**
 * Why a run must not begin: it would delete the import of a Harvester that it does not reach, and
 * that would keep its registration URL and Rancher's agent.
 *
 * @param removed targets without a cluster
 * @param going the objects that the run removes from other clusters
 */
export function halfConnected(
  removed: readonly RemovedTarget[],
  going: readonly InventoryEntry[],
): string[] {
  const clusters = going.filter(
    (entry) => isProvisioningCluster(entry) && entry.policy === 'delete',
  );
  return removed
    .filter(({ kind }) => kind === undefined || kind === 'harvester')
    .flatMap(({ name, imports }) => {
      // inventories of earlier versions do not contain the imports of each target
      const own = clusters.filter(({ id }) => imports?.includes(id) ?? true);
      if (own.length === 0) {
        return [];
      }
      return [
        `target ${name}, a Harvester, is no longer declared, and this run would delete its import ${own.map(({ id }) => id).join(', ')}: the Harvester would remain half connected, ` +
          `with its registration URL and Rancher's agent. Fix: set --context ${name}=<context>, so that its Setting ${SETTING_REGISTRATION_URL} is reset first; ` +
          `if its cluster no longer exists, or after a manual reset, run cdk8s-harvester forget ${name}`,
      ];
    });
}

/** The fix for a target that the program no longer declares. */
export function waysToRemove(name: string): string {
  return `to delete what this app left there, run destroy --target ${name}; if its cluster no longer exists, run forget ${name}`;
}

/** The notes of a plan about targets that the program no longer declares. */
export function removedNotes(
  removed: readonly RemovedTarget[],
  reached: readonly AssemblyTarget[],
): string[] {
  return [
    ...reached
      .filter(isRemoved)
      .map(
        ({ name }) =>
          `target ${name} is no longer declared: its registration with Rancher is reset, other objects on it are kept; ${waysToRemove(name)}`,
      ),
    ...removed.map(
      ({ name }) =>
        `target ${name} is no longer declared and not bound to a context: nothing on it changes; ${waysToRemove(name)}`,
    ),
  ];
}

/**
 * The target that holds the lock. It depends only on the program, so that every run of an app uses
 * the same. Guest clusters are last, since they may not exist yet, and Rancher is first, since it
 * manages all others.
 */
export function homeTarget(targets: readonly AssemblyTarget[]): AssemblyTarget {
  const declared = targets.filter((target) => !isRemoved(target));
  const [home] = declared.sort(
    (a, b) =>
      TARGET_KINDS.indexOf(a.kind) - TARGET_KINDS.indexOf(b.kind) || compare(a.name, b.name),
  );
  if (!home) {
    throw new Error('the assembly has no targets. Fix: declare at least one');
  }
  return home;
}
