import { Manifest, annotationsOf, objectId, objectLabel, printName } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { AssemblyRemoval } from '../../core/output/assembly';
import { acceptedRemoval } from '../../core/output/removal-pattern';
import { managementClusterIdOf } from '../../rancher/cluster/cluster.kind';
import { ANNOTATION_PROJECT_ID } from '../../rancher/project/project.kind';
import { Cluster, ObjectRef } from '../cluster/cluster';
import { isRegistration } from '../inventory/removed-targets';
import { onFailure } from '../transport/api';

/** A declared object of a Harvester, which names a management cluster, and its live state. */
interface NamingObject {
  readonly id: string;
  readonly target: string;
  readonly manifest: Manifest;
  readonly live?: Manifest;
}

/** A Cluster that may have to be created. */
export interface NewImport {
  readonly id: string;
  readonly manifest: Manifest;
  /** The targets that it imports. */
  readonly harvesters: readonly string[];
}

interface FormerOptions {
  /** The name of the Rancher. */
  readonly target: string;
  readonly cluster: Pick<Cluster, 'list'>;
  /** Whether the program declares an object, by its ID. */
  readonly isDeclared: (id: string) => boolean;
  readonly removals: readonly AssemblyRemoval[];
  readonly signal?: AbortSignal;
}

/** Whether an object names the management cluster that it belongs to. */
export function namesCluster(object: ObjectRef): boolean {
  return isRegistration(object) || (object.apiVersion === 'v1' && object.kind === 'Namespace');
}

/**
 * Why new Clusters must not be created, by their IDs: live objects of the Harvester name the management cluster of another live Cluster. The
 * Harvester would be registered again, and its namespaces would leave their projects. This needs no inventory, so it also finds what an engine or another app applied.
 *
 * @param naming declared objects with their live state, by which a Harvester is known
 */
export async function formerImports(
  wanted: readonly NewImport[], naming: readonly NamingObject[], { target, cluster, isDeclared, removals, signal }: FormerOptions,
): Promise<ReadonlyMap<string, string>> {
  const named = wanted.flatMap((each) => naming.flatMap((object) => {
    const former = formerIdOf(each, object);
    return former === undefined ? [] : [{ id: each.id, former, by: object }];
  }));
  if (named.length === 0) { return new Map(); }
  // who cannot list Clusters is warned about that where IDs are compared
  const live = await cluster.list(API_VERSIONS.PROVISIONING, 'Cluster', { signal }).catch(onFailure(['forbidden'], () => []));
  const problems = new Map<string, string>();
  const there = new Set(live.map((each) => objectId(target, each)));
  for (const { id, former, by } of named) {
    if (there.has(id)) { continue; }
    const other = live.find((each) => managementClusterIdOf(each) === former && each.metadata.deletionTimestamp === undefined);
    const otherId = other && objectId(target, other);
    if (!other || otherId === undefined || problems.has(id) || isDeclared(otherId) || acceptedRemoval(removals, otherId)) { continue; }
    const { name, namespace } = other.metadata;
    problems.set(id, `would be another cluster than ${objectLabel(other)}, whose management cluster ${former} is named by ${objectLabel(by.live!)} on ${by.target}: `
      + 'Harvester would be registered again, and its namespaces would leave their projects, with members and quotas. '
      + `Fix: to rename only the construct, set its prop name to ${JSON.stringify(name)}; to replace ${printName({ namespace, name })}, add app.acceptRemoval('${otherId}', '<why>')`);
  }
  return problems;
}

/** The ID of another management cluster that the live object names, where the declared one is of the new Cluster. */
function formerIdOf(wanted: NewImport, object: NamingObject): string | undefined {
  const former = object.live && clusterIdIn(object.live);
  return former !== undefined && former !== managementClusterIdOf(wanted.manifest) && namesImport(wanted, object) ? former : undefined;
}

/** Whether a declared object names the management cluster of a new Cluster. */
export function namesImport({ manifest, harvesters }: NewImport, { target, manifest: declared }: NamingObject): boolean {
  if (declared.kind !== 'Namespace') { return harvesters.includes(target); }
  const own = managementClusterIdOf(manifest);
  return own !== undefined && clusterIdIn(declared) === own;
}

/** The management cluster ID in a registration URL, or in the project of a Namespace. */
function clusterIdIn(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Namespace') {
    const project = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
    return typeof project === 'string' && project.includes(':') ? project.slice(0, project.indexOf(':')) : undefined;
  }
  return /_([a-z0-9-]+)\.yaml/.exec(String(manifest.value ?? ''))?.[1];
}
