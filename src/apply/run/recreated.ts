import { RunContext } from './run-context';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../model/labels';
import { groupOf, kindKey } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';
import { InventoryEntry } from '../plan/inventory-reader';

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
