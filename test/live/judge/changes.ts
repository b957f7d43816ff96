import { isRecord, FieldPath, Manifest, pathText } from '../../../src/core/manifest/manifest';
import { mutationsOf } from '../../cluster/kubernetes/mutations';
import { Schema } from '../../support/definition-of';
import { valuesAtLimits } from '../../support/schema-objects';

/** An object with one change. */
export interface Change {
  /** What was changed, such as `remove spec.template`. */
  readonly what: string;
  readonly manifest: Manifest;
}

/** Fields that the server writes, or that decide where an object is. */
const FIXED = ['apiVersion', 'kind', 'metadata', 'status'];

/** The object as it is. */
export const UNCHANGED = 'nothing';

const UNKNOWN_FIELD = 'notAField';

/** Names at the limits of the API, and past them. */
const NAMES = ['Not_Valid!', 'a.b', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(254)];

/** A namespace that exists on no server. */
const NO_NAMESPACE = 'judge-no-such-namespace';

/** A change of what the server is asked for: an object that does not exist yet, or one that does. */
export type Mode = 'create' | 'edit';

/**
 * Every change of an object, each one once: fields removed and of another type, fields that the
 * object lacks and that its definition lacks, and values at the limits of the definition and past
 * them.
 */
export function changesOf(object: Manifest, schema: Schema | undefined, mode: Mode): Change[] {
  const changes = [
    { what: UNCHANGED, manifest: object },
    ...(mode === 'create' ? renamings(object) : copies(object)),
    ...mutationsOf(object),
    ...(schema === undefined ? [] : changesOfSchema(object, object, schema, [])),
  ];
  const byText = new Map<string, Change>();
  for (const change of changes) {
    const text = JSON.stringify(change.manifest);
    if (!byText.has(text)) {
      byText.set(text, change);
    }
  }
  return [...new Map([...byText.values()].map((change) => [change.what, change])).values()];
}

function renamings(object: Manifest): Change[] {
  const { metadata } = object;
  const moved =
    metadata.namespace === undefined
      ? []
      : [
          {
            what: `metadata.namespace = "${NO_NAMESPACE}"`,
            manifest: { ...object, metadata: { ...metadata, namespace: NO_NAMESPACE } },
          },
        ];
  return [
    ...NAMES.map((name) => ({
      what: `metadata.name = "${name.slice(0, 12)}" of ${name.length}`,
      manifest: { ...object, metadata: { ...metadata, name } },
    })),
    ...moved,
  ];
}

/** The same object under another name: addresses and names in it are taken. */
function copies(object: Manifest): Change[] {
  const name = `${object.metadata.name}2`;
  return [
    {
      what: 'a copy under another name',
      manifest: { ...object, metadata: { ...object.metadata, name } },
    },
  ];
}

function* changesOfSchema(
  object: Manifest,
  value: unknown,
  schema: Schema,
  path: FieldPath,
): Iterable<Change> {
  const { properties, additionalProperties, items } = schema;
  if (Array.isArray(value) && items) {
    for (const [index, item] of value.entries()) {
      yield* changesOfSchema(object, item, items as Schema, [...path, index]);
    }
  }
  if (!isRecord(value)) {
    return;
  }
  yield setAt(object, [...path, UNKNOWN_FIELD], 'x');
  for (const [name, field] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
    const place = [...path, name];
    if (path.length === 0 && FIXED.includes(name)) {
      continue;
    }
    for (const other of [...othersOf(field), ...valuesAtLimits(field)]) {
      yield setAt(object, place, other);
    }
    if (Object.hasOwn(value, name)) {
      yield* changesOfSchema(object, value[name], field, place);
    }
  }
  if (isRecord(additionalProperties)) {
    for (const [key, item] of Object.entries(value)) {
      yield* changesOfSchema(object, item, additionalProperties, [...path, key]);
    }
  }
}

/** A value that a schema takes, and one of another type. */
function othersOf(schema: Schema): unknown[] {
  if (schema.enum) {
    return [...(schema.enum as unknown[]), 'other'];
  }
  switch (schema.type) {
    case 'string':
      return ['a', 7];
    case 'integer':
    case 'number':
      return [1, 'x'];
    case 'boolean':
      return [true, 'true'];
    case 'array':
      return [[], 'x'];
    case 'object':
      return [{}, 'x'];
    default:
      return ['x', 7];
  }
}

function setAt(object: Manifest, path: FieldPath, value: unknown): Change {
  const text = JSON.stringify(value);
  const shown = text.length > 60 ? `${text.slice(0, 40)} of ${text.length}` : text;
  return { what: `${pathText(path)} = ${shown}`, manifest: withValueAt(object, path, value) };
}

/** A copy with another value at a path, of which the last step may be new. */
function withValueAt<T>(value: T, [step, ...rest]: FieldPath, by: unknown): T {
  if (step === undefined) {
    return by as T;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      index === step ? withValueAt(item, rest, by) : item,
    ) as T;
  }
  const fields = value as { readonly [field: string]: unknown };
  return { ...fields, [step]: withValueAt(fields[step], rest, by) } as T;
}
