import { Impact } from './impact';
import { objectLabel } from '../../core/manifest/manifest';
import { World } from '../../core/rule/rule';
import { poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { machinesOf, surgeOf, unavailableOf } from '../../guest/machine-pool/pool-size.facts';
import { QuotaFit, fitPlan } from '../../harvester/resource-quota/quota-fit.facts';

/**
 * The updates of an edit that cannot proceed: they create machines before they delete others, and a quota has no room for these. It is of no account
 * whether there was room before the edit.
 *
 * @param impacts what the edit does to guest clusters
 */
export function stuckImpacts(impacts: readonly Impact[], before: World, after: World): Impact[] {
  const replaced = impacts.filter(({ effect, pool }) => effect === 'replace' && pool !== undefined);
  if (replaced.length === 0) { return []; }
  const keyOf = ({ object, resource }: QuotaFit): string => `${object.target.name} ${objectLabel(object.manifest)} ${resource}`;
  const unfit = new Set(fitPlan(before).filter(({ fits }) => fits === 'no').map(keyOf));
  // `fitImpacts` reports what does not fit even without an update, unless it was so before
  const tight = fitPlan(after).filter((row) => row.fits === 'without surge' || (row.fits !== 'yes' && unfit.has(keyOf(row))));
  return replaced.flatMap(({ target, cluster, pool, construct }): Impact[] => {
    const causes = tight.flatMap((row) => row.pools().flatMap((user) => {
      const { namespace = '', name } = user.cluster.manifest.metadata;
      if (user.pool !== pool || user.cluster.target.name !== target || `${namespace}/${name}` !== cluster) { return []; }
      const surge = surgeFor(user.cluster, pool);
      const peak = row.needs + surge * user.demand;
      if (surge === 0 || Math.round(peak * 1000) <= Math.round(row.has * 1000)) { return []; }
      const remark = `is ${row.limit}, and ${row.textOf(peak)} are needed with ${surge} more ${surge === 1 ? 'machine' : 'machines'}`;
      return [{ object: `${objectLabel(row.object.manifest)} on ${row.object.target.name}`, path: row.resource, remark }];
    }));
    return causes.length === 0 ? [] : [{
      effect: 'stuck',
      cluster,
      target,
      ...(pool === undefined ? {} : { pool }),
      what: 'its update cannot proceed: it creates machines before it deletes others, and a quota has no room for them. '
        + 'Fix: raise the quota, or set rollingUpdate.maxSurge of the pool to 0 and maxUnavailable to 1',
      causes,
      risks: [],
      ...(construct === undefined ? {} : { construct }),
    }];
  });
}

/** How many machines an update must create before it can delete one. */
function surgeFor({ manifest }: QuotaFit['object'], name: string): number {
  const pool = poolsOf(manifest).find((each) => each.name === name);
  const machines = pool && machinesOf(pool);
  if (machines === undefined || unavailableOf(pool!.fields.rollingUpdate, machines) > 0) { return 0; }
  return surgeOf(pool!.fields.rollingUpdate, machines);
}
