import { completeText } from './late-text';
import { isLate, LATE_TOKEN } from './late-token';
import { LateType } from './late-type';
import { isRecord } from './manifest';
import { RFC1123_LABEL } from './names';
import { loneSurrogate } from './yaml-scalar';

/** Resolved late values by id. */
export type ResolvedValues = ReadonlyMap<string, string>;

/** The version of the form that files of resolved values have. */
export const LATE_VALUES_VERSION = '1';

/**
 * The values with the texts that can be put together from them. A value that is given is not made anew.
 *
 * @param texts that hold placeholders of other late values, by the id of the late value that they are
 */
export function withTexts(texts: ReadonlyMap<string, string>, values: ResolvedValues): ResolvedValues {
  const all = new Map(values);
  // a text may hold another one; each round knows one more, so a circle of texts ends it, and is told as a cycle of edges
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const [id, text] of texts) {
      if (all.has(id)) { continue; }
      const completed = completeText(text, all);
      if (!isLate(completed)) { all.set(id, completed); }
    }
  }
  return all;
}

/**
 * Why a resolved value can't be a late value's; undefined where it can. Never shows the value.
 *
 * @param type of the late value; of a type that is not known, any text will do
 */
export function mismatch(type: string, value: string): string | undefined {
  if (value === '') { return 'is empty'; }
  if (isLate(value)) { return 'holds a late value itself'; }
  if (loneSurrogate(value)) { return 'holds half a character, which no file can hold'; }
  switch (type) {
    case LateType.NAME: return RFC1123_LABEL.test(value) ? undefined : 'is no RFC 1123 label';
    case LateType.TOKEN: return /\s/.test(value) ? 'holds white space' : undefined;
    case LateType.URL:
      // canParse takes white space around and within
      if (/\s/.test(value)) { return 'holds white space'; }
      if (!/^https:\/\/[^/]/i.test(value) || !URL.canParse(value)) { return 'is no https URL (https://<host>/…)'; }
      return /\{|%7b/i.test(value) ? 'holds a placeholder in braces' : undefined;
    default: return undefined;
  }
}

/**
 * A copy of a manifest in which the known late values stand for their placeholders.
 *
 * In text that is JSON as a whole (a Setting's value), or YAML that the template records as such, they are encoded for it, so that a value of
 * several lines stays one string there; so also in documents within its strings.
 */
export function complete<T>(value: T, values: ResolvedValues): T {
  if (typeof value === 'string') { return (isLate(value) ? completeText(value, values) : value) as T; }
  if (Array.isArray(value)) { return value.map((item) => complete(item, values)) as T; }
  if (isRecord(value)) { return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, complete(item, values)])) as T; }
  return value;
}

/** The ids of the late values that stand in a value, each once. */
export function lateIdsIn(value: unknown): string[] {
  const ids = new Set<string>();
  const look = (inner: unknown): void => {
    if (typeof inner === 'string') {
      if (isLate(inner)) { for (const match of inner.matchAll(LATE_TOKEN)) { ids.add(match[1]); } }
    } else if (typeof inner === 'object' && inner !== null) {
      Object.values(inner).forEach(look);
    }
  };
  look(value);
  return [...ids];
}
