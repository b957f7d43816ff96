import { isRecord } from '../../core/manifest/manifest';

/**
 * A set of fields in the format of `metadata.managedFields`: `f:`, `k:` and `v:` are steps; `.`
 * means that the value itself is in the set, too, and a step without children is in the set by
 * itself.
 *
 * @see sigs.k8s.io/structured-merge-diff fieldpath/serialize.go
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

const SELF = '.';

/** The fields of an entry; empty if it lists none. */
export function fieldSetOf(fieldsV1: unknown): FieldSet {
  return isRecord(fieldsV1) ? (fieldsV1 as FieldSet) : {};
}

/** Whether a set contains no field. */
export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** The union of two sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const steps = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(
    steps.map((step) => {
      const [one, other] = [below(a, step), below(b, step)];
      return [step, one && other ? unionBelow(one, other) : (one ?? other ?? {})];
    }),
  );
}

/** Splits a set into a top-level field and the rest. */
export function split(
  set: FieldSet,
  field: string,
): { readonly rest: FieldSet; readonly out: FieldSet } {
  const { [`f:${field}`]: out, ...rest } = set;
  return { rest, out: out === undefined ? {} : { [`f:${field}`]: out } };
}

/** Whether a set contains a field, given by the keys of its path. */
export function holdsField(set: FieldSet, path: readonly string[]): boolean {
  return (
    path.reduce<FieldSet | undefined>(
      (current, key) => current && below(current, `f:${key}`),
      set,
    ) !== undefined
  );
}

function below(set: FieldSet, step: string): FieldSet | undefined {
  return Object.hasOwn(set, step) ? set[step] : undefined;
}

// a step without children is in its set by itself, and must still be in it next to the children of
// the other set
function unionBelow(a: FieldSet, b: FieldSet): FieldSet {
  const itself = isEmptySet(a) || isEmptySet(b);
  const both = union(a, b);
  return itself && !isEmptySet(both) ? { [SELF]: {}, ...both } : both;
}
