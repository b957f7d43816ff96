import { ImmutableField } from '../../core/immutable/immutable-fields';

/** Annotation on a Cluster or Project: the Rancher user who created it. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_ID = 'field.cattle.io/creatorId';

/** Annotation on a Cluster or Project: the principal of the creator; needs creatorId. @see rancher/webhook:pkg/resources/common/validation.go */
export const ANNOTATION_CREATOR_PRINCIPAL = 'field.cattle.io/creator-principal-name';

/** Annotation on a Cluster or Project: Rancher creates no binding for a creator. @see rancher/webhook:pkg/resources/common/validation.go (0.6.1, Rancher 2.10.0 and later) */
export const ANNOTATION_NO_CREATOR_RBAC = 'field.cattle.io/no-creator-rbac';

/** The annotations of a creator. */
const CREATOR_ANNOTATIONS: readonly string[] = [ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC];

/** The annotations of the creator of a Project or management Cluster: they can be removed, but not changed or added. */
export const IMMUTABLE_CREATOR = {
  level: 'error',
  says: 'annotation is immutable',
  source: 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorAnnotationsOnUpdate',
  fields: CREATOR_ANNOTATIONS.map((annotation): ImmutableField => ({ path: `metadata.annotations[${annotation}]`, omitted: 'keeps', hidden: true })),
  fix: 'restore or remove it',
} as const;
