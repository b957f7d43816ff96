import { backingNamespaces } from './project-known';
import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { Twins } from './twins';
import { World } from './world';
import { isLate } from '../model/late-token';
import { objectLabel } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

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
