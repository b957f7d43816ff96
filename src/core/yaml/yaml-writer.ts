/**
 * Thrown on the fast way for anything that cannot be written; the slow way finds out what and
 * where.
 */
const REFUSED = new Error('not a JSON value');

/**
 * The longest text of a key that readers take as a simple key: they look for the colon in 1,024
 * characters only.
 */
const MAX_KEY = 1024;

/** The booleans and nulls of YAML 1.1, which are more than those of 1.2. */
const KEYWORDS =
  '[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[tT]rue|TRUE|[fF]alse|FALSE|[nN]ull|NULL';

/**
 * Nearly all strings of nearly all manifests: nothing in them means anything to any reader.
 *
 * Each separator (spaces, colons) must be followed by other characters, so the pattern is linear.
 */
const FAST = new RegExp(
  `^(?!(?:${KEYWORDS}|[eE][-+0-9_]*)$)[A-Za-z_/$(][!-9;-~]*(?:(?: +(?!#)|:+)[!-9;-~]+)*$`,
);

/**
 * Repetitions of groups fill the stack of the regular expression engine: longer strings take the
 * patterns without such.
 */
const MAX_FAST = 4096;

/**
 * What only double quotes may hold, `\n` aside: controls, the other line breaks of YAML 1.1, byte
 * order marks, noncharacters.
 */
const UNPRINTABLES = '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff';
const UNPRINTABLE = new RegExp(`[${UNPRINTABLES}]`);
const ESCAPED = new RegExp(`["\\\\\\n${UNPRINTABLES}]`, 'g');

/** Half a character: cannot be written as UTF-8, and Go refuses it as an escape. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * What a plain scalar of one line must not look like. `---` and `...` end a document only at the
 * start of a line: quoted everywhere.
 */
const INDICATOR = /^$|^[ ,[\]{}#&*!|>'"%@`]|^[?:-](?: |$)|^(?:---|\.\.\.)|: | #|[ :]$/;

/**
 * Words that some reader takes for something else; `<<` is the merge key, `=` the default key that
 * PyYAML refuses.
 */
const WORD = new RegExp(`^(?:${KEYWORDS}|~|<<|=|[-+]?\\.(?:inf|Inf|INF|nan|NaN|NAN))$`);

/** What every number and date starts with; `e5` is a number to `yaml`. */
const NUMERIC_START = /^[-+.0-9eE]/;

/**
 * Everything that some reader takes for a number or a date, its `_` taken out: decimal;
 * hexadecimal, octal and binary as in YAML 1.1, in 1.2 and in Go (which takes any `_` out first and
 * allows a second sign); base 60; dates with or without a time.
 */
const NUMERIC = new RegExp(
  `^(?:${[
    '[-+]?[0-9]*(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?',
    '[-+]?0+(?:[xX][-+]?[0-9a-fA-F]*|[oO][-+]?[0-7]*|[bB][-+]?[01]*)',
    '[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\\.[0-9]*)?',
    '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[tT ]+[0-9:.,]+ *(?:[zZ]|[-+][0-9:]+)?)?',
  ].join('|')})$`,
);

/** The characters of all these, for strings too long for the pattern. */
const NUMERIC_CHARACTERS = /^[-+0-9a-fA-FxXoOtTzZ_.,: ]+$/;

/**
 * Editors remove blanks at the end of a line; line breaks alone cannot be distinguished from the
 * end of a block; a tab at the start of a line may be taken for indentation. Within a line a tab is
 * text, as in most scripts.
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

/**
 * Keys repeat from object to object: their texts are kept. Both limits keep the cache small
 * whatever comes.
 */
const KEYS = new Map<string, string>();
const MAX_CACHED_KEYS = 2048;
const MAX_CACHED_LENGTH = 64;

/** A string as a key: on one line, without the colon. */
function keyText(key: string): string {
  const known = KEYS.get(key);
  if (known !== undefined) {
    return known;
  }
  // most merging code takes an own `__proto__` for the prototype, so no manifest may contain one
  if (key === '__proto__') {
    throw REFUSED;
  }
  const text = inlineText(key);
  if (key.length <= MAX_CACHED_LENGTH) {
    if (KEYS.size >= MAX_CACHED_KEYS) {
      KEYS.clear();
    }
    KEYS.set(key, text);
  }
  return text;
}

/**
 * A string as a value of a collection whose entries are `depth` levels deep: plain, quoted, or a
 * literal block.
 */
function stringText(value: string, depth: number): string {
  if (value.length <= MAX_FAST && FAST.test(value)) {
    return value;
  }
  if (!value.includes('\n') || UNPRINTABLE_IN_BLOCK.test(value) || LITERAL_UNSAFE.test(value)) {
    return inlineText(value);
  }
  return literalText(value, depth);
}

/**
 * Where a lone surrogate is, in words that do not show the string; undefined when there is none.
 */
export function loneSurrogate(value: string): string | undefined {
  const index = value.search(LONE_SURROGATE);
  if (index < 0) {
    return undefined;
  }
  return `lone surrogate U+${value.charCodeAt(index).toString(16).toUpperCase()} at index ${index}`;
}

/** A string on one line: plain, or quoted where it would be read as something else. */
export function inlineText(value: string): string {
  if (UNPRINTABLE.test(value) || value.includes('\n')) {
    return doubleQuoted(value);
  }
  if (LONE_SURROGATE.test(value)) {
    throw REFUSED;
  }
  if (!INDICATOR.test(value) && !WORD.test(value) && !isNumeric(value)) {
    return value;
  }
  return value.includes('"') && !value.includes("'") ? `'${value}'` : doubleQuoted(value);
}

function isNumeric(value: string): boolean {
  if (!NUMERIC_START.test(value)) {
    return false;
  }
  return value.length <= MAX_FAST
    ? NUMERIC.test(value.replaceAll('_', ''))
    : NUMERIC_CHARACTERS.test(value);
}

/** A string in double quotes, on one line. */
export function doubleQuoted(value: string): string {
  if (LONE_SURROGATE.test(value)) {
    throw REFUSED;
  }
  return `"${value.replace(ESCAPED, (character) => ESCAPES[character] ?? escapeCode(character.charCodeAt(0)))}"`;
}

function escapeCode(code: number): string {
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Which line breaks at its end a reader keeps of a block: none (`-`), all (`+`), or one. */
function chompingOf(value: string): '-' | '+' | '' {
  if (!value.endsWith('\n')) {
    return '-';
  }
  return value.endsWith('\n\n') ? '+' : '';
}

function literalText(value: string, depth: number): string {
  if (LONE_SURROGATE.test(value)) {
    throw REFUSED;
  }
  const end = value.endsWith('\n') ? value.slice(0, -1) : value;
  const chomping = chompingOf(value);
  // readers take the indentation of the first line with text for the block's own
  const indicator = /^\n* /.test(value) ? '2' : '';
  const indent = '  '.repeat(depth + 1);
  return `|${indicator}${chomping}\n${indent}${end.replace(/\n(?!\n|$)/g, `\n${indent}`)}`;
}

/** More cannot be read back everywhere: PyYAML recurses, and Python gives up at some 300 levels. */
export const MAX_LEVELS = 200;

/** A line break and the indentation of each level. */
const BREAKS: readonly string[] = Array.from(
  { length: MAX_LEVELS },
  (_, depth) => `\n${'  '.repeat(depth)}`,
);

interface Fields {
  readonly [key: string]: unknown;
}

type Path = readonly (string | number)[];

/**
 * A plain JSON value as one YAML document, without `---`, ending in a newline.
 *
 * Every reader gives the same value back: `yaml` (1.1 and 1.2), the Go readers of Kubernetes and
 * Rancher, PyYAML (cloud-init). The bytes are those of cdk8s' `Yaml.stringify` wherever these are
 * safe, at a fraction of its time.
 *
 * Throws for what JSON cannot hold and for lone surrogates. The error has the path, never the
 * string: it may be a secret.
 */
export function toYaml(value: unknown): string {
  try {
    return `${writeRoot(value)}\n`;
  } catch (error) {
    // the fast way keeps no path: every document would pay for what only a refused one needs
    if (error === REFUSED) {
      throw new Error(
        `cannot write YAML: ${problemOf(value, [], []) ?? 'the document changed while it was written'}`,
      );
    }
    throw error;
  }
}

function writeRoot(value: unknown): string {
  // never a block: readers disagree on the indentation of one that no collection holds
  if (typeof value === 'string') {
    return inlineText(value);
  }
  if (typeof value !== 'object' || value === null) {
    return scalarText(value, 0);
  }
  if (isPlainArray(value)) {
    return value.length === 0 ? '[]' : writeSequence('', value, 0, '');
  }
  const keys = keysOf(value);
  return keys.length === 0 ? '{}' : writeMapping('', value as Fields, keys, 0, '');
}

/**
 * Appends the entries of a mapping.
 *
 * @param first the text before the first key: nothing, a line break, or the space after a dash
 */
function writeMapping(
  out: string,
  fields: Fields,
  keys: readonly string[],
  depth: number,
  first: string,
): string {
  const lineBreak = breakAt(depth);
  for (let index = 0; index < keys.length; index++) {
    const value = fields[keys[index]];
    const key = keyText(keys[index]);
    out += index === 0 ? first : lineBreak;
    if (key.length > MAX_KEY) {
      out = writeValue(`${out}? ${key}${lineBreak}:`, value, depth, true);
    } else if (typeof value === 'string') {
      out += key + ': ' + stringText(value, depth);
    } else {
      out = writeValue(out + key + ':', value, depth, false);
    }
  }
  return out;
}

function writeSequence(
  out: string,
  items: readonly unknown[],
  depth: number,
  first: string,
): string {
  const lineBreak = breakAt(depth);
  for (let index = 0; index < items.length; index++) {
    out += index === 0 ? first : lineBreak;
    out = writeValue(out + '-', items[index], depth, true);
  }
  return out;
}

/**
 * Appends the value after a colon or a dash.
 *
 * @param compact whether a collection starts on the same line, as it does after a dash
 */
function writeValue(out: string, value: unknown, depth: number, compact: boolean): string {
  if (typeof value !== 'object' || value === null) {
    return out + ' ' + scalarText(value, depth);
  }
  if (isPlainArray(value)) {
    return value.length === 0
      ? out + ' []'
      : writeSequence(out, value, depth + 1, compact ? ' ' : breakAt(depth + 1));
  }
  const keys = keysOf(value);
  return keys.length === 0
    ? out + ' {}'
    : writeMapping(out, value as Fields, keys, depth + 1, compact ? ' ' : breakAt(depth + 1));
}

function scalarText(value: unknown, depth: number): string {
  if (typeof value === 'string') {
    return stringText(value, depth);
  }
  if (typeof value === 'number' && Number.isFinite(value)) {
    return numberText(value);
  }
  if (typeof value === 'boolean') {
    return value ? 'true' : 'false';
  }
  if (value === null) {
    return 'null';
  }
  throw REFUSED;
}

/** As JSON writes it (`-0` becomes `0`), but `1.0e+21` for `1e+21`, which is a string to PyYAML. */
function numberText(value: number): string {
  const text = String(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Every collection asks for its line break, so this is where cycles end too. */
function breakAt(depth: number): string {
  if (depth >= MAX_LEVELS) {
    throw REFUSED;
  }
  return BREAKS[depth];
}

function isPlainArray(value: object): value is readonly unknown[] {
  if (!Array.isArray(value)) {
    return false;
  }
  if (Object.getPrototypeOf(value) !== Array.prototype && !isPlainMap(value)) {
    throw REFUSED;
  }
  return true;
}

function keysOf(value: object): string[] {
  if (Object.getPrototypeOf(value) !== Object.prototype && !isPlainMap(value)) {
    throw REFUSED;
  }
  return Object.keys(value);
}

/**
 * Whether an object is of no class, in any realm: jest and node:vm have an `Object` and an `Array`
 * of their own.
 */
export function isPlainMap(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) {
    return !Array.isArray(value);
  }
  const root = Array.isArray(value) ? Object.getPrototypeOf(prototype) : prototype;
  return root !== null && Object.getPrototypeOf(root) === null;
}

/** Goes through a refused value again, with the path, to the first value that cannot be written. */
function problemOf(value: unknown, path: Path, above: readonly object[]): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return at(path, scalarProblem(value));
  }
  const level = above.indexOf(value);
  if (level >= 0) {
    return at(
      path,
      `must not be a cycle, got a reference to ${yamlPathText(path.slice(0, level))}`,
    );
  }
  if (!isPlainMap(value)) {
    return at(path, `must be a plain object or array, got ${className(value)}`);
  }
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (keys.length > 0 && above.length >= MAX_LEVELS) {
    return at(path, `must have at most ${MAX_LEVELS} levels`);
  }
  for (const [index, key] of keys.entries()) {
    const problem =
      at(path, keyProblem(key, index)) ??
      problemOf((value as Fields)[key], [...path, key], [...above, value]);
    if (problem) {
      return problem;
    }
  }
  return undefined;
}

/** What is wrong with a scalar value: JSON cannot hold it, or no file in UTF-8. */
export function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string': {
      const lone = loneSurrogate(value);
      return lone && `must be text of whole characters, got a ${lone}`;
    }
    case 'number':
      return Number.isFinite(value) ? undefined : `must be a finite number, got ${value}`;
    case 'bigint':
      return 'must be a number or a string, got a BigInt';
    case 'undefined':
      return 'must be a JSON value, got undefined';
    case 'function':
    case 'symbol':
      return `must be a JSON value, got a ${typeof value}`;
    default:
      return undefined;
  }
}

/** What is wrong with the key at an index. */
export function keyProblem(key: string | number, index: number): string | undefined {
  if (typeof key === 'number') {
    return undefined;
  }
  if (key === '__proto__') {
    return 'cannot contain the key "__proto__", which readers may take for the prototype';
  }
  const lone = loneSurrogate(key);
  return lone && `key ${index + 1} must be text of whole characters, got a ${lone}`;
}

/** What an object is an instance of, e.g. `an instance of Date`. */
export function className(value: object): string {
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name ? `an instance of ${name}` : 'an instance of a class';
}

function at(path: Path, problem: string | undefined): string | undefined {
  return problem && `${yamlPathText(path)}: ${problem}`;
}

/** The path as one would write it in code, its middle left out when it is very long. */
export function yamlPathText(path: Path): string {
  if (path.length === 0) {
    return 'the document';
  }
  const text = path
    .map((key) => {
      if (typeof key === 'number') {
        return `[${key}]`;
      }
      if (/^[\w-]+$/.test(key)) {
        return `.${key}`;
      }
      return `[${JSON.stringify(key)}]`;
    })
    .join('');
  const whole = text.startsWith('.') ? text.slice(1) : text;
  return whole.length <= 300 ? whole : `${whole.slice(0, 150)} … ${whole.slice(-100)}`;
}
