import { MAX_KEY, REFUSED, inlineText, keyText, loneSurrogate, stringText } from './yaml-scalar';

/** More cannot be read back everywhere: PyYAML recurses, and Python gives up at some 300 levels. */
const MAX_LEVELS = 200;

/** A line break and the indentation of each level. */
const BREAKS: readonly string[] = Array.from({ length: MAX_LEVELS }, (_, depth) => `\n${'  '.repeat(depth)}`);

interface Fields { readonly [key: string]: unknown }

type Path = readonly (string | number)[];

/**
 * A plain JSON value as one YAML document, without `---`, ending in a newline.
 *
 * Every reader gives the same value back: `yaml` (1.1 and 1.2), the Go readers of Kubernetes and Rancher, PyYAML (cloud-init). The bytes are
 * those of cdk8s' `Yaml.stringify` wherever these are safe, at a fraction of its time.
 *
 * Throws for what JSON cannot hold and for lone surrogates. The error says where, never what the string is: it may be a secret.
 */
export function toYaml(value: unknown): string {
  try {
    return `${writeRoot(value)}\n`;
  } catch (error) {
    // the fast way keeps no path: every document would pay for what only a refused one needs
    if (error === REFUSED) { throw new Error(`cannot write YAML: ${problemOf(value, [], []) ?? 'the document changed while it was written'}`); }
    throw error;
  }
}

function writeRoot(value: unknown): string {
  // never a block: readers disagree on the indentation of one that no collection holds
  if (typeof value === 'string') { return inlineText(value); }
  if (typeof value !== 'object' || value === null) { return scalarText(value, 0); }
  if (isPlainArray(value)) { return value.length === 0 ? '[]' : writeSequence('', value, 0, ''); }
  const keys = keysOf(value);
  return keys.length === 0 ? '{}' : writeMapping('', value as Fields, keys, 0, '');
}

/**
 * Appends the entries of a mapping.
 *
 * @param first what stands before the first key: nothing, a line break, or the space after a dash
 */
function writeMapping(out: string, fields: Fields, keys: readonly string[], depth: number, first: string): string {
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

function writeSequence(out: string, items: readonly unknown[], depth: number, first: string): string {
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
  if (typeof value !== 'object' || value === null) { return out + ' ' + scalarText(value, depth); }
  if (isPlainArray(value)) {
    return value.length === 0 ? out + ' []' : writeSequence(out, value, depth + 1, compact ? ' ' : breakAt(depth + 1));
  }
  const keys = keysOf(value);
  return keys.length === 0 ? out + ' {}' : writeMapping(out, value as Fields, keys, depth + 1, compact ? ' ' : breakAt(depth + 1));
}

function scalarText(value: unknown, depth: number): string {
  if (typeof value === 'string') { return stringText(value, depth); }
  if (typeof value === 'number' && Number.isFinite(value)) { return numberText(value); }
  if (typeof value === 'boolean') { return value ? 'true' : 'false'; }
  if (value === null) { return 'null'; }
  throw REFUSED;
}

/** As JSON writes it (`-0` becomes `0`), but `1.0e+21` for `1e+21`, which is a string to PyYAML. */
function numberText(value: number): string {
  const text = String(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Every collection asks for its line break, so this is where cycles end too. */
function breakAt(depth: number): string {
  if (depth >= MAX_LEVELS) { throw REFUSED; }
  return BREAKS[depth];
}

function isPlainArray(value: object): value is readonly unknown[] {
  if (!Array.isArray(value)) { return false; }
  if (Object.getPrototypeOf(value) !== Array.prototype && !isPlain(value)) { throw REFUSED; }
  return true;
}

function keysOf(value: object): string[] {
  if (Object.getPrototypeOf(value) !== Object.prototype && !isPlain(value)) { throw REFUSED; }
  return Object.keys(value);
}

/** Whether an object is of no class, in any realm: jest and node:vm have an `Object` and an `Array` of their own. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) { return !Array.isArray(value); }
  const root = Array.isArray(value) ? Object.getPrototypeOf(prototype) : prototype;
  return root !== null && Object.getPrototypeOf(root) === null;
}

/** Goes through a refused value again, with the path, to the first thing that cannot be written. */
function problemOf(value: unknown, path: Path, above: readonly object[]): string | undefined {
  if (typeof value !== 'object' || value === null) { return at(path, scalarProblem(value)); }
  const level = above.indexOf(value);
  if (level >= 0) { return at(path, `got a cycle back to ${pathText(path.slice(0, level))}, expected a tree`); }
  if (!isPlain(value)) { return at(path, `got ${className(value)}, expected a plain object or array`); }
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (keys.length > 0 && above.length >= MAX_LEVELS) { return at(path, `got more than ${MAX_LEVELS} levels, expected fewer`); }
  for (const [index, key] of keys.entries()) {
    const problem = at(path, keyProblem(key, index)) ?? problemOf((value as Fields)[key], [...path, key], [...above, value]);
    if (problem) { return problem; }
  }
  return undefined;
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string': {
      const lone = loneSurrogate(value);
      return lone && `got a string with the ${lone}, expected whole characters`;
    }
    case 'number': return Number.isFinite(value) ? undefined : `got ${value}, expected a finite number`;
    case 'bigint': return 'got a BigInt, expected a number or a string';
    case 'undefined': return 'got undefined, expected a JSON value';
    case 'function':
    case 'symbol': return `got a ${typeof value}, expected a JSON value`;
    default: return undefined;
  }
}

function keyProblem(key: string | number, index: number): string | undefined {
  if (typeof key === 'number') { return undefined; }
  if (key === '__proto__') { return 'got an own key "__proto__", expected none; readers may take it for the prototype'; }
  const lone = loneSurrogate(key);
  return lone && `got a key (number ${index + 1}) with the ${lone}, expected whole characters`;
}

function className(value: object): string {
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name ? `an instance of ${name}` : 'an instance of a class';
}

function at(path: Path, problem: string | undefined): string | undefined {
  return problem && `${pathText(path)}: ${problem}`;
}

/** The path as one would write it in code, its middle left out when it is very long. */
function pathText(path: Path): string {
  if (path.length === 0) { return 'the document'; }
  const text = path.map((key) => typeof key === 'number' ? `[${key}]` : /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`).join('');
  const whole = text.startsWith('.') ? text.slice(1) : text;
  return whole.length <= 300 ? whole : `${whole.slice(0, 150)} … ${whole.slice(-100)}`;
}
