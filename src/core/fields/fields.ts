import type { Duration } from 'cdk8s';
import { Field, FieldTable, PropFields } from './field-table';
import { DraftValue, enumValue, refer, unless } from '../draft/draft';
import { durationOf, goDurationOf } from '../draft/durations';
import { isRecord, itemsAt, textsAt } from '../manifest/manifest';
import { filledText } from '../text/plain-text';
import { goDurationText } from '../text/time';
import { filledFields, filledList } from '../text/values';

/** Values of a field that mean the same as no prop. */
export interface FieldDefaults<T> {
  /** Written where the prop is not set, and read as no prop. @default - nothing is written */
  readonly byDefault?: T;
  /** Read as no prop, since the server takes it where there is none. @default - no value is */
  readonly serverDefault?: T;
}

/** A text. An empty one is read as none. */
export function textField(path: string, defaults: FieldDefaults<string> = {}): Field<string> {
  return plainField(path, filledText, defaults);
}

/** A number. */
export function numberField(path: string, defaults: FieldDefaults<number> = {}): Field<number> {
  return plainField(path, numberOf, defaults);
}

/** A boolean. Where it has a default, a field that is not there is read as false. */
export function booleanField(path: string, defaults: FieldDefaults<boolean> = {}): Field<boolean> {
  const { byDefault, serverDefault = byDefault } = defaults;
  const missing = serverDefault === undefined ? undefined : false;
  return plainField(path, booleanOf, defaults, missing);
}

/** A list of texts. An empty one is read as none. */
export function textsField(path: string): Field<string[]> {
  return {
    path,
    write: (list) => list,
    read: (list) => filledList(textsAt(list)),
  };
}

/** A map of texts. An empty one is read as none. */
export function mapField(path: string): Field<{ readonly [key: string]: string }> {
  return {
    path,
    write: (map) => map,
    read: (map) => (isRecord(map) ? (filledFields(map) as DraftValue) : undefined),
  };
}

/** A text that is a member of an enum. */
export function enumField<T extends string>(
  path: string,
  type: string,
  defaults: FieldDefaults<T> = {},
): Field<T> {
  return {
    path,
    byDefault: defaults.byDefault,
    write: (value) => value,
    read: (value, { asWritten }) =>
      enumValue(type, unless(filledText(value), meaningNone(defaults, asWritten))),
  };
}

/**
 * The name of another object on the same cluster, which the prop refers to.
 *
 * @param kind as `group/Kind`
 */
export function referenceField<T extends { readonly name: string }>(
  path: string,
  kind: string,
  { serverDefault }: Pick<FieldDefaults<string>, 'serverDefault'> = {},
): Field<T> {
  return {
    path,
    write: ({ name }) => name,
    read: (value, { object }) => {
      const name = unless(filledText(value), serverDefault);
      return name === undefined ? undefined : refer(object, kind, name);
    },
  };
}

/** A duration in seconds. */
export function secondsField(path: string): Field<Duration> {
  return {
    path,
    write: (duration) => duration.toSeconds({ integral: false }),
    read: durationOf,
  };
}

/** A duration as Go prints it, e.g. `1h0m0s`. */
export function goDurationField(path: string): Field<Duration> {
  return {
    path,
    write: (duration) => goDurationText(duration.toMilliseconds()),
    read: goDurationOf,
  };
}

/**
 * A struct: a prop with props of its own.
 *
 * @param required the props without which a program cannot write the struct: it is read as none
 */
export function structField<T extends object>(
  path: string,
  fields: PropFields<T>,
  required: readonly (keyof T & string)[] = [],
): Field<T> {
  const parts = new FieldTable<T>('', fields);
  return {
    path,
    parts,
    write: (struct, asWritten) => parts.write(struct, asWritten),
    read: (map, source) => {
      const props = parts.readMap(map, source);
      const isComplete = required.every((prop) => props[prop] !== undefined);
      return isComplete ? filledFields(props) : undefined;
    },
  };
}

/** A list of structs. */
export function structsField<T extends object>(path: string, fields: PropFields<T>): Field<T[]> {
  const parts = new FieldTable<T>('', fields);
  return {
    path,
    parts,
    isList: true,
    write: (list, asWritten) => list.map((struct) => parts.write(struct, asWritten)),
    read: (list, source) => itemsAt(list).map((item) => parts.readMap(item, source)),
  };
}

/**
 * A value that is the same in the prop and in the field.
 *
 * @param missing what no value means, where the construct writes defaults
 */
function plainField<T extends string | number | boolean>(
  path: string,
  valueOf: (value: unknown) => T | undefined,
  defaults: FieldDefaults<T>,
  missing?: T,
): Field<T> {
  return {
    path,
    byDefault: defaults.byDefault,
    write: (value) => value,
    read: (field, { asWritten }) => {
      const value = valueOf(field) ?? (asWritten ? undefined : missing);
      return unless(value, meaningNone(defaults, asWritten));
    },
  };
}

/** The value that is read as no prop. */
function meaningNone<T>(
  { byDefault, serverDefault }: FieldDefaults<T>,
  asWritten: boolean,
): T | undefined {
  return asWritten ? serverDefault : (serverDefault ?? byDefault);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
