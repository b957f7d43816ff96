import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { compare, quantityOf } from '../../core/text/values';

/**
 * The resources that Rancher's quotas limit, in the order of its Go struct, which is the order that
 * its controllers write them back in.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go ResourceQuotaLimit
 */
const QUOTA_KEYS = [
  'pods',
  'services',
  'replicationControllers',
  'secrets',
  'configMaps',
  'persistentVolumeClaims',
  'servicesNodePorts',
  'servicesLoadBalancers',
  'requestsCpu',
  'requestsMemory',
  'requestsStorage',
  'limitsCpu',
  'limitsMemory',
] as const;

/** The key of quotas of other resources by their Kubernetes names. */
const QUOTA_EXTENDED = 'extended';

/**
 * The defaults that a container gets where it names none, in the order of Rancher's Go struct
 * ContainerResourceLimit.
 */
export const CONTAINER_LIMIT_KEYS = [
  'requestsCpu',
  'requestsMemory',
  'limitsCpu',
  'limitsMemory',
] as const;

/**
 * A quota as Rancher stores it: Kubernetes quantities as text.
 *
 * Extended resources have the key `extended.<name>`, e.g. `extended.requests.nvidia.com/gpu`.
 */
export interface QuotaLimit {
  readonly [key: string]: string;
}

/** The prefix of extended resources in a QuotaLimit. */
export const EXTENDED_PREFIX = `${QUOTA_EXTENDED}.`;

/**
 * The number of virtual machines in a QuotaLimit.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#object-count-quota
 */
export const VM_COUNT = `${EXTENDED_PREFIX}count/virtualmachines.kubevirt.io`;

/**
 * A quota as Rancher takes it before it has extended resources, without the number of virtual
 * machines. Undefined if nothing is left.
 */
export function withoutVmCount({
  [VM_COUNT]: _count,
  ...limit
}: QuotaLimit): QuotaLimit | undefined {
  return Object.keys(limit).length > 0 ? limit : undefined;
}

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/**
 * An amount of CPU in the canonical text of Kubernetes: `2`, `500m`. Rounded up to whole
 * thousandths, as an API server does.
 */
export function cpuText(cores: number): string {
  const millis = Math.ceil(Number((cores * 1000).toFixed(6)));
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

/**
 * An amount of bytes in the canonical text of Kubernetes: the largest binary unit that leaves no
 * fraction, e.g. `128Gi`, `1536Mi`.
 */
export function bytesText(bytes: number): string {
  let [value, unit] = [Math.ceil(bytes), ''];
  for (const next of BINARY) {
    if (value === 0 || value % 1024 !== 0) {
      break;
    }
    [value, unit] = [value / 1024, next];
  }
  return `${value}${unit}`;
}

/**
 * An amount in the unit of a limit, to compare both: `20.06` with `16`, `25.5Gi` with `8Gi`.
 * Rounded up. Undefined for units below GiB.
 */
export function amountInUnitOf(limit: string, amount: number, isCpu: boolean): string | undefined {
  if (isCpu) {
    const millis = Math.ceil(Number((amount * 1000).toFixed(6)));
    return limit.endsWith('m') ? `${millis}m` : String(millis / 1000);
  }
  const unit = BINARY.slice(2).find((each) => limit.endsWith(each));
  return (
    unit &&
    `${Math.ceil(Number(((amount / 1024 ** (BINARY.indexOf(unit) + 1)) * 100).toFixed(6))) / 100}${unit}`
  );
}

/** A quota as the field `limit` of a Project: keys in the order of Rancher's struct. */
export function quotaFields(limit: QuotaLimit): { [key: string]: unknown } {
  const fields: { [key: string]: unknown } = {};
  for (const key of QUOTA_KEYS) {
    if (limit[key] !== undefined) {
      fields[key] = limit[key];
    }
  }
  const extended = Object.keys(limit)
    .filter((key) => key.startsWith(EXTENDED_PREFIX))
    .sort(compare);
  if (extended.length > 0) {
    fields[QUOTA_EXTENDED] = Object.fromEntries(
      extended.map((key) => [key.slice(EXTENDED_PREFIX.length), limit[key]]),
    );
  }
  return fields;
}

/**
 * A quota as the annotation of a Namespace, as Rancher writes it back: compact, keys in the order
 * of its struct.
 */
export function quotaJson(limit: QuotaLimit): string {
  return JSON.stringify({ limit: quotaFields(limit) });
}

/** Container defaults as fields of a Project. */
export function containerLimitFields(limit: QuotaLimit): { [key: string]: string } {
  return Object.fromEntries(
    CONTAINER_LIMIT_KEYS.flatMap((key) => (limit[key] === undefined ? [] : [[key, limit[key]]])),
  );
}

/** Container defaults as the annotation of a Namespace. */
export function containerLimitJson(limit: QuotaLimit): string {
  return JSON.stringify(containerLimitFields(limit));
}

/**
 * Reads a quota from a manifest, as flat keys. Values that are neither text nor numbers are left
 * out.
 */
export function quotaLimitOf(limit: unknown): QuotaLimit {
  if (!isRecord(limit)) {
    return {};
  }
  const flat: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(limit)) {
    if (key === QUOTA_EXTENDED && isRecord(value)) {
      for (const [name, amount] of Object.entries(value)) {
        put(flat, `${EXTENDED_PREFIX}${name}`, amount);
      }
    } else {
      put(flat, key, value);
    }
  }
  return flat;
}

function put(flat: { [key: string]: string }, key: string, value: unknown): void {
  // Rancher treats an empty text as no limit
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
    flat[key] = String(value);
  }
}

/** Checks the keys and values of a quota. */
export function checkQuotaLimit(path: string, limit: QuotaLimit): Problem[] {
  return Object.keys(limit).flatMap((key) => {
    const ofKey = checkKey(path, key);
    const ofAmount = checkAmount(path, key, limit[key]);
    return ofKey === NO_PROBLEMS ? ofAmount : [...ofKey, ...ofAmount];
  });
}

/**
 * Checks a project's quota and the default of its namespaces: Rancher requires both or none, with
 * the same resources, and no default that exceeds the quota.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go; live on Rancher 2.13.8
 */
export function checkProjectQuotas(
  paths: { readonly quota: string; readonly namespaceDefault: string },
  quota: QuotaLimit | undefined,
  namespaceDefault: QuotaLimit | undefined,
): Problem[] {
  if (!quota && !namespaceDefault) {
    return [];
  }
  if (!namespaceDefault) {
    return [
      {
        path: paths.namespaceDefault,
        message:
          'must be set: Rancher requires a default for namespaces with the quota of a project',
        fix: 'set one with the same resources',
        says: 'required when resourceQuota is set',
      },
    ];
  }
  if (!quota) {
    return [
      {
        path: paths.quota,
        message: 'must be set: a default for namespaces needs a quota of the project',
        fix: 'set one with the same resources, or remove both',
        says: 'required when namespaceDefaultResourceQuota is set',
      },
    ];
  }
  return [
    ...missing(paths.namespaceDefault, quota, namespaceDefault),
    ...missing(paths.quota, namespaceDefault, quota),
    ...exceeding(paths, quota, namespaceDefault),
  ];
}

/** The words of Rancher's webhook for a request above its limit, for a Namespace or a Project. */
export type RequestRefusal = (key: string, request: string, most: string) => string;

/** @see rancher/webhook:pkg/resources/core/v1/namespace/requestlimits.go, from 0.7 on */
const OF_NAMESPACE: RequestRefusal = (what, request, most) =>
  `requests${what} (${request}) cannot be greater than limits${what} (${most})`;

/** @see rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go, from 0.5 on */
export const OF_PROJECT: RequestRefusal = (what, request, most) =>
  `requested ${what === 'Cpu' ? 'CPU' : 'memory'} ${request} is greater than limit ${most}`;

/** Checks the defaults of containers: requests are at most the limits. */
export function checkContainerLimits(
  path: string,
  limit: QuotaLimit,
  refusal: RequestRefusal = OF_NAMESPACE,
): Problem[] {
  const problems = Object.keys(limit).flatMap((key) => checkAmount(path, key, limit[key]));
  for (const what of ['Cpu', 'Memory']) {
    const [request, most] = [limit[`requests${what}`], limit[`limits${what}`]];
    if (request !== undefined && most !== undefined && isMore(request, most)) {
      problems.push({
        path: `${path}.requests${what}`,
        value: request,
        message: `must be at most limits${what}, ${most}`,
        fix: 'lower the request, or raise the limit',
        says: refusal(what, request, most),
      });
    }
  }
  return problems;
}

/** The quota of one namespace of a project: its own, or the project's default. */
export interface NamespaceQuota {
  readonly namespace: string;
  readonly limit: QuotaLimit;
}

/**
 * Checks that the quotas of a project's namespaces together are at most that of the project.
 * Rancher accepts more and then, depending on its version, applies the full quota of a namespace or
 * none.
 *
 * @param path path of the problems
 * @see facts seen on Rancher 2.13.8: accepted, with only `ResourceQuotaValidated False` in an annotation
 */
export function checkQuotaSums(
  path: string,
  quota: QuotaLimit,
  namespaces: readonly NamespaceQuota[],
): Problem[] {
  // a negative amount has a finding of its own
  return Object.keys(quota)
    .filter((key) => isExceeded(key, quota, namespaces))
    .map((key) => {
      const parts = namespaces
        .filter(({ limit }) => amountOf(limit[key]))
        .map(({ namespace, limit }) => `${namespace} ${limit[key]}`)
        .join(', ');
      return {
        path: `${path}.${key}`,
        value: quota[key],
        message: `must be at least the sum of the quotas of the project's namespaces: ${parts}`,
        fix: 'raise the quota of the project, or lower those of its namespaces; a namespace that is not used yet can have the quota 0',
        says: 'exceeds project limit',
      };
    });
}

function isExceeded(
  key: string,
  quota: QuotaLimit,
  namespaces: readonly NamespaceQuota[],
): boolean {
  const total = amountOf(quota[key]);
  let sum = 0;
  for (const { limit } of namespaces) {
    sum += amountOf(limit[key]) ?? 0;
  }
  return total !== undefined && sum > 0 && round(sum) > round(total);
}

/** Resources in a namespace's quota that its project's default lacks: Rancher drops them. */
export function checkNamespaceKeys(
  path: string,
  limit: QuotaLimit,
  namespaceDefault: QuotaLimit,
): Problem[] {
  return Object.keys(limit)
    .filter((key) => !(key in namespaceDefault))
    .map((key) => ({
      path: `${path}.${key}`,
      value: limit[key],
      message: 'cannot be limited in a namespace only: Rancher drops it',
      fix: 'add it to the quota of the project and to its default for namespaces',
    }));
}

/** The amount of a limit as a number; undefined if it is missing, late or not a quantity. */
export function amountOf(value: string | undefined): number | undefined {
  return value === undefined || isLate(value) ? undefined : quantityOf(value);
}

function checkKey(path: string, key: string): readonly Problem[] {
  if (key.startsWith(EXTENDED_PREFIX) || (QUOTA_KEYS as readonly string[]).includes(key)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: `${path}.${key}`,
      message: 'must be a resource that Rancher limits',
      fix: `use ${QUOTA_KEYS.join(', ')}, or set other resources in extended`,
    },
  ];
}

function checkAmount(map: string, key: string, value: string): readonly Problem[] {
  const amount = isLate(value) ? 0 : quantityOf(value);
  if (amount !== undefined && amount >= 0) {
    return NO_PROBLEMS;
  }
  const path = `${map}.${key}`;
  return amount === undefined
    ? [{ path, value, message: 'must be a Kubernetes quantity', fix: 'write e.g. 2, 500m or 8Gi' }]
    : [{ path, value, message: 'must be 0 or more', fix: 'set 0 or more' }];
}

function missing(path: string, from: QuotaLimit, to: QuotaLimit): Problem[] {
  return Object.keys(from)
    .filter((key) => !(key in to))
    .map((key) => ({
      path: `${path}.${key}`,
      message:
        'must be set: the quota of a project and its default for namespaces limit the same resources',
      fix: `set it (the other has ${from[key]}), or remove ${key} from both`,
      says: 'resource quota and namespace default quota do not have the same resources defined',
    }));
}

function exceeding(
  paths: { readonly namespaceDefault: string },
  quota: QuotaLimit,
  namespaceDefault: QuotaLimit,
): Problem[] {
  return Object.keys(quota)
    .filter((key) => isMore(namespaceDefault[key], quota[key]))
    .map((key) => ({
      path: `${paths.namespaceDefault}.${key}`,
      value: namespaceDefault[key],
      message: `must be at most the quota of the project, ${quota[key]}`,
      fix: 'lower it, or raise the quota of the project',
      says: `namespace default quota limit exceeds project limit on fields: ${key}`,
    }));
}

function isMore(one: string | undefined, other: string | undefined): boolean {
  const a = amountOf(one);
  const b = amountOf(other);
  return a !== undefined && b !== undefined && round(a) > round(b);
}

// sums of decimal fractions are inexact; Kubernetes counts in thousandths
function round(amount: number): number {
  return Math.round(amount * 1000);
}
