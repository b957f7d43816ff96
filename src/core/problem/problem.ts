import { IConstruct } from 'constructs';
import { withEncryptedNamed } from '../late/encrypted-values';
import { isLate } from '../late/late-token';

/**
 * A problem with a value: constructs throw it, and rules report it.
 *
 * The checks of the model return problems instead of throwing, so that constructs can refuse a bad
 * argument at once and rules can judge manifests that no construct wrote, both with the same words.
 */
export interface Problem {
  /**
   * Where: a path below the object or the props, e.g. `value.cpu` or `spec.agentEnvVars[0].value`.
   */
  readonly path: string;
  /** What was given. Leave it out where it may be a secret. */
  readonly value?: unknown;
  /**
   * The problem: `must be …` or `cannot …`, then a colon and the reason, if there is one.
   * Lower-case, no final period.
   */
  readonly message: string;
  /** What to do: an imperative. Lower-case, no final period. */
  readonly fix: string;
  /**
   * What this and other problems follow from; reports print them together.
   * @default - it is its own cause
   */
  readonly cause?: string;
  /**
   * The server's own words, for people who search for them; empty where the server accepts it.
   * @default - those of the rule
   */
  readonly says?: string;
  /** `error` unless the server accepts it and carries it out. */
  readonly level?: 'error' | 'warning';
}

const MAX_SHOWN = 120;

/** A value for a message: short, on one line. */
export function show(value: unknown): string {
  const text = withEncryptedNamed(JSON.stringify(value) ?? String(value));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

// the first clause of a message: what is wrong, without its reason and without the server's words;
// a quoted text may contain colons
const CLAUSE = /^(?:"(?:[^"\\]|\\.)*"|(?!: |; | \(the server: )[^])*/;

/** The problem, with the value: `must be 1 to 5, got 7: the server ignores it`. */
function withValue(message: string, shown: string | undefined): string {
  if (shown === undefined) {
    return message;
  }
  const [clause] = CLAUSE.exec(message)!;
  return `${clause}, got ${shown}${message.slice(clause.length)}`;
}

/** One line: `path: what is wrong, got value. Fix: what to do`. */
export function oneLine({
  path,
  value,
  message,
  fix,
}: Pick<Problem, 'path' | 'message' | 'fix'> & { readonly value?: string }): string {
  return `${path ? `${path}: ` : ''}${withValue(message, value)}${fix ? `. Fix: ${fix}` : ''}`;
}

/** The problem, with the server's words. */
export function withServersWords(message: string, says: string | undefined): string {
  return says ? `${message} (the server: "${says}")` : message;
}

const INDEX = /\[\d+\]/g;

/**
 * The prop that sets a field; undefined if none is known.
 *
 * @param props the props by the paths of the fields that they set, with all below; the longest path counts. `[]` is any index of a list:
 * `'spec.ranges[].rangeStart': 'ranges[].start'`
 */
export function propOf(
  path: string,
  props: { readonly [field: string]: string } = {},
): string | undefined {
  const general = path.replace(INDEX, '[]');
  const isAbove = (field: string): boolean => {
    const own = field.includes('[]') ? general : path;
    return own.startsWith(field) && ['', '.', '['].includes(own.charAt(field.length));
  };
  const [field] = Object.keys(props)
    .filter(isAbove)
    .sort((one, other) => other.length - one.length);
  if (field === undefined) {
    return undefined;
  }
  const indexes = path.match(INDEX) ?? [];
  const filled = (text: string): string =>
    text.split('[]').reduce((all, part, index) => `${all}${indexes[index - 1]}${part}`);
  // the fields below one without a prop of its own are props themselves
  return `${filled(props[field]!)}${path.slice(filled(field).length)}`.replace(/^\./, '');
}

/**
 * The problems of an object with the names of props.
 *
 * @param props the props by the fields that they set, which are also a note of the object; other fields of `spec` are props of the same name
 */
export function asProps(
  problems: Iterable<Problem>,
  props: { readonly [field: string]: string } = {},
): Problem[] {
  return [...problems].map((problem) => ({
    ...problem,
    path: propOf(problem.path, props) ?? problem.path.replace(/^spec\./, ''),
  }));
}

/** A problem as one line of text. */
export function problemText({ path, value, message, fix, says }: Problem): string {
  return oneLine({
    path,
    message: withServersWords(message, says),
    fix,
    ...(value === undefined ? {} : { value: show(value) }),
  });
}

/**
 * What a rule finds nearly always. A rule that judges many objects returns it without a generator,
 * which takes longer than the look at an object.
 */
export const NO_PROBLEMS: readonly Problem[] = [];

/** What a check finds: problems, one, or nothing. */
export type SomeProblems = Iterable<Problem> | Problem | undefined | null | false | '' | 0;

/** Checks a number that a prop sets; one that is not set is in order. */
export function checkWholeNumber(
  path: string,
  value: number | undefined,
  least: number,
  fix = `set it to ${least} or more`,
): readonly Problem[] {
  return value === undefined || (Number.isInteger(value) && value >= least)
    ? NO_PROBLEMS
    : [{ path, value, message: `must be a whole number of ${least} or more`, fix }];
}

/** The problems of all items; `NO_PROBLEMS` if none of them has any. */
export function problemsOf<T>(
  items: readonly T[],
  check: (item: T, index: number) => SomeProblems,
): readonly Problem[] {
  let problems: Problem[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const found = check(items[index]!, index);
    if (found && found !== NO_PROBLEMS) {
      (problems ??= []).push(...(Symbol.iterator in found ? found : [found]));
    }
  }
  return problems ?? NO_PROBLEMS;
}

/** The problems of all keys of a map; `NO_PROBLEMS` if none of them has any. */
export function problemsOfKeys(
  map: object,
  check: (key: string) => SomeProblems,
): readonly Problem[] {
  let problems = NO_PROBLEMS;
  for (const key in map) {
    const found = check(key);
    if (found && found !== NO_PROBLEMS) {
      problems = joinedProblems(problems, found);
    }
  }
  return problems;
}

/** The problems of some checks; `NO_PROBLEMS` if none of them has any. */
export function joinedProblems(...found: readonly SomeProblems[]): readonly Problem[] {
  return problemsOf(found, (each) => each);
}

const isError = ({ level }: Problem): boolean => level !== 'warning';

const COLLECTED = new WeakMap<IConstruct, readonly Problem[]>();

/**
 * Keeps problems of level error until the next `failOnErrors` of the construct, which reports them
 * together with what else is wrong with its arguments.
 */
export function collectProblems(construct: IConstruct, problems: Iterable<Problem>): void {
  if (problems === NO_PROBLEMS) {
    return;
  }
  const errors = [...problems].filter(isError);
  if (errors.length > 0) {
    COLLECTED.set(construct, [...(COLLECTED.get(construct) ?? NO_PROBLEMS), ...errors]);
  }
}

/** Takes the problems that a construct collected. */
export function takeProblems(construct: IConstruct): readonly Problem[] {
  const collected = COLLECTED.get(construct) ?? NO_PROBLEMS;
  if (collected !== NO_PROBLEMS) {
    COLLECTED.delete(construct);
  }
  return collected;
}

function lineOf(path: string, problem: Problem): string {
  return path === '' ? problemText(problem) : `[${path}] ${problemText(problem)}`;
}

// a value that is not even a name has no other problems
function withCollected(construct: IConstruct, problems: Iterable<Problem>): Problem[] {
  const collected = takeProblems(construct);
  if (collected.length === 0) {
    return [...problems];
  }
  return [
    ...collected,
    ...[...problems].filter(
      ({ path }) => path === '' || collected.every((other) => other.path !== path),
    ),
  ];
}

/**
 * Throws all problems of a construct's arguments as one error, each line with the construct's path.
 */
export function fail(construct: IConstruct, problems: Iterable<Problem>): never {
  throw new Error(
    withCollected(construct, problems)
      .map((problem) => lineOf(construct.node.path, problem))
      .join('\n'),
  );
}

/**
 * Throws when there is a problem of level error.
 *
 * Warnings are left to the rules, which report them once per synthesis.
 */
export function failOnErrors(
  construct: IConstruct,
  problems: Iterable<Problem> = NO_PROBLEMS,
): void {
  const errors = withCollected(construct, problems).filter(isError);
  if (errors.length > 0) {
    fail(construct, errors);
  }
}

/**
 * Throws when there is a problem of level error with the arguments of a construct that does not
 * exist yet, with its future path.
 */
export function failOnErrorsAt(path: string, problems: Iterable<Problem>): void {
  const errors = [...problems].filter(isError);
  if (errors.length > 0) {
    throw new Error(errors.map((problem) => lineOf(path, problem)).join('\n'));
  }
}

/**
 * Creates a part of a construct. Its error is reported together with the problems that the
 * construct collected.
 */
export function withPart<T>(construct: IConstruct, create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw new Error(
      [
        ...takeProblems(construct).map((problem) => lineOf(construct.node.path, problem)),
        (error as Error).message,
      ].join('\n'),
    );
  }
}

/**
 * The problem of a late or lazy value where a literal string is required, e.g. since other names
 * are made from it.
 */
export function checkLiteral(path: string, value: unknown): readonly Problem[] {
  if (typeof value === 'string' && !isLate(value)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      message: 'must be a literal string, since synthesis derives other names from it',
      fix: 'give the text itself',
    },
  ];
}

/** Collects the problem of a value that must be a literal string. */
export function requireLiteral(construct: IConstruct, path: string, value: unknown): void {
  collectProblems(construct, checkLiteral(path, value));
}

/**
 * Runs a parser and puts the construct's path, and the name of the prop where there is one, before
 * its error.
 */
export function parsed<T>(construct: IConstruct, prop: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw parseError(construct.node.path, prop, error as Error, takeProblems(construct));
  }
}

/**
 * Runs a parser for a construct that does not exist yet, and puts its future path and the name of
 * the prop before an error.
 */
export function parsedAt<T>(path: string, prop: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw parseError(path, prop, error as Error, []);
  }
}

function parseError(
  path: string,
  prop: string,
  { message }: Error,
  collected: readonly Problem[],
): Error {
  return new Error(
    [
      ...collected.map((problem) => lineOf(path, problem)),
      `[${path}] ${prop ? `${prop}: ` : ''}${message}`,
    ].join('\n'),
  );
}
