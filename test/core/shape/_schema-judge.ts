import Ajv, { ValidateFunction } from 'ajv';
import { Schema } from '../../support/definition-of';

/**
 * Judges objects as the structural schema of a definition does, by a JSON Schema validator: types,
 * fields, enumerations, limits, required fields and the keys of lists. Rules in CEL are left out.
 */
export class SchemaJudge {
  private readonly validate: ValidateFunction;

  constructor(private readonly schema: Schema) {
    const ajv = new Ajv({
      strict: false,
      validateFormats: false,
      inlineRefs: true,
      unicodeRegExp: false,
    });
    ajv.addKeyword({ keyword: 'listKeys', type: 'array', validate: hasOwnKeys });
    this.validate = ajv.compile(jsonSchema(schema, true));
  }

  public accepts(object: unknown): boolean {
    return this.validate(pruned(this.schema, object));
  }

  public get errors(): string {
    return (this.validate.errors ?? [])
      .map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
      .join('; ');
  }
}

/** Keywords that a JSON Schema validator judges as a server does. */
const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

/** Formats that an API server checks, as far as generated texts differ. */
const CHECKED: { readonly [format: string]: string | undefined } = {
  byte: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  cidr: '^[0-9a-f.:]+/[0-9]+$',
  duration: '^0$|[0-9]+[a-z]',
};

/** Formats of which we refuse lists too: the program that reads the objects decodes them into text. */
const STRICT = new Set(['cidr', 'duration']);

function jsonSchema(schema: Schema, isRoot = false): Schema {
  const limits = Object.fromEntries(
    LIMITS.filter((keyword) => keyword in schema).map((keyword) => [keyword, schema[keyword]]),
  );
  const base = {
    ...(schema.nullable && { nullable: true }),
    ...(schema.enum && { enum: schema.enum }),
    ...limits,
  };
  if (schema['x-kubernetes-int-or-string']) {
    return { ...base, type: ['integer', 'string'] };
  }
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case undefined:
      return {};
    case 'array':
      return { ...base, type: 'array', items: jsonSchema(schema.items), ...listKeywords(schema) };
    case 'object': {
      if (schema.additionalProperties) {
        return {
          ...base,
          type: 'object',
          additionalProperties: jsonSchema(schema.additionalProperties),
        };
      }
      const properties = Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [
          name,
          jsonSchema(field as Schema),
        ]),
      );
      // the server checks these by itself
      if (isRoot) {
        Object.assign(properties, { apiVersion: {}, kind: {}, metadata: {} });
      }
      const required = (schema.required ?? []).filter(
        (name: string) => !('default' in schema.properties[name]),
      );
      return { ...base, type: 'object', properties, required, additionalProperties: open };
    }
    case 'string':
      return { ...base, ...textKeywords(schema) };
    default:
      return { ...base, type: schema.type };
  }
}

/**
 * An API server accepts a list where text has a format, and checks some formats of text.
 * @see kubernetes/kube-openapi:pkg/validation/validate/type.go Validate
 */
function textKeywords({ format }: Schema): Schema {
  const pattern = CHECKED[format];
  return {
    type: format === undefined || STRICT.has(format) ? 'string' : ['string', 'array'],
    ...(pattern !== undefined && { pattern }),
  };
}

function listKeywords(schema: Schema): Schema {
  const kind = schema['x-kubernetes-list-type'];
  return {
    ...(kind === 'map' && { listKeys: schema['x-kubernetes-list-map-keys'] }),
    ...(kind === 'set' && { uniqueItems: true }),
  };
}

function hasOwnKeys(keys: readonly string[], items: readonly unknown[]): boolean {
  const identities = items
    .map((item) => keys.map((key) => (item as Schema | null)?.[key] ?? undefined))
    .filter((identity) => !identity.includes(undefined))
    .map((identity) => JSON.stringify(identity));
  return new Set(identities).size === identities.length;
}

/**
 * Without each null that the schema does not allow as the value of a field: a server removes them
 * first.
 */
function pruned(schema: Schema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => pruned(schema?.items, item));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) => {
      const field = schema?.properties?.[name] ?? schema?.additionalProperties;
      return child === null && field && !field.nullable ? [] : [[name, pruned(field, child)]];
    }),
  );
}
