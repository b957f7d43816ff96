/** Thrown on the fast way for anything that cannot be written; the slow way finds out what and where. */
export const REFUSED = new Error('not a JSON value');

/** The longest text of a key that readers take as a simple key: they look for the colon in 1,024 characters only. */
export const MAX_KEY = 1024;

/** The booleans and nulls of YAML 1.1, which are more than those of 1.2. */
const KEYWORDS = '[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[tT]rue|TRUE|[fF]alse|FALSE|[nN]ull|NULL';

/**
 * Nearly all strings of nearly all manifests: nothing in them means anything to any reader.
 *
 * Each separator (spaces, colons) must be followed by other characters, so the pattern is linear.
 */
const FAST = new RegExp(`^(?!(?:${KEYWORDS}|[eE][-+0-9_]*)$)[A-Za-z_/$(][!-9;-~]*(?:(?: +(?!#)|:+)[!-9;-~]+)*$`);

/** Repetitions of groups fill the stack of the regular expression engine: longer strings take the patterns without such. */
const MAX_FAST = 4096;

/** What only double quotes may hold, `\n` aside: controls, the other line breaks of YAML 1.1, byte order marks, what is no character. */
const UNPRINTABLES = '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff';
const UNPRINTABLE = new RegExp(`[${UNPRINTABLES}]`);
const ESCAPED = new RegExp(`["\\\\\\n${UNPRINTABLES}]`, 'g');

/** Half a character: cannot be written as UTF-8, and Go refuses it as an escape. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** What a plain scalar of one line must not look like. `---` and `...` end a document only at the start of a line: quoted everywhere. */
const INDICATOR = /^$|^[ ,[\]{}#&*!|>'"%@`]|^[?:-](?: |$)|^(?:---|\.\.\.)|: | #|[ :]$/;

/** Words that some reader takes for something else; `<<` is the merge key, `=` the default key that PyYAML refuses. */
const WORD = new RegExp(`^(?:${KEYWORDS}|~|<<|=|[-+]?\\.(?:inf|Inf|INF|nan|NaN|NAN))$`);

/** What every number and date starts with; `e5` is a number to `yaml`. */
const NUMERIC_START = /^[-+.0-9eE]/;

/**
 * Everything that some reader takes for a number or a date, its `_` taken out: decimal; hexadecimal, octal and binary as in YAML 1.1, in 1.2
 * and in Go (which takes any `_` out first and allows a second sign); base 60; dates with or without a time.
 */
const NUMERIC = new RegExp(`^(?:${[
  '[-+]?[0-9]*(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?',
  '[-+]?0+(?:[xX][-+]?[0-9a-fA-F]*|[oO][-+]?[0-7]*|[bB][-+]?[01]*)',
  '[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\\.[0-9]*)?',
  '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[tT ]+[0-9:.,]+ *(?:[zZ]|[-+][0-9:]+)?)?',
].join('|')})$`);

/** The characters of all these, for strings too long for the pattern. */
const NUMERIC_CHARACTERS = /^[-+0-9a-fA-FxXoOtTzZ_.,: ]+$/;

/**
 * Editors remove blanks at the end of a line; nothing but line breaks cannot be told from the end of a block; a tab at the start of a line may be
 * taken for indentation. Within a line a tab is text, as in most scripts.
 */
const LITERAL_UNSAFE = /[ \t](?:\n|$)|^\n*$|(?:^|\n)\t/;
const UNPRINTABLE_IN_BLOCK = new RegExp(`[${UNPRINTABLES.replace('\\x09', '\\x08')}]`);

const ESCAPES: { readonly [character: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/** Keys repeat from object to object: their texts are kept. Both limits keep the cache small whatever comes. */
const KEYS = new Map<string, string>();
const MAX_CACHED_KEYS = 2048;
const MAX_CACHED_LENGTH = 64;

/**
 * A string as a key: on one line, without the colon.
 */
export function keyText(key: string): string {
  const known = KEYS.get(key);
  if (known !== undefined) { return known; }
  // most merging code takes an own `__proto__` for the prototype, so no manifest may bring one
  if (key === '__proto__') { throw REFUSED; }
  const text = inlineText(key);
  if (key.length <= MAX_CACHED_LENGTH) {
    if (KEYS.size >= MAX_CACHED_KEYS) { KEYS.clear(); }
    KEYS.set(key, text);
  }
  return text;
}

/**
 * A string as a value of a collection whose entries are `depth` levels deep: plain, quoted, or a literal block.
 */
export function stringText(value: string, depth: number): string {
  if (value.length <= MAX_FAST && FAST.test(value)) { return value; }
  if (!value.includes('\n') || UNPRINTABLE_IN_BLOCK.test(value) || LITERAL_UNSAFE.test(value)) { return inlineText(value); }
  return literalText(value, depth);
}

/**
 * Where a lone surrogate is, in words that do not show the string; undefined when there is none.
 */
export function loneSurrogate(value: string): string | undefined {
  const index = value.search(LONE_SURROGATE);
  if (index < 0) { return undefined; }
  return `lone surrogate U+${value.charCodeAt(index).toString(16).toUpperCase()} at index ${index}`;
}

/**
 * A string on one line: plain, or quoted where it would be read as something else.
 */
export function inlineText(value: string): string {
  if (UNPRINTABLE.test(value) || value.includes('\n')) { return doubleQuoted(value); }
  if (LONE_SURROGATE.test(value)) { throw REFUSED; }
  if (!INDICATOR.test(value) && !WORD.test(value) && !isNumeric(value)) { return value; }
  return value.includes('"') && !value.includes("'") ? `'${value}'` : doubleQuoted(value);
}

function isNumeric(value: string): boolean {
  if (!NUMERIC_START.test(value)) { return false; }
  return value.length <= MAX_FAST ? NUMERIC.test(value.replaceAll('_', '')) : NUMERIC_CHARACTERS.test(value);
}

/** A string in double quotes, on one line. */
export function doubleQuoted(value: string): string {
  if (LONE_SURROGATE.test(value)) { throw REFUSED; }
  return `"${value.replace(ESCAPED, (character) => ESCAPES[character] ?? escapeCode(character.charCodeAt(0)))}"`;
}

function escapeCode(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

function literalText(value: string, depth: number): string {
  if (LONE_SURROGATE.test(value)) { throw REFUSED; }
  const end = value.endsWith('\n') ? value.slice(0, -1) : value;
  const chomping = end === value ? '-' : end.endsWith('\n') ? '+' : '';
  // readers take the indentation of the first line with text for the block's own
  const indicator = /^\n* /.test(value) ? '2' : '';
  const indent = '  '.repeat(depth + 1);
  return `|${indicator}${chomping}\n${indent}${end.replace(/\n(?!\n|$)/g, `\n${indent}`)}`;
}
