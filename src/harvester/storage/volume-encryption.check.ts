import { CRYPTO_KEY } from './host-storage-class.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { secretEntry } from '../../core/secret/definition';

/** The accepted values of the keys in a Secret of encrypted volumes. @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go */
export const CRYPTO_CHOICES: { readonly [key: string]: readonly string[] } = {
  [CRYPTO_KEY.CIPHER]: ['aes-xts-plain', 'aes-xts-plain64', 'aes-cbc-plain', 'aes-cbc-plain64', 'aes-cbc-essiv:sha256'],
  [CRYPTO_KEY.HASH]: ['sha256', 'sha384', 'sha512'],
  [CRYPTO_KEY.SIZE]: ['256', '384', '512'],
  [CRYPTO_KEY.PBKDF]: ['argon2i', 'argon2id', 'pbkdf2'],
  [CRYPTO_KEY.PROVIDER]: ['secret'],
};

/**
 * Checks the Secret of a StorageClass of encrypted volumes. Never shows its values.
 * @param path the path of the parameter that refers to it
 */
export function* checkEncryptionSecret(path: string, secret: Manifest): Iterable<Problem> {
  const label = `${secret.metadata.namespace ?? ''}/${secret.metadata.name}`;
  for (const key of Object.values(CRYPTO_KEY)) {
    const entry = secretEntry(secret, key, isLate);
    const choices = CRYPTO_CHOICES[key];
    const fix = choices ? `set ${choices.join(', ')}` : 'set the passphrase';
    if (!entry) {
      yield {
        path, value: label, message: `must be a Secret with the key ${key}`, fix, says: `secret ${label} is not a valid encryption secret, missing field: ${key}`,
      };
    } else if (entry.text !== undefined && !isLate(entry.text) && (choices ? !choices.includes(entry.text) : entry.text === '')) {
      yield {
        path,
        value: label,
        message: `must be a Secret whose key ${key} ${choices ? 'has a valid value' : 'is not empty'}`,
        fix,
        says: `secret ${label} is not a valid encryption secret, invalid field: ${key}`,
      };
    }
  }
}
