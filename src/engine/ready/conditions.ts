import { isRecord, valueAt } from '../../core/manifest/manifest';
import { LiveObject } from '../cluster/cluster';

/** How far an object is, and what it waits for. */
export interface Readiness {
  /** `failing` may pass, and is a failure only where it stays; `failed` never passes by itself. */
  readonly state: 'ready' | 'waiting' | 'failing' | 'failed';
  /** In the words of the object; empty where it is ready. May hold a secret, e.g. a URL with a token: scrub it before it is shown. */
  readonly why: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export const READY: Readiness = { state: 'ready', why: '' };

export function waiting(why: string): Readiness {
  return { state: 'waiting', why };
}

export function failing(why: string): Readiness {
  return { state: 'failing', why };
}

/** All conditions that an object has. */
export function conditionsOf(live: LiveObject): readonly Condition[] {
  const conditions = valueAt(live, 'status', 'conditions');
  if (!Array.isArray(conditions)) { return []; }
  return conditions.filter((condition): condition is Condition & Record<string, unknown> => isRecord(condition) && typeof condition.type === 'string');
}

/** A condition by its type; undefined where the object does not have it. */
export function conditionOf(live: LiveObject, type: string): Condition | undefined {
  return conditionsOf(live).find((condition) => condition.type === type);
}

/** What a condition says, for people. */
export function textOf({ type, status, reason, message }: Condition): string {
  return `${type} is ${status}${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`;
}

/** Ready when all of some conditions are True; a False one with words may stay so. */
export function allTrue(live: LiveObject, types: readonly string[]): Readiness {
  for (const type of types) {
    const condition = conditionOf(live, type);
    if (!condition) { return waiting(`has no condition ${type} yet`); }
    if (condition.status === 'True') { continue; }
    return condition.status === 'False' && condition.message ? failing(textOf(condition)) : waiting(textOf(condition));
  }
  return READY;
}

/** A number of the status, 0 where it is not there. */
export function count(live: LiveObject, ...path: string[]): number {
  const value = valueAt(live, ...path);
  return typeof value === 'number' ? value : 0;
}
