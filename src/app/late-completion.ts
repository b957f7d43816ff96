import { readFileSync } from 'fs';
import { LateType, LateValue } from '../late/late-value';
import { isLate, LATE_TOKEN } from '../model/late-token';
import { isRecord } from '../model/manifest';
import { RFC1123_LABEL } from '../model/names';
import { loneSurrogate } from '../model/yaml-scalar';

/** Resolved late values by id. */
export type ResolvedValues = ReadonlyMap<string, string>;

/**
 * Reads a file of resolved values: `{"schemaVersion":"1","values":{"<id>":"<value>"}}`.
 */
export function readResolvedValues(file: string): ResolvedValues {
  const expected = 'expected {"schemaVersion":"1","values":{"<late value id>":"<value>"}}';
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // the parser's words would show a piece of the file, which holds secrets
    const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    throw new Error(`late values file ${file}: ${why}; ${expected}`);
  }
  const values = isRecord(content) && content.schemaVersion === '1' ? content.values : undefined;
  if (!isRecord(values) || Object.values(values).some((value) => typeof value !== 'string')) {
    throw new Error(`late values file ${file}: it has another form; ${expected}`);
  }
  return new Map(Object.entries(values) as [string, string][]);
}

/**
 * The values of a file, with the texts that can be put together from them. A value that the file itself gives is not made anew.
 */
export function withTexts(lateValues: readonly LateValue[], values: ResolvedValues): ResolvedValues {
  const all = new Map(values);
  // a text may hold another one; each round knows one more, so a circle of texts ends it, and is told as a cycle of edges
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const { lateId, source: { content } } of lateValues) {
      if (content === undefined || all.has(lateId)) { continue; }
      const completed = content.replace(LATE_TOKEN, (token: string, id: string, encoding?: string) => encode(all.get(id), encoding) ?? token);
      if (!isLate(completed)) { all.set(lateId, completed); }
    }
  }
  return all;
}

function encode(value: string | undefined, encoding: string | undefined): string | undefined {
  if (value === undefined) { return undefined; }
  if (encoding === 'base64') { return Buffer.from(value, 'utf8').toString('base64'); }
  return encoding === 'json' ? JSON.stringify(value).slice(1, -1) : value;
}

/**
 * Why a resolved value can't be the late value's; undefined where it can. Never shows the value.
 */
export function mismatch(late: LateValue, value: string): string | undefined {
  if (value === '') { return 'is empty'; }
  if (isLate(value)) { return 'holds a late value itself'; }
  if (loneSurrogate(value)) { return 'holds half a character, which no file can hold'; }
  switch (late.type) {
    case LateType.NAME: return RFC1123_LABEL.test(value) ? undefined : 'is no RFC 1123 label';
    case LateType.TOKEN: return /\s/.test(value) ? 'holds white space' : undefined;
    case LateType.URL:
      // canParse takes white space around and within
      if (/\s/.test(value)) { return 'holds white space'; }
      if (!/^https:\/\/[^/]/i.test(value) || !URL.canParse(value)) { return 'is no https URL (https://<host>/…)'; }
      return /\{|%7b/i.test(value) ? 'holds a placeholder in braces' : undefined;
    case LateType.STRING: return undefined;
  }
}

/**
 * A copy of a manifest in which the known late values stand for their placeholders.
 *
 * In text that is JSON as a whole (a Setting's value) they get JSON's escapes, so that a value of several lines stays one string there; so
 * also in JSON within its strings.
 */
export function complete<T>(value: T, values: ResolvedValues): T {
  if (typeof value === 'string') { return (isLate(value) ? completeText(value, values) : value) as T; }
  if (Array.isArray(value)) { return value.map((item) => complete(item, values)) as T; }
  if (isRecord(value)) { return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, complete(item, values)])) as T; }
  return value;
}

// a group repeats only for each escape: once for each character fills the stack of the regular expression engine
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

function completeText(text: string, values: ResolvedValues, withinJson = false): string {
  if (isJson(text)) {
    // string by string: what lies between them keeps its form
    return text.replace(JSON_STRING, (literal) => (
      isLate(literal) ? JSON.stringify(completeText(JSON.parse(literal) as string, values, true)) : literal));
  }
  // who names the encoding in a string that is completed as JSON anyway does not mean it twice, unless there are quotes of its own around
  const escapedAnyway = withinJson && !text.includes('"');
  return text.replace(LATE_TOKEN, (token: string, id: string, encoding?: string) => {
    return encode(values.get(id), encoding === 'json' && escapedAnyway ? undefined : encoding) ?? token;
  });
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) { return false; }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
