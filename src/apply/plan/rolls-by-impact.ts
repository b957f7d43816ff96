import { RollsOf, RollSide } from './rolls';
import { judgedTarget } from '../../rules/judged-target';
import { Cause, Impact } from '../impact/impact';
import { impactOf } from '../impact/impact-of';
import { Side } from '../impact/side';
import { MachineLoss } from '../run/machine-loss';

/** What `impact` says goes, or may go, of the live objects on one side and what an apply makes of them on the other. */
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
