import { FieldsShape, ScalarShape, Shape } from './shape';
import { isLate } from '../late/late-token';

/** The types of JSON, as an API server names them in its errors. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** A value of another type than the shape has there. */
export interface Mismatch {
  readonly path: string;
  readonly expected: Exclude<ScalarShape, 'any'> | 'array' | 'object';
  readonly got: JsonType;
  /** Whether the field is one that not every version has, and whether this one has it is not known. */
  readonly uncertain: boolean;
}

/** A field that the shape does not have. */
export interface UnknownField {
  readonly path: string;
  readonly name: string;
  /** The fields that there are. */
  readonly beside: FieldsShape;
  /** The version that brings the field, where it only comes too early. */
  readonly since?: string;
}

export interface Comparison {
  readonly mismatches: readonly Mismatch[];
  readonly unknown: readonly UnknownField[];
}

/** Whether the server has what a version brought; undefined where that is not known. */
export type HasVersion = (version: string) => boolean | undefined;

// a name is shown to be found again, not to fill the screen
const MAX_NAME = 100;

/**
 * What of a value does not have its shape. Looks at each value once, and no deeper than the shape goes.
 */
export function compareShape(shape: Shape, value: unknown, has: HasVersion = () => undefined): Comparison {
  const comparer = new Comparer(has);
  comparer.visit(shape, value);
  return comparer;
}

class Comparer implements Comparison {
  public readonly mismatches: Mismatch[] = [];
  public readonly unknown: UnknownField[] = [];
  // the way to the value that is looked at; most values are right, so it becomes text only where one is not
  private readonly way: (string | number)[] = [];
  private uncertain = false;

  constructor(private readonly has: HasVersion) {}

  public visit(shape: Shape, value: unknown): void {
    if (shape === 'any') { return; }
    const got = typeOf(value);
    // null is no value: a server drops it where it is not allowed, before it looks at types
    if (got === undefined || got === 'null' || (got === 'string' && isLate(value))) { return; }
    if (typeof shape === 'string') {
      if (!isOf(shape, got)) { this.mismatch(shape, got); }
    } else if (shape.of === 'since') {
      this.visitSince(shape.shape, value, this.has(shape.version));
    } else if (shape.of === 'list') {
      if (got !== 'array') { return this.mismatch('array', got); }
      (value as readonly unknown[]).forEach((item, index) => this.below(index, shape.item, item));
    } else if (got !== 'object') {
      this.mismatch('object', got);
    } else if (shape.of === 'map') {
      if (shape.value === 'any') { return; }
      for (const [key, entry] of Object.entries(value as object)) { this.below(key, shape.value, entry); }
    } else {
      this.visitFields(shape, value as { readonly [key: string]: unknown });
    }
  }

  private visitFields(shape: FieldsShape, value: { readonly [key: string]: unknown }): void {
    for (const name of Object.keys(value)) {
      // names such as `constructor` are nothing special
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      if (field === undefined) {
        if (value[name] !== undefined && !isLate(name)) { this.strange(name, shape); }
      } else if (typeof field === 'object' && field.of === 'since' && this.has(field.version) === false) {
        if (value[name] !== undefined) { this.strange(name, shape, field.version); }
      } else {
        this.below(name, field, value[name]);
      }
    }
  }

  private visitSince(shape: Shape, value: unknown, has: boolean | undefined): void {
    const outer = this.uncertain;
    this.uncertain ||= has === undefined;
    this.visit(shape, value);
    this.uncertain = outer;
  }

  private below(step: string | number, shape: Shape, value: unknown): void {
    if (shape === 'any') { return; }
    this.way.push(step);
    this.visit(shape, value);
    this.way.pop();
  }

  private mismatch(expected: Mismatch['expected'], got: JsonType): void {
    this.mismatches.push({ path: pathOf(this.way), expected, got, uncertain: this.uncertain });
  }

  private strange(name: string, beside: FieldsShape, version?: string): void {
    this.unknown.push({ path: pathOf([...this.way, name]), name: shorten(name), beside, since: version });
  }
}

function typeOf(value: unknown): JsonType | undefined {
  switch (typeof value) {
    case 'string': return 'string';
    case 'boolean': return 'boolean';
    // JSON does not tell 4.0 from 4, and neither does the server
    case 'number': return Number.isInteger(value) ? 'integer' : 'number';
    case 'object':
      if (value === null) { return 'null'; }
      if (Array.isArray(value)) { return 'array'; }
      // a reader of YAML may make dates of what is text to the server
      return value instanceof Date ? undefined : 'object';
    default: return undefined;
  }
}

function isOf(shape: ScalarShape, got: JsonType): boolean {
  return shape === 'int-or-string' ? got === 'integer' || got === 'string' : shape === got;
}

/** A path as the server writes it. */
function pathOf(way: readonly (string | number)[]): string {
  return way.map((step, index) => typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${shorten(step)}`).join('');
}

function shorten(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;
}
