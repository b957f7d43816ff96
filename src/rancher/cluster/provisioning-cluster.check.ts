import { LEGACY_CLUSTER_ID } from './provisioning-cluster.kind';
import { atoi } from '../../core/go/go-numbers';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { RFC1123_LABEL, SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { plainText } from '../../core/text/plain-text';

const FIX = 'use c-m- and eight of a-z, 0-9, e.g. c-m-harvdc01, or another name of up to 63 of a-z, 0-9 and hyphens';
const MAX_LENGTH = 63;

/**
 * What makes a text no id for a management cluster. Rancher takes any annotation without a word and fails, or misbehaves, later.
 *
 * @param clusterName the name of the provisioning Cluster: one that Rancher mirrored from a legacy cluster has its id for a name
 * @see seen on Rancher 2.13.8; rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp
 */
export function* checkManagementClusterId(path: string, id: string, clusterName?: string): Iterable<Problem> {
  if (isLate(id)) { return; }
  if (id.length > MAX_LENGTH) {
    yield {
      path,
      value: id,
      fix: FIX,
      says: `must be no more than ${MAX_LENGTH} characters`,
      message: `has ${id.length} characters: Rancher makes the cluster and then can not make its namespace, so it never becomes usable`,
    };
  } else if (!RFC1123_LABEL.test(id)) {
    yield {
      path,
      value: id,
      message: 'can be no name of a cluster: it never becomes one, and only Rancher\'s log says so',
      fix: FIX,
      says: 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \'-\' or \'.\'',
    };
  } else if (SYSTEM_NAMESPACES.includes(id)) {
    yield { path, value: id, message: 'is a namespace of the system: Rancher adopts the namespace of an id and removes it with the cluster', fix: FIX };
  } else if (LEGACY_CLUSTER_ID.test(id) && id !== clusterName) {
    yield { path, value: id, message: `has the form of a legacy cluster: Rancher makes a second provisioning Cluster ${id} from it`, fix: FIX };
  }
}

const KNOWN = ['name', 'value'];

/** The agent's variable for its data directory: only for clusters whose nodes Rancher provisions, and there replaced by dataDirectories. */
export const AGENT_VAR_DIR = 'CATTLE_AGENT_VAR_DIR';

/**
 * What is wrong with the environment variables of Rancher's cluster agent, whitespace in NO_PROXY aside.
 *
 * The agent's variables have a name and a value, nothing else: what comes from Secrets or fields of the pod is dropped. Values are shown by no
 * problem: many are passwords.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 EnvVar
 */
export function* checkAgentEnvVars(path: string, list: unknown): Iterable<Problem> {
  if (list === undefined || list === null) { return; }
  if (!Array.isArray(list)) {
    yield { path, message: 'is no list', fix: 'give a list of name and value', says: `must be of type array: "${typeof list}"` };
    return;
  }
  const seen = new Map<string, number>();
  for (const [index, variable] of list.entries()) {
    const at = `${path}[${index}]`;
    if (!isRecord(variable)) {
      yield { path: at, message: 'is no variable', fix: 'give a name and a value', says: 'must be of type object' };
      continue;
    }
    yield* checkVariable(at, variable);
    const { name } = variable;
    // one with a = is told above, and may hold a value, which no problem shows
    if (typeof name !== 'string' || name === '' || name.includes('=')) { continue; }
    const first = seen.get(name);
    if (first !== undefined) {
      yield { path: `${at}.name`, value: name, level: 'warning', message: `stands twice: first at ${path}[${first}]; the last one counts`, fix: 'keep one of them' };
    }
    seen.set(name, first ?? index);
  }
}

function* checkVariable(path: string, variable: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { name, value } = variable;
  if (typeof name !== 'string' || (!isLate(name) && (name === '' || name.includes('=')))) {
    yield { path: `${path}.name`, message: 'is no name of a variable', fix: 'give a name without "="' };
  }
  if (value !== undefined && value !== null && typeof value !== 'string') {
    yield {
      path: `${path}.value`,
      message: 'must be text',
      fix: typeof value === 'object' ? 'give the text itself' : 'write it in quotes',
      says: `must be of type string: "${typeof value}"`,
    };
  }
  for (const field of Object.keys(variable).filter((key) => !KNOWN.includes(key))) {
    // somebody may have written NAME=value where the field belongs
    const at = field.includes('=') ? path : `${path}.${field}`;
    yield {
      path: at,
      message: 'does not exist for variables of the agent: it is dropped and the variable stays empty',
      fix: 'give the value itself',
      says: `unknown field "${at}"`,
    };
  }
}

/**
 * The value that Rancher takes for NO_PROXY: that of the first variable of this name, in whatever case.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go retrieveNoProxy
 */
export function noProxyOf(list: unknown): { readonly index: number; readonly value: string } | undefined {
  if (!Array.isArray(list)) { return undefined; }
  const index = list.findIndex((variable) => isNoProxy(variable));
  const value: unknown = index < 0 ? undefined : list[index].value;
  return typeof value === 'string' ? { index, value } : undefined;
}

/** Whether a variable is called NO_PROXY, in whatever case. */
export function isNoProxy(variable: unknown): boolean {
  return isRecord(variable) && typeof variable.name === 'string' && variable.name.toLowerCase() === 'no_proxy';
}

/**
 * Who judges a budget. `definition`: the structural definition of provisioning Clusters (Rancher 2.12 and later) and then the webhook.
 * `webhook`: the webhook alone. `setting`: the webhook on the JSON of a Rancher Setting, which takes no field left out.
 */
export type BudgetJudge = 'definition' | 'webhook' | 'setting';

const PERCENTAGE = /^([0-9]|[1-9][0-9]|100)%$/;
const DEFINITION = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0)|)$/;
const DISRUPTION_BUDGET_MAX_LENGTH = 10;

const DISRUPTION_BUDGET_FIX = 'give one of them, as text: a whole number such as "1", or a percentage from "1%" to "100%"';
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
    yield { path: `${path}.${field}`, value, message: 'must be text', fix: DISRUPTION_BUDGET_FIX, says: `must be of type string: "${typeof value}"` };
  }
  if (mistyped) { return; }

  const min = textOf(budget.minAvailable);
  const max = textOf(budget.maxUnavailable);
  const zeros = min === '0' && max === '0' && judge !== 'setting';
  if ((min === '' && max === '') || zeros || (!isNothing(min) && !isNothing(max))) {
    yield { path, value: budget, message: isNothing(min) ? 'sets neither minAvailable nor maxUnavailable' : 'sets both minAvailable and maxUnavailable', fix: DISRUPTION_BUDGET_FIX, says: SAYS_BOTH };
    return;
  }
  yield* checkAmount(`${path}.minAvailable`, min, judge);
  yield* checkAmount(`${path}.maxUnavailable`, max, judge);
}

function* checkAmount(path: string, amount: string, judge: BudgetJudge): Iterable<Problem> {
  if (judge === 'definition') {
    if (amount.length > DISRUPTION_BUDGET_MAX_LENGTH || !DEFINITION.test(amount)) {
      yield { path, value: amount, message: 'is neither a whole number nor a percentage', fix: DISRUPTION_BUDGET_FIX, says: `should match '${DEFINITION.source}'` };
    }
    return;
  }
  if (amount === '' && judge === 'webhook') { return; }
  const parsed = atoi(amount);
  if (parsed !== undefined && parsed < 0) {
    yield { path, value: amount, message: 'is negative', fix: DISRUPTION_BUDGET_FIX, says: `${path.slice(path.lastIndexOf('.') + 1)} cannot be set to a negative integer` };
  } else if (parsed === undefined && !PERCENTAGE.test(amount)) {
    yield {
      path,
      value: amount,
      says: `must be a non-negative whole integer or a percentage value between 0 and 100, regex used is '${PERCENTAGE.source}'`,
      ...(amount === ''
        ? { message: 'is left out: in a Setting Rancher wants both values', fix: 'write "0" for the one that does not count' }
        : { message: 'is neither a whole number nor a percentage', fix: DISRUPTION_BUDGET_FIX }),
    };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isNothing(amount: string): boolean {
  return amount === '' || amount === '0';
}

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
