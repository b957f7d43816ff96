import { Construct } from 'constructs';
import { RTTI, classNameOf, qualifiedName } from '../text/class-name';
import { byObject } from '../text/values';

/**
 * The public API as data, by the names of its types; projenrc/public-api.js writes it from .jsii.
 * Types of other packages have the name of the package: `cdk8s.Size`.
 *
 * The code of a type: `s` text, `n` number, `b` true or false, `a` anything, `[` a list and `{` a
 * map of what follows, or the name of a type.
 */
export interface ApiTable {
  readonly [name: string]: ApiType;
}

/**
 * A type of the public API: a struct has props, an enum values, an interface members, and a class
 * the rest.
 */
export interface ApiType {
  /** The codes of the types of the props of a struct, inherited ones included. */
  readonly props?: { readonly [prop: string]: string };
  /** The props of a struct that must be set. */
  readonly required?: readonly string[];
  /** The values of an enum, by its members. */
  readonly values?: { readonly [member: string]: string | number };
  /**
   * What every implementation has: of interfaces, and of classes of other packages, of which a
   * program may have another version.
   */
  readonly members?: readonly string[];
  /** Whether it is a construct: what has only the members of one is none. */
  readonly isConstruct?: boolean;
  /** The types above a class. */
  readonly is?: readonly string[];
  /** The parameters of the constructor; undefined if it is private. */
  readonly create?: Parameters;
  readonly isAbstract?: boolean;
  readonly statics?: { readonly [method: string]: Parameters };
  readonly methods?: { readonly [method: string]: Parameters };
  /** What gives a value of the type, e.g. `Size.gibibytes` and `new VmNetwork`. */
  readonly makers?: readonly string[];
}

/**
 * Parameters with the codes of their types; `?` before the code of an optional one, and `*` before
 * that of one that takes all further arguments.
 */
export type Parameters = readonly (readonly [name: string, code: string])[];

/** Before the names of the library's own classes. */
const PACKAGE = 'cdk8s-harvester.';

/**
 * The name of an exported class as the table has it, whichever submodule it is in; empty for a class
 * of a program.
 */
const nameOfClass = byObject((type: NamedClass): string => {
  const fqn = qualifiedName(type);
  return fqn.startsWith(PACKAGE) ? classNameOf(type) : fqn;
});

type NamedClass = { readonly name: string };

const nameOf = (type: unknown): string =>
  typeof type === 'function' ? nameOfClass(type as NamedClass) : '';

const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/**
 * Whether an object belongs to no class. Tests run in realms of their own, whose Object is another
 * one.
 */
export function isPlainStruct(value: object): boolean {
  const prototype = prototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototypeOf(prototype) === null;
}

/** Whether a value can be a struct or a map: a plain object, or one of a class of the program. */
export function isStructLike(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    (isPlainStruct(value) ||
      (Object.prototype.toString.call(value) === '[object Object]' &&
        !isOfLibrary(value.constructor)))
  );
}

/** Whether a class is one of a library. */
export function isOfLibrary(type: unknown): boolean {
  return typeof type === 'function' && RTTI in type;
}

/**
 * Whether cdk8s resolves a value at synthesis: `Lazy.any`, which is of any type, and what has
 * `resolve`.
 */
export function isToken(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { produce, resolve } = value as { readonly [key: string]: unknown };
  return typeof produce === 'function' || typeof resolve === 'function';
}

/** Whether a value is an instance of a class, or implements an interface. */
export function isInstance(code: string, table: ApiTable, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { is, members, isConstruct } = table[code]!;
  // a copy of a construct has its members, and is none
  if (isConstruct && !Construct.isConstruct(value)) {
    return false;
  }
  const own = nameOf(prototypeOf(value)?.constructor);
  if (own && (own === code || table[own]?.is?.includes(code))) {
    return true;
  }
  // what an exported class implements is known: an image is not a network, even with the same
  // members
  if (own && table[own]?.is) {
    return false;
  }
  // and so is what an existing object is, whose class is not exported
  const existing = table[(value as { readonly _refersTo?: string })._refersTo ?? '']?.is;
  if (existing) {
    return existing.includes(code);
  }
  for (let prototype = prototypeOf(value); prototype; prototype = prototypeOf(prototype)) {
    if (nameOf(prototype.constructor) === code) {
      return true;
    }
  }
  // classes are known by their names, in all copies of a library; those of another package may be
  // of another version
  if (is) {
    return false;
  }
  // the members of some interfaces are internal
  return members!.length > 0 ? members!.every((member) => member in value) : !isPlainStruct(value);
}
