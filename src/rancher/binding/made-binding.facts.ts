import { LABEL_GLOBAL_BINDING_OWNER } from './binding.kind';
import { Manifest, annotationsOf, labelsOf } from '../../core/manifest/manifest';
import { textOrEmpty } from '../../core/text/plain-text';

/**
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/common.go creatorOwnerBindingAnnotation; cluster_handler.go, project_handler.go rtbName
 */
const ANNOTATION_CREATOR_BINDING = 'authz.management.cattle.io/creator-owner-binding';

/** Bindings that Rancher makes for the creator of a cluster or project begin with it. */
export const CREATOR_PREFIX = 'creator-';

/** The principals of Rancher's own accounts begin with it. */
export const SYSTEM_PRINCIPAL = 'system://';

/** Whether Rancher made a binding to make the creator of a cluster or project its owner. */
export function isOfCreator(binding: Manifest): boolean {
  return (
    binding.metadata.name.startsWith(CREATOR_PREFIX) ||
    ANNOTATION_CREATOR_BINDING in annotationsOf(binding)
  );
}

/** Whether Rancher made a binding: for a creator, of a GlobalRoleBinding, or for itself. */
export function isMadeByRancher(binding: Manifest): boolean {
  return (
    isOfCreator(binding) ||
    LABEL_GLOBAL_BINDING_OWNER in labelsOf(binding) ||
    textOrEmpty(binding.serviceAccount) !== '' ||
    textOrEmpty(binding.userPrincipalName).startsWith(SYSTEM_PRINCIPAL)
  );
}
