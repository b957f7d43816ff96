import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';

/**
 * The characters of a path segment of a URL (RFC 3986 pchar), the underscore excepted, and the
 * percent sign that begins an encoded one.
 */
const PATH_SEGMENT = /^[A-Za-z0-9._~!$&'()*+,;=:@%-]*$/;
/** Those of them that a shell interprets: users paste commands that contain the token. */
const SHELL = /[!$&'()*;]/;
const MIN_LENGTH = 16;
const GENERATE = 'use letters and digits, as Rancher does, e.g. of: openssl rand -hex 27';

/**
 * The shortest lifetime and grace period of a token that Rancher keeps, and the lifetime of a token
 * without one, in minutes.
 */
const MIN_TTL = 30;
const MIN_GRACE = 10;
const DEFAULT_TTL = 43200;

/**
 * Whether a text is a placeholder for a secret that a tool fills in later: a late value, SOPS,
 * envsubst, the Argo CD vault plugin.
 */
export function isSecretPlaceholder(text: string): boolean {
  return (
    isLate(text) || text.startsWith('ENC[') || /^<[^>]+>$/.test(text) || /^\$\{[^}]+\}$/.test(text)
  );
}

/**
 * Checks the form of a registration token. No problem shows the token.
 *
 * The token is part of `/v3/import/<token>_<management cluster ID>.yaml`, which Rancher splits at
 * the first underscore.
 *
 * @see rancher/rancher: the ClusterImport handler, SplitN("_", 2)
 */
export function* checkRegistrationToken(path: string, token: string): Iterable<Problem> {
  if (isSecretPlaceholder(token)) {
    return;
  }
  if (token === '') {
    yield { path, message: 'cannot be empty: Rancher would find no cluster by it', fix: GENERATE };
  } else if (token !== token.trim()) {
    yield {
      path,
      message: 'cannot begin or end with whitespace, e.g. a line break',
      fix: `write it without, e.g. by echo -n; ${GENERATE}`,
    };
  } else if (token.includes('_')) {
    yield {
      path,
      message:
        'cannot contain an underscore: Rancher splits the import URL at the first one and finds no cluster',
      fix: GENERATE,
    };
  } else if (!PATH_SEGMENT.test(token)) {
    yield {
      path,
      message:
        'must consist of characters that a URL path allows: the import URL does not work otherwise',
      fix: GENERATE,
    };
  } else {
    if (token.includes('%')) {
      yield {
        path,
        level: 'warning',
        message: 'contains a percent sign, which a URL decodes: Rancher may look up another token',
        fix: GENERATE,
      };
    }
    if (SHELL.test(token)) {
      yield {
        path,
        level: 'warning',
        message: 'contains characters that a shell interprets: registration commands break',
        fix: GENERATE,
      };
    }
    if (token.length < MIN_LENGTH) {
      yield {
        path,
        level: 'warning',
        message: `must have at least ${MIN_LENGTH} characters, got ${token.length}: anyone who guesses it can register a cluster in place of this one`,
        fix: GENERATE,
      };
    }
  }
}

/** The lifetime of a ClusterRegistrationToken, in minutes. */
interface Lifetime {
  readonly ttl?: unknown;
  readonly gracePeriod?: unknown;
}

/** Checks that both times are whole minutes. */
export function* checkLifetimeType(lifetime: Lifetime): Iterable<Problem> {
  for (const path of ['ttl', 'gracePeriod'] as const) {
    const value = lifetime[path];
    if (value !== undefined && value !== null && !Number.isInteger(value)) {
      yield {
        path,
        value,
        message: 'must be a whole number of minutes',
        fix: 'round it to minutes',
      };
    }
  }
}

/**
 * Checks that Rancher keeps both times as they are: it replaces others by the nearest allowed
 * value.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampTTL, ClampGracePeriod
 */
export function* checkLifetime({ ttl, gracePeriod }: Lifetime): Iterable<Problem> {
  const minutes = Number.isInteger(ttl) ? Number(ttl) : DEFAULT_TTL;
  if (minutes !== 0 && minutes < MIN_TTL) {
    const used = minutes < 0 ? '0, which never expires' : String(MIN_TTL);
    yield {
      path: 'ttl',
      value: ttl,
      message: `must be 0 or at least ${MIN_TTL} minutes: Rancher uses ${used}`,
      fix: `set at least ${MIN_TTL} minutes, or 0 for a token that does not expire`,
    };
  }
  if (!Number.isInteger(gracePeriod) || minutes <= 0) {
    return;
  }
  if (Number(gracePeriod) < MIN_GRACE) {
    yield {
      path: 'gracePeriod',
      value: gracePeriod,
      message: `must be at least ${MIN_GRACE} minutes: Rancher uses ${MIN_GRACE}`,
      fix: `set at least ${MIN_GRACE} minutes`,
    };
  } else if (Number(gracePeriod) >= Math.max(minutes, MIN_TTL)) {
    yield {
      path: 'gracePeriod',
      value: gracePeriod,
      message: 'must be less than ttl: Rancher uses 80 % of ttl',
      fix: 'set fewer minutes than ttl',
    };
  }
}
