import { NO_PROBLEMS, Problem } from '../problem/problem';
import { givenValue } from '../text/plain-text';

/**
 * A problem that a rule finds.
 * @default path - the field of the rule; the whole object without one
 */
export type Found = Omit<Problem, 'path'> & { readonly path?: string };

/** What a rule finds: one problem, several, or nothing. */
export type Findings = Iterable<Problem> | Found | undefined | null | false | '' | 0;

/** Findings as problems: one without a path is about a field, and shows its value if it has one. */
export function problemsAt(field: string, findings: Findings, value?: unknown): Iterable<Problem> {
  if (!findings) {
    return NO_PROBLEMS;
  }
  if (Symbol.iterator in findings) {
    return findings;
  }
  return [
    findings.path === undefined
      ? { path: field, ...givenValue(value), ...findings }
      : (findings as Problem),
  ];
}
