/**
 * Names that Rancher and Harvester give a meaning, each with its source.
 */

/** Rancher's default Fleet workspace: the namespace of provisioning Clusters. @see rancher/rancher:pkg/settings/setting.go fleet-default-workspace-name */
export const FLEET_DEFAULT = 'fleet-default';

/** The workspace of the management cluster itself. @see rancher/rancher:pkg/fleet/const.go */
export const FLEET_LOCAL = 'fleet-local';

/** The API groups whose kinds we write. */
export const GROUPS = {
  PROVISIONING: 'provisioning.cattle.io',
  MANAGEMENT: 'management.cattle.io',
  HARVESTER: 'harvesterhci.io',
  HARVESTER_NODE: 'node.harvesterhci.io',
} as const;

/** The apiVersions whose kinds we write. */
export const API_VERSIONS = {
  CORE: 'v1',
  PROVISIONING: 'provisioning.cattle.io/v1',
  MANAGEMENT: 'management.cattle.io/v3',
  HARVESTER: 'harvesterhci.io/v1beta1',
  HARVESTER_NODE: 'node.harvesterhci.io/v1beta1',
} as const;

/**
 * A management cluster id of the legacy form: Rancher mirrors such a cluster back as a second provisioning Cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp; seen on Rancher 2.13.8
 */
export const LEGACY_CLUSTER_ID = /^(c-[a-z0-9]{5}|local)$/;

/** RFC 1123 label: what a management cluster id must be, since Rancher makes a Namespace of that name. */
export const RFC1123_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Name prefix of the Secrets that Rancher looks registration tokens up by.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go (2.13.8, 2.14.4, 2.15.0 and later)
 */
export const TOKEN_SECRET_PREFIX = 'crt-token-';

/** The key of the token in such a Secret. */
export const TOKEN_SECRET_KEY = 'token';

/** The registration token that Rancher makes for every cluster. @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createToken */
export const DEFAULT_TOKEN = 'default-token';

/** The registration token that Rancher's own agents use. @see rancher/rancher:pkg/systemaccount/systemaccount.go */
export const SYSTEM_TOKEN = 'system';

/**
 * What stands for the token in the URLs of a ClusterRegistrationToken's status since 2.13.8, 2.14.4, 2.15.0.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go tokenPlaceholder
 */
export const TOKEN_PLACEHOLDER = '{token}';

/** The Harvester Setting that registers a Harvester with Rancher. @see harvester/harvester:pkg/settings/settings.go ClusterRegistrationURLSettingName */
export const SETTING_REGISTRATION_URL = 'cluster-registration-url';

/** The path of an import manifest on Rancher. @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL */
export const importPath = (token: string, clusterId: string): string => `/v3/import/${token}_${clusterId}.yaml`;

/** The name of the management cluster itself, as provisioning and as management Cluster. */
export const LOCAL_CLUSTER = 'local';

/** The namespace of cloud credentials. @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go globalNamespace */
export const GLOBAL_DATA = 'cattle-global-data';

/**
 * The feature that priority class and disruption budget of Rancher's agents need; off by default.
 * @see rancher/rancher:pkg/features/feature.go ClusterAgentSchedulingCustomization
 */
export const FEATURE_AGENT_SCHEDULING = 'cluster-agent-scheduling-customization';

/**
 * Namespaces that every Kubernetes and Rancher has. A management cluster must not have one of them for an id: its namespace is removed with it.
 * @see rancher/rancher:pkg/settings/setting.go systemNamespaces
 */
export const SYSTEM_NAMESPACES: readonly string[] = [
  'default', 'kube-system', 'kube-public', 'kube-node-lease', 'cattle-system', 'cattle-fleet-system', 'cattle-fleet-local-system', GLOBAL_DATA,
  'cattle-global-nt', 'cattle-impersonation-system', 'cattle-local-user-passwords', 'cattle-ui-plugin-system', FLEET_DEFAULT, FLEET_LOCAL,
];

/** The API group of Harvester's network controller. @see harvester/harvester-network-controller:pkg/apis/network.harvesterhci.io */
export const GROUP_HARVESTER_NETWORK = 'network.harvesterhci.io';

/**
 * Labels and annotations that Rancher and Harvester give a meaning, each with its source.
 */

/** Label on a Cluster: marks an import as a Harvester. @see rancher/dashboard:shell/utils/cluster.js isHarvesterCluster */
export const LABEL_PROVIDER = 'provider.cattle.io';

/** The value of the provider label that makes Rancher's UI show the cluster under Virtualization Management. */
export const PROVIDER_HARVESTER = 'harvester';

/** Annotation on a provisioning Cluster: the id of its management cluster; create-only. @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (2.8.0 and later) */
export const ANNOTATION_MANAGEMENT_CLUSTER_NAME = 'provisioning.cattle.io/management-cluster-name';

/** Annotation on objects of Rancher: the description that the UI shows. */
export const ANNOTATION_DESCRIPTION = 'field.cattle.io/description';

/** The annotations that show a description in the UI. */
export function descriptionAnnotations(description: string | undefined): { readonly [annotation: string]: string } {
  return description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description };
}

/** Annotation on a Cluster or Project: the Rancher user who made it. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_ID = 'field.cattle.io/creatorId';

/** Annotation on a Cluster or Project: the principal of the creator; needs creatorId. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_PRINCIPAL = 'field.cattle.io/creator-principal-name';

/** Annotation on a Cluster or Project: no binding for a creator is made. @see rancher/webhook:pkg/resources/common/validation.go (0.6.1, Rancher 2.10.0 and later) */
export const ANNOTATION_NO_CREATOR_RBAC = 'field.cattle.io/no-creator-rbac';

/** Annotation on a Rancher Setting: lets agent-tls-mode go to strict unchecked. @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go */
export const ANNOTATION_FORCE = 'cattle.io/force';

/**
 * Annotation on a management Cluster of an imported RKE2 or K3s cluster: whether Rancher manages its version.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go VersionManagementAnno
 */
export const ANNOTATION_VERSION_MANAGEMENT = 'rancher.io/imported-cluster-version-management';

/** Annotation of Rancher's generating controllers: the name of the object that this one was made from. @see rancher/wrangler:pkg/apply/desiredset_process.go */
export const ANNOTATION_OWNER_NAME = 'objectset.rio.cattle.io/owner-name';

/** Annotation of Rancher's generating controllers: the namespace of the object that this one was made from. */
export const ANNOTATION_OWNER_NAMESPACE = 'objectset.rio.cattle.io/owner-namespace';

/** Annotation that synthesis writes on an object with placeholders in place of secrets: where the secrets come from. plan, apply and lint refuse it. */
export const ANNOTATION_PLACEHOLDER = 'cdk8s-harvester/placeholder';
