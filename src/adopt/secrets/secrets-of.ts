import { leavesOf, Manifest } from '../../core/manifest/manifest';
import { isOrdinary } from '../../core/secret/definition';
import { holdsSecret, secretTexts } from '../../core/secret/secret-texts';
import { byObject, escapeRegExp } from '../../core/text/values';

/** Shorter texts are parts of too many others. */
const MIN_LENGTH = 3;

/** Texts of fewer characters may be words as well, such as the password `linux`. */
const MAX_WORD = 5;

/** Values of switches next to keys such as `lock_passwd`, and numbers. */
const NO_SECRET = /^(true|false|yes|no|on|off|null|none|\d+)$/i;

/**
 * Fields that count as secrets as a whole, since they may contain some: user data, and the contents
 * of a CloudInit for hosts.
 */
const CONTAINERS = /^(?:user|network)[-_]?data$|^cloud[-_]?(?:init|config)$|^contents$/i;

/** A text of an object that no program may contain. */
export interface OwnSecret {
  readonly text: string;
  /** Whether it is also a word of the object that is not secret, such as the name of a user. */
  readonly isWord: boolean;
}

/** The secrets of an object, except for those of Secrets, whose values are not read. */
export const secretsOf = byObject((manifest: Manifest): readonly OwnSecret[] => {
  const texts = leavesOf(manifest).flatMap(({ leaf, path }) =>
    typeof leaf === 'string' ? [{ key: String(path.at(-1)), text: leaf }] : [],
  );
  const containers = texts
    .filter(({ key }) => CONTAINERS.test(key))
    .map(({ text }) => ({ text, content: plainOf(text) }));
  // a field that may contain secrets is judged by what it contains, not by its name
  const whole = new Set(
    containers.flatMap(({ text, content }) => [
      text,
      content,
      ...content.split(/\r?\n/).map((each) => each.trim()),
    ]),
  );
  const secrets = new Set([
    ...secretsIn(manifest).filter((text) => !whole.has(text)),
    ...containers.flatMap(({ content }) => secretsIn({ content })),
    // an encoded text hides what it contains
    ...containers
      .filter(({ text, content }) => text !== content && holdsSecret(content))
      .map(({ text }) => text),
  ]);
  const isPublic = (text: string): boolean =>
    texts.some((each) => each.text === text && !secretsIn({ [each.key]: text }).includes(text));
  const isShort = (text: string): boolean => text.length <= MAX_WORD;
  return [...secrets].map((text) => ({
    text,
    isWord: isShort(text) || (isOrdinary(text) && isPublic(text)),
  }));
});

function secretsIn(value: unknown): string[] {
  return secretTexts(value).flatMap(({ anywhere, text }) =>
    anywhere && text.length >= MIN_LENGTH && !NO_SECRET.test(text) ? [text] : [],
  );
}

/** The text of a field that may be in base64. */
function plainOf(text: string): string {
  return /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)
    ? Buffer.from(text, 'base64').toString('utf8')
    : text;
}

/**
 * A text in parts: those with odd numbers are the secrets in it.
 *
 * @param key of the text
 */
export function splitBySecrets(
  text: string,
  key: string,
  secrets: readonly OwnSecret[],
): readonly string[] {
  const there = secrets.filter((secret) => text.includes(secret.text));
  const words = there.some(({ isWord }) => isWord)
    ? secretsIn(CONTAINERS.test(key) ? { text } : { [key]: text })
    : [];
  const found = there
    .filter((secret) => !secret.isWord || words.includes(secret.text))
    .sort((a, b) => b.text.length - a.text.length);
  return found.length === 0
    ? [text]
    : text.split(new RegExp(`(${found.map(patternOf).join('|')})`));
}

/** The secrets in a text. */
export function secretPartsOf(
  text: string,
  key: string,
  secrets: readonly OwnSecret[],
): readonly string[] {
  return splitBySecrets(text, key, secrets).filter((_, index) => index % 2 === 1);
}

function patternOf({ text }: OwnSecret): string {
  // a key with its marks
  if (text.includes('\n')) {
    return `(?:-----BEGIN [A-Z ]*PRIVATE KEY-----)?${escapeRegExp(text)}(?:-----END [A-Z ]*PRIVATE KEY-----)?`;
  }
  return isOrdinary(text)
    ? `(?<![A-Za-z0-9])${escapeRegExp(text)}(?![A-Za-z0-9])`
    : escapeRegExp(text);
}
