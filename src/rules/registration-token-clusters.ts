import { managementClusterIdOf } from './provisioning-cluster-id';
import { JudgedObject } from './rule';
import { World } from './world';
import { isLate } from '../model/late-token';
import { GROUPS } from '../model/names';

// one set a world and target, so that many tokens stay linear
const CLUSTER_IDS = new WeakMap<World, Map<string, Set<string>>>();

/** The ids of the clusters on the target of an object; none where no provisioning Cluster says its id. */
export function knownClusterIds(object: JudgedObject, world: World): ReadonlySet<string> {
  const byTarget = CLUSTER_IDS.get(world) ?? new Map<string, Set<string>>();
  CLUSTER_IDS.set(world, byTarget);
  const known = byTarget.get(object.target.name) ?? collectClusterIds(object, world);
  byTarget.set(object.target.name, known);
  return known;
}

// without the id of a single cluster there is nothing to compare with: they may all be random
function collectClusterIds(object: JudgedObject, world: World): Set<string> {
  const ids = world.beside(object, GROUPS.PROVISIONING, 'Cluster').flatMap(({ manifest }) => managementClusterIdOf(manifest) ?? []).filter((id) => !isLate(id));
  if (ids.length === 0) { return new Set(); }
  return new Set([...ids, ...world.beside(object, GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name)]);
}

/** Whether the namespace of an object is the id of a cluster that is known. */
export function isInCluster(object: JudgedObject, world: World): boolean {
  const { namespace } = object.manifest.metadata;
  return namespace !== undefined
    && (knownClusterIds(object, world).has(namespace) || world.knows(object, GROUPS.MANAGEMENT, 'Cluster', undefined, namespace));
}
