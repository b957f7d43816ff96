import { IConstruct } from 'constructs';
import { isLate } from './late-token';
import { Problem, problemText } from './problem';

/**
 * Throws all problems of a construct's arguments as one error, each line with the construct's path.
 */
export function fail(construct: IConstruct, problems: readonly Problem[]): never {
  throw new Error(problems.map((problem) => `[${construct.node.path}] ${problemText(problem)}`).join('\n'));
}

/**
 * Throws when there is a problem of level error.
 *
 * Warnings are left to the rules, which tell them once a synthesis.
 */
export function failOnErrors(construct: IConstruct, problems: readonly Problem[]): void {
  const errors = problems.filter((problem) => problem.level !== 'warning');
  if (errors.length > 0) { fail(construct, errors); }
}

/** What is wrong with a late or lazy value where only a literal string will do, e.g. since other names are made from it. */
export function checkLiteral(path: string, value: unknown): Problem[] {
  if (typeof value === 'string' && !isLate(value)) { return []; }
  return [{ path, message: 'must be a literal string, since other names are made from it at synthesis', fix: 'give the text itself' }];
}

/** Refuses such a value. */
export function failUnlessLiteral(construct: IConstruct, path: string, value: unknown): void {
  failOnErrors(construct, checkLiteral(path, value));
}

/** Runs a parser and puts the construct's path, and the name of the prop where there is one, before its error. */
export function parsed<T>(construct: IConstruct, prop: string, parse: () => T): T {
  return parsedAt(construct.node.path, prop, parse);
}

/** The same for a construct that is yet to be made. */
export function parsedAt<T>(path: string, prop: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`[${path}] ${prop ? `${prop}: ` : ''}${(error as Error).message}`);
  }
}
