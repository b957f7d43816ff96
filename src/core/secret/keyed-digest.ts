import { createHmac } from 'crypto';

/** The environment variable with the key of digests. */
const DIGEST_KEY_ENV = 'CDK8S_HARVESTER_DIGEST_KEY';

/** Shorter keys could be guessed, and with the key so could weak secrets. */
const MIN_LENGTH = 32;

/** The key of digests from the environment, if it is set. Throws if it is weak. */
export function digestKey(): string | undefined {
  const key = process.env[DIGEST_KEY_ENV] ?? '';
  if (key === '') {
    return undefined;
  }
  if (key.length < MIN_LENGTH) {
    throw new Error(
      `environment variable ${DIGEST_KEY_ENV}: must have at least ${MIN_LENGTH} characters, got ${key.length}. Fix: set it to what \`openssl rand -hex 32\` prints`,
    );
  }
  return key;
}

/**
 * A digest that shows whether any of these texts changed, and nothing else to those who do not have
 * the key.
 */
export function keyedDigest(key: string, ...texts: readonly string[]): string {
  const hmac = createHmac('sha256', key);
  for (const text of texts) {
    hmac.update(`${Buffer.byteLength(text)}:`).update(text);
  }
  return hmac.digest('hex');
}

/**
 * What to print where encrypted objects were encrypted again, since nothing shows whether they
 * changed.
 */
export function againNote(tool: string, count: number, privateKey: string): string {
  return (
    `warning: ${tool} encrypted ${count} ${count === 1 ? 'object' : 'objects'} again, which changes the files even if no secret changed. ` +
    `Fix: set ${privateKey}${DIGEST_KEY_ENV} (a random text that all builds share, e.g. from \`openssl rand -hex 32\`)`
  );
}
