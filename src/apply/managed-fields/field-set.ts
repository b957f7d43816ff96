import { isRecord } from '../../model/manifest';

/**
 * A set of fields as `metadata.managedFields` writes it: `f:`, `k:` and `v:` name what lies below; `.` says that the thing itself is in the set, too,
 * and something without anything below is in the set by itself.
 *
 * @see sigs.k8s.io/structured-merge-diff fieldpath/serialize.go
 */
export interface FieldSet { readonly [step: string]: FieldSet }

const SELF = '.';

/** What an entry has; nothing where it does not say it as fields. */
export function fieldSetOf(fieldsV1: unknown): FieldSet {
  return isRecord(fieldsV1) ? fieldsV1 as FieldSet : {};
}

export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** The fields that are in one of two sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const steps = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(steps.map((step) => {
    const [one, other] = [below(a, step), below(b, step)];
    return [step, one && other ? unionBelow(one, other) : one ?? other ?? {}];
  }));
}

/** A set, and what lies below a field of the object that is taken out of it. */
export function split(set: FieldSet, field: string): { readonly rest: FieldSet; readonly out: FieldSet } {
  const { [`f:${field}`]: out, ...rest } = set;
  return { rest, out: out === undefined ? {} : { [`f:${field}`]: out } };
}

/** Whether a field is in a set, by the keys of the maps on the way to it. */
export function holds(set: FieldSet, path: readonly string[]): boolean {
  return path.reduce<FieldSet | undefined>((current, key) => current && below(current, `f:${key}`), set) !== undefined;
}

function below(set: FieldSet, step: string): FieldSet | undefined {
  return Object.hasOwn(set, step) ? set[step] : undefined;
}

// something with nothing below is in its set by itself, which it must still be beside what the other set has below it
function unionBelow(a: FieldSet, b: FieldSet): FieldSet {
  const itself = isEmptySet(a) || isEmptySet(b);
  const both = union(a, b);
  return itself && !isEmptySet(both) ? { [SELF]: {}, ...both } : both;
}
