import { inverted, reach } from '../../core/graph/reach';
import { valueAt } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.kind';
import { Manifests } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { isProvisioningCluster } from '../graph/object-index';
import { isRegistration } from '../inventory/removed-targets';

/** The provisioning Clusters of a Harvester: those that its registration Setting depends on, or that its URL names. */
export function importsOf(target: string, { objects }: Pick<Assembly, 'objects'>, graph: ApplyGraph, manifests: Manifests): string[] {
  const settings = objects.filter((object) => object.target === target && isRegistration(object));
  const reached = reach(settings.map(({ id }) => id), (id) => (graph.nodes.get(id)?.after ?? []).map(({ to }) => to));
  const urls = settings.map(({ id }) => String(manifests.get(id)?.value ?? ''));
  const isNamed = (object: AssemblyObject): boolean => {
    const id = valueAt(manifests.get(object.id), 'metadata', 'annotations', ANNOTATION_MANAGEMENT_CLUSTER_NAME)
      ?? valueAt(manifests.get(object.id), 'status', 'clusterName');
    return typeof id === 'string' && id !== '' && urls.some((url) => url.includes(`_${id}.yaml`));
  };
  return objects.filter((object) => isProvisioningCluster(object) && (reached.has(object.id) || isNamed(object))).map(({ id }) => id);
}

/**
 * The objects that are deleted with a target: all objects on it, the import of a Harvester, and everything on any cluster that needs one of these: projects
 * and members of the import, its tokens, credentials, guest clusters with their machine configurations.
 *
 * @param known the objects that an earlier run found: live objects do not contain all dependencies
 */
export function scopeOf(
  target: string, assembly: Assembly, graph: ApplyGraph, manifests: Manifests, known: readonly string[] = [],
): ReadonlySet<string> {
  const waiting = inverted([...graph.nodes.values()].flatMap(({ id, after }) => after.map(({ to }) => [id, to] as const)));
  const own = assembly.objects.filter((object) => object.target === target).map(({ id }) => id);
  const there = known.filter((id) => graph.nodes.has(id));
  return reach([...own, ...there, ...importsOf(target, assembly, graph, manifests)], (id) => waiting.get(id) ?? []);
}
