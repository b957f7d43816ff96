import { isRecord } from './manifest';

/**
 * Whether two values mean the same to an API server: the order of keys does not count, and nothing, null, `{}` and `[]` are one.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) { return isNothing(a) && isNothing(b); }
  if (Array.isArray(a) && Array.isArray(b)) { return a.length === b.length && a.every((item, index) => sameValue(item, b[index])); }
  if (!isRecord(a) || !isRecord(b)) { return a === b; }
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameValue(a[key], b[key]));
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) { return true; }
  if (Array.isArray(value)) { return value.length === 0; }
  return isRecord(value) && Object.values(value).every(isNothing);
}
