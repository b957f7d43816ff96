import { EFFECTS, Effect, Impact, causeText, isLoss, mayLoseMachines, rangeText } from './impact';
import { inEnvironment } from '../../core/text/plain-text';
import { BLANK, Block, Tone, line, list, pinned, toned } from '../../core/text/screen';
import { markdownCode, markdownTable, markdownText } from '../../core/text/table';
import { grouped } from '../../core/text/values';
import { MAX_LENGTH } from '../../engine/plan/render-plan';

/** The formats of an impact report. */
export const IMPACT_FORMATS = ['text', 'json', 'markdown'] as const;
export type ImpactFormat = (typeof IMPACT_FORMATS)[number];

const WORDS: { readonly [effect in Effect]: string } = {
  delete: 'deleted',
  replace: 'replaced',
  unknown: 'may be replaced or deleted (cannot be determined)',
  refuse: 'refused',
  stuck: 'not replaced, since the update cannot proceed',
  restart: 'restarted in place',
  kept: 'kept',
  create: 'created',
  none: 'left alone',
};

const NOTHING = 'no guest cluster or machine changes';

/** What an edit does, in a format. */
export function impactReport(
  impacts: readonly Impact[],
  format: Exclude<ImpactFormat, 'text'>,
): string;
export function impactReport(impacts: readonly Impact[], format: 'text'): Block[];
export function impactReport(impacts: readonly Impact[], format: ImpactFormat): string | Block[];
export function impactReport(impacts: readonly Impact[], format: ImpactFormat): string | Block[] {
  switch (format) {
    case 'text':
      return textReport(impacts);
    case 'json':
      return jsonReport(impacts);
    case 'markdown':
      return markdownReport(impacts);
  }
}

/**
 * e.g. `3 machines deleted, 6 machines replaced; accepted: 1 machine deleted`; machines whose
 * number is not known are `some` or `at least`.
 */
export function impactSummary(impacts: readonly Impact[]): string {
  const accepted = countsOf(impacts.filter((impact) => impact.accepted !== undefined));
  const others =
    countsOf(impacts.filter((impact) => impact.accepted === undefined)) ||
    `no ${accepted === '' ? '' : 'other '}machine is deleted or replaced`;
  return accepted === '' ? others : `${others}; accepted: ${accepted}`;
}

function countsOf(impacts: readonly Impact[]): string {
  const parts = (['delete', 'replace', 'unknown', 'kept', 'create'] as const).flatMap(
    (effect): string[] => {
      const of = impacts.filter(
        (impact) =>
          impact.effect === effect && !(impact.object !== undefined && impact.machines === 0),
      );
      if (of.length === 0) {
        return [];
      }
      const min = of.reduce((sum, { machines, scaled }) => sum + (machines ?? scaled?.min ?? 0), 0);
      const max = of.reduce(
        (sum, { machines, scaled }) => sum + (machines ?? scaled?.max ?? Infinity),
        0,
      );
      const open = min === 0 ? 'some' : rangeText({ min });
      const number = Number.isFinite(max) ? rangeText({ min, max }) : open;
      return [`${number} ${max === 1 && min === 1 ? 'machine' : 'machines'} ${WORDS[effect]}`];
    },
  );
  for (const effect of ['delete', 'kept'] as const) {
    const objects = impacts.filter(
      (impact) => impact.effect === effect && impact.object !== undefined && impact.machines === 0,
    ).length;
    if (objects > 0) {
      parts.push(
        `${objects} other ${objects === 1 ? 'object' : 'objects'} with data or tenants ${WORDS[effect]}`,
      );
    }
  }
  const refused = impacts.filter(({ effect }) => effect === 'refuse').length;
  if (refused > 0) {
    parts.push(`${refused} ${refused === 1 ? 'change' : 'changes'} refused`);
  }
  const stuck = impacts.filter(({ effect }) => effect === 'stuck').length;
  if (stuck > 0) {
    parts.push(`${stuck} ${stuck === 1 ? 'update' : 'updates'} without room`);
  }
  return parts.join(', ');
}

/** The colors of effects. */
export const EFFECT_TONES: { readonly [effect in Effect]: Tone } = {
  delete: 'error',
  replace: 'error',
  unknown: 'error',
  refuse: 'error',
  stuck: 'error',
  restart: 'change',
  kept: 'quiet',
  create: 'add',
  none: 'quiet',
};

/** A block for each cluster and object; a terminal shows those that lose something in whole. */
function textReport(impacts: readonly Impact[]): Block[] {
  const isStopped = impacts.some(mayLoseMachines);
  if (impacts.length === 0) {
    return [line(toned('good', `${NOTHING}: ${impactSummary(impacts)}`))];
  }
  const summary = line(toned(isStopped ? 'error' : 'good', impactSummary(impacts)));
  const places = [...byPlace(impacts)].map(([title, own]) => {
    const blocks = [line(toned('title', title)), ...own.flatMap(impactText), BLANK];
    return own.some(({ effect }) => isLoss(effect)) ? pinned(blocks) : blocks;
  });
  return [list(places, 'clusters and objects'), summary];
}

/** The impacts by clusters and objects. One that is the same for several clusters is printed once. */
function byPlace(impacts: readonly Impact[]): ReadonlyMap<string, readonly Impact[]> {
  const textOf = (impact: Impact): string =>
    JSON.stringify([subject(impact), { ...impact, cluster: '', construct: '', id: '' }]);
  const alike = grouped(impacts, textOf);
  const placeOf = (impact: Impact): string => {
    const own = alike.get(textOf(impact))!;
    const clusters = own.map(({ cluster }) => `Cluster ${cluster}`);
    return own.length === 1 || own.some(isNamedAlone)
      ? clusterOf(impact)
      : `${clusters.join(', ')} on ${inEnvironment(impact.target, impact.environment)}`;
  };
  const places = grouped(impacts, placeOf);
  return new Map(
    [...places].map(([place, own]) => [
      place,
      [...grouped(own, textOf).values()].map(([first]) => first!),
    ]),
  );
}

/** Whether the title of an impact is that of an object, or its acceptance names a pool or cluster. */
function isNamedAlone(impact: Impact): boolean {
  return impact.object !== undefined || acceptingCall(impact) !== undefined;
}

function impactText(impact: Impact): Block[] {
  const { effect, accepted } = impact;
  return [
    line(
      [
        toned(accepted === undefined ? EFFECT_TONES[effect] : 'warning', effect),
        `  ${subject(impact)}${impact.what}`,
      ],
      2,
    ),
    list(
      impact.causes.map((cause) => line(causeText(cause), 4)),
      'changes',
      4,
    ),
    ...impact.risks.map((risk) => line([toned('warning', 'risk:'), ` ${risk}`], 4)),
    ...acceptanceOf(impact).map((text) => line(text, 4)),
  ];
}

/** Why the program accepts a loss, or how it can. */
function acceptanceOf(impact: Impact): string[] {
  if (impact.accepted !== undefined) {
    return [`accepted: ${impact.accepted}`];
  }
  const call = acceptingCall(impact);
  return call === undefined ? [] : [`to accept it, add ${call}`];
}

/** What a program adds to accept a loss. */
function acceptingCall(impact: Impact): string | undefined {
  const { id, object, pool } = impact;
  if (id === undefined || !mayLoseMachines(impact)) {
    return undefined;
  }
  // machines of a cluster that remains are those of a pool
  return `app.${object === undefined && pool !== undefined ? 'acceptReplacement' : 'acceptRemoval'}('${id}', '<why>')`;
}

function clusterOf({ cluster, object, target, environment }: Impact): string {
  return `${object ?? `Cluster ${cluster}`} on ${inEnvironment(target, environment)}`;
}

/** The machines that an impact is about. Nothing for another object, which its title names. */
function subject(impact: Impact): string {
  const { effect, pool, machines, object } = impact;
  if (object !== undefined) {
    return '';
  }
  const unknown =
    pool !== undefined && (effect === 'replace' || effect === 'delete')
      ? unknownNumber(impact)
      : '';
  const number =
    machines === undefined ? unknown : `${machines} ${machines === 1 ? 'machine' : 'machines'}`;
  return `${[pool === undefined ? '' : `pool ${pool}`, number].filter((part) => part !== '').join(', ') || 'cluster'}: `;
}

/** Why the number of machines is not known: an autoscaler decides, or a late value. */
function unknownNumber({ scaled }: Impact): string {
  return scaled === undefined
    ? 'an unknown number of machines'
    : `${rangeText(scaled)} machines, as its autoscaler decides`;
}

/** The impacts for programs: an object has all of its fields, also those without a value. */
function jsonReport(impacts: readonly Impact[]): string {
  const ofEffect = (effect: Effect): readonly Impact[] =>
    impacts.filter((impact) => impact.effect === effect);
  const machinesOf = (effect: Effect): number =>
    ofEffect(effect).reduce((sum, { machines: count = 0 }) => sum + count, 0);
  const machines = Object.fromEntries(EFFECTS.map((effect) => [effect, machinesOf(effect)]));
  return JSON.stringify(
    {
      summary: impactSummary(impacts),
      machines,
      impacts: impacts.map((impact) => ({
        environment: impact.environment ?? null,
        effect: impact.effect,
        cluster: impact.cluster,
        object: impact.object ?? null,
        target: impact.target,
        pool: impact.pool ?? null,
        machines: impact.machines ?? null,
        scaled: impact.scaled ? { min: impact.scaled.min, max: impact.scaled.max ?? null } : null,
        what: impact.what,
        causes: impact.causes.map(
          ({ object, path, before = null, after = null, remark = null }) => ({
            object,
            path,
            before,
            after,
            remark,
          }),
        ),
        risks: impact.risks,
        construct: impact.construct ?? null,
        id: impact.id ?? null,
        accepted: impact.accepted ?? null,
      })),
    },
    undefined,
    2,
  );
}

/** Causes of a row in Markdown. */
const MOST_CAUSES = 20;

/**
 * For a comment on a pull request, of limited length: where it is too long, what loses nothing is
 * left out first.
 */
function markdownReport(impacts: readonly Impact[]): string {
  const head = `### Impact: ${impactSummary(impacts)}`;
  if (impacts.length === 0) {
    return `${head}\n\n${NOTHING}.`;
  }
  const rows = impacts.map((impact) => ({
    impact,
    text: markdownTable(HEAD, [cellsOf(impact)]).at(-1)!,
  }));
  const frame = [head, '', ...markdownTable(HEAD, [])];
  // for the note about rows that are left out
  let left = MAX_LENGTH - frame.join('\n').length - 200;
  const lossesFirst = [...rows].sort(
    (a, b) => Number(isLoss(b.impact.effect)) - Number(isLoss(a.impact.effect)),
  );
  const isShown = new Set(lossesFirst.filter(({ text }) => (left -= text.length + 1) >= 0));
  const more = rows.length - isShown.size;
  return [
    ...frame,
    ...rows.filter((row) => isShown.has(row)).map(({ text }) => text),
    ...(more === 0
      ? []
      : [
          '',
          `${more} more ${more === 1 ? 'row is' : 'rows are'} left out; \`cdk8s-harvester impact --output text\` prints all.`,
        ]),
  ].join('\n');
}

const HEAD = ['effect', 'target', 'cluster', 'pool', 'machines', 'what', 'cause'];

function cellsOf(impact: Impact): (string | number)[] {
  const call = acceptingCall(impact);
  const what = [
    markdownText(impact.what),
    ...impact.risks.map((risk) => `**Risk:** ${markdownText(risk)}`),
    ...(impact.accepted === undefined ? [] : [`**Accepted:** ${markdownText(impact.accepted)}`]),
    ...(call === undefined ? [] : [`**To accept it:** add ${markdownCode(call)}`]),
  ].join('<br>');
  const more = impact.causes.length - MOST_CAUSES;
  const causes = [
    ...impact.causes.slice(0, MOST_CAUSES).map((cause) => markdownCode(causeText(cause))),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join('<br>');
  const place = [
    inEnvironment(impact.target, impact.environment),
    impact.object ?? impact.cluster,
    impact.pool ?? '',
  ].map((text) => markdownText(text));
  return [
    impact.effect,
    ...place,
    impact.machines ?? (impact.scaled ? rangeText(impact.scaled) : ''),
    what,
    causes,
  ];
}
