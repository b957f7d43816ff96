import { withoutRecord } from '../../core/late/late-text';
import { LATE_TOKEN } from '../../core/late/late-token';
import { groupOf, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyLateValue } from '../../core/output/assembly';
import { show } from '../../core/problem/problem';
import { JudgedObject } from '../../core/rule/rule';
import { compare } from '../../core/text/values';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
} from '../../guest/machine-config/machine-config.kind';

/** More than this and texts name each other in a circle. */
const MAX_DEPTH = 8;

/**
 * One side of a comparison: the guest clusters of a set of manifests, and what they are made of.
 *
 * Late values are written as what they come from, so that a new id for the same value is ignored,
 * and another text around the same values is a change.
 */
export class ImpactSide {
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
  public inGuest(cluster: JudgedObject): readonly JudgedObject[] {
    const { namespace = '', name } = cluster.manifest.metadata;
    const rancher = cluster.target.name;
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
export const EFFECTS = [
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
  readonly before: ImpactSide;
  readonly after: ImpactSide;
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

/** e.g. `2 to 6` */
export function rangeText({ min, max }: MachineRange): string {
  if (max === undefined) {
    return `at least ${min}`;
  }
  if (min === max) {
    return String(min);
  }
  return `${min} to ${max}`;
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
