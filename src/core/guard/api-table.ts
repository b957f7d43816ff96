/**
 * The public API as data, by the names of its types; projenrc/public-api.js writes it from .jsii. Types of other packages have the name of the
 * package: `cdk8s.Size`.
 *
 * The code of a type: `s` text, `n` number, `b` true or false, `a` anything, `[` a list and `{` a map of what follows, or the name of a type.
 */
export interface ApiTable { readonly [name: string]: ApiType }

/** A type of the public API: a struct has props, an enum values, an interface members, and a class the rest. */
export interface ApiType {
  /** The codes of the types of the props of a struct, inherited ones included. */
  readonly props?: { readonly [prop: string]: string };
  /** The props of a struct that must be set. */
  readonly required?: readonly string[];
  /** The values of an enum, by its members. */
  readonly values?: { readonly [member: string]: string | number };
  /** What every implementation has: of interfaces, and of classes of other packages, of which a program may have another version. */
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

/** Parameters with the codes of their types; `?` before the code of an optional one, and `*` before that of one that takes all further arguments. */
export type Parameters = readonly (readonly [name: string, code: string])[];
