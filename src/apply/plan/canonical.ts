import { isRecord } from '../../model/manifest';

/** JSON with sorted keys: the same text for what is the same to a server. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item)) ?? 'null';
}
