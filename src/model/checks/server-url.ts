import { isLate } from '../late-token';
import { Problem } from '../problem';

const FIX = 'give scheme and host, e.g. https://rancher.example.com';
const PROTOCOLS = ['https:', 'http:'];

/**
 * What makes a text no URL that clusters can reach Rancher by. Of server-url Rancher takes scheme and host and drops the rest.
 *
 * @param dropped how bad it is to give what Rancher drops: constructs refuse it, rules tell it, since the server accepts it
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL
 */
export function* checkServerUrl(path: string, text: string, dropped: 'error' | 'warning' = 'error'): Iterable<Problem> {
  if (isLate(text)) { return; }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `rancher.example.com:8443` is one by the book, of the scheme rancher.example.com
  if (!url || !PROTOCOLS.includes(url.protocol)) {
    yield { path, value: withoutSecrets(text), message: 'is no URL: no cluster can register', fix: FIX };
    return;
  }
  const value = withoutSecrets(text);
  if (url.protocol !== 'https:') {
    yield { path, value, level: 'warning', message: 'is no https URL: tokens of clusters and users would travel in clear', fix: FIX };
  }
  if (url.username || url.password) {
    yield { path, level: dropped, message: 'holds credentials, which every registration URL would show', fix: FIX };
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    yield { path, value, level: dropped, message: 'has more than scheme and host, which Rancher drops from registration URLs', fix: FIX };
  }
}

/**
 * A URL, or what somebody took for one, as it may be shown: without user, password and query, which may be credentials.
 */
export function withoutSecrets(url: string): string {
  // to the last @, since a password that is not encoded may hold any character
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[\s\S]*@/i, '$1***@').replace(/[?#][\s\S]*$/, '');
}
