import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { keepName, managementClusterIdOf } from '../../rancher/cluster/cluster.kind';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { appOfManager } from '../inventory/apply-set';
import { onFailure } from '../transport/api';

/** A Cluster to create, which requests a management cluster ID. */
interface NewCluster {
  readonly id: string;
  readonly manifest: Manifest;
}

/** The problems of new Clusters, by object ID. */
interface SharedIds {
  readonly problems: ReadonlyMap<string, string>;
  /** Why not all Clusters could be checked. */
  readonly unknown?: string;
}

/** Whether a manifest is a Cluster with a fixed management cluster ID, which another Cluster may already have. */
export function asksForId(manifest: Manifest): boolean {
  const id = manifest.apiVersion === API_VERSIONS.PROVISIONING && manifest.kind === 'Cluster' ? managementClusterIdOf(manifest) : undefined;
  return id !== undefined && !isLate(id);
}

/**
 * Finds new Clusters whose management cluster already belongs to another live Cluster: of this app under another name, of another app, or from the UI.
 * Rancher gives both the same management cluster, and deleting either deletes it with all projects, members and tokens.
 *
 * @param applied Clusters that this app applied: they are read if listing is forbidden
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster
 */
export async function sharedIds(
  wanted: readonly NewCluster[], applied: readonly ObjectRef[], cluster: Pick<Cluster, 'list' | 'read'>, signal?: AbortSignal,
): Promise<SharedIds> {
  if (wanted.length === 0) { return { problems: new Map() }; }
  const { live, unknown } = await clustersOn(cluster, applied, signal);
  const problems = new Map<string, string>();
  for (const { id, manifest } of wanted) {
    const wantedId = managementClusterIdOf(manifest);
    const other = live.find((each) => managementClusterIdOf(each) === wantedId && !isSame(each, manifest));
    if (other) { problems.set(id, problemOf(manifest, other)); }
  }
  return { problems, ...(unknown === undefined ? {} : { unknown }) };
}

/** Another live Cluster with the management cluster of this one. */
export async function sharesWith(live: LiveObject, cluster: Pick<Cluster, 'list'>, signal?: AbortSignal): Promise<LiveObject | undefined> {
  const id = managementClusterIdOf(live);
  if (id === undefined) { return undefined; }
  const all = await cluster.list(live.apiVersion, live.kind, { signal });
  return all.find((other) => managementClusterIdOf(other) === id && !isSame(other, live));
}

async function clustersOn(
  cluster: Pick<Cluster, 'list' | 'read'>, applied: readonly ObjectRef[], signal?: AbortSignal,
): Promise<{ readonly live: readonly LiveObject[]; readonly unknown?: string }> {
  return cluster.list(API_VERSIONS.PROVISIONING, 'Cluster', { signal }).then((live) => ({ live }), onFailure(['forbidden'], async ({ message }) => {
    const live = await Promise.all(applied.map(async (ref) => cluster.read(ref, { signal })));
    return {
      live: live.flatMap((each) => each ?? []),
      unknown: `cannot check whether another Cluster has the management cluster ID of a new one: ${message}. Fix: allow this identity to list Clusters`,
    };
  }));
}

function isSame(a: Manifest, b: Manifest): boolean {
  return a.metadata.namespace === b.metadata.namespace && a.metadata.name === b.metadata.name;
}

function problemOf(manifest: Manifest, other: LiveObject): string {
  const { name, namespace } = other.metadata;
  const apps = (other.metadata.managedFields ?? []).flatMap(({ manager }) => appOfManager(manager)?.id ?? []);
  const by = apps.length > 0 ? ` (of app ${apps[0]})` : '';
  return `management cluster ID ${managementClusterIdOf(manifest)} already belongs to ${objectLabel(other)}${by}: both would share one management cluster, and `
    + `deleting either deletes the projects, members and tokens of both. Fix: ${keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace)}`;
}
