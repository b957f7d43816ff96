import { ALWAYS } from '../../projenrc/shapes/shape-of-schema';
import { Manifest } from '../../src/core/manifest/manifest';
import {
  DetailedShape,
  KnownKind,
  readShape,
  Shape,
  ShapeFile,
} from '../../src/core/shape/shape-node';

/** An OpenAPI schema in a custom resource definition. */
export interface Schema {
  readonly [keyword: string]: any;
}

const FORMATS: { readonly [format: string]: string } = {
  'date-time': 'string',
  'byte': 'string',
  'int32': 'integer',
  'int64': 'integer',
  'quantity': 'string',
};

/** The custom resource definition of a kind, as the shape of one version describes it. */
export function definitionOf(
  name: string,
  { plural, scope, status }: KnownKind,
  file: string,
): Manifest & { readonly spec: any } {
  const steps = name.split('/');
  const [version, kind] = steps.slice(-2);
  // the kinds of the core group have none
  const group = steps.length > 2 ? steps[0] : '';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(status && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: rootSchema(readShape(file)) },
        },
      ],
    },
  };
}

/** The schema of whole objects. */
export function rootSchema({ types, shape }: ShapeFile): Schema {
  const { properties, ...root } = detailedSchema(types, shape);
  return {
    ...root,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...properties,
    },
  };
}

function schemaOf(types: ShapeFile['types'], shape: Shape): Schema {
  if (typeof shape === 'string') {
    return namedSchema(types, shape);
  }
  return detailedSchema(
    types,
    Array.isArray(shape) ? { list: shape[0] } : (shape as DetailedShape),
  );
}

function namedSchema(types: ShapeFile['types'], shape: string): Schema {
  const nullable = shape.endsWith('?');
  const name = nullable ? shape.slice(0, -1) : shape;
  const schema = name.startsWith('#') ? schemaOf(types, types[name.slice(1)]) : typeSchema(name);
  return nullable ? { ...schema, nullable } : schema;
}

function typeSchema(name: string): Schema {
  switch (name) {
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'open':
      return { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 'int-or-string':
      return {
        'x-kubernetes-int-or-string': true,
        'anyOf': [{ type: 'integer' }, { type: 'string' }],
      };
    default:
      return name in FORMATS ? { type: FORMATS[name], format: name } : { type: name };
  }
}

function detailedSchema(types: ShapeFile['types'], shape: DetailedShape): Schema {
  return {
    ...structureSchema(types, shape),
    ...(shape.open && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(shape.nullable && { nullable: true }),
    ...(shape.enum && { enum: shape.enum }),
    ...(shape.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...('default' in shape && { default: shape.default }),
    ...shape.limits,
  };
}

function structureSchema(
  types: ShapeFile['types'],
  { type, fields, map, list, keys, set }: DetailedShape,
): Schema {
  if (fields) {
    const required = Object.keys(fields)
      .filter((name) => name.endsWith('!'))
      .map(bare);
    const properties = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        bare(name),
        { ...schemaOf(types, field), ...(name.endsWith('+') && { [ALWAYS]: true }) },
      ]),
    );
    return { type: 'object', properties, ...(required.length > 0 && { required }) };
  }
  if (map !== undefined) {
    return { type: 'object', additionalProperties: schemaOf(types, map) };
  }
  if (list === undefined) {
    return namedSchema(types, type!);
  }
  return {
    type: 'array',
    items: schemaOf(types, list),
    ...(keys && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }),
    ...(set && { 'x-kubernetes-list-type': 'set' }),
  };
}

function bare(name: string): string {
  return name.replace(/[!+]$/, '');
}
