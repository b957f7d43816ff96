import { BindingPlace } from '../../core/kind/description/access';
import { conditionOf } from '../../core/kind/ready/readiness';
import { Manifest, isRecord, valueAt, annotationsOf, labelsOf } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { anyText, base32, filledText, hashBytes } from '../../core/text/plain-text';

/**
 * Rancher's agent on a cluster that it manages.
 * @see rancher/rancher:pkg/systemtemplate/template.go
 */
export const CLUSTER_AGENT = {
  namespace: 'cattle-system',
  deployment: 'cattle-cluster-agent',
  selector: 'app=cattle-cluster-agent',
} as const;

/**
 * Fleet's agent on such a cluster.
 * @see rancher/fleet:charts/fleet-agent/templates/deployment.yaml
 */
export const FLEET_AGENT = {
  namespace: 'cattle-fleet-system',
  deployment: 'fleet-agent',
  selector: 'app=fleet-agent',
} as const;

/**
 * The conditions of a Harvester Setting, a management Cluster and a LoadBalancer that report
 * whether it works.
 */
export const CONDITION = {
  CONFIGURED: 'configured',
  CONNECTED: 'Connected',
  READY: 'Ready',
} as const;

/**
 * Finalizer on namespaces of clusters that Rancher manages.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go
 */
export const FINALIZER_NAMESPACE_AUTH = 'controller.cattle.io/namespace-auth';

/**
 * Annotation on a management Cluster of an imported RKE2 or K3s cluster: whether Rancher manages
 * its version.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go
 * VersionManagementAnno
 */
export const ANNOTATION_VERSION_MANAGEMENT = 'rancher.io/imported-cluster-version-management';

/**
 * Annotation on the same: whether Rancher takes and restores its snapshots and rotates its keys.
 * @see rancher/rancher:pkg/controllers/management/systemagent/controller.go
 * OperationsEnabledForCluster (2.15.0)
 */
export const ANNOTATION_OPERATIONS = 'rancher.io/operations-enabled';

/**
 * Label on a Cluster: marks an import as a Harvester.
 * @see rancher/dashboard:shell/utils/cluster.js isHarvesterCluster
 */
export const LABEL_PROVIDER = 'provider.cattle.io';

/**
 * Whether the agent of a management Cluster was connected before: it is Provisioned since then, and
 * a lost connection gives Ready the reason Disconnected.
 *
 * @see rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go update,
 * clusterconnected/clusterconnected.go
 */
export function hasConnected(live: Manifest): boolean {
  return (
    conditionOf(live, 'Provisioned')?.status === 'True' ||
    conditionOf(live, CONDITION.READY)?.reason === 'Disconnected'
  );
}

/**
 * A management cluster ID of the legacy form: Rancher mirrors such a cluster back as a second
 * provisioning Cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp; seen on
 * Rancher 2.13.8
 */
export const LEGACY_CLUSTER_ID = /^(c-[a-z0-9]{5}|local)$/;

/** An ID of this form, other than Rancher's own cluster. */
export const MIRRORED_CLUSTER_ID = /^c-[a-z0-9]{5}$/;

/**
 * What a management Cluster with another name lacks.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go
 * generateProvisioningClusterFromLegacyCluster
 */
export const NOT_MIRRORED =
  'must be c- and five of a-z and 0-9: for other IDs Rancher creates no provisioning Cluster, so that neither its UI nor Fleet knows the cluster';

/**
 * The feature that priority class and disruption budget of Rancher's agents need; off by default.
 * @see rancher/rancher:pkg/features/feature.go ClusterAgentSchedulingCustomization
 */
export const FEATURE_AGENT_SCHEDULING = 'cluster-agent-scheduling-customization';

/**
 * The value of the provider label that makes Rancher's UI show the cluster under Virtualization
 * Management.
 */
export const PROVIDER_HARVESTER = 'harvester';

/** The provider of a cluster: by its label, which wins in Rancher's UI, otherwise by its status. */
export function clusterProviderOf(manifest: Manifest): unknown {
  return labelsOf(manifest)[LABEL_PROVIDER] ?? valueAt(manifest, 'status', 'provider');
}

/**
 * Annotation of a provisioning Cluster: with `true`, its deletion keeps the volumes that its
 * machines have attached for pods.
 * @see rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go (2.11.0)
 */
export const ANNOTATION_KEEPS_VOLUMES = 'harvesterhci.io/skipHarvesterMachineProvisionCleanup';

/**
 * Annotation on a provisioning Cluster: the management cluster ID; immutable.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (2.8.0 and later)
 */
export const ANNOTATION_MANAGEMENT_CLUSTER_NAME = 'provisioning.cattle.io/management-cluster-name';

/** The kind that rules on clusters of Rancher judge. */
export const CLUSTER_KINDS = ['provisioning.cattle.io/Cluster'];

/** The validator that rules on clusters of Rancher follow. */
export const CLUSTER_VALIDATOR =
  'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go';

/**
 * Whether a provisioning Cluster is one whose machines Rancher creates: an import has none of its
 * own.
 */
export function isProvisioned(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
}

/**
 * The management cluster ID that the library derives: the same in every synthesis.
 *
 * @param salt what others do not know. @default - everyone can derive the ID
 */
export function derivedClusterId(namespace: string, name: string, salt?: string): string {
  return `c-m-${hashOf(namespace, name, salt).slice(0, 8)}`;
}

/** The same in the form of a cluster that Rancher mirrors: five characters. */
export function derivedMirroredId(namespace: string, name: string, salt?: string): string {
  return `c-${hashOf(namespace, name, salt).slice(0, 5)}`;
}

function hashOf(namespace: string, name: string, salt: string | undefined): string {
  const salted = salt === undefined ? '' : `${salt} `;
  return base32(hashBytes(`${salted}${namespace}/${name}`, 5));
}

/**
 * The management cluster ID of a Cluster: `status.clusterName` once it is live, before that the
 * annotation.
 */
export function managementClusterIdOf(manifest: Manifest): string | undefined {
  return (
    filledText(valueAt(manifest, 'status', 'clusterName')) ?? filledText(annotatedIdOf(manifest))
  );
}

/** The management cluster ID that a Cluster requests. */
export function annotatedIdOf(manifest: Manifest): string | undefined {
  return anyText(annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME]);
}

/**
 * The fix where a renamed or moved Cluster would share a management cluster with its previous one.
 */
export function keepName(name: string, namespace?: string): string {
  return (
    `to rename only the construct, set its prop name to ${JSON.stringify(name)}${namespace === undefined ? '' : ` and its prop fleetWorkspace to ${JSON.stringify(namespace)}`}; ` +
    'for another cluster, use another clusterId'
  );
}

/** Why a cluster that registers is not ready after a while. */
export const AGENT_HINT =
  "Usual cause: the cluster cannot reach Rancher's URL, or does not trust its certificate, so that its agent does not connect. Fix: run `cdk8s-harvester doctor`";

/** The finding on an ID that others can derive. */
export const PREDICTABLE = {
  reason:
    'is derived from namespace and name alone: a Standard User of Rancher can create the Cluster before the engine does, and remains its owner',
  fix: 'before the first delivery, set idSalt of HarvesterApp; if the Cluster exists, suppress this finding, since a new ID would be another cluster',
};

/**
 * The bindings of a cluster by its management cluster ID.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go
 */
export function clusterBindings(id: string | undefined): readonly BindingPlace[] {
  return id === undefined
    ? []
    : [{ apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRoleTemplateBinding', namespace: id }];
}
