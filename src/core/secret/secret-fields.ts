import { isDocumentKey, isNeverSecret, isSecretKey, looksRandom, secrecyOf } from './definition';
import { holdsSecret, mayHoldSecret } from './secret-texts';
import { KindFields } from '../kind/description/fields';
import { kindOf } from '../kind/kinds';
import { isLate, LATE_TOKEN } from '../late/late-token';
import { at, FieldPath, groupOf, isRecord, Leaf, Manifest, Step } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';
import { BASE64 } from '../text/plain-text';
import { byText } from '../text/values';

/** Shorter texts are words, not documents in base64. */
const MIN_ENCODED = 16;

/**
 * The fields of an object that hold secrets, and must not be in a repository in plain text.
 *
 * @param known where secrets of the program are, as `fieldText` of their paths
 */
export function secretFields(manifest: Manifest, known: ReadonlySet<string>): FieldPath[] {
  const isAllPrivate = isSecretObject(manifest) || isNodeFile(manifest);
  const hasSealed = isSealedSecret(manifest);
  const isSecret = ({ leaf, path }: Leaf): boolean => {
    if ((typeof leaf !== 'string' && typeof leaf !== 'number') || leaf === '') {
      return false;
    }
    const text = String(leaf);
    const isKnown = known.size > 0 && known.has(fieldPathText(path));
    if (hasSealed && path[0] === 'spec' && path[1] === 'encryptedData') {
      return isKnown;
    }
    if (!isAllPrivate && isDocument(path)) {
      return isKnown || holdsSecretInDocument(text);
    }
    // a placeholder of a late value hides it
    const isHarmless = isLate(text) || (!isAllPrivate && isNeverSecret(text));
    const secrecy = isHarmless ? undefined : secrecyOf(path, manifest);
    const isHidden =
      secrecy === 'secret' || (secrecy === 'private' && (isAllPrivate || looksRandom(text)));
    return isHidden || isKnown || holdsOwnSecret(text);
  };
  return suspectLeaves(manifest, known.size > 0)
    .filter(isSecret)
    .map(({ path }) => path);
}

/**
 * The leaves that may be secrets, by a key above them or by their text: nearly none of nearly all
 * objects, so that no path is made of the others.
 *
 * @param withAll whether all leaves may be
 */
function suspectLeaves(manifest: Manifest, withAll: boolean): Leaf[] {
  const found: Leaf[] = [];
  const path: Step[] = [];
  const look = (value: unknown, isSuspect: boolean): void => {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        path.push(index);
        look(value[index], isSuspect);
        path.pop();
      }
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) {
        path.push(key);
        look(value[key], isSuspect || isSuspectKey(key));
        path.pop();
      }
    } else if (isSuspect || isSuspectText(value)) {
      found.push({ leaf: value, path: [...path] });
    }
  };
  if (!isSecretObject(manifest)) {
    look(manifest, withAll || isSuspectKind(manifest));
    return found;
  }
  for (const key of Object.keys(manifest)) {
    path.push(key);
    look(manifest[key], withAll || isSecretData(key));
    path.pop();
  }
  return found;
}

/** Whether a field of a Secret holds all that is private of it. */
function isSecretData(field: string): boolean {
  return field === 'data' || field === 'stringData';
}

/** Whether more than keys and texts decides what is secret in an object. */
function isSuspectKind(manifest: Manifest): boolean {
  return (
    isNodeFile(manifest) ||
    manifest.kind === 'Setting' ||
    kindOf<KindFields>(manifest)?.secrecyOf !== undefined
  );
}

/** Whether a value below a key may be a secret, whatever its text: `value` has a name next to it. */
function isSuspectKey(key: string): boolean {
  return key === 'value' || isSecretKey(key);
}

function isSuspectText(value: unknown): boolean {
  return typeof value === 'string' && (isLate(value) || mayHoldSecret(value));
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

/** Whether an object has values that only the controller of Sealed Secrets can read. */
function isSealedSecret({ apiVersion, kind }: Manifest): boolean {
  return kind === 'SealedSecret' && groupOf(apiVersion) === GROUPS.SEALED_SECRETS;
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
  const secretKeys = path.filter(
    (step): step is string => typeof step === 'string' && isSecretKey(step),
  );
  return secretKeys.length > 0 && secretKeys.every(isDocumentKey);
}

/**
 * Whether such a document, also one in base64, holds a secret; one that cannot be read may. Many
 * machines have the same one.
 */
const holdsSecretInDocument = byText((text): boolean => {
  const joined = text.replace(/\s+/g, '');
  const isEncoded = joined.length >= MIN_ENCODED && BASE64.test(joined);
  if (!isEncoded) {
    return holdsOwnSecret(text);
  }
  const bytes = Buffer.from(joined, 'base64');
  const plain = bytes.toString('utf8');
  const isText = Buffer.from(plain, 'utf8').equals(bytes);
  return !isText || holdsOwnSecret(plain);
});

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
