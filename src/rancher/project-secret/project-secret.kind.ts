import { Manifest, annotationsOf, labelsOf } from '../../core/manifest/manifest';
import { ANNOTATION_PROJECT_ID } from '../../core/manifest/names';

/**
 * Label on a Secret in the backing namespace of a project: the name of the project, into whose
 * namespaces Rancher copies it. Rancher 2.12.0 and later.
 * @see rancher/rancher:pkg/controllers/managementuser/secret/project_scoped_secrets.go ProjectScopedSecretLabel
 */
export const LABEL_PROJECT_SECRET = 'management.cattle.io/project-scoped-secret';

/** Annotation on the copies of such a Secret. @see as above, pssCopyAnnotation */
export const ANNOTATION_PROJECT_SECRET_COPY = 'management.cattle.io/project-scoped-secret-copy';

/**
 * Label on a Secret of Rancher's API v3. Before Rancher 2.12.0, those with it and the annotation of
 * their project are copied.
 * @see rancher/rancher:pkg/controllers/managementuser/secret/secret.go registerDeferred, getClusterNamespaces (2.11.5)
 */
export const LABEL_CREATOR = 'cattle.io/creator';

/** The value of that label. */
export const CREATOR_NORMAN = 'norman';

/**
 * Whether a Secret is one that Rancher copies into the namespaces of a project, and not one of the
 * copies.
 */
export function isProjectSecret(secret: Manifest): boolean {
  const [labels, annotations] = [labelsOf(secret), annotationsOf(secret)];
  return ANNOTATION_PROJECT_SECRET_COPY in annotations
    ? false
    : LABEL_PROJECT_SECRET in labels ||
        (labels[LABEL_CREATOR] === CREATOR_NORMAN && ANNOTATION_PROJECT_ID in annotations);
}
