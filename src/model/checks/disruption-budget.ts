import { atoi } from '../harvester-settings/go-numbers';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

/**
 * Who judges a budget. `definition`: the structural definition of provisioning Clusters (Rancher 2.12 and later) and then the webhook.
 * `webhook`: the webhook alone. `setting`: the webhook on the JSON of a Rancher Setting, which takes no field left out.
 */
export type BudgetJudge = 'definition' | 'webhook' | 'setting';

const PERCENTAGE = /^([0-9]|[1-9][0-9]|100)%$/;
const DEFINITION = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0)|)$/;
const MAX_LENGTH = 10;

const FIX = 'give one of them, as text: a whole number such as "1", or a percentage from "1%" to "100%"';
const SAYS_BOTH = 'both minAvailable and maxUnavailable cannot be set to a non zero value, at least one must be omitted or set to zero';

/**
 * What Rancher refuses in a pod disruption budget of an agent: one of both values, as text, not both and not none.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateSinglePodDisruptionBudget, and the definition
 */
export function* checkDisruptionBudget(path: string, budget: unknown, judge: BudgetJudge): Iterable<Problem> {
  if (!isRecord(budget)) { return; }
  let mistyped = false;
  for (const field of ['minAvailable', 'maxUnavailable']) {
    const value = budget[field];
    if (value === undefined || value === null || typeof value === 'string') { continue; }
    mistyped = true;
    yield { path: `${path}.${field}`, value, message: 'must be text', fix: FIX, says: `must be of type string: "${typeof value}"` };
  }
  if (mistyped) { return; }

  const min = textOf(budget.minAvailable);
  const max = textOf(budget.maxUnavailable);
  const zeros = min === '0' && max === '0' && judge !== 'setting';
  if ((min === '' && max === '') || zeros || (!isNothing(min) && !isNothing(max))) {
    yield { path, value: budget, message: isNothing(min) ? 'sets neither minAvailable nor maxUnavailable' : 'sets both minAvailable and maxUnavailable', fix: FIX, says: SAYS_BOTH };
    return;
  }
  yield* checkAmount(`${path}.minAvailable`, min, judge);
  yield* checkAmount(`${path}.maxUnavailable`, max, judge);
}

function* checkAmount(path: string, amount: string, judge: BudgetJudge): Iterable<Problem> {
  if (judge === 'definition') {
    if (amount.length > MAX_LENGTH || !DEFINITION.test(amount)) {
      yield { path, value: amount, message: 'is neither a whole number nor a percentage', fix: FIX, says: `should match '${DEFINITION.source}'` };
    }
    return;
  }
  if (amount === '' && judge === 'webhook') { return; }
  const parsed = atoi(amount);
  if ('number' in parsed && parsed.number < 0) {
    yield { path, value: amount, message: 'is negative', fix: FIX, says: `${path.slice(path.lastIndexOf('.') + 1)} cannot be set to a negative integer` };
  } else if ('error' in parsed && !PERCENTAGE.test(amount)) {
    yield {
      path,
      value: amount,
      says: `must be a non-negative whole integer or a percentage value between 0 and 100, regex used is '${PERCENTAGE.source}'`,
      ...(amount === ''
        ? { message: 'is left out: in a Setting Rancher wants both values', fix: 'write "0" for the one that does not count' }
        : { message: 'is neither a whole number nor a percentage', fix: FIX }),
    };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isNothing(amount: string): boolean {
  return amount === '' || amount === '0';
}
