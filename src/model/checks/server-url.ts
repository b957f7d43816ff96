import { isLate } from '../late-token';
import { Problem } from '../problem';

const FIX = 'give scheme and host, e.g. https://rancher.example.com';

/**
 * What makes a text no URL that clusters can reach Rancher by. Of server-url Rancher takes scheme and host and drops the rest.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL
 */
export function* checkServerUrl(path: string, text: string): Iterable<Problem> {
  if (isLate(text)) { return; }
  if (!URL.canParse(text)) {
    yield { path, value: text, message: 'is no URL: no cluster can register', fix: FIX };
    return;
  }
  const url = new URL(text);
  if (url.protocol !== 'https:') {
    yield { path, value: text, level: 'warning', message: 'is no https URL: tokens of clusters and users would travel in clear', fix: FIX };
  }
  if (url.username || url.password) { yield { path, message: 'holds credentials, which every registration URL would show', fix: FIX }; }
  if (url.pathname !== '/' || url.search || url.hash) {
    yield { path, value: `${url.origin}${url.pathname}`, message: 'has more than scheme and host, which Rancher drops from registration URLs', fix: FIX };
  }
}
