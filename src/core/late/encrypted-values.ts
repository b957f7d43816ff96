import { createHash } from 'crypto';
import { LATE_OPEN } from './late-token';
import { Manifest, withLeaves } from '../manifest/manifest';
import { escapeRegExp } from '../text/values';

/**
 * How a value begins that SOPS encrypted.
 * @see getsops/sops:aes/cipher.go Encrypt
 */
const CIPHERTEXT = /^ENC\[/;

/** How the ids begin of tokens in place of encrypted values. */
const ENCRYPTED_ID_PREFIX = 'encrypted-value.';

const ENCRYPTED_TOKEN = new RegExp(
  `${escapeRegExp(LATE_OPEN + ENCRYPTED_ID_PREFIX)}[0-9a-f]+\\}`,
  'g',
);

/** What people read in place of an encrypted value. */
const SHOWN = '(encrypted)';

/** Whether a value is one that SOPS encrypted. */
export function isCiphertext(value: unknown): boolean {
  return typeof value === 'string' && CIPHERTEXT.test(value);
}

/**
 * An encrypted object without the data of SOPS, with tokens in place of what it encrypted: rules
 * take them for values that are not known yet. Equal ciphertexts have equal tokens.
 *
 * @returns undefined where the kind or the name is encrypted, too
 */
export function withUnknownValues(manifest: Manifest): Manifest | undefined {
  const { apiVersion, kind, metadata } = manifest;
  if ([apiVersion, kind, metadata.name, metadata.namespace].some(isCiphertext)) {
    return undefined;
  }
  const { sops: _, ...fields } = manifest;
  return withLeaves(fields, (leaf) =>
    isCiphertext(leaf) ? tokenOf(leaf as string) : leaf,
  ) as Manifest;
}

function tokenOf(ciphertext: string): string {
  const digest = createHash('sha256').update(ciphertext).digest('hex').slice(0, 16);
  return `${LATE_OPEN}${ENCRYPTED_ID_PREFIX}${digest}}`;
}

/** Whether a value is, or contains, a token in place of an encrypted value. */
export function holdsEncrypted(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(LATE_OPEN + ENCRYPTED_ID_PREFIX);
}

/** A text for people, in which encrypted values are called so. */
export function withEncryptedNamed(text: string): string {
  return text.replace(ENCRYPTED_TOKEN, SHOWN);
}
