import { annotationsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { JudgedObject } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { ANNOTATION_CREATOR_ID, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { rancherHas, rancherLacks } from '../version/rancher-gates';

/** The path of an annotation. */
export const annotationPath = (annotation: string): string => `metadata.annotations[${annotation}]`;

/**
 * Checks that a manifest does not have both a creator and no-creator-rbac. Rancher ignores the latter before 2.10: see `ignoredNoCreator`.
 *
 * @see rancher/webhook:pkg/resources/common/validation.go CheckCreatorAnnotationsOnCreate, CheckCreatorID
 */
export function creatorAndNone({ manifest, target }: JudgedObject): Problem[] {
  const annotations = annotationsOf(manifest);
  if (!(ANNOTATION_NO_CREATOR_RBAC in annotations) || !(ANNOTATION_CREATOR_ID in annotations)) { return []; }
  if (rancherHas(target, GateId.NO_CREATOR_RBAC) === false) { return []; }
  return [{
    path: annotationPath(ANNOTATION_CREATOR_ID),
    message: `cannot be set together with ${ANNOTATION_NO_CREATOR_RBAC}`,
    fix: 'remove one of them; for GitOps, the creatorId',
    says: 'cannot have creatorID annotation when no-creator-rbac is set',
  }];
}

/** Checks that Rancher does not ignore no-creator-rbac. */
export function ignoredNoCreator({ manifest, target }: JudgedObject, effect: string, fix: string): Problem[] {
  const lacks = ANNOTATION_NO_CREATOR_RBAC in annotationsOf(manifest) ? rancherLacks(target, GateId.NO_CREATOR_RBAC) : undefined;
  return lacks ? [{ path: annotationPath(ANNOTATION_NO_CREATOR_RBAC), message: `${effect}: ${lacks}`, fix }] : [];
}
