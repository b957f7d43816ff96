import { CONTAINER_LIMIT_KEYS, EXTENDED_PREFIX, QUOTA_EXTENDED, QUOTA_KEYS, QuotaLimit } from './quota-keys';
import { compare } from '../compare';
import { isRecord } from '../manifest';

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** An amount of CPU in the canonical text of Kubernetes: `2`, `500m`. Rounded up to whole thousandths, as an API server does. */
export function cpuText(cores: number): string {
  const millis = Math.ceil(Number((cores * 1000).toFixed(6)));
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

/** An amount of bytes in the canonical text of Kubernetes: the largest binary unit that leaves no fraction, e.g. `128Gi`, `1536Mi`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [Math.ceil(bytes), ''];
  for (const next of BINARY) {
    if (value === 0 || value % 1024 !== 0) { break; }
    [value, unit] = [value / 1024, next];
  }
  return `${value}${unit}`;
}

/** A quota as the field `limit` of a Project: keys in the order of Rancher's struct. */
export function quotaFields(limit: QuotaLimit): { [key: string]: unknown } {
  const fields: { [key: string]: unknown } = {};
  for (const key of QUOTA_KEYS) {
    if (limit[key] !== undefined) { fields[key] = limit[key]; }
  }
  const extended = Object.keys(limit).filter((key) => key.startsWith(EXTENDED_PREFIX)).sort(compare);
  if (extended.length > 0) { fields[QUOTA_EXTENDED] = Object.fromEntries(extended.map((key) => [key.slice(EXTENDED_PREFIX.length), limit[key]])); }
  return fields;
}

/** A quota as the annotation of a Namespace, as Rancher writes it back: compact, keys in the order of its struct. */
export function quotaJson(limit: QuotaLimit): string {
  return JSON.stringify({ limit: quotaFields(limit) });
}

/** Container defaults as fields of a Project. */
export function containerLimitFields(limit: QuotaLimit): { [key: string]: string } {
  return Object.fromEntries(CONTAINER_LIMIT_KEYS.flatMap((key) => (limit[key] === undefined ? [] : [[key, limit[key]]])));
}

/** Container defaults as the annotation of a Namespace. */
export function containerLimitJson(limit: QuotaLimit): string {
  return JSON.stringify(containerLimitFields(limit));
}

/**
 * A quota read from a manifest: the flat form of `limit`, values as text where they are text or numbers; others are left out, as what they limit
 * can't be said.
 */
export function quotaLimitOf(limit: unknown): QuotaLimit {
  if (!isRecord(limit)) { return {}; }
  const flat: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(limit)) {
    if (key === QUOTA_EXTENDED && isRecord(value)) {
      for (const [name, amount] of Object.entries(value)) { put(flat, `${EXTENDED_PREFIX}${name}`, amount); }
    } else {
      put(flat, key, value);
    }
  }
  return flat;
}

function put(flat: { [key: string]: string }, key: string, value: unknown): void {
  // Rancher takes an empty text for a limit that is not set
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') { flat[key] = String(value); }
}
