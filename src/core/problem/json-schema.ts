import { show } from './problem';
import { isRecord, itemsAt } from '../manifest/manifest';
import { remembered } from '../text/values';

/** One place where a value does not follow its schema. */
export interface SchemaProblem {
  /** Where, e.g. `targets[0].folder`; empty for the value as a whole. */
  readonly path: string;
  /** The problem: lower-case, without a period. */
  readonly message: string;
}

type Schema = { readonly [keyword: string]: unknown };

/** Keywords that describe and do not constrain. */
const DESCRIBING = ['$schema', 'title', 'description', 'definitions'];

const TYPE_NAMES: { readonly [type: string]: string } = {
  object: 'a map',
  array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
};

/**
 * Finds where a value does not follow a JSON Schema, of the keywords that the schemas of this
 * package use.
 *
 * Not by ajv: every command reads an assembly, and ajv compiles the schema first, and words its
 * messages for the schema, not for the place in the file. An unknown keyword throws, so that no
 * constraint is skipped silently.
 *
 * @param value parsed JSON
 * @param root the schema, which holds the definitions too
 */
export function checkSchema(value: unknown, root: Schema): readonly SchemaProblem[] {
  return new SchemaChecks(root).of(root)(value);
}

/**
 * Finds the problems of a value, with paths from there. An output has a hundred thousand values,
 * and hardly one of them has a problem.
 */
type Check = (value: unknown) => readonly SchemaProblem[];

const NONE: readonly SchemaProblem[] = [];

/**
 * Where a search ends: a damaged assembly may have a million problems, of which a message names a
 * few.
 */
export const MAX_SCHEMA_PROBLEMS = 1_000;

class SchemaChecks {
  private readonly definitions = new Map<string, Check>();

  constructor(private readonly root: Schema) {}

  public of(schema: Schema): Check {
    const checks = Object.entries(schema).flatMap(
      ([keyword, given]) => this.keyword(keyword, given, schema) ?? [],
    );
    const { type } = schema;
    return (value) => {
      if (typeof type === 'string' && typeOf(value) !== type) {
        return problem(`must be ${TYPE_NAMES[type]}, got ${show(value)}`);
      }
      return together(checks, (check) => check(value));
    };
  }

  private keyword(
    keyword: string,
    given: unknown,
    { properties = {}, additionalItems = {} }: Schema,
  ): Check | undefined {
    switch (keyword) {
      case 'type':
        return undefined;
      case '$ref':
        return (value) => this.definition(String(given))(value);
      case 'const':
        return unless(
          (value) => value === given,
          (value) => `must be ${show(given)}, got ${show(value)}`,
        );
      case 'enum':
        return unless(
          (value) => (given as unknown[]).includes(value),
          (value) => `must be one of ${(given as unknown[]).join(', ')}, got ${show(value)}`,
        );
      case 'minLength':
        return unless(
          (value) => typeof value !== 'string' || value.length >= Number(given),
          () => 'must not be empty',
        );
      case 'minItems':
        return unless(
          (value) => !Array.isArray(value) || value.length >= Number(given),
          (value) => `must have at least ${given} items, got ${(value as unknown[]).length}`,
        );
      case 'pattern': {
        const pattern = new RegExp(String(given), 'u');
        return unless(
          (value) => typeof value !== 'string' || pattern.test(value),
          (value) => `must match ${given}, got ${show(value)}`,
        );
      }
      case 'items':
        return Array.isArray(given)
          ? this.items(given as Schema[], additionalItems as Schema)
          : this.items([], given as Schema);
      case 'additionalItems':
        return undefined;
      case 'required':
        return required(given as string[]);
      case 'properties':
        return this.properties(given as { [name: string]: Schema });
      case 'additionalProperties':
        return this.additionalProperties(given, properties as object);
      case 'oneOf':
        return oneOf((given as Schema[]).map((form) => this.of(form)));
      case 'not': {
        const check = this.of(given as Schema);
        return unless(
          (value) => check(value).length > 0,
          () => `has ${itemsAt(given, 'required').join(', ') || 'a form'} where it must not`,
        );
      }
      default:
        if (!DESCRIBING.includes(keyword)) {
          throw new Error(`checkSchema: unknown keyword ${keyword}`);
        }
        return undefined;
    }
  }

  /** The first items have a schema each, the others one for all. */
  private items(first: readonly Schema[], rest: Schema): Check {
    const checks = first.map((each) => this.of(each));
    const check = this.of(rest);
    return (value) =>
      Array.isArray(value)
        ? together(value, (item, index) => below(index, (checks[index] ?? check)(item)))
        : NONE;
  }

  private properties(schemas: { readonly [name: string]: Schema }): Check {
    const checks = Object.entries(schemas).map(([name, inner]) => [name, this.of(inner)] as const);
    return (value) =>
      isRecord(value)
        ? together(checks, ([name, check]) =>
            has(value, name) ? below(name, check(value[name])) : NONE,
          )
        : NONE;
  }

  /** @param given the schema of the fields that are not in `properties`, or whether there may be any */
  private additionalProperties(given: unknown, properties: object): Check {
    const check = isRecord(given)
      ? this.of(given)
      : () => (given === false ? problem('is not a known field') : NONE);
    return (value) =>
      isRecord(value)
        ? together(Object.keys(value), (name) =>
            has(properties, name) ? NONE : below(name, check(value[name])),
          )
        : NONE;
  }

  // when it is first used, since definitions may refer to each other
  private definition(ref: string): Check {
    const { [ref.replace('#/definitions/', '')]: schema } = this.root.definitions as {
      [name: string]: Schema;
    };
    return remembered(this.definitions, ref, () => this.of(schema));
  }
}

function required(names: readonly string[]): Check {
  return (value) =>
    isRecord(value)
      ? together(names, (name) => (has(value, name) ? NONE : below(name, problem('is missing'))))
      : NONE;
}

function problem(message: string): readonly SchemaProblem[] {
  return [{ path: '', message }];
}

function unless(holds: (value: unknown) => boolean, message: (value: unknown) => string): Check {
  return (value) => (holds(value) ? NONE : problem(message(value)));
}

function together<T>(
  parts: readonly T[],
  check: (part: T, index: number) => readonly SchemaProblem[],
): readonly SchemaProblem[] {
  let all: SchemaProblem[] | undefined;
  for (let index = 0; index < parts.length; index++) {
    for (const found of check(parts[index], index)) {
      (all ??= []).push(found);
    }
    if (all && all.length >= MAX_SCHEMA_PROBLEMS) {
      break;
    }
  }
  return all ?? NONE;
}

function below(
  step: string | number,
  problems: readonly SchemaProblem[],
): readonly SchemaProblem[] {
  if (problems.length === 0) {
    return NONE;
  }
  const place = typeof step === 'number' ? `[${step}]` : step;
  return problems.map(({ path, message }) => ({
    path: path === '' || path.startsWith('[') ? `${place}${path}` : `${place}.${path}`,
    message,
  }));
}

// the closest alternative explains best what is wrong
function oneOf(checks: readonly Check[]): Check {
  return (value) => {
    const found = checks.map((check) => check(value));
    const fitting = found.filter((problems) => problems.length === 0).length;
    if (fitting > 1) {
      return problem('follows several forms, of which it must follow one');
    }
    return fitting === 1
      ? NONE
      : found.reduce((closest, problems) =>
          problems.length < closest.length ? problems : closest,
        );
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) {
    return 'array';
  }
  return value === null ? 'null' : typeof value;
}

function has(value: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}
