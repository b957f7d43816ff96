import { annotationPath as at, creatorAndNone, ignoredNoCreator } from './creator-annotations';
import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../model/labels';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const KINDS = ['provisioning.cattle.io/Cluster'];
const SOURCE = 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorID, mutation.go SetCreatorIDAnnotation';

const EXCLUSIVE: Rule = {
  id: 'cluster/creator-and-none',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC} exclude each other`,
  says: 'cannot have creatorID annotation when no-creator-rbac is set',
  source: SOURCE,
  judge: creatorAndNone,
};

const NO_RBAC_VERSION: Rule = {
  id: 'cluster/no-creator-rbac-ignored',
  level: 'warning',
  kinds: KINDS,
  what: `${ANNOTATION_NO_CREATOR_RBAC} needs Rancher 2.10`,
  source: SOURCE,
  judge: (object: JudgedObject): Iterable<Problem> => (
    ignoredNoCreator(object, 'is ignored, whoever applies the Cluster becomes its owner', 'leave it out, or upgrade Rancher')),
};

const CREATOR_GIVEN: Rule = {
  id: 'cluster/creator-replaced',
  level: 'warning',
  kinds: KINDS,
  what: 'the creator of a Cluster is who applies it; another one in the manifest is replaced at creation and refused afterwards',
  says: 'creatorID annotation cannot be changed',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const annotations = annotationsOf(object.manifest);
    if (!(ANNOTATION_CREATOR_ID in annotations) || ANNOTATION_NO_CREATOR_RBAC in annotations || world.exists(object)) { return; }
    yield {
      path: at(ANNOTATION_CREATOR_ID),
      message: 'is replaced by the user who applies the Cluster; if that is another one, the next apply is refused',
      fix: `leave it out and set ${ANNOTATION_NO_CREATOR_RBAC}, and give access by ClusterRoleTemplateBindings`,
    };
  },
};

const CREATOR_CHANGED: Rule = {
  id: 'cluster/creator-changed',
  level: 'error',
  kinds: KINDS,
  what: 'the creator of a Cluster may be removed, never changed or added',
  says: 'creatorID annotation cannot be changed',
  source: SOURCE,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const now = annotationsOf(manifest);
    const old = annotationsOf(before);
    const fix = 'leave it as it was, or out';
    if (ANNOTATION_NO_CREATOR_RBAC in now) {
      if (ANNOTATION_NO_CREATOR_RBAC in old || ANNOTATION_CREATOR_ID in now) { return; }
      yield {
        path: at(ANNOTATION_NO_CREATOR_RBAC),
        level: 'warning',
        says: 'cannot have creatorID annotation when no-creator-rbac is set',
        message: `is added to a Cluster that has got a ${ANNOTATION_CREATOR_ID} at creation; an apply, which leaves that in place, is refused`,
        fix: `remove ${ANNOTATION_CREATOR_ID} from the live object first`,
      };
    } else if (ANNOTATION_CREATOR_ID in now && now[ANNOTATION_CREATOR_ID] !== (old[ANNOTATION_CREATOR_ID] ?? '')) {
      yield { path: at(ANNOTATION_CREATOR_ID), message: 'is not the creator that the Cluster has', fix };
    }
  },
};

const PRINCIPAL: Rule = {
  id: 'cluster/creator-principal',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_CREATOR_PRINCIPAL} is a principal of the creator and needs one: Rancher copies it to the management Cluster, where it is refused`,
  says: `annotation ${ANNOTATION_CREATOR_ID} is required`,
  source: 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorPrincipalName',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const annotations = annotationsOf(object.manifest);
    const principal = annotations[ANNOTATION_CREATOR_PRINCIPAL];
    if (!principal || world.exists(object)) { return; }
    const path = at(ANNOTATION_CREATOR_PRINCIPAL);
    if (ANNOTATION_NO_CREATOR_RBAC in annotations && rancherHas(object.target, GateId.NO_CREATOR_RBAC) !== false) {
      yield {
        path, message: `stands without a creator, which ${ANNOTATION_NO_CREATOR_RBAC} forbids: the management cluster is never made`, fix: 'leave it out',
      };
    } else {
      yield {
        path,
        level: 'warning',
        message: 'must be a principal of the user who applies the Cluster, else the management cluster is never made',
        fix: `leave it out, or use ${ANNOTATION_NO_CREATOR_RBAC} in its place`,
        says: 'creator user doesn\'t have principal',
      };
    }
  },
};

/** Rules for the annotations that say who made a Cluster. */
export const CREATOR_RULES: readonly Rule[] = [EXCLUSIVE, NO_RBAC_VERSION, CREATOR_GIVEN, CREATOR_CHANGED, PRINCIPAL];
