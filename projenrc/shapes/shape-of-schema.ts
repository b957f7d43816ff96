import { DetailedShape, Shape } from '../../src/core/shape/shape-node';

/** An OpenAPI schema of a custom resource definition. */
export interface Schema {
  readonly [keyword: string]: any;
}

/** Keywords that constrain a value beyond its type. */
const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'pattern',
  'x-kubernetes-validations',
];

/**
 * Keywords without an effect on objects, or that other keywords imply; min and max are none of
 * OpenAPI, and Kube-OVN's definitions have them.
 */
const DROPPED = [
  'description',
  'example',
  'title',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'anyOf',
  'min',
  'max',
];

/** A keyword of this generator: a type without a pointer, which a server reads as empty where it is not set. */
export const ALWAYS = 'x-always';

const READ = [
  'type',
  'format',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'nullable',
  'enum',
  'default',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  ALWAYS,
];

/**
 * Formats that are limits of a type.
 * @see kubernetes/kube-openapi:pkg/validation/validate/values.go IsValueValidAgainstRange
 */
const LIMITED: { readonly [format: string]: Schema | undefined } = {
  uint32: { minimum: 0, maximum: 2 ** 32 - 1 },
  cidr: { format: 'cidr' },
  duration: { format: 'duration' },
};

/** The types with a format that changes what the server accepts. */
const FORMATS = [
  'string date-time',
  'string byte',
  'string quantity',
  'integer int32',
  'integer int64',
];

/** The shape of the objects of a definition: without the fields that every object has. */
export function rootShape(schema: Schema): DetailedShape {
  const { apiVersion, kind, metadata, ...properties } = schema.properties ?? {};
  const shape = shapeOf(
    {
      ...schema,
      properties,
      required: schema.required?.filter((name: string) => name in properties),
    },
    '',
  );
  if (typeof shape === 'string') {
    return shape === 'open' ? { fields: {}, open: true } : { fields: {} };
  }
  return shape as DetailedShape;
}

/**
 * Translates a schema to the compact language. Throws for keywords that the language does not have.
 */
export function shapeOf(schema: Schema, where: string): Shape {
  const foreign = Object.keys(schema).filter(
    (keyword) => ![...LIMITS, ...DROPPED, ...READ].includes(keyword),
  );
  if (foreign.length > 0) {
    throw new Error(`${where}: cannot express ${foreign.join(', ')}`);
  }
  const limited: Schema = { ...LIMITED[schema.format], ...schema };
  const limits = Object.fromEntries(
    [...LIMITS, ...(LIMITED[schema.format]?.format ? ['format'] : [])]
      .filter((keyword) => keyword in limited)
      .map((keyword) => [keyword, limited[keyword]]),
  );
  return simplified({
    ...structureOf(schema, where),
    ...(schema.nullable && { nullable: true }),
    ...(schema.enum && { enum: schema.enum }),
    ...(schema['x-kubernetes-map-type'] === 'atomic' && { atomic: true }),
    ...('default' in schema && { default: schema.default }),
    ...(Object.keys(limits).length > 0 && { limits }),
  });
}

function structureOf(schema: Schema, where: string): DetailedShape {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-int-or-string']) {
    return { type: 'int-or-string' };
  }
  switch (schema.type) {
    case undefined:
      if (!open) {
        throw new Error(`${where}: has no type`);
      }
      return { type: 'any' };
    case 'array':
      return listOf(schema, where);
    case 'object': {
      if (schema.additionalProperties) {
        return {
          map:
            schema.additionalProperties === true
              ? 'any'
              : shapeOf(schema.additionalProperties, `${where}{}`),
        };
      }
      if (!schema.properties || Object.keys(schema.properties).length === 0) {
        return { type: open ? 'open' : 'object' };
      }
      return { fields: fieldsOf(schema, where), ...(open && { open }) };
    }
    default: {
      if (!schema.format || LIMITED[schema.format]) {
        return { type: schema.type };
      }
      if (!FORMATS.includes(`${schema.type} ${schema.format}`)) {
        throw new Error(`${where}: cannot express ${schema.type} with format ${schema.format}`);
      }
      return { type: schema.format };
    }
  }
}

function listOf(schema: Schema, where: string): DetailedShape {
  const kind = schema['x-kubernetes-list-type'];
  return {
    list: shapeOf(schema.items, `${where}[]`),
    ...(kind === 'map' && { keys: schema['x-kubernetes-list-map-keys'] }),
    ...(kind === 'set' && { set: true }),
  };
}

/** A field with a default is never missing. */
function fieldsOf({ properties, required = [] }: Schema, where: string): Record<string, Shape> {
  return Object.fromEntries(
    Object.keys(properties)
      .sort()
      .map((name) => {
        const needed = required.includes(name) && !('default' in properties[name]);
        const optional = isAlways(properties[name]) ? '+' : '';
        return [`${name}${needed ? '!' : optional}`, shapeOf(properties[name], `${where}.${name}`)];
      }),
  );
}

/** The shortest form. */
function simplified(shape: DetailedShape): Shape {
  const { type, list, nullable, ...others } = shape;
  if (Object.keys(others).length > 0) {
    return shape;
  }
  if (type !== undefined) {
    return nullable ? `${type}?` : type;
  }
  return list !== undefined && !nullable ? [list] : shape;
}

/** Whether a server takes an object for an empty one where it is not set, and an empty one lacks a field. */
function isAlways(schema: Schema): boolean {
  return schema[ALWAYS] === true && lacksField(schema);
}

function lacksField({ properties = {}, required = [] }: Schema): boolean {
  return required.length > 0 || Object.values(properties as Schema).some(isAlways);
}
