import { Inventory, InventoryEntry, KnownTarget } from './inventory-reader';
import { groupOf } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { isProvisioningCluster } from '../graph/object-index';

/** A target that an earlier run of the app had, and the program does not have any more. */
export interface RemovedTarget extends Partial<KnownTarget> {
  readonly name: string;
  /** The uid of its kube-system. */
  readonly uid?: string;
}

/** The property of a target that is there only to remove what the app left on it. */
const REMOVED = 'removed';

/** The targets that inventories of an app know and a program does not have. */
export function removedTargets(
  inventories: readonly Pick<Inventory, 'clusterUids' | 'targets'>[], targets: readonly Pick<AssemblyTarget, 'name'>[],
): RemovedTarget[] {
  const declared = new Set(targets.map(({ name }) => name));
  const removed = new Map<string, RemovedTarget>();
  for (const { clusterUids = {}, targets: known = {} } of inventories) {
    for (const name of [...Object.keys(clusterUids), ...Object.keys(known)]) {
      if (declared.has(name)) { continue; }
      const uid = clusterUids[name];
      removed.set(name, { ...removed.get(name), ...known[name], name, ...(uid === undefined ? {} : { uid }) });
    }
  }
  return [...removed.values()].sort((a, b) => compare(a.name, b.name));
}

/** A removed target as a program would have it, so that a run reaches its cluster. */
export function asTarget({ name, kind = 'harvester', version = '' }: RemovedTarget): AssemblyTarget {
  return { name, kind, version, folder: name, construct: 'no longer declared', properties: { [REMOVED]: 'true' } };
}

/** Whether a target is one that the program does not have any more. */
export function isRemoved({ properties }: AssemblyTarget): boolean {
  return properties[REMOVED] !== undefined;
}

/** Whether an object is the Setting that registers a Harvester with Rancher. */
export function isRegistration({ apiVersion, kind, name }: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>): boolean {
  return groupOf(apiVersion) === GROUPS.HARVESTER && kind === 'Setting' && name === SETTING_REGISTRATION_URL;
}

/**
 * Whether an apply removes what an inventory names on a target. Of a target that is no longer in the program only the registration is reset: all else stays
 * until `destroy --target`.
 */
export function isPruned(target: AssemblyTarget, entry: InventoryEntry): boolean {
  return !isRemoved(target) || isRegistration(entry);
}

/**
 * Why a run must not begin: it would delete the import of a Harvester that it does not reach, and that would keep its registration URL and Rancher's agent.
 *
 * @param removed those without a cluster
 * @param going what the run removes from other clusters
 */
export function halfConnected(removed: readonly RemovedTarget[], going: readonly InventoryEntry[]): string[] {
  const clusters = going.filter((entry) => isProvisioningCluster(entry) && entry.policy === 'delete');
  return removed.filter(({ kind }) => kind === undefined || kind === 'harvester').flatMap(({ name, imports }) => {
    // what earlier versions wrote does not say which import is whose
    const own = clusters.filter(({ id }) => imports?.includes(id) ?? true);
    return own.length === 0 ? [] : [
      `target ${name}, a Harvester, is no longer in this program, and this would delete its import ${own.map(({ id }) => id).join(', ')}: the Harvester would stay half connected, `
      + `with its registration URL and Rancher's agent. Fix: bind it by --context ${name}=<context>, so that its Setting ${SETTING_REGISTRATION_URL} is reset first; `
      + `where it is gone, or reset by hand: cdk8s-harvester forget ${name}`,
    ];
  });
}

/** Throws where a run would leave a Harvester half connected. */
export function checkHalfConnected(
  open: readonly { readonly stored?: Pick<Inventory, 'clusterUids' | 'targets'> }[], targets: readonly AssemblyTarget[],
  going: readonly { readonly entry: InventoryEntry }[],
): void {
  const problems = halfConnected(removedTargets(open.flatMap(({ stored }) => stored ?? []), targets), going.map(({ entry }) => entry));
  if (problems.length > 0) { throw new Error(problems.join('\n')); }
}

/** What to do about a target that the program does not have any more. */
export function waysToRemove(name: string): string {
  return `to delete what this app left there: destroy --target ${name}; where it is gone: forget ${name}`;
}

/** What a plan tells of targets that the program does not have any more. */
export function removedNotes(removed: readonly RemovedTarget[], reached: readonly AssemblyTarget[]): string[] {
  return [
    ...reached.filter(isRemoved).map(({ name }) => `target ${name} is no longer in this program: its registration with Rancher is reset, all else on it stays; ${waysToRemove(name)}`),
    ...removed.map(({ name }) => `target ${name} is no longer in this program, and is not bound to a context: nothing on it changes; ${waysToRemove(name)}`),
  ];
}

/** Guests may not be there yet, and one Rancher manages all others. */
const ORDER: readonly AssemblyTarget['kind'][] = ['rancher', 'harvester', 'guest'];

/** The target that holds the lock: the same for every run of an app, so it depends on the program alone. */
export function homeTarget(targets: readonly AssemblyTarget[]): AssemblyTarget {
  const declared = targets.filter((target) => !isRemoved(target));
  const [home] = declared.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || compare(a.name, b.name));
  if (!home) { throw new Error('the assembly has no targets: there is nothing to lock'); }
  return home;
}
