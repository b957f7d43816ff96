import { Schema } from './definition-of';
import { fc } from './properties';

type Draw = fc.GeneratorValue;

const OTHERS = ['x', '', 7, 1.5, true, null, [], ['x'], {}, { zzz: 'x' }] as const;
const MAX_OPTIONAL = 4;

/** Objects whose structure a schema accepts, and objects that differ in one detail. */
export function objectsOf(
  schema: Schema,
  mutations: number,
): fc.Arbitrary<{ readonly [field: string]: unknown }> {
  return fc.gen().map((draw) => {
    let value = valueOf(draw, schema);
    for (let count = draw(fc.nat, { max: mutations }); count > 0; count--) {
      value = mutated(draw, value);
    }
    return (isObject(value) ? value : {}) as { readonly [field: string]: unknown };
  });
}

function valueOf(draw: Draw, schema: Schema): unknown {
  if (schema.nullable && draw(fc.nat, { max: 9 }) === 0) {
    return null;
  }
  if (schema.enum) {
    return pick(draw, [...schema.enum, 'other']);
  }
  const limited = valuesAtLimits(schema);
  if (limited.length > 0 && draw(fc.boolean)) {
    return pick(draw, limited);
  }
  if (schema['x-kubernetes-int-or-string']) {
    return pick(draw, [1, '1']);
  }
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date-time') {
        return '2026-01-01T00:00:00Z';
      }
      return pick(draw, schema.format === 'byte' ? ['YQ==', 'Not_Valid!'] : ['a', 'bc', '1']);
    case 'integer':
      return pick(draw, [0, 1, 30, 1.0]);
    case 'number':
      return pick(draw, [1, 0.5]);
    case 'boolean':
      return draw(fc.boolean);
    case 'array':
      return items(draw, schema);
    case 'object':
      return fields(draw, schema);
    default:
      return pick(draw, [...OTHERS]);
  }
}

// what patterns of definitions accept, or nearly
const TEXTS = [
  '500m',
  '2Gi',
  '5%',
  '100%',
  '101%',
  'a'.repeat(32),
  'a'.repeat(40),
  'g'.repeat(40),
  'a.b-c',
  'a.B',
  '-a',
  '/a',
  '/a/../b',
  '15s',
  '10.0.0.1/24',
  '*.a.io',
];

/** Values at the limits of a number or a text, and next to them. */
export function valuesAtLimits({
  minimum,
  maximum,
  minLength,
  maxLength,
  pattern,
}: Schema): unknown[] {
  const numbers = [minimum, maximum]
    .filter((bound) => bound !== undefined)
    .flatMap((bound) => [bound - 1, bound, bound + 1]);
  const lengths = [minLength, maxLength]
    .filter((bound) => bound !== undefined && bound < 5000)
    .flatMap((bound) => [bound - 1, bound, bound + 1]);
  const texts = lengths
    .filter((length) => length >= 0)
    .flatMap((length) => ['a'.repeat(length), 'ä'.repeat(length)]);
  return [...numbers, ...texts, ...(pattern === undefined ? [] : TEXTS)];
}

function items(draw: Draw, { items: item, ...list }: Schema): unknown[] {
  const made = Array.from({ length: draw(fc.nat, { max: 2 }) }, () =>
    valueOf(draw, item as Schema),
  );
  // what identifies an item differs in most lists
  if (!list['x-kubernetes-list-map-keys'] || draw(fc.nat, { max: 3 }) === 0) {
    return made;
  }
  const [key] = list['x-kubernetes-list-map-keys'] as string[];
  return made.map((each, index) =>
    isObject(each) && (item as Schema).properties[key].type === 'string'
      ? { ...each, [key]: `k${index}` }
      : each,
  );
}

function fields(
  draw: Draw,
  { properties = {}, required = [], additionalProperties, ...object }: Schema,
): object {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const count = Math.min(optional.length, draw(fc.nat, { max: MAX_OPTIONAL }));
  const names = new Set([
    ...required,
    ...Array.from({ length: count }, () => pick(draw, optional)),
  ]);
  const made = Object.fromEntries(
    [...names].map((name) => [name, valueOf(draw, properties[name])]),
  );
  if (additionalProperties) {
    for (const key of ['a', 'b/c'].slice(0, draw(fc.nat, { max: 2 }))) {
      made[key] = valueOf(draw, additionalProperties as Schema);
    }
  }
  return object['x-kubernetes-preserve-unknown-fields'] && draw(fc.boolean)
    ? { ...made, free: [1] }
    : made;
}

/** The keys of an object, or the indexes of a list. */
function childrenOf(value: unknown): (string | number)[] {
  if (isObject(value)) {
    return Object.keys(value);
  }
  return Array.isArray(value) ? [...value.keys()] : [];
}

/**
 * The value with one change somewhere: another value, an unknown field, a field less, an item
 * twice.
 */
function mutated(draw: Draw, value: unknown): unknown {
  const children = childrenOf(value);
  // most changes lie deep
  if (children.length > 0 && draw(fc.nat, { max: 4 }) > 0) {
    const key = pick<string | number>(draw, children);
    const copy: any = Array.isArray(value) ? [...value] : { ...(value as object) };
    copy[key] = mutated(draw, copy[key]);
    return copy;
  }
  if (isObject(value)) {
    const change = draw(fc.nat, { max: 2 });
    if (change === 0) {
      return { ...value, unknownField: 1 };
    }
    if (change === 1 && children.length > 0) {
      const { [pick(draw, children as string[])]: _, ...rest } = value;
      return rest;
    }
  }
  if (Array.isArray(value) && value.length > 0 && draw(fc.boolean)) {
    return [...value, value[0]];
  }
  return pick(draw, [...OTHERS]);
}

function pick<T>(draw: Draw, values: readonly T[]): T {
  return values[draw(fc.nat, { max: values.length - 1 })];
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
