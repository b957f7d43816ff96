/** Names that Rancher and Harvester give a meaning, each with its source. */

/**
 * Rancher's default Fleet workspace: the namespace of provisioning Clusters.
 * @see rancher/rancher:pkg/settings/setting.go fleet-default-workspace-name
 */
export const FLEET_DEFAULT = 'fleet-default';

/** The workspace of the management cluster itself. @see rancher/rancher:pkg/fleet/const.go */
export const FLEET_LOCAL = 'fleet-local';

/** The API groups whose kinds we write. */
export const GROUPS = {
  /** Definitions of custom resources. */
  DEFINITIONS: 'apiextensions.k8s.io',
  PROVISIONING: 'provisioning.cattle.io',
  MANAGEMENT: 'management.cattle.io',
  OPERATION: 'operation.cattle.io',
  HARVESTER: 'harvesterhci.io',
  HARVESTER_NODE: 'node.harvesterhci.io',
  SEALED_SECRETS: 'bitnami.com',
  EXTERNAL_SECRETS: 'external-secrets.io',
  RBAC: 'rbac.authorization.k8s.io',
} as const;

/** The apiVersions whose kinds we write. */
export const API_VERSIONS = {
  CORE: 'v1',
  PROVISIONING: 'provisioning.cattle.io/v1',
  MANAGEMENT: 'management.cattle.io/v3',
  HARVESTER: 'harvesterhci.io/v1beta1',
  HARVESTER_NODE: 'node.harvesterhci.io/v1beta1',
  RBAC: 'rbac.authorization.k8s.io/v1',
} as const;

/**
 * RFC 1123 label: what a management cluster id must be, since Rancher makes a Namespace of that
 * name.
 */
export const RFC1123_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** `<namespace>/<name>`: a network, or a Service. */
export const NAMESPACED_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * The Harvester Setting that registers a Harvester with Rancher.
 * @see harvester/harvester:pkg/settings/settings.go ClusterRegistrationURLSettingName
 */
export const SETTING_REGISTRATION_URL = 'cluster-registration-url';

/** The name of the management cluster itself, as provisioning and as management Cluster. */
export const LOCAL_CLUSTER = 'local';

/**
 * Namespaces that every Kubernetes and Rancher has. A management cluster must not have one of them
 * for an id: its namespace is removed with it.
 * @see rancher/rancher:pkg/settings/setting.go systemNamespaces
 */
export const SYSTEM_NAMESPACES: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'cattle-system',
  'cattle-fleet-system',
  'cattle-fleet-local-system',
  'cattle-global-data',
  'cattle-global-nt',
  'cattle-impersonation-system',
  'cattle-local-user-passwords',
  'cattle-ui-plugin-system',
  FLEET_DEFAULT,
  FLEET_LOCAL,
];

/**
 * The API of load balancers and IP pools.
 * @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1
 */
export const GROUP_LOAD_BALANCER = 'loadbalancer.harvesterhci.io';

/**
 * The API group of Harvester's network controller.
 * @see harvester/harvester-network-controller:pkg/apis/network.harvesterhci.io
 */
export const GROUP_HARVESTER_NETWORK = 'network.harvesterhci.io';

/**
 * Annotation on a Namespace: the project that it is in, `<cluster id>:<project>`.
 * @see rancher/rancher:pkg/controllers/managementuser/helper/project.go ProjectIDAnnotation
 */
export const ANNOTATION_PROJECT_ID = 'field.cattle.io/projectId';

/** Annotation on objects of Rancher: the description that the UI shows. */
export const ANNOTATION_DESCRIPTION = 'field.cattle.io/description';

/**
 * Annotation of Rancher's generating controllers: the name of the object that this one was made
 * from.
 * @see rancher/wrangler:pkg/apply/desiredset_process.go
 */
export const ANNOTATION_OWNER_NAME = 'objectset.rio.cattle.io/owner-name';

/**
 * Annotation of Rancher's generating controllers: the namespace of the object that this one was
 * made from.
 */
export const ANNOTATION_OWNER_NAMESPACE = 'objectset.rio.cattle.io/owner-namespace';

/**
 * Annotation on a password Secret of Rancher: it holds a hash and no plain text.
 * @see rancher/rancher:pkg/auth/providers/local/pbkdf2; seen on Rancher 2.13.8
 */
export const ANNOTATION_PASSWORD_HASH = 'cattle.io/password-hash';

/**
 * Annotation that synthesis writes on an object with placeholders in place of secrets: where the
 * secrets come from. plan, apply and lint refuse it.
 */
export const ANNOTATION_PLACEHOLDER = 'cdk8s-harvester/placeholder';

/**
 * The namespace that every user of a Harvester can read, for shared images, networks and keys.
 * @see harvester/harvester:deploy/charts/harvester
 */
export const HARVESTER_PUBLIC = 'harvester-public';

/** The namespace of objects that name none. */
export const DEFAULT_NAMESPACE = 'default';

/** The setting of the certificate authorities that a Harvester trusts. */
export const ADDITIONAL_CA = 'additional-ca';
