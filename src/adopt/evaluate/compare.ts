import { Completion, PatchOperation } from './statements';
import { withoutNewMarks } from '../../core/kind/retention';
import { mayBecome } from '../../core/late/late-token';
import {
  coverOf,
  FieldPath,
  FieldPattern,
  isRecord,
  isWithin,
  Manifest,
  patternOf,
  pointerOf,
  sameValue,
} from '../../core/manifest/manifest';
import { isSecretObject } from '../../core/secret/secret-fields';
import { LiveObject } from '../../engine/cluster/cluster';
import { differences, meansTheSame, noiseOf } from '../../engine/fields/compare-desired';
import { HIDDEN_VALUE } from '../read/hidden-secrets';
import { isFromFile } from '../select/marks';

/** What a rendered object lacks, or has otherwise, compared with the live one. */
export interface Comparison {
  /** Fields that an apply would change. */
  readonly changes: readonly {
    readonly path: FieldPath;
    readonly before: unknown;
    readonly after: unknown;
  }[];
  /** Fields that the program does not mention. */
  readonly leftovers: readonly { readonly path: FieldPath; readonly value: unknown }[];
}

/** What inverses know of the fields of a kind. */
export interface FieldFacts {
  /** Values that servers fill in, by the patterns of their fields. */
  readonly defaults: { readonly [pattern: string]: unknown };
  /** Patterns of fields that users write too. */
  readonly own: readonly string[];
  /** Patterns of fields that files may lack. */
  readonly filled: readonly string[];
  /** Patterns of fields that servers overwrite whatever files have. */
  readonly overwritten: readonly string[];
  /** Patterns of fields below which every value is compared, also `false` and an empty text. */
  readonly exact: readonly string[];
}

/** That others write some labels excludes none that users wrote. */
const isWhole = (pattern: FieldPattern): boolean =>
  isMetadata(pattern as FieldPath) && pattern.length === 2;

/** Finalizers, of which only those of users are compared. */
const isShared = ([first, second]: FieldPattern): boolean =>
  first === 'metadata' && second === 'finalizers';

/** Why a program need not mention a field of an object that was found. */
export interface KnownFields {
  /** Patterns of fields that servers and controllers write. */
  readonly noise: readonly FieldPattern[];
  /** Whether the server fills in the value of a field. */
  isDefault(path: FieldPath, value: unknown): boolean;
}

/** What is known of the fields of an object. @param othersWrite as its construct knows them */
export function knownFields(
  found: Manifest,
  facts: FieldFacts,
  othersWrite: readonly string[],
): KnownFields {
  const defaults = Object.entries(facts.defaults).map(([pattern, value]) => ({
    pattern: patternOf(pattern),
    value: JSON.stringify(value),
  }));
  const users = facts.own.map((pattern) => JSON.stringify(patternOf(pattern)));
  // an engine applies all that a file has, and deletes from the server what leaves it
  const ofServers = isFromFile(found)
    ? [...noiseOf(), ...facts.overwritten.map(patternOf)]
    : noiseOf(found);
  return {
    noise: [...ofServers, ...othersWrite.map(patternOf)].filter(
      (pattern) =>
        !isWhole(pattern) && !isShared(pattern) && !users.includes(JSON.stringify(pattern)),
    ),
    isDefault: (path, value) =>
      holdsFor(path, value, (at, each) =>
        defaults.some(
          ({ pattern, value: known }) =>
            coverOf(pattern, at) === 'exact' && known === JSON.stringify(each),
        ),
      ),
  };
}

/** Whether something holds for a value, or for all values of a map. */
function holdsFor(
  path: FieldPath,
  value: unknown,
  holds: (path: FieldPath, value: unknown) => boolean,
): boolean {
  return (
    holds(path, value) ||
    (isRecord(value) &&
      Object.keys(value).length > 0 &&
      Object.entries(value).every(([key, each]) => holdsFor([...path, key], each, holds)))
  );
}

/** Compares as a plan does, and also for what only the live object has. */
export function compareLive(
  written: Manifest,
  live: Manifest,
  own: Manifest,
  facts: FieldFacts,
  othersWrite: readonly string[],
): Comparison {
  const rendered = withoutNewMarks(written, live);
  const { noise, isDefault } = knownFields(live, facts, othersWrite);
  const filled = facts.filled.map(patternOf);
  const isFilled = (path: FieldPath, value: unknown): boolean =>
    isDefault(path, value) ||
    holdsFor(path, value, (at) => filled.some((pattern) => coverOf(pattern, at) === 'exact'));
  // files lack what servers fill in
  const isOfFile = live.metadata.uid === undefined;
  const changes = differences(rendered, live as LiveObject, undefined)
    .filter(
      ({ path, before, after }) =>
        !meansTheSame(live as LiveObject, path, before, after) &&
        // the server makes the value of the construct from that of the file
        !(isOfFile && meansTheSame(rendered as LiveObject, path, after, before)) &&
        !becomes(live, path, before, after),
    )
    .filter(
      ({ path, before, after }) => !(isOfFile && before === undefined && isFilled(path, after)),
    )
    .map(({ path, before, after }) => ({ path, before, after }));
  const leftovers: { path: FieldPath; value: unknown }[] = [];
  const { apiVersion: _, kind: __, ...there } = own;
  const exact = facts.exact.map(patternOf);
  rest(there, rendered, { path: [], exact }, (path, value) => {
    const isNoise = noise.some((pattern) => coverOf(pattern, path)) || isDefault(path, value);
    if (!isNoise && !changes.some((change) => isWithin(path, change.path))) {
      leftovers.push({ path, value });
    }
  });
  return { changes, leftovers: opened(leftovers, noise) };
}

/**
 * Whether a value that only an apply knows may be the live one, which is hidden where it is secret.
 */
function becomes(live: Manifest, [field]: FieldPath, before: unknown, after: unknown): boolean {
  if (typeof before !== 'string' || typeof after !== 'string') {
    return false;
  }
  return (
    mayBecome(after, before) ||
    (before === HIDDEN_VALUE && SECRET_FIELDS.includes(String(field)) && isSecretObject(live))
  );
}

/** The fields of a Secret whose values are not read. */
const SECRET_FIELDS = ['data', 'stringData'];

/** A place in an object. */
interface Place {
  readonly path: FieldPath;
  /** Patterns of fields below which every value is compared. */
  readonly exact: readonly FieldPattern[];
}

/** The fields of a live object that the rendered one does not have. */
function rest(
  live: unknown,
  rendered: unknown,
  { path, exact }: Place,
  found: (path: FieldPath, value: unknown) => void,
): void {
  const isExact = exact.some((pattern) => coverOf(pattern, path));
  if (isAbsent(live) || (isNothing(live) && !isExact)) {
    return;
  }
  if (isRecord(live) && isRecord(rendered)) {
    for (const [key, value] of Object.entries(live)) {
      const other = Object.hasOwn(rendered, key) ? rendered[key] : undefined;
      rest(value, other, { path: [...path, key], exact }, found);
    }
  } else if (Array.isArray(live) && Array.isArray(rendered) && live.length === rendered.length) {
    live.forEach((item, index) => {
      rest(item, rendered[index], { path: [...path, index], exact }, found);
    });
  } else if (isAbsent(rendered)) {
    found(path, live);
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** What constructs and servers leave out: it means the same as a field that is not there. */
export function isNothing(value: unknown): boolean {
  return (
    isAbsent(value) ||
    value === '' ||
    value === false ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0) ||
    (isRecord(value) && Object.values(value).every(isNothing))
  );
}

/** Maps without the fields that others write. */
function opened(
  leftovers: Comparison['leftovers'],
  noise: readonly FieldPattern[],
): Comparison['leftovers'] {
  return leftovers.flatMap(({ path, value }) => {
    const below = noise.filter(
      (pattern) =>
        pattern.length > path.length && coverOf(pattern.slice(0, path.length), path) === 'exact',
    );
    if (!isRecord(value) || (below.length === 0 && !isMetadata(path))) {
      return [{ path, value }];
    }
    return opened(
      Object.entries(value)
        .map(([key, each]) => ({ path: [...path, key], value: each }))
        .filter(
          (each) => !isNothing(each.value) && !noise.some((pattern) => coverOf(pattern, each.path)),
        ),
      noise,
    );
  });
}

function isMetadata(path: FieldPath): boolean {
  return (
    path.length === 2 &&
    path[0] === 'metadata' &&
    (path[1] === 'labels' || path[1] === 'annotations')
  );
}

/**
 * What makes a construct render the live object.
 *
 * @param hasProps whether labels and annotations of the object are props of the construct
 */
export function completionOf(
  { changes, leftovers }: Comparison,
  rendered: Manifest,
  hasProps: boolean,
): Completion {
  const labels = hasProps ? textsAt('labels', leftovers) : undefined;
  const annotations = hasProps ? textsAt('annotations', leftovers) : undefined;
  const copy = structuredClone(rendered);
  const others = leftovers.filter(({ path }) => !hasProps || !isMetadata(path.slice(0, 2)));
  const patches: PatchOperation[] = [
    ...changes.flatMap((change) => correction(change)),
    ...others.map(({ path, value }) => addition(path, value, copy)),
  ];
  return { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}), patches };
}

/** Sets a field to its live value: items that follow those of the construct are added. */
function correction({ path, before, after }: Comparison['changes'][number]): PatchOperation[] {
  if (before === undefined || before === null) {
    return [{ op: 'remove', path: pointerOf(path) }];
  }
  if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    after.length > 0 &&
    sameValue(before.slice(0, after.length), after)
  ) {
    return before
      .slice(after.length)
      .map((value: unknown) => ({ op: 'add', path: pointerOf([...path, '-']), value }));
  }
  return [{ op: 'replace', path: pointerOf(path), value: before }];
}

/**
 * Adds a field, with the maps above it that are not there: a JSON patch makes none. Keeps what it
 * added in the copy.
 */
function addition(path: FieldPath, value: unknown, copy: any): PatchOperation {
  let depth = 0;
  let at = copy;
  while (
    depth < path.length - 1 &&
    typeof at[path[depth]] === 'object' &&
    at[path[depth]] !== null
  ) {
    at = at[path[depth++]];
  }
  const content = path
    .slice(depth + 1)
    .reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
  at[path[depth]] = structuredClone(content);
  return { op: 'add', path: pointerOf(path.slice(0, depth + 1)), value: content };
}

function textsAt(
  key: 'labels' | 'annotations',
  leftovers: Comparison['leftovers'],
): { readonly [key: string]: string } | undefined {
  const found = leftovers.filter(
    ({ path, value }) =>
      path.length === 3 && path[0] === 'metadata' && path[1] === key && typeof value === 'string',
  );
  return found.length === 0
    ? undefined
    : Object.fromEntries(found.map(({ path, value }) => [String(path[2]), value as string]));
}
