import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { keepName, managementClusterIdOf } from '../../rancher/cluster/cluster.kind';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { appOfManager } from '../inventory/apply-set';
import { onFailure } from '../transport/api';

/** The Clusters of a Rancher. */
export interface LiveClusters {
  readonly live: readonly LiveObject[];
  /** Why not all Clusters are known. */
  readonly unknown?: string;
}

/** Whether a manifest is a Cluster with a fixed management cluster ID, which another Cluster may already have. */
export function asksForId(manifest: Manifest): boolean {
  const id = manifest.apiVersion === API_VERSIONS.PROVISIONING && manifest.kind === 'Cluster' ? managementClusterIdOf(manifest) : undefined;
  return id !== undefined && !isLate(id);
}

/**
 * The problem of a new Cluster whose management cluster already belongs to another live Cluster: of this app under another name, of another app, or from
 * the UI. Rancher gives both the same management cluster, and deleting either deletes it with all projects, members and tokens.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster
 */
export function sharedId(manifest: Manifest, live: readonly LiveObject[]): string | undefined {
  const other = otherOf(manifest, live);
  if (!other) { return undefined; }
  const { name, namespace } = other.metadata;
  const apps = (other.metadata.managedFields ?? []).flatMap(({ manager }) => appOfManager(manager)?.id ?? []);
  const by = apps.length > 0 ? ` (of app ${apps[0]})` : '';
  return `management cluster ID ${managementClusterIdOf(manifest)} already belongs to ${objectLabel(other)}${by}: both would share one management cluster, and `
    + `deleting either deletes the projects, members and tokens of both. Fix: ${keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace)}`;
}

/** Another live Cluster with the management cluster of this one. */
export async function sharesWith(live: LiveObject, cluster: Pick<Cluster, 'list'>, signal?: AbortSignal): Promise<LiveObject | undefined> {
  return managementClusterIdOf(live) === undefined ? undefined : otherOf(live, await cluster.list(live.apiVersion, live.kind, { signal }));
}

function otherOf(manifest: Manifest, live: readonly LiveObject[]): LiveObject | undefined {
  const { metadata: { namespace, name } } = manifest;
  const id = managementClusterIdOf(manifest);
  return live.find((each) => managementClusterIdOf(each) === id && !(each.metadata.namespace === namespace && each.metadata.name === name));
}

/** @param applied Clusters that this app applied: they are read if listing is forbidden */
export async function liveClusters(cluster: Pick<Cluster, 'list' | 'read'>, applied: readonly ObjectRef[], signal?: AbortSignal): Promise<LiveClusters> {
  return cluster.list(API_VERSIONS.PROVISIONING, 'Cluster', { signal }).then((live) => ({ live }), onFailure(['forbidden'], async ({ message }) => {
    const live = await Promise.all(applied.map(async (ref) => cluster.read(ref, { signal })));
    return {
      live: live.flatMap((each) => each ?? []),
      unknown: `cannot check whether another Cluster has the management cluster ID of a new one: ${message}. Fix: allow this identity to list Clusters`,
    };
  }));
}
