import { pbkdf2Sync } from 'crypto';
import { PASSWORD_HASH_PBKDF2, PASSWORD_MIN_LENGTH } from './user.kind';
import { Problem } from '../../core/problem/problem';

const ITERATIONS = 210_000;
const BYTES = 32;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

/** A password as Rancher stores it: both in base64, as in `data` of the Secret. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

/** How many random bytes a salt has. */
export const SALT_BYTES = BYTES;

/**
 * The hash of a password: PBKDF2-HMAC-SHA3-512, 210,000 iterations, 32 bytes.
 *
 * @param salt 32 random bytes
 * @see rancher/rancher:pkg/auth/providers/local/pbkdf2/pbkdf2.go; a login with such a hash was seen on Rancher 2.13.8
 */
export function hashPassword(password: string, salt: Uint8Array): PasswordHash {
  return {
    salt: Buffer.from(salt).toString('base64'),
    hash: pbkdf2Sync(password, salt, ITERATIONS, BYTES, 'sha3-512').toString('base64'),
  };
}

/**
 * A hash as one line of text, `pbkdf2sha3512:<salt>:<hash>`: what `cdk8s-harvester hash-password`
 * prints and `HashedPassword.fromText` takes.
 */
export function formatPasswordHash({ salt, hash }: PasswordHash): string {
  return `${PASSWORD_HASH_PBKDF2}:${salt}:${hash}`;
}

/** Reads a hash from the text of `formatPasswordHash`. Undefined if the text has another form. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [algorithm, salt, hash, ...rest] = text.split(':');
  if (algorithm !== PASSWORD_HASH_PBKDF2 || rest.length > 0 || !isKey(salt) || !isKey(hash)) {
    return undefined;
  }
  return { salt, hash };
}

/** Whether a text is the base64 of 32 bytes, as salt and hash are. */
export function isKey(text: unknown): boolean {
  return typeof text === 'string' && BASE64_OF_32_BYTES.test(text);
}

/** The problems of a text that should be a hash. Never shows it: it may be the password itself. */
export function checkPasswordHash(path: string, text: string): Problem[] {
  if (parsePasswordHash(text)) {
    return [];
  }
  const what = text.startsWith(`${PASSWORD_HASH_PBKDF2}:`)
    ? 'must be a complete hash of a password: salt and hash are the base64 of 32 bytes each'
    : "must be a hash: every apply after the first writes a plain password over Rancher's hash, which locks the user out";
  return [
    {
      path,
      message: what,
      fix: `use the line that "cdk8s-harvester hash-password" prints, ${PASSWORD_HASH_PBKDF2}:<salt>:<hash>`,
    },
  ];
}

/**
 * What Rancher would say of a password, if it were asked: a hash is taken unseen.
 *
 * @param minLength the setting password-min-length
 * @see rancher/webhook:pkg/resources/core/v1/secret (0.9) and rancher/rancher:pkg/settings/setting.go
 */
export function checkPassword(
  path: string,
  password: string,
  username?: string,
  minLength = PASSWORD_MIN_LENGTH,
): Problem[] {
  const problems: Problem[] = [];
  // characters as people count them
  if ([...password].length < minLength) {
    problems.push({
      path,
      message: `must have at least ${minLength} characters`,
      fix: 'choose a longer password',
      says: `password must be at least ${minLength} characters`,
    });
  }
  if (username !== undefined && password === username) {
    problems.push({
      path,
      message: 'cannot be the name of the user',
      fix: 'choose another password',
      says: 'password cannot be the same as username',
    });
  }
  return problems;
}
