import { createHash, hash } from 'crypto';
import { isAbsolute, relative } from 'path';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * RFC 4648 base32 in lower case without padding: letters and digits only, so that the result is
 * valid in a name.
 */
export function base32(bytes: Buffer): string {
  let [text, value, bits] = ['', 0, 0];
  for (const byte of bytes) {
    value = value * 256 + byte;
    for (bits += 8; bits >= 5; bits -= 5) {
      const unit = 2 ** (bits - 5);
      text += ALPHABET[Math.floor(value / unit)];
      value %= unit;
    }
  }
  return text;
}

/** The first bytes of the SHA-256 of a text. */
export function hashBytes(text: string, count: number): Buffer {
  // the hash as text: one as bytes needs memory outside of the heap
  return Buffer.from(hash('sha256', text).slice(0, 2 * count), 'hex');
}

const MAX = 63;

/**
 * Names joined by hyphens, shortened by a hash where they are longer than 63 characters.
 * @see rancher/wrangler:pkg/name/name.go SafeConcatName
 */
export function safeConcatName(...names: string[]): string {
  let full = '';
  for (const name of names) {
    full += full === '' || name === '' ? name : `-${name}`;
  }
  if (full.length <= MAX) {
    return full;
  }
  const digest = createHash('sha256').update(full).digest('hex');
  // what is cut must not end in a hyphen or a dot
  return /[a-z0-9]/.test(full[MAX - 7])
    ? `${full.slice(0, MAX - 6)}-${digest.slice(0, 5)}`
    : `${full.slice(0, MAX - 7)}-${digest.slice(0, 6)}`;
}

/**
 * Quotes a word for a POSIX shell, so that the shell passes it on unchanged. Plain words are not
 * quoted.
 */
export function quote(word: string): string {
  if (word.includes('\0')) {
    throw new Error('shell word: cannot contain a null character, which no shell passes on');
  }
  // A leading dash is left alone: commands that take names end their options with -- where they
  // can.
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** A command line from its words. */
export function commandLine(...words: string[]): string {
  return words.map(quote).join(' ');
}

/**
 * The name that was probably meant; undefined where none is near.
 *
 * @param typed what someone wrote
 * @param names what there is
 * @param farthest how many characters may differ; the default is one of four
 */
export function nearestName(
  typed: string,
  names: readonly string[],
  farthest = Math.max(1, typed.length / 4),
): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');
  const wanted = plain(typed);
  // a difference in length is one in characters
  const near = names
    .map((name) => ({ name, text: plain(name) }))
    .filter(({ text }) => Math.abs(text.length - wanted.length) <= farthest);
  const [nearest] = near
    .map(({ name, text }) => ({ name, distance: distance(wanted, text) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= farthest ? nearest.name : undefined;
}

// Damerau and Levenshtein's, on two rows: a swap of neighbours is one difference
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let before = row;
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
      }
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

// characters that move the cursor, change colors or the direction of text, or have no width; all
// but the line feed, which `plainText` replaces before
// eslint-disable-next-line no-control-regex
const UNSAFE =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Text of any origin for a terminal, a log or a page: nothing in it but line feeds does more than
 * show a character. In JSON, it means the same.
 */
export function printable(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A value of any origin as text on one line: in a sentence, in a line of a report. It forges no
 * other line.
 *
 * Not by `String`, which throws for JSON such as `{"toString": 1}`.
 */
export function plainText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return printable(text.replace(/\s*[\r\n]+\s*/g, ' '));
}

/** A path as people read it: relative to the current folder if it is below that. */
export function shortPath(path: string): string {
  const within = relative('', path);
  return within === '' || within.startsWith('..') || isAbsolute(within) ? path : within;
}

/** A text that is not empty; undefined for anything else. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A text; empty for anything else. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A text, which may be empty; undefined for anything else. */
export function anyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * What was given, for a problem: nothing where nothing was, so that no message contains `got ""`.
 */
export function givenValue(value: unknown): { readonly value?: unknown } {
  return value === undefined || value === null || value === '' ? {} : { value };
}

/** The host and port of a URL; undefined for a text without a scheme. */
export function hostOfUrl(text: string): string | undefined {
  return /^[a-z]+:\/\/+([^/]*)/i.exec(text)?.[1];
}

/** What Go's encoding/base64 accepts: padded, without line breaks. */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text of base64; undefined if it is that of other bytes than a text. */
export function textOfBase64(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

/** The first few of some texts, for a message: `a, b and 3 more`. */
export function some(texts: readonly string[], most = 5): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A count with its noun, e.g. `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The largest permissions of a file that YAML 1.1 reads as a number: 0777. */
const ALL_PERMISSIONS = 0o777;

/**
 * The permissions of a file as text, from the number that YAML read: 0640 is octal there, and 640
 * is not.
 */
export function permissionsText(value: number): string {
  const isOctal = Number.isInteger(value) && value >= 0 && value <= ALL_PERMISSIONS;
  return isOctal ? `0${value.toString(8).padStart(3, '0')}` : `0${value}`;
}

/** A place in the words of a report: with its environment, if there are several. */
export function inEnvironment(place: string, environment: string | undefined): string {
  return environment ? `${place} in ${environment}` : place;
}
