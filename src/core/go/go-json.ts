import { isRecord } from '../manifest/manifest';
import { byText, compare } from '../text/values';

/**
 * Numbers in texts as Go's strconv reads them; undefined for a text that it refuses.
 * @see https://pkg.go.dev/strconv
 */

/** An integer of 64 bits: a sign and leading zeros are allowed. */
export function atoi(text: string): number | undefined {
  if (!/^[-+]?\d+$/.test(text)) {
    return undefined;
  }
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= -(2n ** 63n) && value < 2n ** 63n ? Number(text) : undefined;
}

/** A number of 32 bits, in digits alone. */
export function parseUint32(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) < 2 ** 32 ? Number(text) : undefined;
}

// underscores between digits are allowed
const DIGITS = '[0-9]+(?:_[0-9]+)*';
const DECIMAL = new RegExp(
  `^[-+]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][-+]?${DIGITS})?$`,
);
const HEXADECIMAL =
  /^([-+]?)0[xX]_?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?(?:\.((?:[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?))?[pP]([-+]?[0-9]+)$/;

/** A number with a fraction, with infinities, NaN and the hexadecimal form. */
export function parseFloat64(text: string): number | undefined {
  if (/^[-+]?(inf|infinity)$/i.test(text)) {
    return text.startsWith('-') ? -Infinity : Infinity;
  }
  if (/^nan$/i.test(text)) {
    return NaN;
  }
  const number = DECIMAL.test(text) ? Number(text.replace(/_/g, '')) : hexadecimal(text);
  return Number.isFinite(number) ? number : undefined;
}

function hexadecimal(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent] =
    HEXADECIMAL.exec(text.replace(/_/g, '')) ?? [];
  if (!HEXADECIMAL.test(text) || whole + fraction === '') {
    return undefined;
  }
  return (
    (sign === '-' ? -1 : 1) *
    Number(BigInt(`0x${whole}${fraction}`)) *
    2 ** (Number(exponent) - 4 * fraction.length)
  );
}

/**
 * A type that Harvester or Rancher decodes JSON into.
 *
 * They keep JSON in texts, and Go's decoder decides what they accept: keys match without regard to
 * case, `null` leaves a value as it is, a number must fit its type as it is written, and unknown
 * keys are ignored.
 *
 * @see https://pkg.go.dev/encoding/json
 */
export type GoType =
  | { readonly go: 'string' | 'bool' | 'quantity' | 'any' }
  | { readonly go: 'int'; readonly min: bigint; readonly max: bigint; readonly expected: string }
  | { readonly go: 'slice' | 'map' | 'pointer'; readonly of: GoType }
  | { readonly go: 'struct'; readonly fields: { readonly [key: string]: GoType } };

export const STRING: GoType = { go: 'string' };
export const BOOL: GoType = { go: 'bool' };
export const INT: GoType = {
  go: 'int',
  min: -(2n ** 63n),
  max: 2n ** 63n - 1n,
  expected: 'must be a whole number',
};
export const UINT: GoType = {
  go: 'int',
  min: 0n,
  max: 2n ** 64n - 1n,
  expected: 'must be a whole number of 0 or more',
};
export const UINT32: GoType = {
  go: 'int',
  min: 0n,
  max: 2n ** 32n - 1n,
  expected: 'must be a whole number from 0 to 4294967295',
};
export const UINT16: GoType = {
  go: 'int',
  min: 0n,
  max: 65535n,
  expected: 'must be a whole number from 0 to 65535',
};
export const ANY: GoType = { go: 'any' };
/** A quantity of Kubernetes, such as `40Gi`. */
export const QUANTITY: GoType = { go: 'quantity' };

export function slice(of: GoType): GoType {
  return { go: 'slice', of };
}
export function map(of: GoType): GoType {
  return { go: 'map', of };
}
export function pointer(of: GoType): GoType {
  return { go: 'pointer', of };
}

/** A struct, by the keys of its JSON. */
export function goStruct(fields: { readonly [key: string]: GoType }): GoType {
  return { go: 'struct', fields };
}

/** A decoded value. */
export interface Decoded<T> {
  /**
   * The value, with zero values where nothing was given; slices, maps and pointers that were not
   * given are undefined.
   */
  readonly config: T;
  /** Paths of keys that no field has. */
  readonly unknown: readonly string[];
}

/** Why a value does not fit its type. */
interface JsonFault {
  /** Path in the value, empty for all of it. */
  readonly path: string;
  readonly value?: unknown;
  readonly message: string;
}

/** What decoding returns: the value, or all faults, in one sentence and one by one. */
export type DecodeResult<T> =
  Decoded<T> | { readonly error: string; readonly faults: readonly JsonFault[] };

const unmarshalled = new WeakMap<GoType, (text: string) => DecodeResult<unknown>>();

/**
 * Decodes a text as `json.Unmarshal` does. The result is shared by all who decode the same text
 * into the same type.
 */
export function unmarshal<T>(text: string, type: GoType): DecodeResult<T> {
  let ofType = unmarshalled.get(type);
  if (!ofType) {
    ofType = byText((each) => decode(each, type, false));
    unmarshalled.set(type, ofType);
  }
  return ofType(text) as DecodeResult<T>;
}

/**
 * Decodes the first value of a text, as a `json.Decoder` with `DisallowUnknownFields` does: what
 * follows it is ignored.
 */
export function decodeStrict<T>(text: string, type: GoType): DecodeResult<T> {
  return decode(text.slice(0, endOfFirst(text)), type, true);
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  return parse(text) !== undefined;
}

function decode<T>(text: string, type: GoType, strict: boolean): DecodeResult<T> {
  const parsed = parse(text);
  const decoder = new Decoder(strict);
  const config = parsed
    ? (decoder.into(parsed.node, type, zero(type), '') as T)
    : (decoder.refuse('', 'must be JSON', undefined) as T);
  const { faults, unknown } = decoder;
  return faults.length === 0
    ? { config, unknown }
    : {
        error: faults.map(({ path, message }) => `${path ? `${path} ` : ''}${message}`).join(', '),
        faults,
      };
}

const TEXT = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const TEXT_OR_NUMBER = new RegExp(`${TEXT}|-?\\d[\\d.eE+-]*`, 'g');
const TEXT_OR_BRACKET = new RegExp(`${TEXT}|[{}[\\]]`, 'g');
const MAX_DEPTH = 1000;
// precedes the digits of a number, which are kept as they were written: 1.0 is not an integer for
// Go
const NUMBER = '\0';

function parse(text: string): { readonly node: unknown } | undefined {
  try {
    JSON.parse(text);
    // each level takes a character
    return text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH
      ? undefined
      : {
          node: JSON.parse(
            text.replace(TEXT_OR_NUMBER, (token) =>
              token.startsWith('"') ? token : `"\\u0000${token}"`,
            ),
          ),
        };
  } catch {
    return undefined;
  }
}

function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const [token] of text.matchAll(TEXT_OR_BRACKET)) {
    if (token === '{' || token === '[') {
      most = Math.max(most, ++depth);
    } else if (token === '}' || token === ']') {
      depth--;
    }
  }
  return most;
}

// all of the text where its first value is not an object or a list, or does not end
function endOfFirst(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TEXT_OR_BRACKET)) {
    if (token === '{' || token === '[') {
      depth++;
    } else if ((token === '}' || token === ']') && --depth <= 0) {
      return index + 1;
    }
  }
  return text.length;
}

const QUANTITY_FORMAT =
  /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][-+]?[0-9]+)?$/;

class Decoder {
  public readonly unknown: string[] = [];
  public readonly faults: JsonFault[] = [];

  constructor(private readonly strict: boolean) {}

  public into(node: unknown, type: GoType, current: unknown, path: string): unknown {
    if (node === null) {
      return ['pointer', 'slice', 'map', 'any'].includes(type.go) ? undefined : current;
    }
    const number = typeof node === 'string' && node.startsWith(NUMBER) ? node.slice(1) : undefined;
    const text = typeof node === 'string' && number === undefined ? node : undefined;
    switch (type.go) {
      case 'pointer':
        return this.into(node, type.of, current ?? zero(type.of), path);
      case 'any':
        return plain(node);
      case 'string':
        return text ?? this.refuse(path, 'must be text', node);
      case 'bool':
        return typeof node === 'boolean' ? node : this.refuse(path, 'must be true or false', node);
      case 'int':
        return number !== undefined && isWithin(number, type)
          ? Number(number)
          : this.refuse(path, type.expected, node);
      case 'quantity':
        return QUANTITY_FORMAT.test((text ?? number ?? '').trim())
          ? (text ?? number)
          : this.refuse(path, 'must be a quantity such as 40Gi', node);
      case 'slice':
        return Array.isArray(node)
          ? node.map((item, index) => this.into(item, type.of, zero(type.of), `${path}[${index}]`))
          : this.refuse(path, 'must be a list', node);
      case 'map':
        return isRecord(node)
          ? this.map(node, type.of, path)
          : this.refuse(path, 'must be an object', node);
      case 'struct':
        return isRecord(node)
          ? this.struct(node, type.fields, current, path)
          : this.refuse(path, 'must be an object', node);
    }
  }

  public refuse(path: string, message: string, node: unknown): undefined {
    this.faults.push({
      path,
      message,
      ...(typeof node === 'object' || node === undefined ? {} : { value: plain(node) }),
    });
    return undefined;
  }

  private map(
    node: { readonly [key: string]: unknown },
    type: GoType,
    path: string,
  ): ReadonlyMap<string, unknown> {
    return new Map(
      Object.entries(node).map(([key, value]) => [
        key,
        this.into(value, type, zero(type), join(path, key)),
      ]),
    );
  }

  private struct(
    node: { readonly [key: string]: unknown },
    fields: { readonly [key: string]: GoType },
    current: unknown,
    path: string,
  ): unknown {
    const result = { ...(current as { [key: string]: unknown }) };
    for (const [key, value] of Object.entries(node)) {
      const field = fieldOf(fields, key);
      if (field !== undefined) {
        result[field] = this.into(value, fields[field]!, result[field], join(path, field));
      } else if (this.strict) {
        this.refuse(join(path, key), 'is not a field of it', undefined);
      } else {
        this.unknown.push(join(path, key));
      }
    }
    return result;
  }
}

function isWithin(number: string, { min, max }: GoType & { go: 'int' }): boolean {
  return (
    (min < 0n ? /^-?\d+$/ : /^\d+$/).test(number) && BigInt(number) >= min && BigInt(number) <= max
  );
}

// exactly, or else without regard to case, with the two letters outside of ASCII that Go folds as
// well
function fieldOf(fields: { readonly [key: string]: GoType }, key: string): string | undefined {
  if (Object.prototype.hasOwnProperty.call(fields, key)) {
    return key;
  }
  const folded = fold(key);
  return Object.keys(fields).find((field) => fold(field) === folded);
}

function fold(key: string): string {
  return key
    .replace(/\u017f/g, 's')
    .replace(/\u212a/g, 'k')
    .replace(/[A-Z]/g, (char) => char.toLowerCase());
}

function zero(type: GoType): unknown {
  switch (type.go) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
      return 0;
    case 'struct':
      return Object.fromEntries(
        Object.entries(type.fields).map(([key, field]) => [key, zero(field)]),
      );
    default:
      return undefined;
  }
}

function plain(node: unknown): unknown {
  if (typeof node === 'string') {
    return node.startsWith(NUMBER) ? Number(node.slice(1)) : node;
  }
  if (Array.isArray(node)) {
    return node.map(plain);
  }
  return isRecord(node)
    ? Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plain(value)]))
    : (node ?? undefined);
}

function join(path: string, key: string): string {
  return path ? `${path}.${key}` : key;
}

/**
 * A decoded value as Go's encoder writes it: fields in the order of their type, maps sorted, `null`
 * for what is not set.
 */
export function marshal(value: unknown, type: GoType): string {
  return JSON.stringify(encodable(value, type)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function encodable(value: unknown, type: GoType): unknown {
  if (value === undefined || value === null) {
    return null;
  }
  switch (type.go) {
    case 'struct':
      return Object.fromEntries(
        Object.entries(type.fields).map(([key, field]) => [
          key,
          encodable((value as { [key: string]: unknown })[key], field),
        ]),
      );
    case 'map':
      return Object.fromEntries(
        [...(value as ReadonlyMap<string, unknown>)]
          .sort(([a], [b]) => compare(a, b))
          .map(([key, entry]) => [key, encodable(entry, type.of)]),
      );
    case 'slice':
      return (value as readonly unknown[]).map((entry) => encodable(entry, type.of));
    case 'pointer':
      return encodable(value, type.of);
    default:
      return value;
  }
}
