/** Annotation on a Cluster or Project: the Rancher user who created it. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_ID = 'field.cattle.io/creatorId';

/** Annotation on a Cluster or Project: the principal of the creator; needs creatorId. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_PRINCIPAL = 'field.cattle.io/creator-principal-name';

/** Annotation on a Cluster or Project: Rancher creates no binding for a creator. @see rancher/webhook:pkg/resources/common/validation.go (0.6.1, Rancher 2.10.0 and later) */
export const ANNOTATION_NO_CREATOR_RBAC = 'field.cattle.io/no-creator-rbac';
