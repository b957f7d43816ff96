import { backingNamespaceOf, projectIdOf } from './project.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, groupOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { ANNOTATION_PROJECT_ID, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { JudgedObject, JudgedTarget, KnownIdentity, rancherOf, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { managementClusterIdOf } from '../cluster/cluster.facts';
import { RancherGate } from '../version/rancher-version';

/**
 * The projects of a Rancher, the namespaces in them and the clusters that are known, over all
 * targets.
 */
interface KnownProjects {
  /** Projects by `<cluster id>:<project>`. */
  readonly projects: ReadonlyMap<string, JudgedObject>;
  /** Namespaces by the project ID in their annotation. */
  readonly namespaces: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly clusterIds: ReadonlySet<string>;
  /** Whether a provisioning Cluster has a random id, so that an unknown id may be its. */
  readonly hasUnknownIds: boolean;
  /** Projects and clusters that the program only refers to, by their ids. */
  readonly referencedProjects: ReadonlySet<string>;
  readonly referencedClusterIds: ReadonlySet<string>;
}

/** The projects of each Rancher in a world, by its target: IDs of two Ranchers may be equal. */
interface ProjectsByRancher {
  readonly byRancher: ReadonlyMap<string, KnownProjects>;
  /** All together, for a cluster whose Rancher is not known. */
  readonly all: KnownProjects;
}

const projectsByRancher = byObject((world: World): ProjectsByRancher => {
  const ranchers = world
    .allTargets()
    .map(rancherOf)
    .filter((name) => name !== undefined);
  const names = [...new Set(ranchers)];
  const all = projectsOf(world, () => true);
  const byRancher = names.map((rancher): [string, KnownProjects] => {
    const isIts = (target: JudgedTarget): boolean => (rancherOf(target) ?? rancher) === rancher;
    return [rancher, names.length === 1 ? all : projectsOf(world, isIts)];
  });
  return { byRancher: new Map(byRancher), all };
});

/**
 * The projects and clusters of the Rancher that a target belongs to: a Namespace on Harvester names
 * a project on Rancher.
 */
export function knownProjects(world: World, target: JudgedTarget): KnownProjects {
  const { byRancher, all } = projectsByRancher(world);
  return byRancher.get(rancherOf(target) ?? '') ?? all;
}

/** The projects of each Rancher, or of all clusters together where no Rancher is known. */
export function projectsOfRanchers(world: World): readonly KnownProjects[] {
  const { byRancher, all } = projectsByRancher(world);
  return byRancher.size > 0 ? [...byRancher.values()] : [all];
}

function projectsOf(world: World, isIts: (target: JudgedTarget) => boolean): KnownProjects {
  const ofKind = (group: string, kind: string): readonly JudgedObject[] =>
    world.ofKind(group, kind).filter(({ target }) => isIts(target));
  const projects = grouped(ofKind(GROUPS.MANAGEMENT, 'Project'), ({ manifest }) => {
    const { namespace = '', name } = manifest.metadata;
    return projectIdOf(namespace, name);
  });
  const namespaces = ofKind('', 'Namespace').filter(
    ({ manifest }) => projectIdIn(manifest) !== undefined,
  );
  const ids = ofKind(GROUPS.PROVISIONING, 'Cluster').map(({ manifest }) =>
    managementClusterIdOf(manifest),
  );
  const referenced = referencedOn(world, isIts);
  const isKnown = (id: string | undefined): id is string => id !== undefined && !isLate(id);
  return {
    projects: new Map([...projects].map(([id, [project]]) => [id, project!])),
    namespaces: grouped(namespaces, ({ manifest }) => projectIdIn(manifest)!),
    clusterIds: new Set([
      ...ids.filter(isKnown),
      ...ofKind(GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name),
    ]),
    hasUnknownIds: !ids.every(isKnown),
    referencedProjects: new Set(
      referenced('Project').map(({ namespace = '', name }) => projectIdOf(namespace, name)),
    ),
    referencedClusterIds: new Set(referenced('Cluster').map(({ name }) => name)),
  };
}

/** The objects of a kind of Rancher that the program only refers to, on the targets asked for. */
function referencedOn(
  world: World,
  isIts: (target: JudgedTarget) => boolean,
): (kind: string) => KnownIdentity[] {
  const targets = new Map(world.allTargets().map((target) => [target.name, target]));
  return (kind) =>
    world.known.filter((object) => {
      const target = targets.get(object.target);
      const isOfKind = object.kind === kind && groupOf(object.apiVersion) === GROUPS.MANAGEMENT;
      return isOfKind && (target === undefined || isIts(target));
    });
}

/** The project ID in the annotation of a Namespace; undefined without one. */
export function projectIdIn(namespace: Manifest): string | undefined {
  return filledText(annotationsOf(namespace)[ANNOTATION_PROJECT_ID]);
}

/** The result of looking up a project by its ID. */
type Whereabouts =
  | { readonly is: 'known'; readonly project: JudgedObject }
  /** The program refers to it as existing, without more. */
  | { readonly is: 'referenced' }
  /** No projects are known at all, or the ID is a late value. */
  | { readonly is: 'unsure' }
  /** Its cluster is known and the project is not. */
  | { readonly is: 'missing' }
  /** Its name is one that Rancher generates, or its cluster is unknown. */
  | { readonly is: 'perhaps elsewhere'; readonly why: string };

const RANDOM_NAME = /^p-[a-z0-9]{5}$/;

/** Looks up a project by its ID `<management cluster ID>:<project>`; unsure about late values. */
export function findProject(world: World, target: JudgedTarget, id: string): Whereabouts {
  const { projects, clusterIds, hasUnknownIds, referencedProjects, referencedClusterIds } =
    knownProjects(world, target);
  const project = projects.get(id);
  if (project) {
    return { is: 'known', project };
  }
  if (referencedProjects.has(id)) {
    return { is: 'referenced' };
  }
  const [cluster, name] = id.split(':');
  if (isLate(id) || (clusterIds.size === 0 && projects.size === 0) || cluster === LOCAL_CLUSTER) {
    return { is: 'unsure' };
  }
  if (RANDOM_NAME.test(name)) {
    return {
      is: 'perhaps elsewhere',
      why: 'must be a known project; Rancher generates such names',
    };
  }
  if (clusterIds.has(cluster)) {
    return { is: 'missing' };
  }
  if (referencedClusterIds.has(cluster)) {
    return {
      is: 'perhaps elsewhere',
      why: `must be a known project of ${cluster}, which the program only references`,
    };
  }
  return hasUnknownIds
    ? { is: 'unsure' }
    : { is: 'perhaps elsewhere', why: `must be a project of a known cluster, not of ${cluster}` };
}

/** The project of an ID; undefined where no more is known than that. */
export function projectOf(
  world: World,
  target: JudgedTarget,
  id: string | undefined,
): JudgedObject | undefined {
  return id === undefined ? undefined : knownProjects(world, target).projects.get(id);
}

/**
 * The namespaces where Rancher may look for the bindings of a project: the one in its status, or
 * those that its version derives.
 *
 * @param target the target of the bindings
 */
export function backingNamespaces(
  target: JudgedObject['target'],
  clusterId: string,
  name: string,
  project: Manifest | undefined,
): readonly string[] {
  const actual = valueAt(project, 'status', 'backingNamespace');
  if (typeof actual === 'string' && actual !== '') {
    return [actual];
  }
  const hasClusterId = hasFeature(target, RancherGate.PROJECT_BACKING_NAMESPACE);
  if (hasClusterId !== undefined) {
    return [backingNamespaceOf(clusterId, name, hasClusterId)];
  }
  return [backingNamespaceOf(clusterId, name, true), backingNamespaceOf(clusterId, name, false)];
}

/** Whether the program refers to a project as existing, without more. */
export function isReferenced(world: World, target: JudgedTarget, id: string): boolean {
  const { projects, referencedProjects } = knownProjects(world, target);
  return !projects.has(id) && referencedProjects.has(id);
}
