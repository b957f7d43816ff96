import { findProject, projectIdIn } from './known-projects.rules';
import { ANNOTATION_PROJECT_ID, HARVESTER_SYSTEM_NAMESPACES } from './project.kind';
import { TENANT_NAMESPACE_QUOTA_RULES } from './quota.rules';
import { LATE_TOKEN, isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { annotationsOf, labelsOf } from '../../core/manifest/metadata';
import { GROUPS, LOCAL_CLUSTER, SETTING_REGISTRATION_URL, SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given } from '../../core/text/plain-text';
import { HARVESTER_PUBLIC } from '../../harvester/namespace/namespace.kind';
import { IMPORT_PATH, registrationOf } from '../../harvester/settings/catalogue/registration.check';

const KINDS = ['/Namespace'];
const PATH = `metadata.annotations[${ANNOTATION_PROJECT_ID}]`;
const WEBHOOK = 'rancher/webhook:pkg/resources/core/v1/namespace';
const PROJECT_ID = /^[^:]+:[^:]+$/;

const FORM: Rule = {
  id: 'tenant-namespace/project-id',
  level: 'error',
  kinds: KINDS,
  what: 'the project of a Namespace is written <cluster id>:<project>',
  says: 'unable to retrieve project id from annotation, too few values',
  source: WEBHOOK,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const id = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
    if (typeof id !== 'string' || id === '' || isLate(id) || PROJECT_ID.test(id)) { return; }
    yield {
      path: PATH,
      ...given(id),
      message: id.includes('/') ? 'is a path; only the scopes of IP pools are written with a slash' : 'is no id of a project',
      fix: 'write <cluster id>:<project>',
    };
  },
};

const UNKNOWN_PROJECT: Rule = {
  id: 'tenant-namespace/unknown-project',
  level: 'error',
  kinds: KINDS,
  what: 'the project of a Namespace exists; otherwise nobody gets rights, no quota holds, and nothing says so',
  source: 'seen on Rancher 2.13.8 and Harvester 1.7.2: accepted, no bindings, no quota, no message',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const id = projectIdIn(object.manifest);
    if (id === undefined || !PROJECT_ID.test(id)) { return; }
    const found = findProject(world, id);
    const [cluster, name] = id.split(':');
    const fix = `declare Project ${name} in namespace ${cluster}, or give it with --world where it is live`;
    if (found.is === 'missing') {
      yield {
        path: PATH,
        value: id,
        message: 'is no project that is declared or live here: nobody gets rights in the namespace and no quota holds',
        fix,
      };
    } else if (found.is === 'perhaps elsewhere' && !isAsBefore(object, world)) {
      yield { path: PATH, value: id, level: 'warning', message: found.why, fix };
    }
  },
};

function isAsBefore(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  return before !== undefined && projectIdIn(before) === projectIdIn(object.manifest);
}

const OTHER_CLUSTER: Rule = {
  id: 'tenant-namespace/other-cluster',
  level: 'error',
  kinds: KINDS,
  what: 'a Namespace is in a project of the cluster that it lies on; the project of another one gives it nothing, without a word',
  source: 'rancher/rancher:pkg/controllers/managementuser/nsserviceaccount and rbac: each cluster\'s controllers look for their own projects',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const id = projectIdIn(object.manifest);
    if (id === undefined || !PROJECT_ID.test(id) || isLate(id)) { return; }
    const cluster = id.split(':')[0];
    const own = clusterOf(object, world);
    if (own !== undefined && own !== cluster) {
      yield {
        path: PATH,
        value: id,
        message: `is a project of ${cluster}, and the namespace lies on ${own}`,
        fix: `use a project of ${own}, or put the Namespace on the other cluster`,
      };
    }
  },
};

// what a registered Harvester and the management cluster themselves are known by
function clusterOf(object: JudgedObject, world: World): string | undefined {
  if (object.target.kind === 'rancher') { return LOCAL_CLUSTER; }
  const setting = object.target.kind === 'guest' ? undefined : world.find(object, GROUPS.HARVESTER, 'Setting', undefined, SETTING_REGISTRATION_URL)?.manifest;
  if (typeof setting?.value !== 'string' || setting.value === '') { return undefined; }
  const text = registrationOf(setting.value).url.replace(LATE_TOKEN, 'late');
  const id = URL.canParse(text) ? IMPORT_PATH.exec(new URL(text).pathname)?.[2] : undefined;
  // an id that is late can't be compared
  return id === undefined || registrationOf(setting.value).url.includes(`_${id}.yaml`) ? id : undefined;
}

const SYSTEM: Rule = {
  id: 'tenant-namespace/system',
  level: 'warning',
  kinds: KINDS,
  what: 'namespaces of Rancher and Harvester themselves are in no tenant\'s project: Rancher and Harvester put them into the System project, again and again',
  source: 'harvester/harvester:pkg/controller/master/rancher/namespace.go, every 300 seconds; rancher/rancher:pkg/settings/setting.go system-namespaces',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest, target } = object;
    const { name } = manifest.metadata;
    // what a server says of them is where they belong
    if (projectIdIn(manifest) === undefined || name === 'default' || isAsBefore(object, world)) { return; }
    const harvester = target.kind !== 'rancher' && HARVESTER_SYSTEM_NAMESPACES.includes(name);
    if (!harvester && !SYSTEM_NAMESPACES.includes(name)) { return; }
    yield name === HARVESTER_PUBLIC
      ? { path: PATH, message: `puts ${name}, which every user reads, into one project`, fix: 'leave it out: what is shared lies in no project' }
      : {
        path: PATH,
        message: `is overwritten: ${name} is no namespace of a tenant`,
        fix: 'leave it out, and give the tenant a namespace of its own',
      };
  },
};

const LABEL_ALONE: Rule = {
  id: 'tenant-namespace/label-alone',
  level: 'warning',
  kinds: KINDS,
  what: `the annotation ${ANNOTATION_PROJECT_ID} puts a Namespace into a project; the label of that name is Rancher's to write and does nothing`,
  source: 'rancher/rancher:pkg/controllers/managementagent/nslabels',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const label = labelsOf(object.manifest)[ANNOTATION_PROJECT_ID];
    if (label === undefined || projectIdIn(object.manifest) !== undefined || world.exists(object)) { return; }
    yield {
      path: `metadata.labels[${ANNOTATION_PROJECT_ID}]`,
      message: 'stands without the annotation: the Namespace is in no project',
      fix: 'write the annotation, <cluster id>:<project>',
    };
  },
};

const UNASSIGNED: Rule = {
  id: 'tenant-namespace/unassigned',
  level: 'warning',
  kinds: KINDS,
  what: 'a Namespace whose project is taken away, or changed, is lost to the members of the former one, and its quota goes',
  source: 'rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [projectIdIn(manifest), projectIdIn(before)];
    if (old === undefined || now === old || isLate(now) || isLate(old)) { return; }
    yield now === undefined
      ? { path: PATH, message: `is removed: members of ${old} lose the namespace with its virtual machines, and its quota goes`, fix: 'keep it, unless that is meant' }
      : {
        path: PATH,
        value: now,
        message: `was ${old}, whose members lose the namespace with its virtual machines`,
        fix: 'keep it, unless that is meant',
      };
  },
};

const DELETED: Rule = {
  id: 'tenant-namespace/deleted',
  level: 'error',
  kinds: KINDS,
  what: 'with a Namespace everything in it goes, virtual machines and their volumes too; those of Rancher and Harvester themselves are never deleted',
  source: 'rancher/webhook:pkg/resources/core/v1/namespace (0.5) for local and fleet-local; Rancher docs on removing an imported Harvester: cattle-system holds its own Rancher',
  *judgeDeletion({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    const harvester = target.kind !== 'rancher' && HARVESTER_SYSTEM_NAMESPACES.includes(name);
    if (harvester || SYSTEM_NAMESPACES.includes(name)) {
      yield { path: '', message: 'is a namespace of the system itself', fix: 'keep it, or take its manifest out without pruning it' };
    } else if (projectIdIn(manifest) !== undefined) {
      yield {
        path: '',
        level: 'warning',
        message: `is deleted with everything in it, virtual machines and volumes of ${projectIdIn(manifest)} too`,
        fix: 'keep it, unless that is meant',
      };
    }
  },
};

/** Rules for the Namespaces of tenants. */
export const TENANT_NAMESPACE_RULES: readonly Rule[] = [
  FORM, UNKNOWN_PROJECT, OTHER_CLUSTER, SYSTEM, LABEL_ALONE, UNASSIGNED, DELETED, ...TENANT_NAMESPACE_QUOTA_RULES,
];
