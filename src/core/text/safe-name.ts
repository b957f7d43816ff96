import { createHash } from 'crypto';

const MAX = 63;

/**
 * Names joined by hyphens, shortened by a hash where they are longer than 63 characters.
 * @see rancher/wrangler:pkg/name/name.go SafeConcatName
 */
export function safeConcatName(...names: string[]): string {
  const full = names.filter((name) => name !== '').join('-');
  if (full.length <= MAX) { return full; }
  const digest = createHash('sha256').update(full).digest('hex');
  // what is cut must not end in a hyphen or a dot
  return /[a-z0-9]/.test(full[MAX - 7]) ? `${full.slice(0, MAX - 6)}-${digest.slice(0, 5)}` : `${full.slice(0, MAX - 7)}-${digest.slice(0, 6)}`;
}
