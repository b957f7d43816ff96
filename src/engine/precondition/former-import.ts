import { Manifest, annotationsOf, objectId, objectLabel, printName } from '../../core/manifest/manifest';
import { AssemblyRemoval } from '../../core/output/assembly';
import { acceptedRemoval } from '../../core/output/removal-pattern';
import { managementClusterIdOf } from '../../rancher/cluster/cluster.kind';
import { ANNOTATION_PROJECT_ID } from '../../rancher/project/project.kind';
import { LiveObject, ObjectRef } from '../cluster/cluster';
import { isRegistration } from '../inventory/removed-targets';

/** The live state of an object that the program declares on a Harvester, and which names a management cluster. */
interface NamingObject {
  /** The name of the Harvester. */
  readonly on: string;
  readonly live?: LiveObject;
}

interface FormerOptions {
  /** The name of the Rancher. */
  readonly target: string;
  /** Lists the Clusters on it. */
  readonly live: () => Promise<readonly LiveObject[]>;
  /** Whether the program declares a Cluster. */
  readonly isDeclared: (cluster: LiveObject) => boolean;
  readonly removals: readonly AssemblyRemoval[];
}

/** Whether an object names the management cluster that it belongs to. */
export function namesCluster(object: ObjectRef): boolean {
  return isRegistration(object) || (object.apiVersion === 'v1' && object.kind === 'Namespace');
}

/**
 * Why a new Cluster must not be created: live objects of the Harvester name the management cluster of another live Cluster. The Harvester would be registered
 * again, and its namespaces would leave their projects. This needs no inventory, so it also finds what an engine or another app applied.
 *
 * @param naming by what a Harvester is known
 */
export async function formerImport(
  manifest: Manifest, naming: readonly NamingObject[], { target, live, isDeclared, removals }: FormerOptions,
): Promise<string | undefined> {
  const own = managementClusterIdOf(manifest);
  const named = naming.flatMap(({ on, live: by }) => {
    const former = by && namedCluster(by);
    return former === undefined || former === own ? [] : [{ on, by: by!, former }];
  });
  if (named.length === 0) { return undefined; }
  const clusters = await live();
  if (clusters.some((each) => objectId(target, each) === objectId(target, manifest))) { return undefined; }
  for (const { on, by, former } of named) {
    const other = clusters.find((each) => managementClusterIdOf(each) === former && each.metadata.deletionTimestamp === undefined);
    const otherId = other && objectId(target, other);
    if (!other || otherId === undefined || isDeclared(other) || acceptedRemoval(removals, otherId)) { continue; }
    const { name, namespace } = other.metadata;
    return `would be another cluster than ${objectLabel(other)}, whose management cluster ${former} is named by ${objectLabel(by)} on ${on}: `
      + 'Harvester would be registered again, and its namespaces would leave their projects, with members and quotas. '
      + `Fix: to rename only the construct, set its prop name to ${JSON.stringify(name)}; to replace ${printName({ namespace, name })}, add app.acceptRemoval('${otherId}', '<why>')`;
  }
  return undefined;
}

/** The management cluster ID in a registration URL, or in the project of a Namespace. */
export function namedCluster(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Namespace') {
    const project = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
    return typeof project === 'string' && project.includes(':') ? project.slice(0, project.indexOf(':')) : undefined;
  }
  return /_([a-z0-9-]+)\.yaml/.exec(String(manifest.value ?? ''))?.[1];
}
