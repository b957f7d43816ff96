import { annotationsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { JudgedObject } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { ANNOTATION_CREATOR_ID, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { rancherHas, rancherLacks } from '../version/rancher-gates';

/** Where an annotation stands. */
export const annotationPath = (annotation: string): string => `metadata.annotations[${annotation}]`;

/**
 * A creator beside the word that there is none. Before Rancher 2.10 nobody reads that word: `ignoredNoCreator` tells of it.
 *
 * @see rancher/webhook:pkg/resources/common/validation.go CheckCreatorAnnotationsOnCreate, CheckCreatorID
 */
export function creatorAndNone({ manifest, target }: JudgedObject): Problem[] {
  const annotations = annotationsOf(manifest);
  if (!(ANNOTATION_NO_CREATOR_RBAC in annotations) || !(ANNOTATION_CREATOR_ID in annotations)) { return []; }
  if (rancherHas(target, GateId.NO_CREATOR_RBAC) === false) { return []; }
  return [{
    path: annotationPath(ANNOTATION_CREATOR_ID),
    message: `stands beside ${ANNOTATION_NO_CREATOR_RBAC}`,
    fix: 'leave one of both out, for GitOps the creatorId',
    says: 'cannot have creatorID annotation when no-creator-rbac is set',
  }];
}

/** The word that there is no creator where Rancher does not read it, and what comes of it. */
export function ignoredNoCreator({ manifest, target }: JudgedObject, effect: string, fix: string): Problem[] {
  const lacks = ANNOTATION_NO_CREATOR_RBAC in annotationsOf(manifest) ? rancherLacks(target, GateId.NO_CREATOR_RBAC) : undefined;
  return lacks ? [{ path: annotationPath(ANNOTATION_NO_CREATOR_RBAC), message: `${effect}: ${lacks}`, fix }] : [];
}
