import { Inventory } from './inventory-reader';
import { PlanTarget } from './plan';

/** Why a run does not begin: a target is bound to another cluster than in the run before. */
export function otherCluster(target: string, by: string, now: string, before: string): string {
  return `target ${target} (${by}) is another cluster than before (uid of kube-system ${now}, was ${before}); bind it to the cluster of before, `
    + `or, where that was made anew, give --accept-new-cluster ${target}`;
}

/**
 * Targets that are bound to another cluster than the one that inventories of the app name: the messages, with the target of each.
 *
 * @param accepted targets whose cluster may be another one
 */
export function otherClusters(
  inventories: readonly Pick<Inventory, 'clusterUids'>[], targets: readonly Pick<PlanTarget, 'name' | 'by' | 'clusterUid'>[], accepted: readonly string[] = [],
): ReadonlyMap<string, string> {
  return new Map(inventories.flatMap(({ clusterUids = {} }) => targets.flatMap(({ name, by, clusterUid: now }) => {
    const before = clusterUids[name];
    return now === undefined || before === undefined || now === before || accepted.includes(name)
      ? [] : [[otherCluster(name, by, now, before), name] as const];
  })));
}
