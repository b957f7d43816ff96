import { Manifest, isRecord, objectLabel, valueAt } from '../core/manifest/manifest';
import { show } from '../core/problem/problem';

/** Fields that an object has, among others. */
export interface PartialManifest {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Options of `toDeclare`. */
export interface DeclaredOptions {
  /** Name of the target that the object is for. @default - any */
  readonly target?: string;
}

/**
 * Whether one of the manifests has all fields of another one; otherwise how the most similar one
 * differs.
 */
export function declared(
  manifests: readonly (readonly [target: string, objects: readonly Manifest[]])[],
  expected: PartialManifest,
  target?: string,
): MatcherResult {
  const objects = manifests.flatMap(([name, all]) =>
    all
      .filter(({ kind }) => kind === expected.kind)
      .map((manifest) => ({
        label: `${objectLabel(manifest)} on ${name}`,
        isNamesake: manifest.metadata.name === valueAt(expected, 'metadata', 'name'),
        differences: [...differences(expected, manifest, '')],
      })),
  );
  const kinds = [...new Set(manifests.flatMap(([, all]) => all.map(({ kind }) => kind)))].sort();
  // the object of that name, however much it differs
  const [nearest] = [...objects].sort(
    (a, b) =>
      Number(a.differences.length > 0) - Number(b.differences.length > 0) ||
      Number(b.isNamesake) - Number(a.isNamesake) ||
      a.differences.length - b.differences.length,
  );
  const pass = nearest?.differences.length === 0;
  const where = target === undefined ? '' : ` on ${target}`;
  return {
    pass,
    message: () => {
      if (pass) {
        return `expected no object of kind ${expected.kind} with these fields${where}, got ${nearest.label}`;
      }
      if (nearest === undefined) {
        return `expected an object of kind ${expected.kind}${where}, got none; the program declares ${kinds.join(', ') || 'no objects'}`;
      }
      return [
        `expected an object of kind ${expected.kind} with these fields${where}; ${nearest.label} differs:`,
        ...nearest.differences.map((line) => `  ${line}`),
      ].join('\n');
    },
  };
}

/** What `expect.anything()` and others are. */
const isMatcher = (value: unknown): value is { asymmetricMatch(other: unknown): boolean } =>
  typeof (value as { asymmetricMatch?: unknown } | null)?.asymmetricMatch === 'function';

/**
 * Where a value lacks what is expected of it. Lists have the same items; a map can have more
 * fields.
 */
function* differences(expected: unknown, actual: unknown, path: string): Iterable<string> {
  if (isMatcher(expected)) {
    if (!expected.asymmetricMatch(actual)) {
      yield `${path}: ${show(actual)} does not match`;
    }
  } else if (
    Array.isArray(expected) &&
    Array.isArray(actual) &&
    expected.length === actual.length
  ) {
    for (const [index, item] of expected.entries()) {
      yield* differences(item, actual[index], `${path}[${index}]`);
    }
  } else if (isRecord(expected) && isRecord(actual)) {
    for (const [key, item] of Object.entries(expected)) {
      yield* differences(item, actual[key], path === '' ? key : `${path}.${key}`);
    }
  } else if (expected !== actual) {
    yield `${path}: must be ${show(expected)}, got ${actual === undefined ? 'nothing' : show(actual)}`;
  }
}

/** The answer of a matcher, as `expect.extend` expects it. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}
