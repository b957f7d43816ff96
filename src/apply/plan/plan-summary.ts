import { isChange, isProblem, Plan, PlanAction, PlanStep } from './plan';
import { LATE_TOKEN } from '../../model/late-token';

/** What a plan comes to. */
export type PlanOutcome = 'nothing' | 'changes' | 'problems';

export function outcomeOf({ steps, missingRights = [], problems = [] }: Plan): PlanOutcome {
  if (steps.some(isProblem) || missingRights.length + problems.length > 0) { return 'problems'; }
  return steps.some(isChange) ? 'changes' : 'nothing';
}

const COUNTED: readonly [action: PlanAction, words: string][] = [
  ['create', 'to create'], ['update', 'to update'], ['unknown', 'known after apply'], ['reset', 'to reset'], ['prune', 'to delete'],
  ['keep', 'kept'], ['unchanged', 'unchanged'],
];

/** `2 to create, 1 to delete, 40 unchanged`: each step once. */
export function countText(steps: readonly PlanStep[]): string {
  const counts = COUNTED.flatMap(([action, words]) => {
    const count = steps.filter((step) => step.action === action && !isProblem(step)).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  const problems = steps.filter(isProblem).length;
  return [...counts, ...(problems > 0 ? [`${problems} that would fail`] : [])].join(', ') || 'nothing is declared';
}

/** `Kind namespace/name` of a step. */
export function labelOf({ id }: PlanStep): string {
  // the target has no slash, the group may be empty
  const [, , kind, namespace, ...name] = id.split('/');
  return plainText(`${kind ?? id} ${namespace ? `${namespace}/` : ''}${name.join('/')}`.replace(new RegExp(LATE_TOKEN), '(late)'));
}

// what moves a cursor, breaks a line or turns the direction of writing
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text of others on one line of a terminal or page. */
export function plainText(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const MAX_VALUE = 160;

/** A value of a field, short and on one line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && /^(<sha256:[0-9a-f]{8}>|\(known after apply\))$/.test(value)) { return value; }
  const text = plainText(JSON.stringify(value) ?? 'nothing');
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}
