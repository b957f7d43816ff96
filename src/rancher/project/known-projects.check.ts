import { findProject, knownProjects } from './known-projects.facts';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Found } from '../../core/rule/findings';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';

/** The problem with the ID of a cluster that is not known; none if a cluster has an unknown ID. */
export function unknownCluster(object: JudgedObject, world: World, id: string): Found | undefined {
  const { clusterIds, referencedClusterIds, hasUnknownIds } = knownProjects(world, object.target);
  if (
    id === LOCAL_CLUSTER ||
    hasUnknownIds ||
    clusterIds.size === 0 ||
    clusterIds.has(id) ||
    referencedClusterIds.has(id)
  ) {
    return undefined;
  }
  return {
    level: errorIf(world.isListed(object, GROUPS.MANAGEMENT, 'Cluster')),
    message: 'must be the management cluster ID of a known cluster',
    fix: `use one of ${[...clusterIds, ...referencedClusterIds].slice(0, 5).join(', ')}`,
  };
}

/**
 * The problem with the ID of a project that is not known. A warning where it may exist.
 *
 * @param reason what a project that does not exist leads to
 */
export function unknownProject(
  { target }: JudgedObject,
  world: World,
  id: string,
  reason = '',
): Found | undefined {
  const found = findProject(world, target, id);
  const [cluster, name] = id.split(':');
  const fix = `declare Project ${name} in namespace ${cluster}, or pass it with --world if it is live`;
  switch (found.is) {
    case 'missing':
      return { message: `must be a declared or live project${reason}`, fix };
    case 'perhaps elsewhere':
      return { level: 'warning', message: found.why, fix };
    default:
      return undefined;
  }
}
