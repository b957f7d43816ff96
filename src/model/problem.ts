/**
 * One thing that is wrong with a value: what constructs throw and rules report.
 *
 * The checks of the model return problems instead of throwing, so that constructs can refuse a bad argument at once and rules can judge
 * manifests that no construct wrote, both with the same words.
 */
export interface Problem {
  /** Where: a path below the object or the props, e.g. `value.cpu` or `spec.agentEnvVars[0].value`. */
  readonly path: string;
  /** What was given. Leave it out where it may be a secret. */
  readonly value?: unknown;
  /** What is wrong, in our words: lower-case, no final period. */
  readonly message: string;
  /** What is allowed and what to do. */
  readonly fix: string;
  /** The server's own words, for people who search for them. */
  readonly says?: string;
  /** `error` unless the server accepts it and carries it out. */
  readonly level?: 'error' | 'warning';
}

const MAX_SHOWN = 120;

/**
 * A value as it may stand in a message: short, on one line.
 */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/**
 * A problem as one line of text.
 */
export function problemText(problem: Problem): string {
  const given = problem.value === undefined ? '' : ` got ${show(problem.value)},`;
  const says = problem.says ? ` (the server: "${problem.says}")` : '';
  const path = problem.path ? `${problem.path}:` : '';
  return `${path}${given} ${problem.message}${says}; ${problem.fix}`.trim();
}
