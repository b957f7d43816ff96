import { Problem } from '../../core/problem/problem';
import { BASE64 } from '../../core/text/plain-text';
import { tableByName } from '../../core/text/values';

/**
 * The algorithms of public keys that Go's ssh package reads; certificates of them too.
 * @see golang/crypto:ssh/keys.go parsePubKey
 */
const ALGORITHMS = [
  'ssh-rsa',
  'ssh-dss',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];
const CERTIFICATE = /^(.+?)(@openssh\.com)?-cert-v01@openssh\.com$/;
const SAYS = 'key is not in valid OpenSSH public key format';

/** A public key in a line of authorized_keys. */
interface PublicKey {
  /** The algorithm in the line. */
  readonly named: string;
  /** The algorithm in the key itself. */
  readonly algorithm: string;
  /** The number of parts after the algorithm in the key. */
  readonly parts: number;
}

/**
 * Checks the public key of a KeyPair.
 *
 * @see harvester/harvester:pkg/webhook/resources/keypair/validator.go; golang/crypto:ssh/keys.go ParseAuthorizedKey
 */
export function* checkPublicKey(path: string, text: unknown): Iterable<Problem> {
  const fix = 'set one line of an id_….pub file, e.g. ssh-ed25519 AAAA… user@host';
  if (text === undefined || text === null || text === '') {
    yield { path, message: 'must be set', fix, says: 'public key is required' };
    return;
  }
  if (typeof text !== 'string') {
    return;
  }
  if (text.includes('PRIVATE KEY')) {
    yield {
      path,
      message: 'cannot be a private key, which must never leave its owner',
      fix: `replace that key, and ${fix}`,
      says: SAYS,
    };
    return;
  }
  const key = firstKey(text);
  if (!key) {
    yield { path, value: text, message: 'must be a public key in OpenSSH format', fix, says: SAYS };
  } else if (key.named !== key.algorithm) {
    // Go reads the key and ignores the word before it, sshd refuses both
    yield {
      path,
      value: text,
      level: 'warning',
      message: `must have the algorithm of its key, ${key.algorithm}, got ${key.named}: sshd does not accept it`,
      fix,
    };
  }
}

function firstKey(text: string): PublicKey | undefined {
  for (const line of text.split('\n')) {
    const trimmed = line.replace(/\r$/, '').trim();
    if (trimmed === '' || trimmed.startsWith('#')) {
      continue;
    }
    const key = keyOf(trimmed) ?? keyOf(withoutOptions(trimmed));
    if (key) {
      return key;
    }
  }
  return undefined;
}

function keyOf(line: string): PublicKey | undefined {
  const [named, encoded] = line.split(/[ \t]+/);
  return encoded !== undefined && BASE64.test(encoded)
    ? decode(named!, Buffer.from(encoded, 'base64'))
    : undefined;
}

// options before the key may contain quoted spaces
function withoutOptions(line: string): string {
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"' && line[at - 1] !== '\\') {
      quoted = !quoted;
    }
    if (!quoted && (line[at] === ' ' || line[at] === '\t')) {
      return line.slice(at).trim();
    }
  }
  return '';
}

// a key is a list of strings, each after its length in four bytes
function decode(named: string, blob: Buffer): PublicKey | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  while (at < blob.length) {
    if (at + 4 > blob.length) {
      return undefined;
    }
    const end = at + 4 + blob.readUInt32BE(at);
    // a certificate has numbers between its strings
    if (end > blob.length) {
      break;
    }
    strings.push(blob.subarray(at + 4, end));
    at = end;
  }
  const algorithm = strings[0]?.toString('latin1') ?? '';
  const certificate = CERTIFICATE.exec(algorithm);
  const plain = certificate
    ? `${certificate[1]}${certificate[1]!.startsWith('sk-') ? '@openssh.com' : ''}`
    : algorithm;
  if (!ALGORITHMS.includes(plain)) {
    return undefined;
  }
  const key = { named, algorithm, parts: strings.length - 1 };
  return certificate || (at === blob.length && isWhole(algorithm, strings.slice(1)))
    ? key
    : undefined;
}

/** The number of parts of a key, by algorithm. */
const PARTS: { readonly [start: string]: number } = tableByName({
  'ssh-rsa': 2,
  'ssh-dss': 4,
  'ssh-ed25519': 1,
  'ecdsa-': 2,
  'sk-ssh-': 2,
  'sk-ecdsa-': 3,
});

function isWhole(algorithm: string, parts: readonly Buffer[]): boolean {
  const start = Object.keys(PARTS).find((text) => algorithm.startsWith(text))!;
  if (parts.length !== PARTS[start] || parts.some(({ length }) => length === 0)) {
    return false;
  }
  return !algorithm.includes('ed25519') || parts[0]!.length === 32;
}
