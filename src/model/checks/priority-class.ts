import { isRecord } from '../manifest';
import { Problem } from '../problem';
import { plainText } from './plain-text';

const LIMIT = 1_000_000_000;
const POLICIES = ['Never', 'PreemptLowerPriority'];

/**
 * What Rancher refuses in the priority class of an agent: a value past a billion, a preemption policy that Kubernetes does not have.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateSinglePriorityClass
 */
export function* checkPriorityClass(path: string, priority: unknown): Iterable<Problem> {
  if (!isRecord(priority)) { return; }
  const { value, preemptionPolicy } = priority;
  const fix = `use a whole number from -${LIMIT} to ${LIMIT}`;
  if (value !== undefined && value !== null && (typeof value !== 'number' || !Number.isInteger(value))) {
    yield { path: `${path}.value`, value, message: 'is no whole number', fix, says: `must be of type integer: "${typeof value}"` };
  } else if (typeof value === 'number' && Math.abs(value) > LIMIT) {
    const says = value > 0 ? 'Priority Class value cannot be greater than 1 billion' : 'Priority Class value cannot be less than negative 1 billion';
    yield { path: `${path}.value`, value, message: 'is out of range', fix, says };
  }
  if (preemptionPolicy !== undefined && preemptionPolicy !== null && preemptionPolicy !== '' && !POLICIES.includes(plainText(preemptionPolicy))) {
    yield {
      path: `${path}.preemptionPolicy`,
      value: preemptionPolicy,
      message: 'is no preemption policy',
      fix: `use ${POLICIES.join(' or ')}, or leave it out`,
      says: 'Priority Class Preemption value must be \'Never\', \'PreemptLowerPriority\', or omitted',
    };
  }
}
