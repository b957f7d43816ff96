import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';

/** The characters of a path segment of a URL (RFC 3986 pchar), the underscore among them, and the percent sign that begins an encoded one. */
const PATH_SEGMENT = /^[A-Za-z0-9._~!$&'()*+,;=:@%-]*$/;
/** Those of them that a shell gives a meaning: the token stands in commands that people paste. */
const SHELL = /[!$&'()*;]/;
const MIN_LENGTH = 16;
const GENERATE = 'use letters and digits, as Rancher does, e.g. of: openssl rand -hex 27';

/**
 * Whether a text stands for a secret that some tool fills in later: a late value, SOPS, envsubst, the Argo CD vault plug-in.
 */
export function isSecretPlaceholder(text: string): boolean {
  return isLate(text) || text.startsWith('ENC[') || /^<[^>]+>$/.test(text) || /^\$\{[^}]+\}$/.test(text);
}

/**
 * What makes a text no registration token. No problem shows it.
 *
 * The token stands in `/v3/import/<token>_<cluster id>.yaml`, which Rancher splits at the first underscore.
 *
 * @see rancher/rancher: the ClusterImport handler, SplitN("_", 2)
 */
export function* checkRegistrationToken(path: string, token: string): Iterable<Problem> {
  if (isSecretPlaceholder(token)) { return; }
  if (token === '') {
    yield { path, message: 'is empty: Rancher finds no cluster by it', fix: GENERATE };
  } else if (token !== token.trim()) {
    yield { path, message: 'begins or ends with whitespace, a line break perhaps', fix: `write it without, e.g. by echo -n; ${GENERATE}` };
  } else if (token.includes('_')) {
    yield { path, message: 'holds an underscore: Rancher splits the import URL at the first one and finds no cluster', fix: GENERATE };
  } else if (!PATH_SEGMENT.test(token)) {
    yield { path, message: 'holds characters that a URL path does not: the import URL does not work', fix: GENERATE };
  } else {
    if (token.includes('%')) {
      yield { path, level: 'warning', message: 'holds a percent sign, which a URL decodes: Rancher may look up another token', fix: GENERATE };
    }
    if (SHELL.test(token)) {
      yield { path, level: 'warning', message: 'holds characters that a shell gives a meaning: registration commands break', fix: GENERATE };
    }
    if (token.length < MIN_LENGTH) {
      yield { path, level: 'warning', message: `has ${token.length} characters: whoever guesses it can register a cluster in this one's place`, fix: GENERATE };
    }
  }
}
