/**
 * What the definition of a kind requires of the structure of its objects, in few words: the language of the files in `schema/shapes`.
 *
 * - Text is a scalar: a type (`string`, `integer`, `number`, `boolean`, `int-or-string`), a format (`date-time`, `byte`, `int32`, `int64`),
 *   `object` for an object without declared fields, which the server keeps empty, `any` for every value, or `#Name` for an entry of `types`.
 *   A question mark at the end allows null.
 * - A list of one shape is a list of such items.
 * - Everything else is a `DetailedShape`.
 */
export type Shape = string | readonly [Shape] | DetailedShape;

/** A shape with more to it than its type. Exactly one of `type`, `fields`, `map` and `list` is set. */
export interface DetailedShape {
  readonly type?: string;
  /** The fields of an object. An exclamation mark at the end of the name makes the field required. */
  readonly fields?: { readonly [name: string]: Shape };
  /** The values of an object whose keys are the author's own. */
  readonly map?: Shape;
  readonly list?: Shape;
  /** Names of the fields that identify an item of a list. */
  readonly keys?: readonly string[];
  /** Whether each item of a list occurs once. */
  readonly set?: boolean;
  /** Whether an object takes fields that are not declared. */
  readonly open?: boolean;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  /** Whether server-side apply treats an object as one value. */
  readonly atomic?: boolean;
  /** What the server fills in. */
  readonly default?: unknown;
  /** Constraints on the value, with the keywords of OpenAPI. They describe the definition; the rules do not check them. */
  readonly limits?: { readonly [keyword: string]: unknown };
}

/** A file of `schema/shapes`: the shape of one kind in one version of its product. */
export interface ShapeFile {
  /** Parts that the shape refers to by name. */
  readonly types: { readonly [name: string]: Shape };
  /** The fields of an object besides `apiVersion`, `kind` and `metadata`, which the server checks by itself. */
  readonly shape: DetailedShape;
}
