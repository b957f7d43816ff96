import { isDocument } from './secret-fields';
import { FieldPath, leavesOf, Manifest } from '../manifest/manifest';
import { BASE64, textOfBase64 } from '../text/plain-text';
import { SecretValue } from '../value/secret-value';

/** A field of an object with secrets of the program, and where they come from. */
interface SecretPlace {
  readonly path: FieldPath;
  readonly origins: readonly string[];
}

/** Shorter secrets may be part of any text. */
export const MIN_SECRET = 6;

/** A part of a text that may be base64. */
const BASE64_RUN = /[A-Za-z0-9+/]{8,}={0,2}/g;

/** Base64 in base64: user data of a machine, and a file in it. */
const MAX_DEPTH = 3;

/**
 * The documents of an object, such as user data, that contain a secret which a construct wrote there
 * without a marker: a file with a key, or a password. The form of the text does not show that it is
 * one, but the program knows it.
 */
export function unwrappedPlaces(manifest: Manifest): readonly SecretPlace[] {
  const secrets = SecretValue._unwrapped()
    .filter(([text]) => text.length >= MIN_SECRET)
    .map(([text, { name }]) => ({ name, forms: formsOf(text) }));
  if (secrets.length === 0) {
    return [];
  }
  return leavesOf(manifest).flatMap(({ leaf, path }): readonly SecretPlace[] => {
    if (typeof leaf !== 'string' || !isDocument(path)) {
      return [];
    }
    const texts = decodings(leaf, MAX_DEPTH).map(withoutSpace);
    const isIn = (form: string): boolean => texts.some((text) => text.includes(form));
    const origins = secrets.filter(({ forms }) => forms.some(isIn)).map(({ name }) => name);
    return origins.length === 0 ? [] : [{ path, origins: [...new Set(origins)] }];
  });
}

/** A secret as documents contain it: indented, folded, or in a quoted text. */
function formsOf(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)].map(withoutSpace);
}

/** A text, and what it contains in base64. */
function decodings(text: string, depth: number): readonly string[] {
  if (depth === 0) {
    return [text];
  }
  const joined = withoutSpace(text);
  const runs = BASE64.test(joined) ? [joined] : (text.match(BASE64_RUN) ?? []);
  const inner = runs
    .flatMap((run) => textOfBase64(run) ?? [])
    .flatMap((each) => decodings(each, depth - 1));
  return [text, ...inner];
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
