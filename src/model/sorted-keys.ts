import { isRecord } from './manifest';

/** A value with the keys of its maps in one order, for texts in which their order must not count. */
export function sortedKeys<T>(value: T): T;
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) { return value.map((item: unknown) => sortedKeys(item)); }
  return isRecord(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortedKeys(value[key])])) : value;
}
