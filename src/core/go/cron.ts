import { atoi } from './go-json';
import { goDuration } from '../text/time';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of numbers, the first of `min`. */
  readonly names?: readonly string[];
}

/** The five fields: minute, hour, day of month, month, day of week. Sunday is 0 and only 0. */
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const DESCRIPTORS = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
];
const EVERY = '@every ';

/**
 * The words of Rancher's cron library for an expression that it refuses; undefined if it accepts
 * it.
 *
 * Not by cron-parser, which accepts other forms and knows no words of a server.
 *
 * Five fields or a descriptor (`@daily`, `@every 12h`); no seconds, no time zone, no `L` or `W`.
 *
 * @see https://pkg.go.dev/github.com/robfig/cron@v1.2.0#ParseStandard
 */
export function cronFault(text: string): string | undefined {
  if (text === '') {
    return 'Empty spec string';
  }
  if (text.startsWith('@')) {
    return descriptorFault(text);
  }
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return `Expected exactly ${FIELDS.length} fields, found ${fields.length}: ${text}`;
  }
  for (const [index, field] of fields.entries()) {
    for (const range of field.split(',').filter((part) => part !== '')) {
      const fault = rangeFault(range, FIELDS[index]);
      if (fault) {
        return fault;
      }
    }
  }
  return undefined;
}

function descriptorFault(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) {
    return undefined;
  }
  if (!text.startsWith(EVERY)) {
    return `Unrecognized descriptor: ${text}`;
  }
  const duration = text.slice(EVERY.length);
  return goDuration(duration) === undefined ? `Failed to parse duration ${text}` : undefined;
}

function rangeFault(text: string, bounds: Bounds): string | undefined {
  const [range, ...steps] = text.split('/');
  const ends = range.split('-');
  const open = ends[0] === '*' || ends[0] === '?';
  const first = open ? bounds.min : numberOf(ends[0], bounds.names);
  if (typeof first === 'string') {
    return first;
  }
  if (!open && ends.length > 2) {
    return `Too many hyphens: ${text}`;
  }
  const numbers = open ? [bounds.min, bounds.max] : ends.map((end) => numberOf(end, bounds.names));
  const step = steps.length === 1 ? numberOf(steps[0]) : 1;
  const bad = [...numbers, step].find((number) => typeof number === 'string');
  if (typeof bad === 'string') {
    return bad;
  }
  if (steps.length > 1) {
    return `Too many slashes: ${text}`;
  }

  const start = numbers[0] as number;
  // `N/step` means from N to the end
  const end =
    ends.length === 1 && steps.length === 1 ? bounds.max : (numbers[numbers.length - 1] as number);
  if (start < bounds.min) {
    return `Beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  }
  if (end > bounds.max) {
    return `End of range (${end}) above maximum (${bounds.max}): ${text}`;
  }
  if (start > end) {
    return `Beginning of range (${start}) beyond end of range (${end}): ${text}`;
  }
  return step === 0 ? `Step of range should be a positive number: ${text}` : undefined;
}

// the number, or what is wrong with its text
function numberOf(text: string, names?: readonly string[]): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (names && named >= 0) {
    return named + (names[0] === 'jan' ? 1 : 0);
  }
  const parsed = atoi(text);
  if (parsed === undefined) {
    return `Failed to parse int from ${text}`;
  }
  return parsed < 0 ? `Negative number (${parsed}) not allowed: ${text}` : parsed;
}
