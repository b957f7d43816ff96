import { withoutRecord } from '../../core/late/late-text';
import { LATE_TOKEN } from '../../core/late/late-token';
import { groupOf, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyLateValue } from '../../core/output/assembly';
import { show } from '../../core/rule/problem';
import { JudgedObject } from '../../core/rule/rule';
import { inEnvironment } from '../../core/text/plain-text';
import { BLANK, Block, Tone, line, list, pinned, toned } from '../../core/text/screen';
import { markdownCode, markdownTable, markdownText } from '../../core/text/table';
import { compare, grouped } from '../../core/text/values';
import { MAX_LENGTH } from '../../engine/plan/render-plan';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';

/** More than this and texts name each other in a circle. */
const MAX_DEPTH = 8;

/**
 * One side of a comparison: the guest clusters of a set of manifests, and what they are made of.
 *
 * Late values are written as what they come from, so that a new id for the same value is ignored,
 * and another text around the same values is a change.
 */
export class Side {
  public readonly clusters: readonly JudgedObject[];
  private readonly objects = new Map<string, JudgedObject[]>();
  private readonly lateValues: ReadonlyMap<string, AssemblyLateValue>;

  constructor(objects: readonly JudgedObject[], assemblies: readonly Assembly[] = []) {
    this.lateValues = new Map(
      assemblies.flatMap(({ lateValues }) => lateValues.map((value) => [value.id, value] as const)),
    );
    for (const object of objects) {
      const key = keyOf(
        groupOf(object.manifest.apiVersion),
        object.manifest.kind,
        object.manifest.metadata.namespace,
        object.manifest.metadata.name,
      );
      this.objects.set(key, [...(this.objects.get(key) ?? []), object]);
    }
    this.clusters = objects.filter(
      ({ manifest }) =>
        groupOf(manifest.apiVersion) === GROUPS.PROVISIONING && manifest.kind === 'Cluster',
    );
  }

  /**
   * The object of this side with a kind and name. The target decides if several objects have the
   * name.
   */
  public find(
    group: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    target: string,
  ): JudgedObject | undefined {
    const candidates = this.objects.get(keyOf(group, kind, namespace, name)) ?? [];
    return candidates.length <= 1
      ? candidates[0]
      : candidates.find((candidate) => candidate.target.name === target);
  }

  public cluster(like: JudgedObject): JudgedObject | undefined {
    const { namespace, name } = like.manifest.metadata;
    return this.find(GROUPS.PROVISIONING, 'Cluster', namespace, name, like.target.name);
  }

  public machineConfig(cluster: JudgedObject, name: string): JudgedObject | undefined {
    return this.find(
      GROUP_MACHINE_CONFIG,
      HARVESTER_CONFIG_KIND,
      cluster.manifest.metadata.namespace,
      name,
      cluster.target.name,
    );
  }

  /** The objects in a guest cluster. */
  public inGuest({
    manifest: {
      metadata: { namespace = '', name },
    },
    target: { name: rancher },
  }: JudgedObject): readonly JudgedObject[] {
    return [...this.objects.values()]
      .flat()
      .filter(
        ({ target }) =>
          target.provisioningCluster === `${namespace}/${name}` &&
          (target.rancher ?? rancher) === rancher,
      );
  }

  /** A value with its late values as what they come from. */
  public resolved(value: unknown): unknown {
    if (typeof value === 'string') {
      return this.text(value, 0);
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.resolved(item));
    }
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.resolved(inner)]))
      : value;
  }

  private text(text: string, depth: number): string {
    if (!text.includes('${late:') || depth > MAX_DEPTH) {
      return text;
    }
    // as the record of YAML around it was made by one version and not by another
    return withoutRecord(text).replace(
      new RegExp(LATE_TOKEN),
      (token, id: string, encodings: string) => {
        const value = this.lateValues.get(id);
        if (!value) {
          return token;
        }
        const { source } = value;
        const from =
          source.resolver === 'text' && 'text' in source
            ? this.text(source.text, depth + 1)
            : ['target', 'apiVersion', 'kind', 'namespace', 'name', 'path']
                .map((field) => valueAt(source, field) ?? '')
                .join(' ');
        // on one line within another text, so that lines are counted as people see them
        return `\${late ${token === text ? from : from.replace(/\n/g, '\\n')}${encodings === '' ? '' : ` in ${encodings.slice(1)}`}}`;
      },
    );
  }
}

function keyOf(group: string, kind: string, namespace: string | undefined, name: string): string {
  return `${group}/${kind} ${namespace ?? ''}/${name}`;
}

/** The places where two values differ, as deep as both are maps or lists. */
export function leaves(
  path: string,
  was: unknown,
  is: unknown,
): Array<[path: string, was: unknown, is: unknown]> {
  if (sameValue(was, is)) {
    return [];
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    return [...Array(Math.max(was.length, is.length)).keys()].flatMap((index) =>
      leaves(`${path}[${index}]`, was[index], is[index]),
    );
  }
  if (!isRecord(was) || !isRecord(is)) {
    return [[path, was, is]];
  }
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .sort()
    .flatMap((key) => leaves(`${path}.${key}`, was[key], is[key]));
}

/**
 * What an edit does to the machines of guest clusters, the worst first; `unknown` may be as bad as
 * those before it.
 */
const EFFECTS = [
  'delete',
  'replace',
  'unknown',
  'refuse',
  'stuck',
  'restart',
  'kept',
  'create',
  'none',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** One change in the manifests that is the reason of an effect. */
export interface Cause {
  /** The object, as people name it. */
  readonly object: string;
  readonly path: string;
  /** The previous value, shortened; absent where it may be a secret or did not exist. */
  readonly before?: string;
  readonly after?: string;
  /** A note about the change, e.g. that only the layout differs. */
  readonly remark?: string;
}

/** Between how many machines an autoscaler decides. */
export interface MachineRange {
  readonly min: number;
  /** @default - it is not known */
  readonly max?: number;
}

/** One consequence of applying an edit. */
export interface Impact {
  /**
   * The output folder, below the given one.
   * @default - all paths are one environment
   */
  readonly environment?: string;
  readonly effect: Effect;
  /** Namespace and name of the provisioning Cluster; empty where it is about another object. */
  readonly cluster: string;
  /** The label of an object other than a guest cluster. */
  readonly object?: string;
  readonly target: string;
  readonly pool?: string;
  /**
   * The ID by which the program accepts it.
   * @default - it cannot be accepted, or no program wrote the manifests
   */
  readonly id?: string;
  /** How many machines, where that is known. */
  readonly machines?: number;
  /**
   * The bounds of the autoscaler that decides how many.
   * @default - no autoscaler decides, or the number is known
   */
  readonly scaled?: MachineRange;
  /** What happens, one sentence without a subject. */
  readonly what: string;
  readonly causes: readonly Cause[];
  /** What may be lost. */
  readonly risks: readonly string[];
  readonly construct?: string;
  /** The reason for which the program accepts it. @default - it is not accepted */
  readonly accepted?: string;
}

/** Both values of a cause, in short; nothing for one that was not there. */
export function shown(before: unknown, after: unknown): Pick<Cause, 'before' | 'after'> {
  return {
    ...(before === undefined ? {} : { before: show(before) }),
    ...(after === undefined ? {} : { after: show(after) }),
  };
}

/** Where a cluster is: what all of its impacts say. */
export type Where = Pick<Impact, 'cluster' | 'target' | 'construct'>;

/** A consequence for a cluster or pool, by default without causes and risks. */
export function impactOn(
  where: Where,
  effect: Effect,
  what: string,
  more: Partial<Impact> = {},
): Impact {
  return { ...where, effect, what, causes: [], risks: [], ...more };
}

/** Both forms of a Cluster. */
export interface Pair {
  readonly before: JudgedObject;
  readonly after: JudgedObject;
}

/** Both sides of a comparison. */
export interface Sides {
  readonly before: Side;
  readonly after: Side;
}

/**
 * Whether machines are, or may be, deleted or replaced, or an edit cannot be carried out, and the
 * program does not accept it: a pipeline stops for it.
 */
export function mayLoseMachines({ effect, accepted }: Impact): boolean {
  return accepted === undefined && isLoss(effect);
}

/** Whether machines or data are, or may be, lost, or an edit cannot be carried out. */
export function isLoss(effect: Effect): boolean {
  return (
    effect === 'delete' ||
    effect === 'replace' ||
    effect === 'unknown' ||
    effect === 'refuse' ||
    effect === 'stuck'
  );
}

/** Sorts impacts by level, the worst first, then by place. */
export function sortImpacts(impacts: readonly Impact[]): Impact[] {
  const place = ({ cluster, target, pool = '' }: Impact): string => `${target} ${cluster} ${pool}`;
  return [...impacts].sort(
    (a, b) =>
      compare(`${a.target} ${a.cluster}`, `${b.target} ${b.cluster}`) ||
      EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect) ||
      compare(place(a), place(b)),
  );
}

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

const NOTHING = 'no guest cluster changes';

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
      const number = Number.isFinite(max)
        ? rangeText({ min, max })
        : min === 0
          ? 'some'
          : rangeText({ min });
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
  const summary = line(toned(isStopped ? 'error' : 'good', impactSummary(impacts)));
  if (impacts.length === 0) {
    return [line(NOTHING), BLANK, summary];
  }
  const places = [...grouped(impacts, clusterOf)].map(([title, own]) => {
    const blocks = [line(toned('title', title)), ...own.flatMap(impactText), BLANK];
    return own.some(({ effect }) => isLoss(effect)) ? pinned(blocks) : blocks;
  });
  return [list(places, 'clusters and objects'), summary];
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

/** e.g. `2 to 6` */
export function rangeText({ min, max }: MachineRange): string {
  return max === undefined ? `at least ${min}` : min === max ? String(min) : `${min} to ${max}`;
}

/** `HarvesterConfig fleet-default/shop memorySize: "8" -> "16"` */
export function causeText({ object, path, before, after, remark }: Cause): string {
  const values =
    before === undefined && after === undefined
      ? ''
      : `: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`;
  const place = [object, path].filter((part) => part !== '').join(' ');
  return `${place}${values}${remark === undefined ? '' : `${values === '' ? ' ' : ' ('}${remark}${values === '' ? '' : ')'}`}`;
}

/** For machines: every field is always there. */
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
