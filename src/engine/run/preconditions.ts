import { RunContext } from './run-context';
import { kindOf } from '../../core/kind/all-kinds';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.kind';
import { LiveObject } from '../cluster/cluster';
import { finalizersToRemove } from '../fields/finalizers';
import { InventoryEntry } from '../inventory/inventory';
import { checkNamed } from '../plan/open-targets';
import { asksForId, sharedIds } from '../plan/shared-ids';

/** Throws if an option names an object that neither the program nor an inventory contains: a typo would have no effect. */
export function checkIds({ options: { adopt, forceConflicts, deleteAnyway, removeFinalizers }, program: { assembly }, open }: RunContext): void {
  const before = open.flatMap(({ keeper }) => keeper.all);
  checkNamed('--adopt', adopt, assembly, []);
  checkNamed('--force-conflicts', forceConflicts, assembly, before);
  checkNamed('--remove-finalizer', [...finalizersToRemove(removeFinalizers).keys()], assembly, before);
  checkNamed('--delete-anyway', deleteAnyway, assembly, before);
}

/** Throws if a Cluster to create would share the management cluster of another one, before anything is written. */
export async function checkSharedIds(run: RunContext): Promise<void> {
  const { assembly: { objects }, manifests } = run.program;
  const problems: string[] = [];
  for (const { target: { kind, name }, stored, cluster } of run.open) {
    if (kind !== 'rancher') { continue; }
    const entries = stored?.entries ?? [];
    const applied = new Set(entries.filter(({ uid }) => uid !== undefined).map(({ id }) => id));
    const wanted = objects.filter(({ id, target }) => target === name && !applied.has(id))
      .map(({ id }) => ({ id, manifest: manifests.get(id)! })).filter(({ manifest }) => asksForId(manifest));
    const { problems: found, unknown } = await sharedIds(wanted, entries.filter((entry) => entry.kind === 'Cluster'), cluster, run.stop);
    if (unknown !== undefined) { run.warn(unknown, name); }
    problems.push(...[...found].map(([id, problem]) => `${id}: ${problem}`));
  }
  if (problems.length > 0) { throw new Error(`nothing was written\n${problems.join('\n')}`); }
}

/**
 * The error for an object with an ID from Rancher that was recreated after this app wrote it.
 *
 * @param acceptNewCluster IDs of objects that may have been recreated
 */
export function recreatedText(
  { id, apiVersion, kind, uid }: InventoryEntry, live: LiveObject | undefined, acceptNewCluster: readonly string[] = [],
): string | undefined {
  if (!live || uid === undefined || live.metadata.uid === uid || acceptNewCluster.includes(id)) { return undefined; }
  const hasFixedId = live.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] !== undefined;
  if (!kindOf({ apiVersion, kind })?.hasGeneratedId || hasFixedId) { return undefined; }
  return `${id} was recreated (its UID changed from ${uid} to ${live.metadata.uid}), so Rancher gives it another ID and other tokens. `
    + `Fix: check the consequences with plan; to accept them, set --accept-new-cluster '${id}'`;
}

/**
 * Throws if a provisioning Cluster was recreated after this app wrote it: with its new ID, the Harvester would be registered again, and every project,
 * binding and namespace would be created again next to the previous ones.
 */
export async function checkNotRecreated(run: RunContext): Promise<void> {
  const { acceptNewCluster = [] } = run.options;
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  const problems: string[] = [];
  for (const { stored, listed } of run.open) {
    for (const entry of stored?.entries ?? []) {
      const { id, apiVersion, kind, namespace, name } = entry;
      if (!declared.has(id) || !kindOf({ apiVersion, kind })?.hasGeneratedId) { continue; }
      const live = await listed.read({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal: run.stop });
      const problem = recreatedText(entry, live, acceptNewCluster);
      if (problem !== undefined) { problems.push(problem); }
    }
  }
  if (problems.length > 0) { throw new Error(problems.join('\n')); }
}
