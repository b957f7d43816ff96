import { Side } from './side';
import { compare } from '../../model/compare';
import { show } from '../../model/problem';
import { JudgedObject } from '../../rules/rule';

/** What an edit does to the machines of guest clusters, the worst first; `unknown` is what can not be told, and may be as bad as what is before it. */
export const EFFECTS = ['delete', 'replace', 'unknown', 'refuse', 'restart', 'create', 'none'] as const;
export type Effect = typeof EFFECTS[number];

/** One change in the manifests that is the reason of an effect. */
export interface Cause {
  /** The object, as people name it. */
  readonly object: string;
  readonly path: string;
  /** The value as it was, in short; none where it may be a secret or was not there. */
  readonly before?: string;
  readonly after?: string;
  /** What else is to say of it, e.g. that only the layout differs. */
  readonly remark?: string;
}

/** One thing that happens when an edit is applied. */
export interface Impact {
  readonly effect: Effect;
  /** Namespace and name of the provisioning Cluster; empty where it is about another object. */
  readonly cluster: string;
  /** The object that is no guest cluster, as people name it. */
  readonly object?: string;
  readonly target: string;
  readonly pool?: string;
  /** How many machines, where that is known. */
  readonly machines?: number;
  /** What happens, one sentence without a subject. */
  readonly what: string;
  readonly causes: readonly Cause[];
  /** What may be lost. */
  readonly risks: readonly string[];
  readonly construct?: string;
}

/** Both values of a cause, in short; nothing for one that was not there. */
export function shown(before: unknown, after: unknown): Pick<Cause, 'before' | 'after'> {
  return { ...(before === undefined ? {} : { before: show(before) }), ...(after === undefined ? {} : { after: show(after) }) };
}

/** Where a cluster is: what all of its impacts say. */
export type Where = Pick<Impact, 'cluster' | 'target' | 'construct'>;

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

/** Whether machines go, or may go for all that can be told: what a pipeline stops for. */
export function mayLoseMachines({ effect }: Impact): boolean {
  return effect === 'delete' || effect === 'replace' || effect === 'unknown' || effect === 'refuse';
}

/** The worst first, then by place. */
export function sortImpacts(impacts: readonly Impact[]): Impact[] {
  const place = ({ cluster, target, pool = '' }: Impact): string => `${target} ${cluster} ${pool}`;
  return [...impacts].sort((a, b) => compare(`${a.target} ${a.cluster}`, `${b.target} ${b.cluster}`)
    || EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect) || compare(place(a), place(b)));
}
