import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { quantityOf } from '../../core/text/quantity';
import { compare } from '../../core/text/values';

/**
 * The resources that Rancher's quotas limit, in the order of its Go struct, which is the order that its controllers write them back in.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go ResourceQuotaLimit
 */
export const QUOTA_KEYS = [
  'pods', 'services', 'replicationControllers', 'secrets', 'configMaps', 'persistentVolumeClaims', 'servicesNodePorts', 'servicesLoadBalancers',
  'requestsCpu', 'requestsMemory', 'requestsStorage', 'limitsCpu', 'limitsMemory',
] as const;

export type QuotaKey = typeof QUOTA_KEYS[number];

/** The key of quotas of other resources by their Kubernetes names. */
export const QUOTA_EXTENDED = 'extended';

/** The defaults that a container gets where it names none, in the order of Rancher's Go struct ContainerResourceLimit. */
export const CONTAINER_LIMIT_KEYS = ['requestsCpu', 'requestsMemory', 'limitsCpu', 'limitsMemory'] as const;

export type ContainerLimitKey = typeof CONTAINER_LIMIT_KEYS[number];

/**
 * A quota as Rancher stores it: Kubernetes quantities as text.
 *
 * Extended resources stand beside the others here, by the key `extended.<name>`, e.g. `extended.requests.nvidia.com/gpu`.
 */
export interface QuotaLimit { readonly [key: string]: string }

/** The prefix of extended resources in a QuotaLimit. */
export const EXTENDED_PREFIX = `${QUOTA_EXTENDED}.`;

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** An amount of CPU in the canonical text of Kubernetes: `2`, `500m`. Rounded up to whole thousandths, as an API server does. */
export function cpuText(cores: number): string {
  const millis = Math.ceil(Number((cores * 1000).toFixed(6)));
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

/** An amount of bytes in the canonical text of Kubernetes: the largest binary unit that leaves no fraction, e.g. `128Gi`, `1536Mi`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [Math.ceil(bytes), ''];
  for (const next of BINARY) {
    if (value === 0 || value % 1024 !== 0) { break; }
    [value, unit] = [value / 1024, next];
  }
  return `${value}${unit}`;
}

/** A quota as the field `limit` of a Project: keys in the order of Rancher's struct. */
export function quotaFields(limit: QuotaLimit): { [key: string]: unknown } {
  const fields: { [key: string]: unknown } = {};
  for (const key of QUOTA_KEYS) {
    if (limit[key] !== undefined) { fields[key] = limit[key]; }
  }
  const extended = Object.keys(limit).filter((key) => key.startsWith(EXTENDED_PREFIX)).sort(compare);
  if (extended.length > 0) { fields[QUOTA_EXTENDED] = Object.fromEntries(extended.map((key) => [key.slice(EXTENDED_PREFIX.length), limit[key]])); }
  return fields;
}

/** A quota as the annotation of a Namespace, as Rancher writes it back: compact, keys in the order of its struct. */
export function quotaJson(limit: QuotaLimit): string {
  return JSON.stringify({ limit: quotaFields(limit) });
}

/** Container defaults as fields of a Project. */
export function containerLimitFields(limit: QuotaLimit): { [key: string]: string } {
  return Object.fromEntries(CONTAINER_LIMIT_KEYS.flatMap((key) => (limit[key] === undefined ? [] : [[key, limit[key]]])));
}

/** Container defaults as the annotation of a Namespace. */
export function containerLimitJson(limit: QuotaLimit): string {
  return JSON.stringify(containerLimitFields(limit));
}

/**
 * A quota read from a manifest: the flat form of `limit`, values as text where they are text or numbers; others are left out, as what they limit
 * can't be said.
 */
export function quotaLimitOf(limit: unknown): QuotaLimit {
  if (!isRecord(limit)) { return {}; }
  const flat: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(limit)) {
    if (key === QUOTA_EXTENDED && isRecord(value)) {
      for (const [name, amount] of Object.entries(value)) { put(flat, `${EXTENDED_PREFIX}${name}`, amount); }
    } else {
      put(flat, key, value);
    }
  }
  return flat;
}

function put(flat: { [key: string]: string }, key: string, value: unknown): void {
  // Rancher takes an empty text for a limit that is not set
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') { flat[key] = String(value); }
}

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
