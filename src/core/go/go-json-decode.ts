import { GoJson, GoJsonResult, parseFirstGoJson, parseGoJson } from './go-json';
import { fits } from './go-numbers';

/**
 * What a JSON value is decoded into: the Go type that Harvester has for it, with the name that Go's errors call it by.
 */
export type GoType =
  | { readonly go: 'string'; readonly name: string }
  | { readonly go: 'bool' }
  | { readonly go: 'int'; readonly name: string; readonly bits: number; readonly signed: boolean }
  | { readonly go: 'quantity' }
  | { readonly go: 'any' }
  | { readonly go: 'slice'; readonly of: GoType }
  | { readonly go: 'map'; readonly of: GoType }
  | { readonly go: 'pointer'; readonly of: GoType }
  | { readonly go: 'struct'; readonly package: string; readonly name: string; readonly fields: { readonly [key: string]: GoType } };

export const STRING: GoType = { go: 'string', name: 'string' };
export const BOOL: GoType = { go: 'bool' };
export const INT: GoType = { go: 'int', name: 'int', bits: 64, signed: true };
export const INT64: GoType = { go: 'int', name: 'int64', bits: 64, signed: true };
export const UINT32: GoType = { go: 'int', name: 'uint32', bits: 32, signed: false };
export const UINT16: GoType = { go: 'int', name: 'uint16', bits: 16, signed: false };
export const ANY: GoType = { go: 'any' };
export const QUANTITY: GoType = { go: 'quantity' };

/** A string type with a name of its own, e.g. `settings.TargetType`. */
export function named(name: string): GoType { return { go: 'string', name }; }
export function slice(of: GoType): GoType { return { go: 'slice', of }; }
export function map(of: GoType): GoType { return { go: 'map', of }; }
export function pointer(of: GoType): GoType { return { go: 'pointer', of }; }

/** A struct: `struct('settings.Overcommit', { cpu: INT })`, keys are those of the JSON. */
export function struct(name: string, fields: { readonly [key: string]: GoType }): GoType {
  const [pkg, type] = name.split('.') as [string, string];
  return { go: 'struct', package: pkg, name: type, fields };
}

/** How a value was decoded. */
export interface Decoded<T> {
  /** The value, with Go's zero values where nothing was given; nil slices, maps and pointers are undefined. */
  readonly config: T;
  /** Keys that no field takes, as paths; Go ignores them. */
  readonly unknown: readonly string[];
}

export type DecodeResult<T> = Decoded<T> | { readonly error: string; readonly syntax: boolean };

/** `json.Unmarshal` into a new value. */
export function unmarshal<T>(text: string, type: GoType): DecodeResult<T> {
  return decode(parseGoJson(text), type, false);
}

/** `json.NewDecoder` with `DisallowUnknownFields`, one `Decode`. */
export function decodeStrict<T>(text: string, type: GoType): DecodeResult<T> {
  return decode(parseFirstGoJson(text), type, true);
}

function decode<T>(parsed: GoJsonResult, type: GoType, strict: boolean): DecodeResult<T> {
  if ('error' in parsed) { return { error: parsed.error, syntax: true }; }
  const decoder = new Decoder(strict);
  const config = decoder.into(parsed.node, type, zero(type), '', { struct: '', fields: [] }) as T;
  return decoder.error === undefined ? { config, unknown: decoder.unknown } : { error: decoder.error, syntax: false };
}

/** Where Go says an error is: the innermost struct, and the fields from the outermost one on. */
interface Place {
  readonly struct: string;
  readonly fields: readonly string[];
}

// a value that Go hands to a method of the type: its error ends the decoding
const QUANTITY_FORMAT = /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][-+]?[0-9]+)?$/;
const QUANTITY_SAYS = 'quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'';

class Decoder {
  public readonly unknown: string[] = [];
  public error?: string;

  constructor(private readonly strict: boolean) {}

  public into(node: GoJson, type: GoType, current: unknown, path: string, place: Place): unknown {
    if (node.kind === 'null') { return nilable(type) ? undefined : current; }
    switch (type.go) {
      case 'pointer': return this.into(node, type.of, current ?? zero(type.of), path, place);
      case 'any': return plain(node);
      case 'quantity': return this.quantity(node);
      case 'string': return node.kind === 'string' ? node.value : this.mismatch(node, type, current, place);
      case 'bool': return node.kind === 'bool' ? node.value : this.mismatch(node, type, current, place);
      case 'int': return this.integer(node, type, current, place);
      case 'slice':
        if (node.kind !== 'array') { return this.mismatch(node, type, current, place); }
        return node.items.map((item, index) => this.into(item, type.of, zero(type.of), `${path}[${index}]`, place));
      case 'map': return this.map(node, type, current, path, place);
      case 'struct': return this.struct(node, type, current, path, place);
    }
  }

  private integer(node: GoJson, type: GoType & { go: 'int' }, current: unknown, place: Place): unknown {
    if (node.kind !== 'number') { return this.mismatch(node, type, current, place); }
    const whole = /^-?[0-9]+$/.test(node.text) ? BigInt(node.text) : undefined;
    if (whole !== undefined && fits(whole, type.bits, type.signed) && !(node.text === '-0' && !type.signed)) { return Number(whole); }
    return this.refuse(`number ${node.text}`, type, current, place);
  }

  private quantity(node: GoJson): unknown {
    const text = node.kind === 'string' ? node.value : node.kind === 'number' ? node.text : '';
    if (!QUANTITY_FORMAT.test(text.trim())) { this.error ??= QUANTITY_SAYS; }
    return text;
  }

  private map(node: GoJson, type: GoType & { go: 'map' }, current: unknown, path: string, place: Place): unknown {
    if (node.kind !== 'object') { return this.mismatch(node, type, current, place); }
    const result = new Map(current as Map<string, unknown> | undefined);
    for (const [key, value] of node.entries) {
      result.set(key, this.into(value, type.of, zero(type.of), join(path, key), place));
    }
    return result;
  }

  private struct(node: GoJson, type: GoType & { go: 'struct' }, current: unknown, path: string, place: Place): unknown {
    if (node.kind !== 'object') { return this.mismatch(node, type, current, place); }
    const result = { ...(current as { [key: string]: unknown }) };
    for (const [key, value] of node.entries) {
      const field = fieldOf(type.fields, key);
      if (field === undefined) {
        this.unknown.push(join(path, key));
        if (this.strict) { this.error ??= `json: unknown field ${JSON.stringify(key)}`; }
        continue;
      }
      const inside = { struct: type.name, fields: [...place.fields, field] };
      result[field] = this.into(value, type.fields[field]!, result[field], join(path, field), inside);
    }
    return result;
  }

  private mismatch(node: GoJson, type: GoType, current: unknown, place: Place): unknown {
    return this.refuse(node.kind, type, current, place);
  }

  // Go goes on after a value of the wrong type and tells the first one at the end
  private refuse(what: string, type: GoType, current: unknown, { struct: inside, fields }: Place): unknown {
    const where = inside ? `struct field ${inside}.${fields.join('.')} of` : 'value of';
    this.error ??= `json: cannot unmarshal ${what} into Go ${where} type ${nameOf(type)}`;
    return current;
  }
}

// exactly, or else without regard to case, with the two letters outside of ASCII that Go folds as well
function fieldOf(fields: { readonly [key: string]: GoType }, key: string): string | undefined {
  if (Object.prototype.hasOwnProperty.call(fields, key)) { return key; }
  const folded = fold(key);
  return Object.keys(fields).find((field) => fold(field) === folded);
}

function fold(key: string): string {
  return key.replace(/\u017f/g, 's').replace(/\u212a/g, 'k').replace(/[A-Z]/g, (char) => char.toLowerCase());
}

function nilable(type: GoType): boolean {
  return ['pointer', 'slice', 'map', 'any'].includes(type.go);
}

function zero(type: GoType): unknown {
  switch (type.go) {
    case 'string': return '';
    case 'bool': return false;
    case 'int': return 0;
    case 'struct': return Object.fromEntries(Object.entries(type.fields).map(([key, field]) => [key, zero(field)]));
    default: return undefined;
  }
}

function nameOf(type: GoType): string {
  switch (type.go) {
    case 'string': case 'int': return type.name;
    case 'bool': return 'bool';
    case 'slice': return `[]${nameOf(type.of)}`;
    case 'map': return `map[string]${nameOf(type.of)}`;
    case 'pointer': return nameOf(type.of);
    case 'struct': return `${type.package}.${type.name}`;
    case 'quantity': return 'resource.Quantity';
    case 'any': return 'interface {}';
  }
}

function plain(node: GoJson): unknown {
  switch (node.kind) {
    case 'null': return undefined;
    case 'bool': case 'string': return node.value;
    case 'number': return Number(node.text);
    case 'array': return node.items.map(plain);
    case 'object': return Object.fromEntries(node.entries.map(([key, value]) => [key, plain(value)]));
  }
}

function join(path: string, key: string): string {
  return path ? `${path}.${key}` : key;
}
