import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL } from '../../rancher/members/binding.kind';

/** Metadata that only servers write. */
export const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink', 'ownerReferences',
  'finalizers', 'generateName',
]);

/** Annotations that only servers, controllers and tools write, on objects of any kind. */
export const SYSTEM_ANNOTATIONS: ReadonlySet<string> = new Set([
  ANNOTATION_LAST_APPLIED,
  // Kubernetes. @see https://kubernetes.io/docs/reference/labels-annotations-taints/
  'deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation', 'control-plane.alpha.kubernetes.io/leader', 'kubernetes.io/service-account.uid',
  'pv.kubernetes.io/bind-completed', 'pv.kubernetes.io/bound-by-controller', 'volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node', 'volume.kubernetes.io/storage-resizer', 'autoscaling.alpha.kubernetes.io/conditions',
  // Helm. @see helm/helm:pkg/action/validate.go
  'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace',
  // Argo CD: it writes the first one; the second one orders objects, which the delivery of a program does by itself. @see argoproj/argo-cd:common/common.go
  'argocd.argoproj.io/tracking-id', 'argocd.argoproj.io/sync-wave',
  // Rancher: seen on 2.13.8 and 2.15.0
  ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, 'cattle.io/status', 'cattle.io/timestamp', 'ownerBindingsCreated',
  'authz.management.cattle.io/creator-role-bindings', 'provisioning.cattle.io/management-cluster-display-name',
  // @see rancher/rancher:pkg/controllers/managementagent/endpoints, pkg/controllers/management/cloudcredential, pkg/controllers/management/auth/project_cluster
  'field.cattle.io/publicEndpoints', 'management.cattle.io/harvester-token-checksum', 'authz.management.cattle.io/creator-owner-binding',
  // Harvester. @see harvester/harvester:pkg/util/constants.go; the first two seen on 1.7.2
  'harvesterhci.io/hash', 'harvesterhci.io/mac-address', 'harvesterhci.io/timestamp', 'harvesterhci.io/owned-by',
  'harvesterhci.io/lastRefreshTime', 'harvesterhci.io/insufficient-resource-quota', 'harvesterhci.io/migrationState', 'harvesterhci.io/migrationUID',
  'harvesterhci.io/migrationTargetNodeName', 'harvesterhci.io/rancher-controller-reconciled', 'harvesterhci.io/storageProvisioner',
  'network.harvesterhci.io/matched-nodes', 'network.harvesterhci.io/uplink-mtu',
  // KubeVirt. @see kubevirt/api:core/v1/types.go; the last one seen on Harvester 1.8.2
  'kubevirt.io/latest-observed-api-version', 'kubevirt.io/storage-observed-api-version', 'descheduler.alpha.kubernetes.io/prefer-no-eviction',
]);

/** Labels that only servers, controllers and tools write, on objects of any kind. */
export const SYSTEM_LABELS: ReadonlySet<string> = new Set([
  // @see kubernetes/kubernetes:staging/src/k8s.io/api/core/v1/well_known_labels.go LabelMetadataName
  'kubernetes.io/metadata.name',
  // @see rancher/rancher:pkg/controllers/management/auth/crtb_handler.go, pkg/controllers/managementuser/rbac/handler_base.go, pkg/data/management/role_data.go
  'auth.management.cattle.io/crb-rb-labels-updated', 'auth.management.cattle.io/rtb-label-updated', 'authz.cluster.cattle.io/crb-rb-labels-updated',
  'authz.management.cattle.io/bootstrapping',
  // seen on Harvester 1.7.2
  'network.harvesterhci.io/ready',
]);

/** Prefixes of such labels and annotations. @see rancher/norman:lifecycle/object.go; rancher/wrangler:pkg/apply/desiredset_process.go */
export const SYSTEM_PREFIXES: readonly string[] = ['lifecycle.cattle.io/', 'objectset.rio.cattle.io/'];

/** Fields beyond metadata and status that only servers and controllers write, by kind as `group/Kind`. */
export const SYSTEM_FIELDS: { readonly [kind: string]: readonly (readonly string[])[] } = {
  'management.cattle.io/Project': [['spec', 'resourceQuota', 'usedLimit']],
  'management.cattle.io/Setting': [['default'], ['customized'], ['source']],
  'harvesterhci.io/Setting': [['default'], ['customized'], ['source']],
  '/ServiceAccount': [['secrets']],
  '/Namespace': [['spec', 'finalizers']],
  '/PersistentVolumeClaim': [['spec', 'volumeName']],
  '/Service': [['spec', 'clusterIP'], ['spec', 'clusterIPs'], ['spec', 'healthCheckNodePort']],
};
