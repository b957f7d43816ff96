import { Comparison, compareShape, Mismatch, UnknownField } from './compare-shape';
import { KnownKind, VersionShape } from './known-shapes';

/** Whether the product of a target is at least of a version; undefined where its version is not known. */
export type IsAtLeast = (version: string) => boolean | undefined;

/** Differences from the shape of a kind in the version that a target runs. */
export interface KindComparison extends Comparison {
  /** Whether another version that the target may run accepts the field. */
  readonly isUncertain: (found: { readonly path: string }) => boolean;
  /** The later version that has an unknown field. */
  readonly since: (field: UnknownField) => string | undefined;
}

/**
 * Compares an object with the shape that its kind has in the version of a target. Undefined where nothing differs, or where the version is older
 * than the definitions that we know.
 */
export function compareKind(kind: KnownKind, object: object, isAtLeast: IsAtLeast): KindComparison | undefined {
  const { versions } = kind;
  const version = versions.filter(({ from }) => isAtLeast(from) !== false).at(-1);
  if (version === undefined) { return undefined; }
  const comparison = compareShape(version.node(), object);
  if (isEmpty(comparison)) { return undefined; }
  const knowsVersion = versions.length === 1 || isAtLeast(versions.at(-1)!.from) !== undefined;
  // few objects differ, so what other versions find is asked for late
  const others = new Map<VersionShape, Comparison>();
  const by = (other: VersionShape) => others.get(other) ?? others.set(other, compareShape(other.node(), object)).get(other)!;
  return {
    ...comparison,
    isUncertain: ({ path }) => !knowsVersion && versions.some((other) => other !== version && !reports(by(other), path)),
    since: ({ path }) => versions.slice(versions.indexOf(version) + 1).find((later) => by(later).unknown.every((field) => field.path !== path))?.from,
  };
}

function isEmpty({ mismatches, unknown, missing, others, repeated }: Comparison): boolean {
  return mismatches.length + unknown.length + missing.length + others.length + repeated.length === 0;
}

function reports({ mismatches, missing, others, repeated }: Comparison, path: string): boolean {
  return [mismatches, missing, others, repeated].some((found: readonly Pick<Mismatch, 'path'>[]) => found.some((each) => each.path === path));
}
