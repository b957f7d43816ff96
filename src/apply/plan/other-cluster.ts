/** Why a run does not begin: a target is bound to another cluster than in the run before. */
export function otherCluster(target: string, by: string, now: string, before: string): string {
  return `target ${target} (${by}) is another cluster than before (uid of kube-system ${now}, was ${before}); bind it to the cluster of before, `
    + `or, where that was made anew, give --accept-new-cluster ${target}`;
}
