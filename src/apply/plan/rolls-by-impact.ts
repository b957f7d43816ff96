import { PlanRoll } from './plan';
import { RollsOf, RollSide } from './rolls';
import { judgedTarget } from '../../rules/judged-target';
import { impactOf } from '../impact/impact-of';
import { Side } from '../impact/side';

/** The pools that `impact` says are replaced, of the live objects on one side and what an apply makes of them on the other. */
export const rollsByImpact: RollsOf = (before, after) => impactOf({ before: sideOf(before), after: sideOf(after) }).flatMap((impact): PlanRoll[] => (
  impact.effect !== 'replace' || impact.pool === undefined ? [] : [{
    cluster: impact.cluster,
    pool: impact.pool,
    machines: impact.machines ?? 0,
    causes: impact.causes.map(({ object, path, before: was, after: is, remark }) => (
      `${object} ${path}${was === undefined && is === undefined ? '' : `: ${was ?? 'nothing'} -> ${is ?? 'nothing'}`}${remark === undefined ? '' : ` (${remark})`}`)),
  }]
));

function sideOf({ target, version, manifests }: RollSide): Side {
  const judged = judgedTarget(target, 'rancher', version);
  return new Side(manifests.map((manifest) => ({ manifest, target: judged })));
}
