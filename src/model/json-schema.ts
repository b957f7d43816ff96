import { isRecord } from './manifest';
import { show } from './problem';

/** One place where a value does not follow its schema. */
export interface SchemaProblem {
  /** Where, e.g. `targets[0].folder`; empty for the value as a whole. */
  readonly path: string;
  /** What is wrong: lower-case, without a period. */
  readonly message: string;
}

type Schema = { readonly [keyword: string]: unknown };

/** Keywords that describe and do not constrain. */
const DESCRIBING = ['$schema', 'title', 'description', 'definitions'];

const TYPE_NAMES: { readonly [type: string]: string } = {
  object: 'a map', array: 'a list', string: 'a string', boolean: 'true or false', number: 'a number',
};

/**
 * Finds where a value does not follow a JSON Schema, of the keywords that the schemas of this package use.
 *
 * The package has no validator among its dependencies. An unknown keyword throws, so that no constraint is skipped silently.
 *
 * @param value parsed JSON
 * @param root the schema, which holds the definitions too
 */
export function checkSchema(value: unknown, root: Schema): SchemaProblem[] {
  return new SchemaCheck(root).check(value, root, '');
}

class SchemaCheck {
  private readonly patterns = new Map<string, RegExp>();

  constructor(private readonly root: Schema) {}

  public check(value: unknown, schema: Schema, path: string): SchemaProblem[] {
    if (typeof schema.type === 'string' && typeOf(value) !== schema.type) {
      return [{ path, message: `must be ${TYPE_NAMES[schema.type]}, got ${show(value)}` }];
    }
    return Object.entries(schema).flatMap(([keyword, given]) => this.keyword(keyword, given, value, schema, path));
  }

  private keyword(keyword: string, given: unknown, value: unknown, schema: Schema, path: string): SchemaProblem[] {
    const problem = (message: string): SchemaProblem[] => [{ path, message }];
    switch (keyword) {
      case 'type': return [];
      case '$ref': return this.check(value, this.definition(String(given)), path);
      case 'const': return value === given ? [] : problem(`must be ${show(given)}, got ${show(value)}`);
      case 'enum': return (given as unknown[]).includes(value) ? [] : problem(`must be one of ${(given as unknown[]).join(', ')}, got ${show(value)}`);
      case 'minLength': return typeof value === 'string' && value.length < Number(given) ? problem('must not be empty') : [];
      case 'minItems': return Array.isArray(value) && value.length < Number(given) ? problem(`must have at least ${given} items, got ${value.length}`) : [];
      case 'pattern': return typeof value === 'string' && !this.pattern(String(given)).test(value) ? problem(`must match ${given}, got ${show(value)}`) : [];
      case 'items':
        return Array.isArray(value) ? value.flatMap((item, index) => this.check(item, given as Schema, `${path}[${index}]`)) : [];
      case 'required':
        return isRecord(value) ? (given as string[]).filter((name) => !has(value, name)).map((name) => ({ path: join(path, name), message: 'is missing' })) : [];
      case 'properties':
        return isRecord(value)
          ? Object.entries(given as { [name: string]: Schema })
            .flatMap(([name, inner]) => (has(value, name) ? this.check(value[name], inner, join(path, name)) : []))
          : [];
      case 'additionalProperties': return isRecord(value) ? this.others(value, given, schema, path) : [];
      case 'oneOf': return this.oneOf(value, given as Schema[], path);
      case 'not': return this.check(value, given as Schema, path).length > 0 ? [] : problem(`has ${namesOf(given as Schema)} where it must not`);
      default:
        if (!DESCRIBING.includes(keyword)) { throw new Error(`checkSchema: unknown keyword ${keyword}`); }
        return [];
    }
  }

  private others(value: { readonly [name: string]: unknown }, given: unknown, { properties = {} }: Schema, path: string): SchemaProblem[] {
    const others = Object.keys(value).filter((name) => !has(properties as object, name));
    if (given === false) { return others.map((name) => ({ path: join(path, name), message: 'is not a known field' })); }
    return isRecord(given) ? others.flatMap((name) => this.check(value[name], given, join(path, name))) : [];
  }

  // what is closest to right says best what is wrong
  private oneOf(value: unknown, forms: readonly Schema[], path: string): SchemaProblem[] {
    const found = forms.map((form) => this.check(value, form, path)).sort((a, b) => a.length - b.length);
    const fitting = found.filter((problems) => problems.length === 0).length;
    return fitting > 1 ? [{ path, message: 'follows several forms, of which it must follow one' }] : found[0];
  }

  private definition(ref: string): Schema {
    return (this.root.definitions as { [name: string]: Schema })[ref.replace('#/definitions/', '')];
  }

  private pattern(text: string): RegExp {
    const known = this.patterns.get(text) ?? new RegExp(text, 'u');
    this.patterns.set(text, known);
    return known;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) { return 'array'; }
  return value === null ? 'null' : typeof value;
}

function namesOf({ required }: Schema): string {
  return Array.isArray(required) ? required.join(', ') : 'a form';
}

function has(value: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
