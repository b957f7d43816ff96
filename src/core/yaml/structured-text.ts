import { isDeepStrictEqual } from 'util';
import { tryYaml } from './yaml-reader';
import { coverOf, FieldPath, isRecord, patternOf, withLeaves } from '../manifest/manifest';
import { quantityOf } from '../text/values';

/**
 * A field whose value is a text with structure, JSON or YAML, of which the product reads the value
 * alone.
 */
export interface StructuredText {
  /** As patterns of `writtenByOthers`. */
  readonly path: string;
  /** Whether the field holds the text in base64. @default false */
  readonly base64?: boolean;
  /** Whether the first line is read too, as `#cloud-config` is. @default false */
  readonly header?: boolean;
  /**
   * Whether nulls and empty maps mean nothing, as Go writes them for an object of Kubernetes.
   * @default false
   */
  readonly sparse?: boolean;
  /** Whether its texts are quantities: `1000m` is `1`. @default false */
  readonly quantities?: boolean;
  /** Keys that the product does not read. @default - it reads all */
  readonly unread?: readonly string[];
}

/**
 * Whether two texts of a field have the same value in another layout: the order of keys, white
 * space, comments, quotes. UIs, Terraform and this library lay out the same value differently.
 */
export function isSameStructure(
  texts: readonly StructuredText[] | undefined,
  path: FieldPath,
  before: unknown,
  desired: unknown,
): boolean {
  const text = texts?.find((each) => coverOf(patternOf(each.path), path) === 'exact');
  if (!text || typeof before !== 'string' || typeof desired !== 'string') {
    return false;
  }
  const [one, other] = [before, desired].map((value) =>
    text.base64 ? Buffer.from(value, 'base64').toString('utf8') : value,
  );
  if (text.header && one.split('\n', 1)[0] !== other.split('\n', 1)[0]) {
    return false;
  }
  const [value, otherValue] = [structureOf(one), structureOf(other)]
    .map((each) => (text.unread ? without(text.unread, each) : each))
    .map((each) => (text.sparse ? filled(each) : each))
    .map((each) => (text.quantities ? withLeaves(each, (leaf) => quantityOf(leaf) ?? leaf) : each));
  return value !== undefined && isDeepStrictEqual(value, otherValue);
}

/** A value without some keys. */
function without(keys: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => without(keys, each));
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !keys.includes(key))
      .map(([key, each]) => [key, without(keys, each)]),
  );
}

/** A value without nulls and empty maps. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(filled);
  }
  if (!isRecord(value)) {
    return value;
  }
  const entries = Object.entries(value).map(([key, each]) => [key, filled(each)] as const);
  return Object.fromEntries(
    entries.filter(
      ([, each]) => each !== null && !(isRecord(each) && Object.keys(each).length === 0),
    ),
  );
}

/** The documents of a text; undefined where one has no structure. */
function structureOf(text: string): readonly unknown[] | undefined {
  const documents = tryYaml(text).documents;
  return documents?.every((document) => typeof document === 'object' && document !== null)
    ? documents
    : undefined;
}
