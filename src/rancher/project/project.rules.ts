import { backingNamespaces, knownProjects, unknownCluster } from './known-projects.rules';
import { LABEL_SYSTEM_PROJECT, projectIdOf } from './project.kind';
import { amountOf, quotaLimitOf } from './quota.check';
import { QUOTA_RULES } from './quota.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { annotationsOf, isNameGenerated, labelsOf } from '../../core/manifest/metadata';
import { GROUPS, RFC1123_LABEL } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { Twins } from '../../core/rule/twins';
import { given, plainText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { annotationPath as at, creatorAndNone, ignoredNoCreator } from '../cluster/creator.rules';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { rancherHas } from '../version/rancher-gates';

const MUTATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/mutator.go';

const WRITTEN: Rule = {
  id: 'project/backing-namespace',
  level: 'error',
  kinds: ['/Namespace'],
  what: 'the namespace of a Project\'s bindings is made by Rancher alone; where it exists already, creating the Project fails with 500',
  says: 'failed to create project namespace : namespace already exists',
  source: `${MUTATOR}; seen on Rancher 2.13.8`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const project = isLate(name) ? undefined : projectsBy(world).get(`${object.target.name} ${name}`)?.of(object);
    if (!project) { return; }
    const path = 'metadata.name';
    const label = objectLabel(project.manifest);
    yield world.exists(project)
      ? { path, value: name, level: 'warning', message: `belongs to ${label}: Rancher made it, and whoever prunes it takes the project's bindings along`, fix: 'leave it out' }
      : {
        path,
        value: name,
        message: `is what Rancher makes for ${label}, which it then refuses to create`,
        fix: 'leave it out: Rancher makes it together with the Project',
      };
  },
};

const SHARED: Rule = {
  id: 'project/backing-namespace-shared',
  level: 'error',
  kinds: ['management.cattle.io/Project'],
  what: 'every Project has a namespace of its own for its bindings: the second one with it is refused, or shares it where its name is that of the Project alone',
  source: `${MUTATOR}; rancher/rancher:pkg/controllers/management/auth/project_cluster`,
  *judge(project: JudgedObject, world: World): Iterable<Problem> {
    const backing = backingOf(project);
    const other = backing === undefined || world.exists(project) ? undefined : projectsBy(world).get(`${project.target.name} ${backing}`)?.of(project);
    if (!other) { return; }
    const problem = { path: 'metadata.name', value: project.manifest.metadata.name, fix: 'choose another name' };
    yield rancherHas(project.target, GateId.PROJECT_BACKING_NAMESPACE) === false
      ? { ...problem, level: 'warning', message: `shares the namespace ${backing} with ${objectLabel(other.manifest)}: who sees the bindings of one sees those of the other` }
      : { ...problem, message: `asks for the namespace ${backing}, which is that of ${objectLabel(other.manifest)}`, says: WRITTEN.says };
  },
};

// of an unknown version only the form of today: the other is any name
function backingOf({ manifest, target }: JudgedObject): string | undefined {
  const { namespace: cluster, name } = manifest.metadata;
  return cluster === undefined || name === '' || isLate(cluster) || isLate(name) ? undefined : backingNamespaces(target, cluster, name, manifest)[0];
}

// one index a world, of namespaces to projects
const PROJECTS = new WeakMap<World, Map<string, Twins>>();

function projectsBy(world: World): ReadonlyMap<string, Twins> {
  let index = PROJECTS.get(world);
  if (!index) {
    index = new Map();
    const judged = new Set(world.judged);
    for (const project of world.ofKind(GROUPS.MANAGEMENT, 'Project')) {
      const backing = backingOf(project);
      if (backing === undefined) { continue; }
      const key = `${project.target.name} ${backing}`;
      const twins = index.get(key) ?? new Twins();
      index.set(key, twins);
      twins.add(project, judged.has(project));
    }
    PROJECTS.set(world, index);
  }
  return index;
}

/** Rules for the namespaces that Rancher makes for Projects. */
export const PROJECT_BACKING_RULES: readonly Rule[] = [WRITTEN, SHARED];

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

const PROJECT_UPDATE_KINDS = ['management.cattle.io/Project'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';

const IMMUTABLE: Rule = {
  id: 'project/immutable',
  level: 'error',
  kinds: PROJECT_UPDATE_KINDS,
  what: 'a Project stays in its cluster',
  says: 'field is immutable',
  source: `${VALIDATOR} admitUpdate`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [manifest, before].map((project) => valueAt(project, 'spec', 'clusterName'));
    if (now === old || now === undefined || isLate(now) || isLate(old)) { return; }
    yield { path: 'spec.clusterName', value: now, message: `was ${plainText(old)}`, fix: 'leave it as it was, or make another Project' };
  },
};

const USED: Rule = {
  id: 'project/quota-below-used',
  level: 'error',
  kinds: PROJECT_UPDATE_KINDS,
  what: 'the quota of a Project is not lowered below what its namespaces have',
  says: 'resourceQuota is below the used limit on fields',
  source: `${VALIDATOR} usedQuotaFits`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const limit = quotaLimitOf(valueAt(manifest, 'spec', 'resourceQuota', 'limit'));
    for (const [key, used] of Object.entries(quotaLimitOf(valueAt(before, 'spec', 'resourceQuota', 'usedLimit')))) {
      const [now, least] = [amountOf(limit[key]), amountOf(used)];
      if (now !== undefined && least !== undefined && now < least) {
        yield {
          path: `spec.resourceQuota.limit.${key}`,
          value: limit[key],
          message: `is less than its namespaces have, ${used}`,
          fix: 'lower the quotas of the namespaces first',
        };
      }
    }
  },
};

const SYSTEM: Rule = {
  id: 'project/system-deleted',
  level: 'error',
  kinds: PROJECT_UPDATE_KINDS,
  what: 'the System project of a cluster is never deleted',
  says: 'System Project cannot be deleted',
  source: `${VALIDATOR} admitDelete`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (labelsOf(manifest)[LABEL_SYSTEM_PROJECT] === 'true') { yield { path: '', message: 'is the System project of its cluster', fix: 'keep it' }; }
  },
};

const DELETED: Rule = {
  id: 'project/deleted',
  level: 'warning',
  kinds: PROJECT_UPDATE_KINDS,
  what: 'with a Project its members\' rights and the quotas of its namespaces go; its namespaces and their virtual machines stay',
  source: 'seen on Rancher 2.13.8: its namespace and the bindings in it go along, and the same name can be used again when they are gone',
  *judgeDeletion({ manifest }: JudgedObject, world: World): Iterable<Problem> {
    const { namespace = '', name } = manifest.metadata;
    const left = knownProjects(world).namespaces.get(projectIdOf(namespace, name)) ?? [];
    if (left.length === 0) { return; }
    const names = left.map((object) => object.manifest.metadata.name);
    yield {
      path: '',
      message: `is deleted while namespaces are in it: ${names.slice(0, 5).join(', ')}`,
      fix: 'move them to another project, or delete them',
    };
  },
};

/** Rules for edits and deletions of Projects. */
export const PROJECT_UPDATE_RULES: readonly Rule[] = [IMMUTABLE, USED, SYSTEM, DELETED];

const PROJECT_KINDS = ['management.cattle.io/Project'];
const PROJECT_VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';
const SEEN = 'seen on Rancher 2.13.8';
const MAX_NAME = 63;

const CLUSTER: Rule = {
  id: 'project/cluster',
  level: 'error',
  kinds: PROJECT_KINDS,
  what: 'a Project lies in the namespace of its cluster, and spec.clusterName is that id',
  source: `${PROJECT_VALIDATOR} checkClusterExists`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { namespace } = manifest.metadata;
    const cluster = valueAt(manifest, 'spec', 'clusterName');
    const path = 'spec.clusterName';
    if (cluster === undefined || cluster === null || cluster === '') {
      yield {
        path,
        message: 'is missing',
        fix: 'write the id of the management cluster, which is the namespace too',
        says: 'clusterName is required',
      };
    } else if (typeof cluster === 'string' && namespace !== undefined && cluster !== namespace && !isLate(cluster) && !isLate(namespace)) {
      yield {
        path,
        value: cluster,
        message: `is not the namespace, ${namespace}`,
        fix: 'write the same id in both',
        says: 'clusterName and project namespace must match',
      };
    }
  },
};

const UNKNOWN_CLUSTER: Rule = {
  id: 'project/unknown-cluster',
  level: 'error',
  kinds: PROJECT_KINDS,
  what: 'the cluster of a Project exists',
  says: 'cluster not found',
  source: `${PROJECT_VALIDATOR} checkClusterExists`,
  judge: (object: JudgedObject, world: World): Iterable<Problem> => (
    unknownCluster(object, world, 'spec.clusterName', valueAt(object.manifest, 'spec', 'clusterName'))),
};

const NAME: Rule = {
  id: 'project/name',
  level: 'error',
  kinds: PROJECT_KINDS,
  what: 'the name of a Project is an RFC 1123 label of up to 63 characters, since Rancher makes a Namespace and labels of it',
  source: `rancher/rancher:pkg/controllers/management/auth/project_cluster; ${SEEN}`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = object.manifest.metadata;
    if (world.exists(object) || isLate(name) || isNameGenerated(object.manifest)) { return; }
    if (!RFC1123_LABEL.test(name)) {
      yield {
        path: 'metadata.name',
        ...given(name),
        message: 'is no name that Rancher can make a Namespace of',
        fix: 'use up to 63 of a-z, 0-9 and hyphens',
      };
    } else if (typeof namespace === 'string' && !isLate(namespace) && rancherHas(object.target, GateId.PROJECT_BACKING_NAMESPACE) !== false
      && namespace.length + 1 + name.length > MAX_NAME) {
      yield {
        path: 'metadata.name',
        value: name,
        level: 'warning',
        message: `makes with the cluster's id a namespace of more than ${MAX_NAME} characters, which Rancher cuts and ends with a hash`,
        fix: `use up to ${Math.max(MAX_NAME - 1 - namespace.length, 1)} characters, or a shorter id of the cluster`,
      };
    }
  },
};

const DISPLAY_NAME: Rule = {
  id: 'project/display-name',
  level: 'error',
  kinds: PROJECT_KINDS,
  what: 'a Project has a display name',
  says: 'spec.displayName: Required value',
  source: 'rancher/rancher:pkg/crds/yaml/generated/management.cattle.io_projects.yaml',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const name = valueAt(manifest, 'spec', 'displayName');
    const fix = 'give the name that the UI shows';
    if (name === undefined || name === null) {
      yield { path: 'spec.displayName', message: 'is missing', fix };
    } else if (name === '') {
      yield { path: 'spec.displayName', level: 'warning', message: 'is empty: the UI shows the project by its id', fix };
    }
  },
};

const SERVER_FIELDS: Rule = {
  id: 'project/server-fields',
  level: 'warning',
  kinds: PROJECT_KINDS,
  what: 'status and usedLimit are Rancher\'s to write',
  source: SEEN,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    // what was read from a server has them
    if (world.exists(object)) { return; }
    const used = valueAt(manifest, 'spec', 'resourceQuota', 'usedLimit');
    const fix = 'leave it out';
    if (used !== undefined && used !== null) {
      yield { path: 'spec.resourceQuota.usedLimit', message: 'is counted by Rancher: a manifest that sets it resets the count by every apply', fix };
    }
    if (manifest.status !== undefined && manifest.status !== null) {
      yield { path: 'status', message: 'is written by Rancher, the backing namespace among it, which can not be changed any more', fix };
    }
  },
};

/** Rules for Projects. */
export const PROJECT_RULES: readonly Rule[] = [
  CLUSTER, UNKNOWN_CLUSTER, NAME, DISPLAY_NAME, SERVER_FIELDS,
  ...PROJECT_BACKING_RULES, ...PROJECT_CREATOR_RULES, ...PROJECT_UPDATE_RULES, ...QUOTA_RULES,
];
