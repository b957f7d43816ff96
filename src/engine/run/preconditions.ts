import { RunContext } from './run-context';
import { groupOf, kindKey } from '../../core/manifest/manifest';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/provisioning-cluster.kind';
import { LiveObject } from '../cluster/cluster';
import { InventoryEntry } from '../inventory/inventory-reader';
import { checkNamed } from '../plan/open-targets';
import { asksForId, sharedIds } from '../plan/shared-ids';

/** Throws where an option names an object that neither the program nor an inventory has: a wrong letter would mean nothing, and nobody would see it. */
export function checkIds({ options: { forceConflicts, deleteAnyway }, program: { assembly }, open }: RunContext): void {
  const before = open.flatMap(({ keeper }) => keeper.all);
  checkNamed('--force-conflicts', forceConflicts, assembly, before);
  checkNamed('--delete-anyway', deleteAnyway, assembly, before);
}

/** Throws where a Cluster that is about to be created would share the management cluster of another one, before anything is written. */
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

/** Kinds for which Rancher makes up an id, unless it is given one, in whose name other objects, tokens and namespaces are. */
const WITH_ID: ReadonlySet<string> = new Set(['provisioning.cattle.io/Cluster']);

/**
 * Why an apply does not begin: an object that Rancher makes an ID for was recreated since this app wrote it.
 *
 * @param acceptNewCluster ids of objects that may be recreated
 */
export function recreatedText(
  { id, apiVersion, kind, uid }: InventoryEntry, live: LiveObject | undefined, acceptNewCluster: readonly string[] = [],
): string | undefined {
  if (!live || uid === undefined || live.metadata.uid === uid || acceptNewCluster.includes(id)) { return undefined; }
  const hasFixedId = live.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] !== undefined;
  if (!WITH_ID.has(kindKey(groupOf(apiVersion), kind)) || hasFixedId) { return undefined; }
  return `${id} is another one than this app wrote (uid ${live.metadata.uid}, was ${uid}): somebody made it anew, so Rancher gives it another id `
    + `and other tokens; see what that changes by plan, and where it is right, give --accept-new-cluster '${id}'`;
}

/**
 * Throws where a cluster of Rancher's is another one than this app wrote: it has another id by now, and the Harvester would be registered anew, and
 * every project, binding and namespace written once more beside the former ones.
 */
export async function checkNotRecreated(run: RunContext): Promise<void> {
  const { acceptNewCluster = [] } = run.options;
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  const problems: string[] = [];
  for (const { stored, listed } of run.open) {
    for (const entry of stored?.entries ?? []) {
      const { id, apiVersion, kind, namespace, name } = entry;
      if (!declared.has(id) || !WITH_ID.has(kindKey(groupOf(apiVersion), kind))) { continue; }
      const live = await listed.read({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal: run.stop });
      const problem = recreatedText(entry, live, acceptNewCluster);
      if (problem !== undefined) { problems.push(problem); }
    }
  }
  if (problems.length > 0) { throw new Error(problems.join('\n')); }
}
