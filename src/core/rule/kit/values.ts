import { isLate } from '../../late/late-token';
import { isRecord } from '../../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../problem/problem';
import { goDuration } from '../../text/time';
import { quantityOf } from '../../text/values';

/**
 * Judges a value. Late values, and values that are not of the type that it is about, are in order:
 * the rule on types of fields reports those.
 */
export type ValueCheck = (path: string, value: unknown) => readonly Problem[];

/** The words of a problem with a value. */
export interface Words {
  /** What to show of the value; `undefined` for what may be a secret. @default - the value */
  readonly value?: unknown;
  readonly message: string;
  readonly fix: string;
  /** The server's own words. */
  readonly says?: string;
  readonly level?: 'error' | 'warning';
}

/** The check that a value passes a test. */
export function must(test: (value: unknown) => boolean, words: Words): ValueCheck {
  return (path, value) =>
    isLate(value) || test(value) ? NO_PROBLEMS : [{ path, value, ...words }];
}

/** The check of a text that is not empty; other values are in order. */
export function text<A extends readonly unknown[], R>(
  check: (path: string, value: string, ...more: A) => R,
): (path: string, value: unknown, ...more: A) => R | readonly Problem[] {
  return (path, value, ...more) =>
    typeof value === 'string' && value !== '' && !isLate(value)
      ? check(path, value, ...more)
      : NO_PROBLEMS;
}

/** The check that a text has a form. */
export function matches(form: RegExp | ((value: string) => boolean), words: Words): ValueCheck {
  const test = typeof form === 'function' ? form : (value: string) => form.test(value);
  return text((path, value) => (test(value) ? NO_PROBLEMS : [{ path, value, ...words }]));
}

/** The check that a text is one of some words. */
export function oneOf(allowed: readonly string[], words: Partial<Words> = {}): ValueCheck {
  return matches((value) => allowed.includes(value), {
    message: `must be one of ${allowed.join(', ')}`,
    fix: 'use one of them',
    ...words,
  });
}

/** The check of a Kubernetes quantity. */
export const quantity: ValueCheck = must((value) => quantityOf(value) !== undefined, {
  message: 'must be a quantity',
  fix: 'write e.g. 500m, 2 or 256Mi',
  says: 'quantities must match the regular expression',
});

/** The check of a duration as Go reads it. */
export const durationCheck: ValueCheck = text((path, value) =>
  goDuration(value) !== undefined
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          message: 'must be a duration',
          fix: 'write hours, minutes and seconds, e.g. 5m or 1h30m',
          says: `time: invalid duration ${JSON.stringify(value)}`,
        },
      ],
);

/** The check of each item of a list. */
export function each(check: ValueCheck): ValueCheck {
  return (path, value) =>
    Array.isArray(value)
      ? problemsOf(value, (item, index) => check(`${path}[${index}]`, item))
      : NO_PROBLEMS;
}

/** The check of each value of a map. */
export function eachValue(check: ValueCheck): ValueCheck {
  return (path, value) =>
    isRecord(value)
      ? problemsOf(Object.keys(value), (key) => check(`${path}.${key}`, value[key]))
      : NO_PROBLEMS;
}

/** The checks of fields of a map. */
export function fields(checks: { readonly [field: string]: ValueCheck }): ValueCheck {
  const entries = Object.entries(checks);
  return (path, value) =>
    isRecord(value)
      ? problemsOf(entries, ([field, check]) => check(`${path}.${field}`, value[field]))
      : NO_PROBLEMS;
}
