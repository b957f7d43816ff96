import { isLate, LATE_OPEN, LATE_TOKEN } from '../model/late-token';
import { Problem } from '../model/problem';

// '${late:' in base64, at each of the three ways it may lie in its bytes
const BASE64_MARKS = [0, 1, 2].map((offset) => {
  const text = Buffer.from(`${'x'.repeat(offset)}${LATE_OPEN}`).toString('base64').replace(/=+$/, '');
  const whole = Math.floor(((offset + LATE_OPEN.length) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), whole);
});

// as URL builders escape it, in other letters, or an object that another language printed where its text was meant
const CHANGED: readonly (readonly [RegExp, string])[] = [
  [/\$\{late:/i, 'whose case was changed'],
  [/(?:\$|%24)(?:\{|%7b)late(?::|%3a)/i, 'that was escaped for a URL'],
];
const PRINTED_OBJECT = /\b(?:Late|Secret)Value(?: object at 0x|@)[0-9a-f]/;

// what every late value, sound or damaged, still has in it; nearly no text has, so that most objects are looked through once and cheaply
const TRACE = new RegExp(`(?:\\{|%7b)late|(?:late|secret)value|${BASE64_MARKS.join('|')}`, 'i');

/** What a look through one object for late values found. */
export interface LateScan {
  /** Ids of the late values that the object waits for. */
  readonly ids: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/**
 * Finds the late values in an object, and those that were changed so that nobody would know them again.
 */
export function scanLate(value: unknown): LateScan {
  if (!hasTrace(value)) { return NOTHING; }
  const ids = new Set<string>();
  const problems: Problem[] = [];
  walk(value, '', (text, path) => {
    // a sound one does not hide a damaged one beside it
    const rest = isLate(text) ? text.replace(LATE_TOKEN, (_, id: string) => { ids.add(id); return ''; }) : text;
    const damage = damageOf(rest);
    if (damage) { problems.push(damaged(path, damage)); }
  }, (key, path) => {
    if (isLate(key) || damageOf(key)) { problems.push(damaged(path, 'holds a late value in a key')); }
  });
  return { ids, problems };
}

const NOTHING: LateScan = { ids: new Set(), problems: [] };

function hasTrace(value: unknown): boolean {
  if (typeof value === 'string') { return TRACE.test(value) || (value.includes('\n') && holdsBase64Mark(value)); }
  if (Array.isArray(value)) { return value.some(hasTrace); }
  if (typeof value !== 'object' || value === null) { return false; }
  for (const key in value) {
    if (hasTrace(key) || hasTrace((value as { [key: string]: unknown })[key])) { return true; }
  }
  return false;
}

function damageOf(text: string): string | undefined {
  if (isLate(text)) { return 'holds a late value that was cut or changed'; }
  if (holdsBase64Mark(text)) { return 'holds a late value that was put into base64 before it is known'; }
  if (PRINTED_OBJECT.test(text)) { return 'holds a LateValue or SecretValue that was printed as an object; use its property token'; }
  const changed = CHANGED.find(([pattern]) => pattern.test(text));
  return changed && `holds a late value ${changed[1]}`;
}

// base64 is often broken into lines
function holdsBase64Mark(text: string): boolean {
  const joined = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  return BASE64_MARKS.some((mark) => joined.includes(mark));
}

function damaged(path: string, message: string): Problem {
  return { path, message, fix: 'use the late value as it is, within other text if need be; its properties base64 and json are the encodings there are' };
}

/** Goes through all texts and keys of a value, with their paths. */
export function walk(
  value: unknown, path: string, onText: (text: string, path: string) => void, onKey?: (key: string, path: string) => void,
): void {
  if (typeof value === 'string') {
    onText(value, path);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => walk(item, `${path}[${index}]`, onText, onKey));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      onKey?.(key, path);
      walk(item, path ? `${path}.${key}` : key, onText, onKey);
    }
  }
}
