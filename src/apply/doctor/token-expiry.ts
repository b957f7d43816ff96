import { textAt } from './live-world';
import { KUBECONFIG_TOKEN } from '../../model/live-names';
import { isRecord, valueAt } from '../../model/manifest';
import { parseYamlMap } from '../bind/parse-yaml';
import { LiveObject } from '../cluster/cluster';

/** What a kubeconfig signs requests with. */
export interface KubeconfigTokens {
  /** Names of tokens of Rancher's own: what stands before the colon. */
  readonly rancher: readonly string[];
  /** When tokens that say so themselves expire, in milliseconds since 1970. */
  readonly expiries: readonly number[];
}

/** The tokens of a kubeconfig, as YAML or in base64; undefined where it is none. Gives names and times, never a token. */
export function tokensIn(content: string): KubeconfigTokens | undefined {
  const users = usersOf(content) ?? usersOf(Buffer.from(content.replace(/\s/g, ''), 'base64').toString('utf8'));
  if (!users) { return undefined; }
  const tokens = users.map((user) => textAt(user, 'user', 'token').trim()).filter((token) => token !== '');
  return {
    rancher: tokens.map((token) => token.split(':')[0]).filter((name) => KUBECONFIG_TOKEN.test(name)),
    expiries: tokens.flatMap((token) => { const at = expiryOfJwt(token); return at === undefined ? [] : [at]; }),
  };
}

function usersOf(text: string): readonly unknown[] | undefined {
  try {
    const { users } = parseYamlMap(text);
    return Array.isArray(users) ? users : undefined;
  } catch {
    return undefined;
  }
}

/** When a JSON Web Token says that it expires. */
function expiryOfJwt(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (signature === undefined) { return undefined; }
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const exp = isRecord(claims) ? claims.exp : undefined;
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When a token of Rancher's expires, in milliseconds since 1970; undefined where it never does. Its `expiresAt` is not asked: it stays as it was when
 * Rancher takes the time limit away.
 *
 * @see rancher/rancher:pkg/auth/tokens IsExpired (ttl in milliseconds since it was made); rancher/rancher#49685
 */
export function expiryOfToken(token: LiveObject): number | undefined {
  const ttl = valueAt(token, 'ttl');
  const created = Date.parse(textAt(token, 'metadata', 'creationTimestamp'));
  return typeof ttl === 'number' && ttl > 0 && !Number.isNaN(created) ? created + ttl : undefined;
}
