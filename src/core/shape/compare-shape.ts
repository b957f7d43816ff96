import { Limit } from './limits';
import {
  AnyNode,
  EVERY_VERSION,
  ExpectedType,
  FieldsNode,
  JsonType,
  KnownKind,
  ListNode,
  ScalarNode,
  ShapeNode,
  VersionShape,
} from './shape-node';
import { isLate } from '../late/late-token';

/**
 * Whether the product of a target is at least of a version; undefined where its version is not
 * known.
 */
export type IsAtLeast = (version: string) => boolean | undefined;

/** Differences from the shape of a kind in the version that a target runs. */
export interface KindComparison extends Comparison {
  /** Whether another version that the target may run accepts the field. */
  readonly isUncertain: (found: { readonly path: string }) => boolean;
  /**
   * Whether the target may run a version that is older than the definitions that we know: it may
   * lack the limits on values.
   */
  readonly maybeOlder: boolean;
  /** The later version that has an unknown field. */
  readonly since: (field: UnknownField) => string | undefined;
}

/**
 * Compares objects with the shape that their kind has in the version of a target. Undefined where
 * nothing differs, or where the version is older than the definitions that we know.
 */
export function kindComparer(
  { versions }: KnownKind,
  isAtLeast: IsAtLeast,
): (object: object) => KindComparison | undefined {
  let last = versions.length - 1;
  while (last >= 0 && isAtLeast(versions[last].from) === false) {
    last--;
  }
  if (last < 0) {
    return () => undefined;
  }
  const version = versions[last];
  const maybeOlder =
    isAtLeast(versions[0].from) === undefined && versions[0].from !== EVERY_VERSION;
  const knowsVersion = versions.length === 1 || isAtLeast(versions.at(-1)!.from) !== undefined;
  return (object) => {
    const comparison = compareShape(version.node(), object);
    if (comparison === NO_DIFFERENCES) {
      return undefined;
    }
    // few objects differ, so what other versions find is asked for late
    const others = new Map<VersionShape, Comparison>();
    const by = (other: VersionShape) =>
      others.get(other) ?? others.set(other, compareShape(other.node(), object)).get(other)!;
    return {
      ...comparison,
      maybeOlder,
      isUncertain: ({ path }) =>
        !knowsVersion && versions.some((other) => other !== version && !reports(by(other), path)),
      since: ({ path }) =>
        versions
          .slice(last + 1)
          .find((later) => by(later).unknown.every((field) => field.path !== path))?.from,
    };
  };
}

function reports(
  { mismatches, missing, others, repeated, broken }: Comparison,
  path: string,
): boolean {
  return [mismatches, missing, others, repeated, broken].some(
    (found: readonly Pick<Mismatch, 'path'>[]) => found.some((each) => each.path === path),
  );
}

/** A value of another type than the definition asks for. */
export interface Mismatch {
  readonly path: string;
  readonly expected: ExpectedType;
  readonly format?: string;
  readonly got: JsonType;
  /** Whether a server reads the object into a type of Go. */
  readonly isNative?: true;
}

/** A field that the definition does not have. */
export interface UnknownField {
  readonly path: string;
  readonly name: string;
  /** The names that there are. */
  readonly names: readonly string[];
}

/** A field that the definition requires. */
interface MissingField {
  readonly path: string;
}

/** A null where the definition asks for a value, or an empty object, which may become one. */
export interface NullField {
  readonly path: string;
  /** Whether the field is an object, which server-side apply merges with the live object. */
  readonly isMerged: boolean;
  readonly isEmpty?: true;
}

/** A value that is not among those that the definition lists. */
export interface OtherValue {
  readonly path: string;
  readonly value: unknown;
  readonly allowed: readonly unknown[];
}

/** An item of a list that has the same key as an earlier one. */
export interface RepeatedItem {
  readonly path: string;
  readonly keys: readonly string[];
}

/** A limit of the definition that a value does not keep. */
export interface BrokenLimit {
  readonly path: string;
  readonly value: unknown;
  readonly limit: Limit;
}

/** Everything in which a value differs from its shape. */
interface Comparison {
  readonly mismatches: readonly Mismatch[];
  readonly unknown: readonly UnknownField[];
  readonly missing: readonly MissingField[];
  readonly others: readonly OtherValue[];
  readonly repeated: readonly RepeatedItem[];
  readonly broken: readonly BrokenLimit[];
  readonly nulls: readonly NullField[];
}

interface Fields {
  readonly [name: string]: unknown;
}

// a name is shown so that it can be found, not in full
const MAX_NAME = 100;

/**
 * Compares a value with its shape. Looks at each part of the value once, and no deeper than the
 * shape is.
 */
export function compareShape(node: ShapeNode, value: unknown): Comparison {
  const comparer = spare;
  try {
    comparer.isNative = node.of === 'fields' && node.native === true;
    comparer.visit(node, value);
  } finally {
    // one that stopped halfway compares nothing more
    if (!comparer.isUnused()) {
      spare = new Comparer();
    }
  }
  return comparer.isUnused() ? NO_DIFFERENCES : comparer;
}

class Comparer implements Comparison {
  public readonly mismatches: Mismatch[] = [];
  public readonly unknown: UnknownField[] = [];
  public readonly missing: MissingField[] = [];
  public readonly others: OtherValue[] = [];
  public readonly repeated: RepeatedItem[] = [];
  public readonly broken: BrokenLimit[] = [];
  public readonly nulls: NullField[] = [];
  /** Whether a server reads the object into a type of Go. */
  public isNative = false;
  // most values are right, so the way becomes text only where one is not
  private readonly way: (string | number)[] = [];
  /** The steps of the way that are keys of maps. */
  private readonly keys: number[] = [];

  /** Whether it found nothing and is at the start. */
  public isUnused(): boolean {
    const { mismatches, unknown, missing, others, repeated, broken, nulls, way } = this;
    return (
      mismatches.length +
        unknown.length +
        missing.length +
        others.length +
        repeated.length +
        broken.length +
        nulls.length +
        way.length ===
      0
    );
  }

  public visit(node: ShapeNode, value: unknown): void {
    if (node.of === 'any') {
      return;
    }
    const got = typeOf(value);
    if (got === undefined) {
      return;
    }
    const mistyped = this.mismatches.length;
    if (got === 'null' && this.isNative) {
      // an item of a list is empty then
      if (node.of === 'fields') {
        this.visitFields(node, {});
      }
      return;
    }
    if (got === 'null') {
      if (!node.nullable) {
        return this.mismatch(node, value, got);
      }
    } else if (!this.hasStructure(node, value, got)) {
      return;
    }
    if (
      node.enum !== undefined &&
      !node.enum.includes(value) &&
      !isLate(value) &&
      !(value === '' && this.isNative)
    ) {
      this.others.push({ path: this.path(), value, allowed: node.enum });
    }
    if (node.limits !== undefined && got !== 'null') {
      this.visitLimits(node.limits, kept(node, value), this.mismatches.length > mistyped);
    }
  }

  private visitLimits(limits: readonly Limit[], value: unknown, isMistyped: boolean): void {
    for (const limit of limits) {
      if ((limit.isRule && isMistyped) || limit.accepts(value)) {
        continue;
      }
      this.broken.push({
        path: limit.isRule ? pathOf(this.way, this.keys) : this.path(),
        value,
        limit,
      });
    }
  }

  /** Compares the contents of a value, if its type is right. */
  private hasStructure(node: Exclude<ShapeNode, AnyNode>, value: unknown, got: JsonType): boolean {
    switch (node.of) {
      case 'scalar':
        if (isOf(node, got)) {
          return true;
        }
        break;
      case 'list':
        if (got === 'array') {
          this.visitItems(node, value as readonly unknown[]);
          return true;
        }
        break;
      case 'map':
        if (got === 'object') {
          this.visitEmpty(node, value as Fields);
          this.visitEntries(node.value, value as Fields);
          return true;
        }
        break;
      case 'fields':
        if (got === 'object') {
          this.visitEmpty(node, value as Fields);
          this.visitFields(node, value as Fields);
          return true;
        }
        break;
    }
    this.mismatch(node, value, got);
    return false;
  }

  /**
   * A server-side apply that removes the last field of an object leaves null in its place; items of
   * lists are replaced.
   */
  private visitEmpty(node: ShapeNode, value: Fields): void {
    if (!this.isNative && !node.nullable && typeof this.way.at(-1) === 'string' && isEmpty(value)) {
      this.nulls.push({ path: this.path(), isMerged: true, isEmpty: true });
    }
  }

  private visitItems(node: ListNode, items: readonly unknown[]): void {
    for (let index = 0; index < items.length; index++) {
      this.below(index, node.item, items[index]);
    }
    if (items.length > 1 && (node.keys !== undefined || node.set)) {
      this.findRepeated(node, items);
    }
  }

  private findRepeated({ keys, set }: ListNode, items: readonly unknown[]): void {
    const seen = new Set<string>();
    items.forEach((item, index) => {
      const identity = set
        ? item
        : keys!.map((key) =>
            typeof item === 'object' && item !== null ? (item as Fields)[key] : undefined,
          );
      const text = JSON.stringify(identity);
      // an item without its key, and one whose key is not known yet, cannot be compared
      if (
        text === undefined ||
        isLate(text) ||
        (Array.isArray(identity) && identity.some((key) => key === undefined || key === null))
      ) {
        return;
      }
      if (seen.has(text)) {
        this.way.push(index);
        this.repeated.push({ path: this.path(), keys: keys ?? [] });
        this.way.pop();
      }
      seen.add(text);
    });
  }

  private visitEntries(node: ShapeNode, value: Fields): void {
    if (node.of === 'any') {
      return;
    }
    this.keys.push(this.way.length);
    for (const key in value) {
      this.visitField(key, node, value[key]);
    }
    this.keys.pop();
  }

  private visitFields(node: FieldsNode, value: Fields): void {
    let late = false;
    for (const name in value) {
      const field = node.fields.get(name);
      const given = value[name];
      if (field !== undefined) {
        // constructs set no value for most fields
        if (given !== undefined) {
          this.visitField(name, field, given);
        }
      } else if (isLate(name)) {
        late = true;
      } else if (!node.open && given !== undefined) {
        this.unknown.push({
          path: this.path(name),
          name: shorten(name),
          names: [...node.fields.keys()],
        });
      }
    }
    if (node.always !== undefined && !late) {
      this.visitAlways(node, node.always, value);
    }
    for (const name of node.required) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      // null is removed where the definition does not allow it
      if (!late && this.isUnset(given, node.fields.get(name)!)) {
        this.missing.push({ path: this.path(name) });
      }
    }
  }

  private visitAlways(node: FieldsNode, always: readonly string[], value: Fields): void {
    for (const name of always) {
      if (value[name] === undefined || value[name] === null) {
        this.below(name, node.fields.get(name)!, {});
      }
    }
  }

  /** Whether a server sees no value: a type of Go has no difference between none and an empty text. */
  private isUnset(given: unknown, node: ShapeNode): boolean {
    return (
      given === undefined || (given === null && !node.nullable) || (given === '' && this.isNative)
    );
  }

  private visitField(name: string, node: ShapeNode, value: unknown): void {
    // the server removes a null that the definition does not allow, before it looks at types, apart
    // from server-side apply
    if (value !== null || node.nullable) {
      this.below(name, node, value);
    } else if (node.hasDefault !== true && !this.isNative) {
      this.nulls.push({
        path: this.path(name),
        isMerged: node.of === 'fields' || node.of === 'map',
      });
    }
  }

  private below(step: string | number, node: ShapeNode, value: unknown): void {
    if (node.of === 'any' || isPlain(node, value)) {
      return;
    }
    this.way.push(step);
    this.visit(node, value);
    this.way.pop();
  }

  private mismatch(node: ShapeNode, value: unknown, got: JsonType): void {
    if (isLate(value)) {
      return;
    }
    const format = node.of === 'scalar' && node.format !== undefined ? { format: node.format } : {};
    const native = this.isNative ? { isNative: true as const } : {};
    const expected = expectedOf(node);
    this.mismatches.push({ path: this.path(), expected, got, ...format, ...native });
  }

  private path(name?: string): string {
    return pathOf(name === undefined ? this.way : [...this.way, name]);
  }
}

const NO_DIFFERENCES: Comparison = new Comparer();

/** For the next object: most have no difference, so that it compares many of them. */
let spare = new Comparer();

/**
 * Whether a value is text, or true or false, where the definition asks for nothing else: most are.
 */
function isPlain(node: ShapeNode, value: unknown): boolean {
  return (
    node.of === 'scalar' &&
    node.type === typeof value &&
    node.enum === undefined &&
    node.limits === undefined
  );
}

function isEmpty(fields: Fields): boolean {
  for (const _ in fields) {
    return false;
  }
  return true;
}

/** A value as the server validates it: without fields that it drops before. */
function kept(node: ShapeNode, value: unknown): unknown {
  if (node.of !== 'fields' && node.of !== 'map') {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value as Fields).filter(([name, each]) => {
      const field = node.of === 'map' ? node.value : node.fields.get(name);
      return (
        each !== undefined &&
        (field === undefined
          ? (node as FieldsNode).open || isLate(name)
          : each !== null || field.nullable)
      );
    }),
  );
}

function typeOf(value: unknown): JsonType | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    // JSON has one type for 4.0 and 4, and so does the server
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'object':
      if (value === null) {
        return 'null';
      }
      if (Array.isArray(value)) {
        return 'array';
      }
      // a YAML reader may turn text into a date
      return value instanceof Date || isComputedLater(value) ? undefined : 'object';
    default:
      return undefined;
  }
}

/** Whether cdk8s computes a value at synthesis, as `Lazy.any`: it has no type before. */
function isComputedLater(value: object): boolean {
  return typeof (value as { readonly produce?: unknown }).produce === 'function';
}

function expectedOf(node: ShapeNode): ExpectedType {
  switch (node.of) {
    case 'scalar':
      return node.type;
    case 'list':
      return 'array';
    default:
      return 'object';
  }
}

function isOf({ type, format }: ScalarNode, got: JsonType): boolean {
  switch (type) {
    case 'int-or-string':
      return got === 'integer' || got === 'string';
    case 'quantity':
      return got === 'string' || got === 'integer' || got === 'number';
    case 'number':
      return got === 'integer' || got === 'number';
    // the server checks no more than this of text with a format
    case 'string':
      return got === 'string' || (format !== undefined && got === 'array');
    default:
      return type === got;
  }
}

/**
 * A path as the server writes it. @param keys the steps that are keys of maps, which it writes so
 * in errors of rules only
 */
function pathOf(way: readonly (string | number)[], keys: readonly number[] = []): string {
  const isBracketed = (step: string | number, index: number) =>
    typeof step === 'number' || keys.includes(index);
  return way
    .map((step, index) =>
      isBracketed(step, index)
        ? `[${shorten(String(step))}]`
        : `${index > 0 ? '.' : ''}${shorten(String(step))}`,
    )
    .join('');
}

function shorten(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;
}
