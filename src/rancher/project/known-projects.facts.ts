import { ANNOTATION_PROJECT_ID, backingNamespaceOf, projectIdOf } from './project.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, groupOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { JudgedObject, KnownIdentity, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { managementClusterIdOf } from '../cluster/cluster.kind';
import { RancherGate } from '../version/rancher-version';

/**
 * The projects of a world, the namespaces in them and the clusters that are known, over all
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

/** The projects and clusters of a world: a Namespace on Harvester names a project on Rancher. */
export const knownProjects = byObject((world: World): KnownProjects => {
  const projects = grouped(
    world.ofKind(GROUPS.MANAGEMENT, 'Project'),
    ({
      manifest: {
        metadata: { namespace = '', name },
      },
    }) => projectIdOf(namespace, name),
  );
  const namespaces = world
    .ofKind('', 'Namespace')
    .filter(({ manifest }) => projectIdIn(manifest) !== undefined);
  const ids = world
    .ofKind(GROUPS.PROVISIONING, 'Cluster')
    .map(({ manifest }) => managementClusterIdOf(manifest));
  const isKnown = (id: string | undefined): id is string => id !== undefined && !isLate(id);
  return {
    projects: new Map([...projects].map(([id, [project]]) => [id, project!])),
    namespaces: grouped(namespaces, ({ manifest }) => projectIdIn(manifest)!),
    clusterIds: new Set([
      ...ids.filter(isKnown),
      ...world.ofKind(GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name),
    ]),
    hasUnknownIds: !ids.every(isKnown),
    referencedProjects: new Set(
      referenced(world, 'Project').map(({ namespace = '', name }) => projectIdOf(namespace, name)),
    ),
    referencedClusterIds: new Set(referenced(world, 'Cluster').map(({ name }) => name)),
  };
});

function referenced(world: World, kind: string): KnownIdentity[] {
  return world.known.filter(
    (object) => object.kind === kind && groupOf(object.apiVersion) === GROUPS.MANAGEMENT,
  );
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
export function findProject(world: World, id: string): Whereabouts {
  const { projects, clusterIds, hasUnknownIds, referencedProjects, referencedClusterIds } =
    knownProjects(world);
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
export function projectOf(world: World, id: string | undefined): JudgedObject | undefined {
  return id === undefined ? undefined : knownProjects(world).projects.get(id);
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
export function isReferenced(world: World, id: string): boolean {
  return projectOf(world, id) === undefined && knownProjects(world).referencedProjects.has(id);
}
