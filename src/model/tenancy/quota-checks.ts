import { EXTENDED_PREFIX, QUOTA_KEYS, QuotaLimit } from './quota-keys';
import { quantityOf } from '../checks/quantity';
import { isLate } from '../late-token';
import { Problem } from '../problem';

/** What is wrong with the values and keys of one quota. */
export function checkQuotaLimit(path: string, limit: QuotaLimit): Problem[] {
  return Object.entries(limit).flatMap(([key, value]) => [...checkKey(path, key), ...checkAmount(`${path}.${key}`, value)]);
}

/**
 * What is wrong with a project's quota and the default of its namespaces: Rancher wants both or none, with the same resources, and no default that
 * is larger than the whole.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go; live on Rancher 2.13.8
 */
export function checkProjectQuotas(
  paths: { readonly quota: string; readonly namespaceDefault: string }, quota: QuotaLimit | undefined, namespaceDefault: QuotaLimit | undefined,
): Problem[] {
  if (!quota && !namespaceDefault) { return []; }
  if (!namespaceDefault) {
    return [{
      path: paths.namespaceDefault,
      message: 'is missing, and Rancher wants a default for namespaces beside the quota of the project',
      fix: 'give one with the same resources',
      says: 'required when resourceQuota is set',
    }];
  }
  if (!quota) {
    return [{
      path: paths.quota,
      message: 'is missing, and a default for namespaces needs a quota of the project',
      fix: 'give one with the same resources, or leave both out',
      says: 'required when namespaceDefaultResourceQuota is set',
    }];
  }
  return [
    ...missing(paths.namespaceDefault, quota, namespaceDefault), ...missing(paths.quota, namespaceDefault, quota),
    ...exceeding(paths, quota, namespaceDefault),
  ];
}

/** What is wrong with the defaults of containers: requests must not be larger than limits. */
export function checkContainerLimits(path: string, limit: QuotaLimit): Problem[] {
  const problems = Object.entries(limit).flatMap(([key, value]) => checkAmount(`${path}.${key}`, value));
  for (const what of ['Cpu', 'Memory']) {
    const [request, most] = [limit[`requests${what}`], limit[`limits${what}`]];
    if (isMore(request, most)) {
      problems.push({
        path: `${path}.requests${what}`,
        value: request,
        message: `is more than limits${what}, ${most}`,
        fix: 'request at most the limit',
        says: `requests${what} (${request}) cannot be greater than limits${what} (${most})`,
      });
    }
  }
  return problems;
}

/** The quota of one namespace of a project: its own, and else the project's default. */
export interface NamespaceQuota {
  readonly namespace: string;
  readonly limit: QuotaLimit;
}

/**
 * What is wrong with the quotas of a project's namespaces: together they must fit the project. The server takes them and then, depending on its
 * version, gives the full size or none at all.
 *
 * @param path for the problems
 * @see facts seen on Rancher 2.13.8: accepted, with only `ResourceQuotaValidated False` in an annotation
 */
export function checkQuotaSums(path: string, quota: QuotaLimit, namespaces: readonly NamespaceQuota[]): Problem[] {
  return Object.entries(quota).flatMap(([key, most]) => {
    const total = amountOf(most);
    const amounts = namespaces.map(({ limit }) => amountOf(limit[key]) ?? 0);
    const sum = amounts.reduce((all, amount) => all + amount, 0);
    // a negative one is told where it stands
    if (total === undefined || sum <= 0 || round(sum) <= round(total)) { return []; }
    const parts = namespaces.filter(({ limit }) => amountOf(limit[key])).map(({ namespace, limit }) => `${namespace} ${limit[key]}`).join(', ');
    return [{
      path: `${path}.${key}`,
      value: most,
      message: `is less than what the project's namespaces have together: ${parts}`,
      fix: 'raise the quota of the project, or lower those of its namespaces',
      says: 'exceeds project limit',
    }];
  });
}

/** Resources in a namespace's quota that its project's default lacks: Rancher drops them. */
export function checkNamespaceKeys(path: string, limit: QuotaLimit, namespaceDefault: QuotaLimit): Problem[] {
  return Object.keys(limit).filter((key) => !(key in namespaceDefault)).map((key) => ({
    path: `${path}.${key}`, value: limit[key], message: 'is not limited by the project, so Rancher drops it', fix: 'add it to the quota of the project and to its default for namespaces',
  }));
}

/** The number that a limit stands for; undefined where there is none or it can't be judged. */
export function amountOf(value: string | undefined): number | undefined {
  return value === undefined || isLate(value) ? undefined : quantityOf(value);
}

function checkKey(path: string, key: string): Problem[] {
  if (key.startsWith(EXTENDED_PREFIX) || (QUOTA_KEYS as readonly string[]).includes(key)) { return []; }
  return [{ path: `${path}.${key}`, message: 'is no resource that Rancher limits', fix: `use ${QUOTA_KEYS.join(', ')}, or extended for others` }];
}

function checkAmount(path: string, value: string): Problem[] {
  if (isLate(value)) { return []; }
  const amount = quantityOf(value);
  if (amount === undefined) { return [{ path, value, message: 'is no Kubernetes quantity', fix: 'write it e.g. 2, 500m or 8Gi' }]; }
  return amount < 0 ? [{ path, value, message: 'is negative', fix: 'give zero or more' }] : [];
}

function missing(path: string, from: QuotaLimit, to: QuotaLimit): Problem[] {
  return Object.keys(from).filter((key) => !(key in to)).map((key) => ({
    path: `${path}.${key}`,
    message: 'is missing: the quota of a project and its default for namespaces must name the same resources',
    fix: `give one (the other names ${from[key]}), or leave ${key} out of both`,
    says: 'resource quota and namespace default quota do not have the same resources defined',
  }));
}

function exceeding(paths: { readonly namespaceDefault: string }, quota: QuotaLimit, namespaceDefault: QuotaLimit): Problem[] {
  return Object.keys(quota).filter((key) => isMore(namespaceDefault[key], quota[key])).map((key) => ({
    path: `${paths.namespaceDefault}.${key}`,
    value: namespaceDefault[key],
    message: `is more than the whole project has, ${quota[key]}`,
    fix: 'give at most that',
    says: `namespace default quota limit exceeds project limit on fields: ${key}`,
  }));
}

function isMore(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [amountOf(one), amountOf(other)];
  return a !== undefined && b !== undefined && round(a) > round(b);
}

// sums of decimal fractions are a little off; Kubernetes counts in thousandths
function round(amount: number): number {
  return Math.round(amount * 1000);
}
