import { isDeepStrictEqual } from 'util';
import { Manifest } from './manifest';
import { Problem } from '../rule/problem';

/** The fields of an object at the top level, next to its metadata. */
interface Fields { readonly [field: string]: unknown }

/** A check of fields that reads neither metadata nor versions, so that equal fields have equal findings. */
export type FieldCheck = (fields: Fields) => Iterable<Problem>;

/** The checks that found nothing in the fields of a construct, and these fields as the construct rendered them. */
export interface PassedChecks {
  readonly checks: ReadonlySet<FieldCheck>;
  readonly fields: Fields;
}

const PASSED = new WeakMap<Fields, Set<FieldCheck>>();

/** Runs checks for a construct, and remembers which of them found nothing. */
export function runChecks(checks: readonly FieldCheck[], fields: Fields): Problem[] {
  const passed = PASSED.get(fields) ?? new Set<FieldCheck>();
  PASSED.set(fields, passed);
  return checks.flatMap((check) => {
    const problems = [...check(fields)];
    if (problems.length === 0) { passed.add(check); }
    return problems;
  });
}

/**
 * The checks that found nothing, for the notes of an object: its rules run them again only if other fields are rendered.
 *
 * @param checked the fields that were checked
 * @param fields the rendered ones: the same, and others that these checks do not read
 */
export function passedChecks(checked: Fields, fields: Fields): PassedChecks {
  return { checks: PASSED.get(checked) ?? new Set(), fields };
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
  return Object.keys(one).every((field) => (
    one[field] === other[field] || OTHER_FIELDS.includes(field) || isDeepStrictEqual(one[field], other[field])));
}
