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
