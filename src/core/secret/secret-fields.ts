import { isDocumentKey, isNeverSecret, isSecretKey, looksRandom, secrecyOf } from './definition';
import { holdsSecret } from './secret-texts';
import { isLate, LATE_TOKEN } from '../late/late-token';
import { at, FieldPath, groupOf, Leaf, leavesOf, Manifest } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';
import { BASE64 } from '../text/plain-text';

/** Shorter texts are words, not documents in base64. */
const MIN_ENCODED = 16;

/**
 * The fields of an object that hold secrets, and must not be in a repository in plain text.
 *
 * @param known where secrets of the program are, as `fieldText` of their paths
 */
export function secretFields(manifest: Manifest, known: ReadonlySet<string>): FieldPath[] {
  const isAllPrivate = isSecretObject(manifest) || isNodeFile(manifest);
  const isSecret = ({ leaf, path }: Leaf): boolean => {
    if ((typeof leaf !== 'string' && typeof leaf !== 'number') || leaf === '') {
      return false;
    }
    const text = String(leaf);
    if (isSealed(path, manifest)) {
      return known.has(fieldPathText(path));
    }
    if (!isAllPrivate && isDocument(path)) {
      return known.has(fieldPathText(path)) || holdsSecretInDocument(text);
    }
    // a placeholder of a late value hides it
    const isHarmless = isLate(text) || (!isAllPrivate && isNeverSecret(text));
    const secrecy = isHarmless ? undefined : secrecyOf(path, manifest);
    const isHidden =
      secrecy === 'secret' || (secrecy === 'private' && (isAllPrivate || looksRandom(text)));
    return isHidden || known.has(fieldPathText(path)) || holdsOwnSecret(text);
  };
  return leavesOf(manifest)
    .filter(isSecret)
    .map(({ path }) => path);
}

/**
 * The fields of an object that hold a secret in plain text, for all who read its file. The ordinary
 * words of a Secret, such as a type, are none, nor are documents without a secret, or late values.
 */
export function plainSecretFields(manifest: Manifest): readonly FieldPath[] {
  const isSecret = isSecretObject(manifest);
  return secretFields(manifest, NO_FIELDS).filter((path) => {
    const text = String(at(manifest, path));
    if (isLate(text)) {
      return holdsOwnSecret(text);
    }
    const plain = isSecret && path[0] === 'data' ? decodedBase64(text) : text;
    if (isDocument(path) || isNodeFile(manifest)) {
      return holdsSecretInDocument(plain);
    }
    return (
      (secrecyOf(path, manifest) === 'secret' && !isNeverSecret(plain)) ||
      looksRandom(plain) ||
      holdsOwnSecret(plain)
    );
  });
}

/** Whether a value is one that only the controller of Sealed Secrets can read, whatever its key. */
function isSealed([first, second]: FieldPath, { apiVersion, kind }: Manifest): boolean {
  return (
    first === 'spec' &&
    second === 'encryptedData' &&
    kind === 'SealedSecret' &&
    groupOf(apiVersion) === GROUPS.SEALED_SECRETS
  );
}

/** Whether an object configures nodes of Harvester: all that it holds may be private. */
function isNodeFile({ apiVersion }: Manifest): boolean {
  return groupOf(apiVersion) === GROUPS.HARVESTER_NODE;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

function decodedBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** Whether a field is a document that configures a machine, and a secret for no other reason. */
export function isDocument(path: FieldPath): boolean {
  const keys = path.filter((step): step is string => typeof step === 'string');
  const secretKeys = keys.filter(isSecretKey);
  return secretKeys.length > 0 && secretKeys.every(isDocumentKey);
}

/** Whether such a document, also one in base64, holds a secret; one that cannot be read may. */
function holdsSecretInDocument(text: string): boolean {
  const joined = text.replace(/\s+/g, '');
  const isEncoded = joined.length >= MIN_ENCODED && BASE64.test(joined);
  if (!isEncoded) {
    return holdsOwnSecret(text);
  }
  const bytes = Buffer.from(joined, 'base64');
  const plain = bytes.toString('utf8');
  const isText = Buffer.from(plain, 'utf8').equals(bytes);
  return !isText || holdsOwnSecret(plain);
}

/** Whether a text holds a secret besides the late values in it. */
export function holdsOwnSecret(text: string): boolean {
  return holdsSecret(isLate(text) ? text.replace(LATE_TOKEN, '') : text);
}

/** Whether an object is a Secret of Kubernetes. */
export function isSecretObject({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  return kind === 'Secret' && groupOf(apiVersion) === '';
}

/** A path as synthesis names the places of secrets, e.g. `spec.values[0].token`. */
export function fieldPathText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') {
      return `${text}[${step}]`;
    }
    if (text === '') {
      return step;
    }
    return `${text}.${step}`;
  }, '');
}
