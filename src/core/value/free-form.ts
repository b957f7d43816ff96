import { SecretValue } from './secret-value';
import { Problem } from '../problem/problem';
import {
  MAX_LEVELS,
  className,
  isPlainMap,
  keyProblem,
  yamlPathText,
  scalarProblem,
} from '../yaml/yaml-writer';

/**
 * A value of a free form, such as the values of a chart, as it can be written: a key that is
 * undefined is left out.
 */
export interface FreeForm<T> {
  /** The value; without what is wrong with it. */
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** How a secret gets into values of a chart. */
export const VALUES_SECRET_FIX = 'put it in a Secret, and set valuesSecrets to its name';

const SECRET_FIX = 'use its token, which synthesis replaces: the text has the secret in plain text';

type Step = string | number;

/**
 * Checks and copies a value of a free form, of which a program may set any part to what JSON cannot
 * hold. Null remains: it removes the default of a chart.
 *
 * @param path of the prop
 * @param secretFix what to do with a secret in it
 */
export function freeForm<T>(path: string, given: T, secretFix = SECRET_FIX): FreeForm<T> {
  const problems: Problem[] = [];
  const report = (steps: readonly Step[], message: string, fix: string): undefined => {
    problems.push({ path: placeOf(path, steps), message, fix });
  };
  const copy = (value: unknown, steps: readonly Step[], above: readonly object[]): unknown => {
    if (typeof value !== 'object' || value === null) {
      const message = scalarProblem(value);
      return message === undefined ? value : report(steps, message, fixFor(value));
    }
    const level = above.indexOf(value);
    if (level >= 0) {
      return report(
        steps,
        `must not be a cycle, got a reference to ${placeOf(path, steps.slice(0, level))}`,
        'remove the reference',
      );
    }
    if (value instanceof SecretValue) {
      return report(steps, 'must be a JSON value, got a SecretValue', secretFix);
    }
    if (!isPlainMap(value)) {
      return report(
        steps,
        `must be a JSON value, got ${className(value)}`,
        'set text, a number, or a plain object',
      );
    }
    // the writer refuses these, too
    if (above.length > MAX_LEVELS) {
      return report(steps, `must have at most ${MAX_LEVELS} levels`, 'set fewer levels');
    }
    const below = [...above, value];
    if (Array.isArray(value)) {
      return Array.from(value, (item, index) => copy(item, [...steps, index], below));
    }
    const fields: [string, unknown][] = [];
    for (const [index, [key, field]] of Object.entries(value).entries()) {
      if (field === undefined) {
        continue;
      }
      const message = keyProblem(key, index);
      if (message === undefined) {
        fields.push([key, copy(field, [...steps, key], below)]);
      } else {
        report(steps, message, 'use another key');
      }
    }
    return Object.fromEntries(fields);
  };
  return { value: given === undefined ? given : (copy(given, [], []) as T), problems };
}

function placeOf(path: string, steps: readonly Step[]): string {
  if (steps.length === 0) {
    return path;
  }
  const below = yamlPathText(steps);
  return `${path}${below.startsWith('[') ? '' : '.'}${below}`;
}

function fixFor(value: unknown): string {
  switch (typeof value) {
    case 'function':
      return 'set what it returns, or leave it out';
    case 'undefined':
      return 'remove it from the list';
    case 'string':
      return 'correct the text';
    default:
      return 'set text or a number';
  }
}

/** Whether a value is an object with keys, and not a list or an instance of a class. */
export function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlainMap(value);
}

/** What a value is, without the value: it may be a secret. */
export function freeFormKind(value: unknown): string {
  if (value === null || value === undefined) {
    return String(value);
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return className(value);
  }
  if (typeof value === 'string') {
    return 'text';
  }
  return `a ${typeof value}`;
}
