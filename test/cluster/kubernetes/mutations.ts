import { FieldPath, isRecord, Manifest, pathText } from '../../../src/core/manifest/manifest';

/** An object with one change. */
export interface Mutation {
  /** What was changed, such as `remove spec.ports`. */
  readonly what: string;
  readonly manifest: Manifest;
}

const LONG = 'a'.repeat(300);

/** Fields that identify the object, and those of metadata, which other tests are about. */
const FIXED = /^(apiVersion|kind|metadata(\.(name|namespace|generateName))?)$/;

/** Every change of one field of an object, in the order of the fields. */
export function* mutationsOf(manifest: Manifest): Iterable<Mutation> {
  for (const [path, value] of fieldsOf(manifest, [])) {
    const at = pathText(path);
    if (FIXED.test(at)) {
      continue;
    }
    yield { what: `remove ${at}`, manifest: changed(manifest, path, undefined) };
    for (const other of othersOf(value)) {
      yield {
        what: `${at} = ${JSON.stringify(other)?.slice(0, 60)}`,
        manifest: changed(manifest, path, other),
      };
    }
  }
}

function* fieldsOf(value: unknown, path: FieldPath): Iterable<[FieldPath, unknown]> {
  if (path.length > 0) {
    yield [path, value];
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* fieldsOf(item, [...path, index]);
    }
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* fieldsOf(item, [...path, key]);
    }
  }
}

function othersOf(value: unknown): unknown[] {
  switch (typeof value) {
    case 'string':
      return ['', 7, true, ['x'], { x: 'y' }, 'Not_Valid!', LONG, `${value}x`, null];
    case 'number':
      return ['x', String(value), -1, 0, 1.5, 70_000, 2 ** 40, true, [1], null];
    case 'boolean':
      return ['true', 1, !value, null];
    default:
      break;
  }
  if (Array.isArray(value)) {
    return ['x', {}, [], [...value, value[0]], null];
  }
  return ['x', 7, [], {}, { ...(value as object), notAField: 'x' }, null];
}

/** A copy with another value at a path; without it where the value is undefined. */
function changed<T>(value: T, [step, ...rest]: FieldPath, by: unknown): T {
  if (step === undefined) {
    return by as T;
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const now = index === step ? changed(item, rest, by) : item;
      return now === undefined ? [] : [now];
    }) as T;
  }
  const entries = Object.entries(value as object).map(([key, item]: [string, unknown]) => [
    key,
    key === step ? changed(item, rest, by) : item,
  ]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as T;
}
