import { Manifest, isRecord, valueAt, itemsAt } from '../../manifest/manifest';

/** How far an object is, and what it waits for, by its own status. */
export interface Readiness {
  /** `failing` may pass, and is a failure only where it lasts; `failed` never passes by itself. */
  readonly state: 'ready' | 'waiting' | 'failing' | 'failed';
  /**
   * In the words of the object; empty for `ready`. It may contain a secret, e.g. a URL with a
   * token: mask it before it is printed.
   */
  readonly why: string;
  /** What to do where waiting does not help. @default - it is not known */
  readonly fix?: string;
}

/** A condition of the status. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The object is ready. */
export const READY: Readiness = { state: 'ready', why: '' };

/** The object is on its way. */
export function waiting(why: string): Readiness {
  return { state: 'waiting', why };
}

/** The object reports a failure that may pass. */
export function failing(why: string): Readiness {
  return { state: 'failing', why };
}

/** All conditions of an object. */
export function conditionsOf(live: Manifest): readonly Condition[] {
  return itemsAt(live, 'status', 'conditions').filter(
    (condition): condition is Condition & Record<string, unknown> =>
      isRecord(condition) && typeof condition.type === 'string',
  );
}

/** A condition by its type; undefined where the object does not have it. */
export function conditionOf(live: Manifest, type: string): Condition | undefined {
  return conditionsOf(live).find((condition) => condition.type === type);
}

/** A condition as text: `Ready is False (Reason): message`. */
export function conditionText({ type, status, reason, message }: Condition): string {
  return `${type} is ${status}${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`;
}

/** Ready when all of these conditions are True; one that is False with a message is failing. */
export function allTrue(live: Manifest, types: readonly string[]): Readiness {
  for (const type of types) {
    const condition = conditionOf(live, type);
    if (!condition) {
      return waiting(`has no condition ${type} yet`);
    }
    if (condition.status === 'True') {
      continue;
    }
    return condition.status === 'False' && condition.message
      ? failing(conditionText(condition))
      : waiting(conditionText(condition));
  }
  return READY;
}

/** A number of the status; 0 where the status does not have it. */
export function count(live: Manifest, ...path: string[]): number {
  const value = valueAt(live, ...path);
  return typeof value === 'number' ? value : 0;
}

/** The known facts about the cluster of an object. */
export interface ReadyContext {
  /** @default - the version of Harvester is unknown */
  readonly harvesterVersion?: string;
}

/** An object by its name, without a namespace. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** When an object of a kind is ready. */
export interface ReadyRule {
  readonly judge: (live: Manifest, about: ReadyContext) => Readiness;
  /**
   * Another object of the same API that must be ready, too: it shows what the object itself does
   * not.
   * @default - the object shows everything
   */
  readonly and?: (live: Manifest) => NamedObject | undefined;
  /** For how long it is waited for. @default - 5 minutes */
  readonly timeoutMs?: number;
  /**
   * What usually causes a long wait, and what to do, as sentences. @default - its conditions and
   * events show it
   */
  readonly hint?: (live: Manifest) => string | undefined;
}

/** One minute in milliseconds. */
export const MINUTE = 60_000;

/** Ready when all of these conditions are True. */
export function byConditions(...types: string[]): ReadyRule {
  return { judge: (live) => allTrue(live, types) };
}

/**
 * Ready when a field of the status has a value.
 *
 * @param wanted the value; undefined for an object that is ready without it
 * @param failed the values that never pass by themselves
 */
export function byStatus(
  field: string,
  wanted: (live: Manifest) => unknown,
  failed: readonly unknown[] = [],
): ReadyRule {
  return {
    judge(live) {
      const [expected, found] = [wanted(live), valueAt(live, 'status', field) ?? ''];
      if (expected === undefined || found === expected) {
        return READY;
      }
      const why =
        found === ''
          ? `has no status.${field} yet`
          : `status.${field} is ${String(found)}, not ${String(expected)}`;
      return failed.includes(found) ? { state: 'failed', why } : waiting(why);
    },
  };
}
