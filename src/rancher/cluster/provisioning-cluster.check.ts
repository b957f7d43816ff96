import { LEGACY_CLUSTER_ID } from './cluster.facts';
import { atoi } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { RFC1123_LABEL, SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { plainText, textOrEmpty } from '../../core/text/plain-text';

const FIX =
  'use c-m- and eight characters of a-z and 0-9, e.g. c-m-harvdc01, or another name of at most 63 characters of a-z, 0-9 and hyphens';
const MAX_LENGTH = 63;

/**
 * Checks a management cluster ID. Rancher silently accepts any annotation and fails or misbehaves
 * later.
 *
 * @param clusterName the name of the provisioning Cluster: one that Rancher mirrored from a legacy cluster is named after its ID
 * @see seen on Rancher 2.13.8; rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp
 */
export function checkManagementClusterId(
  path: string,
  id: string,
  clusterName?: string,
): readonly Problem[] {
  if (isLate(id)) {
    return NO_PROBLEMS;
  }
  if (id.length > MAX_LENGTH) {
    return [
      {
        path,
        value: id,
        fix: FIX,
        says: `must be no more than ${MAX_LENGTH} characters`,
        message: `must have at most ${MAX_LENGTH} characters (it has ${id.length}): Rancher cannot create the namespace of the cluster, which never becomes usable`,
      },
    ];
  } else if (!RFC1123_LABEL.test(id)) {
    return [
      {
        path,
        value: id,
        message:
          'must consist of a-z, 0-9 and hyphens: Rancher never creates the cluster and reports this only in its log',
        fix: FIX,
        says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
      },
    ];
  } else if (SYSTEM_NAMESPACES.includes(id)) {
    return [
      {
        path,
        value: id,
        message:
          'cannot be a system namespace: Rancher adopts the namespace of an ID and deletes it with the cluster',
        fix: FIX,
      },
    ];
  } else if (LEGACY_CLUSTER_ID.test(id) && id !== clusterName) {
    return [
      {
        path,
        value: id,
        message: `cannot have the legacy form: Rancher would create a second provisioning Cluster ${id} from it`,
        fix: FIX,
      },
    ];
  }
  return NO_PROBLEMS;
}

const KNOWN = ['name', 'value'];

/**
 * The agent's variable for its data directory: only for clusters whose nodes Rancher provisions,
 * where dataDirectories replaces it.
 */
export const AGENT_VAR_DIR = 'CATTLE_AGENT_VAR_DIR';

/**
 * Checks the environment variables of Rancher's cluster agent, except for whitespace in NO_PROXY.
 *
 * A variable has only a name and a value: Rancher drops references to Secrets and fields of the
 * pod. No problem shows a value: many are passwords.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 EnvVar
 */
export function* checkAgentEnvVars(path: string, list: unknown): Iterable<Problem> {
  if (list === undefined || list === null) {
    return;
  }
  if (!Array.isArray(list)) {
    yield {
      path,
      message: 'must be a list',
      fix: 'use a list of name and value',
      says: `must be of type array: "${typeof list}"`,
    };
    return;
  }
  const seen = new Map<string, number>();
  for (const [index, variable] of list.entries()) {
    const at = `${path}[${index}]`;
    if (!isRecord(variable)) {
      yield {
        path: at,
        message: 'must be a variable',
        fix: 'set name and value',
        says: 'must be of type object',
      };
      continue;
    }
    yield* checkVariable(at, variable);
    const { name } = variable;
    // a name with = is reported above, and may contain a value, which no problem shows
    if (typeof name !== 'string' || name === '' || name.includes('=')) {
      continue;
    }
    const first = seen.get(name);
    if (first !== undefined) {
      yield {
        path: `${at}.name`,
        value: name,
        level: 'warning',
        message: `must be unique: ${path}[${first}] has it, too, and Rancher uses the last one`,
        fix: 'keep one of them',
      };
    }
    seen.set(name, first ?? index);
  }
}

function* checkVariable(
  path: string,
  variable: { readonly [field: string]: unknown },
): Iterable<Problem> {
  const { name, value } = variable;
  if (typeof name !== 'string' || (!isLate(name) && (name === '' || name.includes('=')))) {
    yield {
      path: `${path}.name`,
      message: 'must be a name of a variable, without "="',
      fix: 'write the value to the field value',
    };
  }
  if (value !== undefined && value !== null && typeof value !== 'string') {
    yield {
      path: `${path}.value`,
      message: 'must be text',
      fix: typeof value === 'object' ? 'use the text itself' : 'write it in quotes',
      says: `must be of type string: "${typeof value}"`,
    };
  }
  for (const field of Object.keys(variable).filter((key) => !KNOWN.includes(key))) {
    // the user may have written NAME=value in place of the field
    const at = field.includes('=') ? path : `${path}.${field}`;
    yield {
      path: at,
      message: 'must be name or value: Rancher drops other fields, and the variable remains empty',
      fix: 'set the value itself',
      says: `unknown field "${at}"`,
    };
  }
}

/**
 * The value that Rancher uses for NO_PROXY: that of the first variable of this name, in any case.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go retrieveNoProxy
 */
export function noProxyOf(
  list: unknown,
): { readonly index: number; readonly value: string } | undefined {
  if (!Array.isArray(list)) {
    return undefined;
  }
  const index = list.findIndex((variable) => setsNoProxy(variable));
  const value: unknown = index < 0 ? undefined : list[index].value;
  return typeof value === 'string' ? { index, value } : undefined;
}

/** Whether the name of a variable is NO_PROXY, in any case. */
export function setsNoProxy(variable: unknown): boolean {
  return (
    isRecord(variable) &&
    typeof variable.name === 'string' &&
    variable.name.toLowerCase() === 'no_proxy'
  );
}

const PERCENTAGE = /^([0-9]|[1-9][0-9]|100)%$/;
const DISRUPTION_BUDGET_FIX =
  'set one of them, as text: a whole number such as "1", or a percentage from "1%" to "100%"';
const REFUSED_BOTH =
  'both minAvailable and maxUnavailable cannot be set to a non zero value, at least one must be omitted or set to zero';

/**
 * Checks the disruption budget of an agent as Rancher's webhook does: exactly one of both values,
 * as text.
 *
 * @param isSetting whether it is the JSON of a Rancher Setting, where both fields are required
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateSinglePodDisruptionBudget
 */
export function* checkDisruptionBudget(
  path: string,
  budget: unknown,
  isSetting = false,
): Iterable<Problem> {
  if (!isRecord(budget)) {
    return;
  }
  let mistyped = false;
  for (const field of ['minAvailable', 'maxUnavailable']) {
    const value = budget[field];
    if (value === undefined || value === null || typeof value === 'string') {
      continue;
    }
    mistyped = true;
    yield {
      path: `${path}.${field}`,
      value,
      message: 'must be text',
      fix: DISRUPTION_BUDGET_FIX,
      says: `must be of type string: "${typeof value}"`,
    };
  }
  if (mistyped) {
    return;
  }

  const min = textOrEmpty(budget.minAvailable);
  const max = textOrEmpty(budget.maxUnavailable);
  const zeros = min === '0' && max === '0' && !isSetting;
  if ((min === '' && max === '') || zeros || (!isNothing(min) && !isNothing(max))) {
    yield {
      path,
      value: budget,
      message: `must set one of minAvailable and maxUnavailable: it sets ${isNothing(min) ? 'neither' : 'both'}`,
      fix: DISRUPTION_BUDGET_FIX,
      says: REFUSED_BOTH,
    };
    return;
  }
  yield* checkAmount(`${path}.minAvailable`, min, isSetting);
  yield* checkAmount(`${path}.maxUnavailable`, max, isSetting);
}

function* checkAmount(path: string, amount: string, isSetting: boolean): Iterable<Problem> {
  if (amount === '' && !isSetting) {
    return;
  }
  const parsed = atoi(amount);
  if (parsed !== undefined && parsed < 0) {
    yield {
      path,
      value: amount,
      message: 'must be 0 or more',
      fix: DISRUPTION_BUDGET_FIX,
      says: `${path.slice(path.lastIndexOf('.') + 1)} cannot be set to a negative integer`,
    };
  } else if (parsed === undefined && !PERCENTAGE.test(amount)) {
    yield {
      path,
      value: amount,
      says: `must be a non-negative whole integer or a percentage value between 0 and 100, regex used is '${PERCENTAGE.source}'`,
      ...(amount === ''
        ? {
            message: 'must be set: a Setting needs both values',
            fix: 'write "0" for the value without effect',
          }
        : { message: 'must be a whole number or a percentage', fix: DISRUPTION_BUDGET_FIX }),
    };
  }
}

function isNothing(amount: string): boolean {
  return amount === '' || amount === '0';
}

const LIMIT = 1_000_000_000;

/** Whether Pods of a PriorityClass take the place of Pods with a lower priority. */
export enum PreemptionPolicy {
  /** They wait for a place. */
  NEVER = 'Never',
  /** Pods with a lower priority are evicted for them. */
  PREEMPT_LOWER_PRIORITY = 'PreemptLowerPriority',
}

const POLICIES: readonly string[] = Object.values(PreemptionPolicy);

/** The PriorityClass of an agent. */
export interface AgentPriorityClass {
  /** The value of the PriorityClass: -1,000,000,000 to 1,000,000,000. */
  readonly priority: number;
  /**
   * Whether Pods with a lower priority are evicted for the agent.
   * @default PreemptionPolicy.PREEMPT_LOWER_PRIORITY
   */
  readonly preemptionPolicy?: PreemptionPolicy;
}

/**
 * The PodDisruptionBudget of an agent, or of Rancher's webhook: set `minAvailable` or
 * `maxUnavailable`.
 */
export interface AgentDisruptionBudget {
  /**
   * Pods that must remain available, as a number or a percentage, e.g. `1` or `50%`.
   * @default - no minimum
   */
  readonly minAvailable?: string;
  /**
   * Pods that may be unavailable, as a number or a percentage, e.g. `1` or `50%`.
   * @default - no maximum
   */
  readonly maxUnavailable?: string;
}

/**
 * Checks the priority class of an agent: its value and preemption policy.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateSinglePriorityClass
 */
export function* checkPriorityClass(path: string, priority: unknown): Iterable<Problem> {
  if (!isRecord(priority)) {
    return;
  }
  const { value, preemptionPolicy } = priority;
  const fix = 'set a value in this range';
  if (
    value !== undefined &&
    value !== null &&
    (typeof value !== 'number' || !Number.isInteger(value))
  ) {
    yield {
      path: `${path}.value`,
      value,
      message: `must be a whole number from -${LIMIT} to ${LIMIT}`,
      fix,
      says: `must be of type integer: "${typeof value}"`,
    };
  } else if (typeof value === 'number' && Math.abs(value) > LIMIT) {
    const says =
      value > 0
        ? 'Priority Class value cannot be greater than 1 billion'
        : 'Priority Class value cannot be less than negative 1 billion';
    yield {
      path: `${path}.value`,
      value,
      message: `must be from -${LIMIT} to ${LIMIT}`,
      fix,
      says,
    };
  }
  if (
    preemptionPolicy !== undefined &&
    preemptionPolicy !== null &&
    preemptionPolicy !== '' &&
    !POLICIES.includes(plainText(preemptionPolicy))
  ) {
    yield {
      path: `${path}.preemptionPolicy`,
      value: preemptionPolicy,
      message: `must be ${POLICIES.join(' or ')}`,
      fix: 'use one of them, or remove it',
      says: "Priority Class Preemption value must be 'Never', 'PreemptLowerPriority', or omitted",
    };
  }
}
