/**
 * A management cluster id of the legacy form: Rancher mirrors such a cluster back as a second provisioning Cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp; seen on Rancher 2.13.8
 */
export const LEGACY_CLUSTER_ID = /^(c-[a-z0-9]{5}|local)$/;

/**
 * The feature that priority class and disruption budget of Rancher's agents need; off by default.
 * @see rancher/rancher:pkg/features/feature.go ClusterAgentSchedulingCustomization
 */
export const FEATURE_AGENT_SCHEDULING = 'cluster-agent-scheduling-customization';

/**
 * Labels and annotations that Rancher and Harvester give a meaning, each with its source.
 */

/** Label on a Cluster: marks an import as a Harvester. @see rancher/dashboard:shell/utils/cluster.js isHarvesterCluster */
export const LABEL_PROVIDER = 'provider.cattle.io';

/** The value of the provider label that makes Rancher's UI show the cluster under Virtualization Management. */
export const PROVIDER_HARVESTER = 'harvester';

/** Annotation on a provisioning Cluster: the id of its management cluster; create-only. @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (2.8.0 and later) */
export const ANNOTATION_MANAGEMENT_CLUSTER_NAME = 'provisioning.cattle.io/management-cluster-name';
