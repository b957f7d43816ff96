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
export interface KnownProjects {
  /** Projects by `<cluster id>:<project>`. */
  readonly projects: ReadonlyMap<string, JudgedObject>;
  /** Namespaces by the project that they say they are in. */
  readonly namespaces: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly clusterIds: ReadonlySet<string>;
  /** Whether a provisioning Cluster has a random id, so that an unknown id may be its. */
  readonly hasUnknownIds: boolean;
  readonly judged: ReadonlySet<JudgedObject>;
  /** Projects and clusters that the program only refers to, by their ids. */
  readonly saidProjects: ReadonlySet<string>;
  readonly saidClusterIds: ReadonlySet<string>;
}

// one index a world, so that many namespaces and bindings stay linear
const KNOWN = new WeakMap<World, KnownProjects>();

/** The projects and clusters of a world: a Namespace on Harvester names a project that lies on Rancher. */
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
    saidProjects: new Set(said(world, 'Project').map(({ namespace = '', name }) => projectIdOf(namespace, name))),
    saidClusterIds: new Set(said(world, 'Cluster').map(({ name }) => name)),
  };
}

function said(world: World, kind: string): KnownIdentity[] {
  return world.known.filter((object) => object.kind === kind && groupOf(object.apiVersion) === GROUPS.MANAGEMENT);
}

/** What is said of an id that is no cluster's that is known; nothing where that can not be said. */
export function* unknownCluster(object: JudgedObject, world: World, path: string, id: unknown): Iterable<Problem> {
  const { clusterIds, saidClusterIds, hasUnknownIds } = knownProjects(world);
  if (typeof id !== 'string' || id === '' || id === LOCAL_CLUSTER || isLate(id) || hasUnknownIds) { return; }
  if (clusterIds.size === 0 || clusterIds.has(id) || saidClusterIds.has(id)) { return; }
  const some = [...clusterIds, ...saidClusterIds].slice(0, 5).join(', ');
  const certain = world.isListed(object, GROUPS.MANAGEMENT, 'Cluster');
  yield { path, value: id, ...(certain ? {} : { level: 'warning' as const }), message: 'is the id of no cluster that is known here', fix: `use one of ${some}` };
}

/** The project that a Namespace says it is in; undefined where it says none. */
export function projectIdIn(namespace: Manifest): string | undefined {
  const id = annotationsOf(namespace)[ANNOTATION_PROJECT_ID];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** What is known of a project that is named somewhere. */
export type Whereabouts =
  | { readonly is: 'known'; readonly project: JudgedObject }
  /** A program says that it is there, and nothing is to be seen of it. */
  | { readonly is: 'said' }
  /** Nothing at all is known of projects here, or the name is not known yet. */
  | { readonly is: 'unsure' }
  /** Its cluster is known and the project is not. */
  | { readonly is: 'missing' }
  /** One of the two that Rancher makes with random names, or in a cluster that is not known here. */
  | { readonly is: 'perhaps elsewhere'; readonly why: string };

const RANDOM_NAME = /^p-[a-z0-9]{5}$/;

/** Where a project is, by its id `<cluster id>:<project>`. */
export function findProject(world: World, id: string): Whereabouts {
  const { projects, clusterIds, hasUnknownIds, saidProjects, saidClusterIds } = knownProjects(world);
  const project = projects.get(id);
  if (project) { return { is: 'known', project }; }
  if (saidProjects.has(id)) { return { is: 'said' }; }
  const [cluster, name] = id.split(':');
  if (isLate(id) || (clusterIds.size === 0 && projects.size === 0) || cluster === LOCAL_CLUSTER) { return { is: 'unsure' }; }
  if (RANDOM_NAME.test(name)) { return { is: 'perhaps elsewhere', why: 'its name is one that Rancher makes up, and no such project is known here' }; }
  if (clusterIds.has(cluster)) { return { is: 'missing' }; }
  if (saidClusterIds.has(cluster)) { return { is: 'perhaps elsewhere', why: `no such project is known here, of ${cluster}, which the program only refers to` }; }
  return hasUnknownIds ? { is: 'unsure' } : { is: 'perhaps elsewhere', why: `${cluster} is the id of no cluster that is known here` };
}

/**
 * The namespaces that Rancher may look the bindings of a project up in: the one that it has, or what its version makes of the names.
 *
 * @param target where the bindings lie
 */
export function backingNamespaces(target: JudgedObject['target'], clusterId: string, name: string, project: Manifest | undefined): readonly string[] {
  const actual = valueAt(project, 'status', 'backingNamespace');
  if (typeof actual === 'string' && actual !== '') { return [actual]; }
  const hasClusterId = rancherHas(target, GateId.PROJECT_BACKING_NAMESPACE);
  return (hasClusterId === undefined ? [true, false] : [hasClusterId]).map((withId) => backingNamespaceOf(clusterId, name, withId));
}
