import { Manifest } from '../../model/manifest';
import { ApiError } from '../transport/api';

const TOO_LARGE = /too (long|large)/i;

/**
 * What the words of a server that refused an object do not say; empty where they say it all.
 *
 * @param passed whether the same server let a dry run of it pass
 */
export function refusalHint(error: unknown, manifest: Manifest | undefined, passed: boolean): string {
  if (!(error instanceof ApiError) || error.failure !== 'invalid') { return ''; }
  const size = manifest && TOO_LARGE.test(error.message) ? `; it has ${(Buffer.byteLength(JSON.stringify(manifest)) / 1_048_576).toFixed(1)} MiB as JSON` : '';
  return `${size}${passed ? '; its dry run had passed: what refuses it looks at real writes only' : ''}`;
}
