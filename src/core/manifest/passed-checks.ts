import { isDeepStrictEqual } from 'util';
import { Manifest } from './manifest';
import { Problem } from '../rule/problem';
import { byText } from '../text/values';

/** The fields of an object at the top level, next to its metadata. */
interface Fields { readonly [field: string]: unknown }

/** A check of fields that reads neither metadata nor versions, so that equal fields have equal findings. */
export type FieldCheck = (fields: Fields) => Iterable<Problem>;

/** The checks that found nothing in the fields of a construct, and its fields as it rendered them: these, and others that the checks do not read. */
export interface PassedChecks {
  readonly checks: ReadonlySet<FieldCheck>;
  readonly fields: Fields;
}

/** What checks found in fields. */
export interface CheckedFields {
  readonly problems: readonly Problem[];
  /** The checks that found nothing, for the notes of an object: its rules run them again only if other fields are rendered. */
  readonly passed: ReadonlySet<FieldCheck>;
}

/** Runs checks for constructs, once for equal fields: many machines of a platform are alike. */
export function checkerOf(checks: readonly FieldCheck[]): (fields: Fields) => CheckedFields {
  const run = (fields: Fields): CheckedFields => {
    const results = checks.map((check) => ({ check, problems: [...check(fields)] }));
    return {
      problems: results.flatMap(({ problems }) => problems),
      passed: new Set(results.filter(({ problems }) => problems.length === 0).map(({ check }) => check)),
    };
  };
  const ofText = byText((text) => run(JSON.parse(text) as Fields));
  // an object is a lazy value, which is not the same as its text
  return (fields) => (Object.values(fields).some((value) => typeof value === 'object') ? run(fields) : ofText(JSON.stringify(fields)));
}

const UNCHANGED = new WeakMap<Manifest, boolean>();

/** Whether a check found nothing in the fields that a manifest still has: patches, lazy values and values that are known later change them. */
export function hasPassed(check: FieldCheck, manifest: Manifest, passed: PassedChecks | undefined): boolean {
  if (!passed?.checks.has(check)) { return false; }
  let known = UNCHANGED.get(manifest);
  if (known === undefined) { UNCHANGED.set(manifest, known = isWithin(manifest, passed.fields) && isWithin(passed.fields, manifest)); }
  return known;
}

const OTHER_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Whether another object has the same value in every field. */
function isWithin(one: Fields, other: Fields): boolean {
  for (const field in one) {
    if (one[field] !== other[field] && !OTHER_FIELDS.includes(field) && !isDeepStrictEqual(one[field], other[field])) { return false; }
  }
  return true;
}
