import { impactOf } from './cluster-impacts';
import { Cause, Impact, Side } from './impact';
import { judgedTarget } from '../../core/rule/judge';
import { MachineLoss, RollSide, RollsOf } from '../../engine/plan/plan';

/** The machines that `impact` reports as replaced or deleted, or possibly so, when live objects become what an apply writes. */
export const rollsByImpact: RollsOf = (before, after) => impactOf({ before: sideOf(before), after: sideOf(after) }).flatMap(lossOf);

function lossOf({ target, effect, cluster, pool, machines, what, causes }: Impact): MachineLoss[] {
  if (effect !== 'replace' && effect !== 'delete' && effect !== 'unknown') { return []; }
  return [{
    target,
    cluster,
    ...(pool === undefined ? {} : { pool }),
    effect,
    ...(machines === undefined ? {} : { machines }),
    what,
    causes: causes.map(causeText),
  }];
}

/** `HarvesterConfig fleet-default/shop memorySize: "8" -> "16"` */
function causeText({ object, path, before, after, remark }: Cause): string {
  const values = before === undefined && after === undefined ? '' : `: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`;
  return `${[object, path].filter((part) => part !== '').join(' ')}${values}${remark === undefined ? '' : ` (${remark})`}`;
}

function sideOf({ target, version, manifests }: RollSide): Side {
  const judged = judgedTarget(target, 'rancher', version);
  return new Side(manifests.map((manifest) => ({ manifest, target: judged })));
}
