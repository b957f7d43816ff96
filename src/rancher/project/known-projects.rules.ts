import { ANNOTATION_PROJECT_ID, backingNamespaceOf, projectIdOf } from './project.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, groupOf, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, KnownIdentity, World } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { managementClusterIdOf } from '../cluster/cluster-id.rules';
import { rancherHas } from '../version/rancher-gates';

/** The projects of a world, the namespaces in them and the clusters that are known, over all targets. */
interface KnownProjects {
  /** Projects by `<cluster id>:<project>`. */
  readonly projects: ReadonlyMap<string, JudgedObject>;
  /** Namespaces by the project ID in their annotation. */
  readonly namespaces: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly clusterIds: ReadonlySet<string>;
  /** Whether a provisioning Cluster has a random id, so that an unknown id may be its. */
  readonly hasUnknownIds: boolean;
  readonly judged: ReadonlySet<JudgedObject>;
  /** Projects and clusters that the program only refers to, by their ids. */
  readonly referencedProjects: ReadonlySet<string>;
  readonly referencedClusterIds: ReadonlySet<string>;
}

// one index per world: the time for many namespaces and bindings is linear
const KNOWN = new WeakMap<World, KnownProjects>();

/** The projects and clusters of a world: a Namespace on Harvester names a project on Rancher. */
export function knownProjects(world: World): KnownProjects {
  const known = KNOWN.get(world) ?? collect(world);
  KNOWN.set(world, known);
  return known;
}

function collect(world: World): KnownProjects {
  const projects = new Map<string, JudgedObject>();
  for (const project of world.ofKind(GROUPS.MANAGEMENT, 'Project')) {
    const { namespace = '', name } = project.manifest.metadata;
    if (!projects.has(projectIdOf(namespace, name))) { projects.set(projectIdOf(namespace, name), project); }
  }
  const namespaces = new Map<string, JudgedObject[]>();
  for (const namespace of world.ofKind('', 'Namespace')) {
    const id = projectIdIn(namespace.manifest);
    if (id === undefined) { continue; }
    const list = namespaces.get(id);
    if (list) { list.push(namespace); } else { namespaces.set(id, [namespace]); }
  }
  const provisioned = world.ofKind(GROUPS.PROVISIONING, 'Cluster').map(({ manifest }) => managementClusterIdOf(manifest));
  const managed = world.ofKind(GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name);
  return {
    projects,
    namespaces,
    clusterIds: new Set([...provisioned.filter((id) => id !== undefined).filter((id) => !isLate(id)), ...managed]),
    hasUnknownIds: provisioned.some((id) => id === undefined || isLate(id)),
    judged: new Set(world.judged),
    referencedProjects: new Set(referenced(world, 'Project').map(({ namespace = '', name }) => projectIdOf(namespace, name))),
    referencedClusterIds: new Set(referenced(world, 'Cluster').map(({ name }) => name)),
  };
}

function referenced(world: World, kind: string): KnownIdentity[] {
  return world.known.filter((object) => object.kind === kind && groupOf(object.apiVersion) === GROUPS.MANAGEMENT);
}

/** Checks that an ID is that of a known cluster; finds nothing if a cluster has an unknown ID. */
export function* unknownCluster(object: JudgedObject, world: World, path: string, id: unknown): Iterable<Problem> {
  const { clusterIds, referencedClusterIds, hasUnknownIds } = knownProjects(world);
  if (typeof id !== 'string' || id === '' || id === LOCAL_CLUSTER || isLate(id) || hasUnknownIds) { return; }
  if (clusterIds.size === 0 || clusterIds.has(id) || referencedClusterIds.has(id)) { return; }
  const some = [...clusterIds, ...referencedClusterIds].slice(0, 5).join(', ');
  const certain = world.isListed(object, GROUPS.MANAGEMENT, 'Cluster');
  yield { path, value: id, ...(certain ? {} : { level: 'warning' as const }), message: 'must be the management cluster ID of a known cluster', fix: `use one of ${some}` };
}

/** The project ID in the annotation of a Namespace; undefined without one. */
export function projectIdIn(namespace: Manifest): string | undefined {
  const id = annotationsOf(namespace)[ANNOTATION_PROJECT_ID];
  return typeof id === 'string' && id !== '' ? id : undefined;
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

/** Looks up a project by its ID `<management cluster ID>:<project>`. */
export function findProject(world: World, id: string): Whereabouts {
  const { projects, clusterIds, hasUnknownIds, referencedProjects, referencedClusterIds } = knownProjects(world);
  const project = projects.get(id);
  if (project) { return { is: 'known', project }; }
  if (referencedProjects.has(id)) { return { is: 'referenced' }; }
  const [cluster, name] = id.split(':');
  if (isLate(id) || (clusterIds.size === 0 && projects.size === 0) || cluster === LOCAL_CLUSTER) { return { is: 'unsure' }; }
  if (RANDOM_NAME.test(name)) { return { is: 'perhaps elsewhere', why: 'must be a known project; Rancher generates such names' }; }
  if (clusterIds.has(cluster)) { return { is: 'missing' }; }
  if (referencedClusterIds.has(cluster)) { return { is: 'perhaps elsewhere', why: `must be a known project of ${cluster}, which the program only references` }; }
  return hasUnknownIds ? { is: 'unsure' } : { is: 'perhaps elsewhere', why: `must be a project of a known cluster, not of ${cluster}` };
}

/**
 * The namespaces where Rancher may look for the bindings of a project: the one in its status, or those that its version derives.
 *
 * @param target the target of the bindings
 */
export function backingNamespaces(target: JudgedObject['target'], clusterId: string, name: string, project: Manifest | undefined): readonly string[] {
  const actual = valueAt(project, 'status', 'backingNamespace');
  if (typeof actual === 'string' && actual !== '') { return [actual]; }
  const hasClusterId = rancherHas(target, GateId.PROJECT_BACKING_NAMESPACE);
  return (hasClusterId === undefined ? [true, false] : [hasClusterId]).map((withId) => backingNamespaceOf(clusterId, name, withId));
}
