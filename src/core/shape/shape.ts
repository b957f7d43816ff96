/**
 * A small language for what a definition says of the structure of its objects: types and names of fields, nothing of what the values mean.
 *
 * Each part stands for what an API server checks by itself. `any` is where the server takes everything, or where we do not look.
 */
export type Shape = ScalarShape | ListShape | MapShape | FieldsShape | SinceShape;

export type ScalarShape = 'any' | 'string' | 'integer' | 'boolean' | 'int-or-string';

export interface ListShape {
  readonly of: 'list';
  readonly item: Shape;
}

/** An object with keys of the author's own. */
export interface MapShape {
  readonly of: 'map';
  readonly value: Shape;
}

/** An object with these fields and no others. */
export interface FieldsShape {
  readonly of: 'fields';
  readonly fields: { readonly [name: string]: Shape };
}

/** A field that earlier versions of the product do not know. */
export interface SinceShape {
  readonly of: 'since';
  readonly version: string;
  readonly shape: Shape;
}

/** The shape of one kind, in the version of its API that we know. */
export interface KindShape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly shape: FieldsShape;
  /** The first Rancher whose definition says what the shape says; earlier ones take anything. @default - each that there is */
  readonly structuralSince?: string;
}

export function list(item: Shape): ListShape {
  return { of: 'list', item };
}

export function map(value: Shape): MapShape {
  return { of: 'map', value };
}

export function fields(named: { readonly [name: string]: Shape }): FieldsShape {
  return { of: 'fields', fields: named };
}

export function since(version: string, shape: Shape): SinceShape {
  return { of: 'since', version, shape };
}

/** Several fields of one shape. */
export function each(shape: Shape, ...names: readonly string[]): { readonly [name: string]: Shape } {
  return Object.fromEntries(names.map((name) => [name, shape]));
}

/** A whole object: what the kind has beside what all objects have. The metadata have their own rules. */
export function root(named: { readonly [name: string]: Shape }): FieldsShape {
  return fields({ apiVersion: 'any', kind: 'any', metadata: 'any', ...named });
}

/** An object of whatever content. */
export const FREE_OBJECT: MapShape = map('any');

export const STRING_MAP: MapShape = map('string');

/** Types of Kubernetes itself, as far as people get them wrong: what lies deeper is theirs to write and Kubernetes' to extend. */

export const AFFINITY = fields(each(FREE_OBJECT, 'nodeAffinity', 'podAffinity', 'podAntiAffinity'));

export const TOLERATIONS = list(fields({ ...each('string', 'effect', 'key', 'operator', 'value'), tolerationSeconds: 'integer' }));

export const RESOURCES = fields({
  ...each(map('int-or-string'), 'limits', 'requests'),
  claims: list(fields(each('string', 'name', 'request'))),
});

export const LABEL_SELECTOR = fields({
  matchLabels: STRING_MAP,
  matchExpressions: list(fields({ ...each('string', 'key', 'operator'), values: list('string') })),
});

export const OBJECT_REFERENCE = fields(each('string', 'apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'));

// the server takes lists, too, where text has a format such as date-time
export const TAINTS = list(fields({ ...each('string', 'effect', 'key', 'value'), timeAdded: 'any' }));

export const ENV_VARS = list(fields(each('string', 'name', 'value')));
