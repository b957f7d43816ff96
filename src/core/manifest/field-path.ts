/** One step into an object: a key of a map, or the place in a list. */
export type Step = string | number;

export type FieldPath = readonly Step[];

/** A step of a pattern: a step, or any item. */
const ANY = Symbol('any item');

export type FieldPattern = readonly (Step | typeof ANY)[];

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as findings write it: `spec.machinePools[0].quantity`, `metadata.annotations[field.cattle.io/creatorId]`. */
export function pathText(path: FieldPath): string {
  return path.map((step, index) => {
    if (typeof step === 'number' || !PLAIN_KEY.test(step)) { return `[${step}]`; }
    return index === 0 ? step : `.${step}`;
  }).join('');
}

/**
 * Reads a path of the assembly: keys by dots, `[key]` for keys that hold dots, `[*]` and `[]` for all items of a list, `[0]` or `.0.` for one.
 */
export function patternOf(text: string): FieldPattern {
  const steps: (Step | typeof ANY)[] = [];
  for (const [, bracket, plain] of text.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const step = bracket ?? plain;
    if (bracket === '' || bracket === '*') { steps.push(ANY); } else { steps.push(/^\d+$/.test(step) ? Number(step) : step); }
  }
  return steps;
}

/** Reads a path without wildcards. */
export function pathOf(text: string): FieldPath {
  return patternOf(text).filter((step) => step !== ANY);
}

/** Whether a pattern names a field, or one above it. */
export function coverOf(pattern: FieldPattern, path: FieldPath): 'exact' | 'above' | undefined {
  if (pattern.length > path.length) { return undefined; }
  // a number in a pattern may be the key of a map, too
  const meets = pattern.every((step, index) => step === ANY || step === path[index] || String(step) === path[index]);
  if (!meets) { return undefined; }
  return pattern.length === path.length ? 'exact' : 'above';
}

/** Whether one path equals the other or contains it. */
export function isWithin(path: FieldPath, above: FieldPath): boolean {
  return above.length <= path.length && above.every((step, index) => step === path[index]);
}

/** The value at a path. */
export function at(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((current, step) => (
    typeof current === 'object' && current !== null && Object.hasOwn(current, step) ? (current as { [key: Step]: unknown })[step] : undefined), value);
}

/** A copy with another value at a path that is there; without it where the value is undefined. */
export function replacedAt<T>(value: T, path: FieldPath, by: unknown): T {
  if (path.length === 0) { return by as T; }
  const [step, ...rest] = path;
  if (Array.isArray(value)) { return value.map((item, index) => (index === step ? replacedAt(item, rest, by) : item)) as T; }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) { return value; }
  const entries = Object.entries(value).map(([key, item]) => [key, key === step ? replacedAt(item, rest, by) : item] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as T;
}
