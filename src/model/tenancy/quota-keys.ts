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
