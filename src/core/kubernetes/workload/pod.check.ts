import { checkMounts, CONTAINER, SECURITY, VOLUME } from './container.check';
import { isLate } from '../../late/late-token';
import { isRecord, itemsAt } from '../../manifest/manifest';
import { checkLabelSelector } from '../../problem/label';
import { NO_PROBLEMS, Problem, problemsOf } from '../../problem/problem';
import { each, fields, ValueCheck } from '../../rule/kit/values';
import { plainText } from '../../text/plain-text';
import {
  all,
  between,
  DNS_LABEL,
  distinct,
  duplicate,
  HOST,
  IP_ADDRESS,
  isUnset,
  items,
  LABEL_TEXT,
  LABELS,
  missing,
  needed,
  object,
  POSITIVE,
  QUALIFIED_NAME,
  structOf,
  SUBDOMAIN,
  USER_ID,
} from '../value/value.check';

/** A selector of labels. */
export const SELECTOR: ValueCheck = (path, value) => [...checkLabelSelector(path, value)];

const NODE_OPERATORS_WITH_VALUES = ['In', 'NotIn'];

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateNodeSelectorRequirement */
const NODE_REQUIREMENT = all(
  structOf({ key: QUALIFIED_NAME, values: each(LABEL_TEXT) }),
  object((path, { operator, values }) => {
    if (NODE_OPERATORS_WITH_VALUES.includes(plainText(operator)) && isUnset(values)) {
      return missing(`${path}.values`);
    }
    const isOne = itemsAt(values).length === 1;
    if ((operator === 'Gt' || operator === 'Lt') && !isOne) {
      return missing(`${path}.values`, 'set one number', `${operator} compares with one number`);
    }
    const hasNone = operator === 'Exists' || operator === 'DoesNotExist';
    return hasNone && !isUnset(values)
      ? [
          {
            path: `${path}.values`,
            message: `cannot be set for ${plainText(operator)}`,
            fix: 'remove the values, or use In or NotIn',
            says: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          },
        ]
      : NO_PROBLEMS;
  }),
);

const NODE_TERM = fields({ matchExpressions: items(NODE_REQUIREMENT) });

export const NODE_SELECTOR = fields({ nodeSelectorTerms: needed(items(NODE_TERM)) });

const WEIGHT = between(1, 100, 'must be in the range 1-100');

const POD_TERM = structOf({
  topologyKey: (path, value) => (value === '' ? missing(path) : QUALIFIED_NAME(path, value)),
  labelSelector: SELECTOR,
  namespaceSelector: SELECTOR,
});

const POD_AFFINITY = fields({
  requiredDuringSchedulingIgnoredDuringExecution: items(POD_TERM),
  preferredDuringSchedulingIgnoredDuringExecution: items(
    structOf({ weight: WEIGHT, podAffinityTerm: POD_TERM }),
  ),
});

export const AFFINITY = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: NODE_SELECTOR,
    preferredDuringSchedulingIgnoredDuringExecution: items(
      structOf({ weight: WEIGHT, preference: NODE_TERM }),
    ),
  }),
  podAffinity: POD_AFFINITY,
  podAntiAffinity: POD_AFFINITY,
});

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateTolerations */
const TOLERATION = all(
  structOf({ key: QUALIFIED_NAME, value: LABEL_TEXT }),
  object((path, { key, operator, value, effect, tolerationSeconds }) => {
    const problems: Problem[] = [];
    if (isUnset(key) && operator !== 'Exists') {
      problems.push({
        path: `${path}.operator`,
        message: 'must be Exists without a key',
        fix: 'set the key of the taint, or the operator Exists for all taints',
        says: 'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      });
    }
    if (operator === 'Exists' && !isUnset(value)) {
      problems.push({
        path: `${path}.operator`,
        message: 'cannot be Exists with a value',
        fix: 'remove the value, or use Equal',
        says: "value must be empty when `operator` is 'Exists'",
      });
    }
    if (tolerationSeconds !== undefined && tolerationSeconds !== null && effect !== 'NoExecute') {
      problems.push({
        path: `${path}.effect`,
        message: 'must be NoExecute with tolerationSeconds',
        fix: 'set the effect NoExecute, or remove tolerationSeconds',
        says: "effect must be 'NoExecute' when `tolerationSeconds` is set",
      });
    }
    return problems;
  }),
);

const SPREAD = structOf({
  maxSkew: POSITIVE,
  labelSelector: SELECTOR,
  minDomains: POSITIVE,
});

const HOST_ALIAS = structOf({ ip: IP_ADDRESS, hostnames: each(needed(HOST)) });

const POD_FIELDS = {
  activeDeadlineSeconds: POSITIVE,
  affinity: AFFINITY,
  containers: needed(all(items(CONTAINER), distinct('name'))),
  hostAliases: items(HOST_ALIAS),
  hostname: DNS_LABEL,
  initContainers: all(items(CONTAINER), distinct('name')),
  nodeName: SUBDOMAIN,
  nodeSelector: LABELS,
  priorityClassName: SUBDOMAIN,
  securityContext: all(SECURITY, fields({ fsGroup: USER_ID })),
  serviceAccountName: SUBDOMAIN,
  subdomain: DNS_LABEL,
  tolerations: items(TOLERATION),
  topologySpreadConstraints: items(SPREAD),
  volumes: all(items(VOLUME), distinct('name')),
} as const;

/** Constraints that differ in their topology or in what happens without a place. */
const CONSTRAINTS = object((path, { topologySpreadConstraints }) => {
  const seen = new Set<string>();
  return problemsOf(itemsAt(topologySpreadConstraints), (constraint, index) => {
    const { topologyKey, whenUnsatisfiable } = isRecord(constraint) ? constraint : {};
    const key = `${plainText(topologyKey)} ${plainText(whenUnsatisfiable)}`;
    const isAgain = seen.has(key) && !isLate(key);
    seen.add(key);
    return isAgain && duplicate(`${path}.topologySpreadConstraints[${index}]`, key);
  });
});

/** A name that a container and an init container have both. */
const NAMES = object((path, { containers, initContainers }) => {
  const names = new Set(
    itemsAt(containers).map((container) => isRecord(container) && container.name),
  );
  return problemsOf(itemsAt(initContainers), (container, index) => {
    const name = isRecord(container) ? container.name : undefined;
    return (
      !isUnset(name) &&
      !isLate(name) &&
      names.has(name as string) && {
        path: `${path}.initContainers[${index}].name`,
        value: name,
        message: 'must differ from the names of the containers',
        fix: 'give it another name',
        says: 'Duplicate value',
      }
    );
  });
});

/**
 * What a Pod runs.
 *
 * @param claims the names of volumes that its StatefulSet adds
 * @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidatePodSpec (v1.34.4)
 */
export function podSpec(claims: readonly unknown[] = []): ValueCheck {
  return all(
    (path, value) =>
      [...structOf(POD_FIELDS)(path, value)]
        // a StatefulSet replaces such volumes
        .filter(({ path: at }) => !isOfClaim(value, at.slice(path.length), claims)),
    NAMES,
    CONSTRAINTS,
    object((path, value) => checkMounts(path, value, claims)),
  );
}

function isOfClaim(spec: unknown, at: string, claims: readonly unknown[]): boolean {
  const [, index] = /^\.volumes\[(\d+)\]/.exec(at) ?? [];
  const volume: unknown =
    index === undefined
      ? undefined
      : itemsAt((spec as { volumes?: unknown }).volumes)[Number(index)];
  return isRecord(volume) && claims.includes(volume.name);
}

const TEMPLATE_METADATA = fields({ labels: LABELS });

/** A template of Pods. */
export function podTemplate(claims: readonly unknown[] = []): ValueCheck {
  return structOf({ metadata: TEMPLATE_METADATA, spec: podSpec(claims) });
}
