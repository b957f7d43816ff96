import { impactOf } from './cluster-impacts';
import { Cause, Effect, EFFECTS, Impact, Side } from './impact';
import { judgedTarget } from '../../core/rule/judge';
import { markdownCode, markdownTable, markdownText } from '../../core/text/table';
import { MachineLoss, RollSide, RollsOf } from '../../engine/plan/plan';

/** The formats of an impact report. */
export const IMPACT_FORMATS = ['text', 'json', 'markdown'] as const;
export type ImpactFormat = typeof IMPACT_FORMATS[number];

const WORDS: { readonly [effect in Effect]: string } = {
  delete: 'deleted', replace: 'replaced', unknown: 'may be replaced or deleted (cannot be determined)', refuse: 'refused', restart: 'restarted in place', create: 'created', none: 'left alone',
};

const NOTHING = 'no guest cluster changes';

export function impactReport(impacts: readonly Impact[], format: ImpactFormat): string {
  switch (format) {
    case 'text': return textReport(impacts);
    case 'json': return jsonReport(impacts);
    case 'markdown': return markdownReport(impacts);
  }
}

/** e.g. `3 machines deleted, 6 replaced`; machines whose number is not known are `some` or `at least`. */
export function impactSummary(impacts: readonly Impact[]): string {
  const parts = (['delete', 'replace', 'unknown', 'create'] as const).flatMap((effect): string[] => {
    const of = impacts.filter((impact) => impact.effect === effect && !(impact.object !== undefined && impact.machines === 0));
    if (of.length === 0) { return []; }
    const known = of.reduce((sum, { machines = 0 }) => sum + machines, 0);
    const unknown = of.some(({ machines }) => machines === undefined);
    return [`${unknown ? (known === 0 ? 'some' : `at least ${known}`) : known} ${known === 1 && !unknown ? 'machine' : 'machines'} ${WORDS[effect]}`];
  });
  const objects = impacts.filter(({ effect, object, machines }) => effect === 'delete' && object !== undefined && machines === 0).length;
  if (objects > 0) { parts.push(`${objects} other ${objects === 1 ? 'object' : 'objects'} with data or tenants deleted`); }
  const refused = impacts.filter(({ effect }) => effect === 'refuse').length;
  if (refused > 0) { parts.push(`${refused} ${refused === 1 ? 'change' : 'changes'} refused`); }
  return parts.length > 0 ? parts.join(', ') : 'no machine is deleted or replaced';
}

function textReport(impacts: readonly Impact[]): string {
  if (impacts.length === 0) { return `${NOTHING}\n\n${impactSummary(impacts)}`; }
  const blocks = [...new Set(impacts.map(clusterOf))].map((cluster) => [
    cluster,
    ...impacts.filter((impact) => clusterOf(impact) === cluster).flatMap((impact) => [
      `  ${impact.effect}  ${subject(impact)}: ${impact.what}`,
      ...impact.causes.map((cause) => `    ${causeText(cause)}`),
      ...impact.risks.map((risk) => `    risk: ${risk}`),
    ]),
  ].join('\n'));
  return [...blocks, impactSummary(impacts)].join('\n\n');
}

function clusterOf({ cluster, object, target }: Impact): string {
  return `${object ?? `Cluster ${cluster}`} on ${target}`;
}

function subject({ pool, machines, object }: Impact): string {
  if (object !== undefined) { return 'object'; }
  const number = machines === undefined ? '' : `${machines} ${machines === 1 ? 'machine' : 'machines'}`;
  return [pool === undefined ? '' : `pool ${pool}`, number].filter((part) => part !== '').join(', ') || 'cluster';
}

/** `HarvesterConfig fleet-default/shop memorySize: "8" -> "16"` */
function causeText({ object, path, before, after, remark }: Cause): string {
  const values = before === undefined && after === undefined ? '' : `: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`;
  const place = [object, path].filter((part) => part !== '').join(' ');
  return `${place}${values}${remark === undefined ? '' : `${values === '' ? ' ' : ' ('}${remark}${values === '' ? '' : ')'}`}`;
}

/** For machines: every field is always there. */
function jsonReport(impacts: readonly Impact[]): string {
  const ofEffect = (effect: Effect): readonly Impact[] => impacts.filter((impact) => impact.effect === effect);
  const machinesOf = (effect: Effect): number => ofEffect(effect).reduce((sum, { machines: count = 0 }) => sum + count, 0);
  const machines = Object.fromEntries(EFFECTS.map((effect) => [effect, machinesOf(effect)]));
  return JSON.stringify({
    summary: impactSummary(impacts),
    machines,
    impacts: impacts.map((impact) => ({
      effect: impact.effect,
      cluster: impact.cluster,
      object: impact.object ?? null,
      target: impact.target,
      pool: impact.pool ?? null,
      machines: impact.machines ?? null,
      what: impact.what,
      causes: impact.causes.map(({ object, path, before = null, after = null, remark = null }) => ({ object, path, before, after, remark })),
      risks: impact.risks,
      construct: impact.construct ?? null,
    })),
  }, undefined, 2);
}

/** For a comment on a pull request. */
function markdownReport(impacts: readonly Impact[]): string {
  const head = `### Guest clusters: ${impactSummary(impacts)}`;
  if (impacts.length === 0) { return `${head}\n\n${NOTHING}.`; }
  const rows = impacts.map((impact) => {
    const what = [markdownText(impact.what), ...impact.risks.map((risk) => `**Risk:** ${markdownText(risk)}`)].join('<br>');
    const causes = impact.causes.map((cause) => markdownCode(causeText(cause))).join('<br>');
    return [impact.effect, markdownText(impact.object ?? impact.cluster), markdownText(impact.pool ?? ''), impact.machines ?? '', what, causes];
  });
  return [head, '', ...markdownTable(['effect', 'cluster', 'pool', 'machines', 'what', 'cause'], rows)].join('\n');
}

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

function sideOf({ target, version, manifests }: RollSide): Side {
  const judged = judgedTarget(target, 'rancher', version);
  return new Side(manifests.map((manifest) => ({ manifest, target: judged })));
}
