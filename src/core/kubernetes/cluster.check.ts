import {
  all,
  CIDR,
  distinct,
  DNS_LABEL,
  duplicate,
  forbidden,
  items,
  keyPath,
  LABEL_TEXT,
  LABELS,
  missing,
  NOT_NEGATIVE,
  number,
  object,
  POSITIVE,
  QUALIFIED_NAME,
  QUANTITY_NOT_NEGATIVE,
  structOf,
} from './value/value.check';
import { parseCidr } from '../go/go-ip';
import { isLate } from '../late/late-token';
import { isRecord, itemsAt } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf, problemsOfKeys } from '../problem/problem';
import { fields, must } from '../rule/kit/values';
import { plainText } from '../text/plain-text';
import { tableByName, quantityOf } from '../text/values';

/** Resources of a quota without a group. @see kubernetes/kubernetes:pkg/apis/core/helper/helpers.go IsStandardQuotaResourceName (v1.34.4) */
const QUOTA_RESOURCES = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

const OF_PODS = [
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];

/** The resources that a scope limits. @see kubernetes/kubernetes:pkg/apis/core/helper/helpers.go IsResourceQuotaScopeValidForResource */
const SCOPES: { readonly [scope: string]: readonly string[] | undefined } = tableByName({
  BestEffort: ['pods'],
  NotBestEffort: OF_PODS,
  Terminating: OF_PODS,
  NotTerminating: OF_PODS,
  PriorityClass: OF_PODS,
});

const WHOLE = QUOTA_RESOURCES.slice(QUOTA_RESOURCES.indexOf('pods'));

const HARD = object((path, hard) =>
  problemsOfKeys(hard, (name): readonly Problem[] => {
    const at = keyPath(path, name);
    const value = hard[name];
    if (isLate(name)) {
      return NO_PROBLEMS;
    }
    if (
      !name.includes('/') &&
      !QUOTA_RESOURCES.includes(name) &&
      !/^(requests\.)?hugepages-/.test(name)
    ) {
      return [
        {
          path: at,
          message: 'must be a resource of a quota',
          fix: `use e.g. ${QUOTA_RESOURCES.slice(3, 7).join(', ')}`,
          says: 'must be a standard resource for quota',
        },
      ];
    }
    const isFraction =
      WHOLE.includes(name) && !isLate(value) && !Number.isInteger(quantityOf(value) ?? 0);
    return [
      ...(name.includes('/') ? QUALIFIED_NAME(at, name) : []),
      ...QUANTITY_NOT_NEGATIVE(at, value),
      ...(isFraction
        ? [
            {
              path: at,
              value,
              message: 'must be a whole number',
              fix: 'use a whole number',
              says: 'must be an integer',
            },
          ]
        : []),
    ];
  }),
);

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateResourceQuotaSpec (v1.34.4) */
export const RESOURCE_QUOTA = structOf({
  spec: all(
    fields({ hard: HARD }),
    object((path, { hard, scopes }) =>
      problemsOf(
        itemsAt(scopes).filter((scope) => typeof scope === 'string'),
        (scope) => {
          const allowed = SCOPES[scope];
          const other =
            isRecord(hard) &&
            Object.keys(hard).find(
              (name) => QUOTA_RESOURCES.includes(name) && !allowed?.includes(name),
            );
          return (
            allowed !== undefined &&
            other && {
              path: `${path}.scopes`,
              value: scope,
              message: `cannot limit ${other}`,
              fix: 'use a quota without scopes for it',
              says: 'unsupported scope applied to resource',
            }
          );
        },
      ),
    ),
  ),
});

/** The limits of a LimitRange, each at most the next. */
const ORDER: ReadonlyArray<readonly [string, string]> = [
  ['min', 'defaultRequest'],
  ['min', 'default'],
  ['min', 'max'],
  ['defaultRequest', 'default'],
  ['defaultRequest', 'max'],
  ['default', 'max'],
];

const LIMIT_TYPES = ['Container', 'Pod', 'PersistentVolumeClaim'];

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateLimitRange (v1.34.4) */
const LIMIT = all(
  object(checkLimitType),
  object(checkPodLimit),
  object(checkClaimLimit),
  object(checkLimitOrder),
);

export const LIMIT_RANGE = structOf({
  spec: fields({ limits: all(items(LIMIT), distinct('type')) }),
});

type Limit = { readonly [field: string]: unknown };

function* checkLimitType(path: string, { type }: Limit): Iterable<Problem> {
  if (typeof type !== 'string' || isLate(type) || isLimitType(type)) {
    return;
  }
  yield {
    path: `${path}.type`,
    value: type,
    message: `must be one of ${LIMIT_TYPES.join(', ')}`,
    fix: 'use one of them',
    says: 'must be a standard limit type or fully qualified',
  };
}

function isLimitType(type: string): boolean {
  if (type === '' || LIMIT_TYPES.includes(type)) {
    return true;
  }
  return type.includes('/') && QUALIFIED_NAME('', type).length === 0;
}

/** A Pod has no default. */
function* checkPodLimit(path: string, limit: Limit): Iterable<Problem> {
  if (limit.type !== 'Pod') {
    return;
  }
  for (const field of ['default', 'defaultRequest']) {
    if (resourcesOf(limit, field).length > 0) {
      yield forbidden(
        `${path}.${field}`,
        'the type is Pod',
        'remove it, or use the type Container',
        "may not be specified when `type` is 'Pod'",
      );
    }
  }
}

function checkClaimLimit(path: string, limit: Limit): readonly Problem[] {
  if (
    limit.type !== 'PersistentVolumeClaim' ||
    limitAt(limit, 'min', 'storage') !== undefined ||
    limitAt(limit, 'max', 'storage') !== undefined
  ) {
    return NO_PROBLEMS;
  }
  return missing(`${path}.max.storage`, 'set the least or the largest size of a volume');
}

function* checkLimitOrder(path: string, limit: Limit): Iterable<Problem> {
  for (const [low, high] of ORDER) {
    for (const resource of resourcesOf(limit, low)) {
      const [least, most] = [limitAt(limit, low, resource), limitAt(limit, high, resource)];
      const [from, to] = [quantityOf(least), quantityOf(most)];
      if (from === undefined || to === undefined || from <= to) {
        continue;
      }
      yield {
        path: keyPath(`${path}.${low}`, resource),
        value: least,
        message: `must be at most ${high} (${plainText(most)})`,
        fix: `lower it, or raise ${high}`,
        says: 'is greater than',
      };
    }
  }
}

/** The resources that a field of a limit names, e.g. those of `max`. */
function resourcesOf(limit: Limit, field: string): readonly string[] {
  const { [field]: amounts } = limit;
  return isRecord(amounts) ? Object.keys(amounts) : [];
}

function limitAt(limit: Limit, field: string, resource: string): unknown {
  const { [field]: amounts } = limit;
  return isRecord(amounts) ? amounts[resource] : undefined;
}

const TAINT = structOf({ key: QUALIFIED_NAME, value: LABEL_TEXT });

/** Taints that differ in key or effect. */
const TAINTS = object((path, { taints }) => {
  const seen = new Set<string>();
  return problemsOf(itemsAt(taints).filter(isRecord), ({ key, effect }, index) => {
    const id = `${plainText(key)}:${plainText(effect)}`;
    const isAgain = seen.has(id);
    seen.add(id);
    return isAgain && duplicate(`${path}.taints[${index}]`, id);
  });
});

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateNode (v1.34.4) */
export const NODE = structOf({
  spec: all(
    fields({
      taints: items(TAINT),
      podCIDR: (path, value) => (value === '' ? NO_PROBLEMS : CIDR(path, value)),
    }),
    TAINTS,
    object((path, { podCIDRs }) => {
      const families = itemsAt(podCIDRs).map((cidr) =>
        typeof cidr === 'string' ? parseCidr(cidr)?.family : undefined,
      );
      const isTwice = families.some(
        (family, index) => family !== undefined && families.indexOf(family) !== index,
      );
      return isTwice
        ? [
            {
              path: `${path}.podCIDRs`,
              message: 'can have one network for each IP family',
              fix: 'keep one IPv4 and one IPv6 network',
              says: 'may specify no more than one CIDR for each IP family',
            },
          ]
        : NO_PROBLEMS;
    }),
  ),
});

const MAX_PRIORITY = 1_000_000_000;

/** @see kubernetes/kubernetes:pkg/apis/scheduling/validation/validation.go ValidatePriorityClass (v1.34.4) */
export const PRIORITY_CLASS = structOf({
  value: number(
    (value) => value <= MAX_PRIORITY,
    `at most ${MAX_PRIORITY}`,
    `maximum allowed value of a user defined priority is ${MAX_PRIORITY}`,
  ),
  preemptionPolicy: must((value) => value !== '', {
    message: 'cannot be empty',
    fix: 'remove it, or use Never',
    says: 'Required value',
  }),
});

/** @see kubernetes/kubernetes:pkg/apis/node/validation/validation.go ValidateRuntimeClass (v1.34.4) */
export const RUNTIME_CLASS = structOf({
  handler: DNS_LABEL,
  scheduling: fields({ nodeSelector: LABELS }),
});

/** @see kubernetes/kubernetes:pkg/apis/coordination/validation/validation.go ValidateLeaseSpec (v1.34.4) */
export const LEASE = structOf({
  spec: fields({
    leaseDurationSeconds: POSITIVE,
    leaseTransitions: NOT_NEGATIVE,
  }),
});
