import { annotationPath as at, creatorAndNone, ignoredNoCreator } from './creator-annotations';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../model/labels';
import { isLate } from '../model/late-token';
import { Manifest } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';

const KINDS = ['management.cattle.io/Project'];
const SOURCE = 'rancher/webhook:pkg/resources/common/validation.go';
const CREATOR = [ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC];

const EXCLUSIVE: Rule = {
  id: 'project/creator',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC} exclude each other, and ${ANNOTATION_CREATOR_PRINCIPAL} needs the first`,
  source: `${SOURCE} CheckCreatorAnnotationsOnCreate, CheckCreatorPrincipalName`,
  *judge(object: JudgedObject): Iterable<Problem> {
    yield* creatorAndNone(object);
    const annotations = annotationsOf(object.manifest);
    if (ANNOTATION_CREATOR_PRINCIPAL in annotations && !(ANNOTATION_CREATOR_ID in annotations)) {
      yield {
        path: at(ANNOTATION_CREATOR_PRINCIPAL),
        message: `stands without ${ANNOTATION_CREATOR_ID}`,
        fix: 'leave it out, and make the creator a member by a ProjectRoleTemplateBinding',
        says: `annotation ${ANNOTATION_CREATOR_ID} is required`,
      };
    }
  },
};

const IGNORED: Rule = {
  id: 'project/no-creator-rbac-ignored',
  level: 'warning',
  kinds: KINDS,
  what: `${ANNOTATION_NO_CREATOR_RBAC} needs Rancher 2.10`,
  source: SOURCE,
  judge: (object: JudgedObject): Iterable<Problem> => (
    ignoredNoCreator(object, 'is ignored', 'leave it out: a Project of a manifest has no creator before either')),
};

const UNKNOWN: Rule = {
  id: 'project/creator-unknown',
  level: 'warning',
  kinds: KINDS,
  what: `${ANNOTATION_CREATOR_ID} is the name of a User, who becomes owner of the project`,
  source: 'rancher/rancher:pkg/controllers/management/auth/project_handler.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const id = annotationsOf(object.manifest)[ANNOTATION_CREATOR_ID];
    if (typeof id !== 'string' || isLate(id) || world.exists(object)) { return; }
    const users = world.beside(object, GROUPS.MANAGEMENT, 'User');
    if (users.length === 0 || world.knows(object, GROUPS.MANAGEMENT, 'User', undefined, id)) { return; }
    yield {
      path: at(ANNOTATION_CREATOR_ID),
      value: id,
      message: 'is no User that is known here',
      fix: 'leave it out, and bind the owner by a ProjectRoleTemplateBinding',
    };
  },
};

const CHANGED: Rule = {
  id: 'project/creator-changed',
  level: 'error',
  kinds: KINDS,
  what: 'annotations about the creator of a Project may be removed, never changed or added',
  says: 'annotation is immutable',
  source: `${SOURCE} CheckCreatorAnnotationsOnUpdate`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [annotationsOf(manifest), annotationsOf(before)];
    for (const annotation of CREATOR) {
      if (annotation in now && now[annotation] !== old[annotation]) {
        yield {
          path: at(annotation),
          message: annotation in old ? 'is not what it was' : 'is added to a Project that exists',
          fix: 'leave it as it was, or out',
        };
      }
    }
  },
};

/** Rules for the annotations that say who made a Project. */
export const PROJECT_CREATOR_RULES: readonly Rule[] = [EXCLUSIVE, IGNORED, UNKNOWN, CHANGED];
