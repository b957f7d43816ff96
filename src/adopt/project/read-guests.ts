import { FoundCluster } from '../../core/draft/inverse';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { OpenCluster, OpenOptions, openGuest } from '../../engine/auth/bind-targets';
import { inParallel } from '../../engine/transport/pace';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.kind';
import { readLive } from '../read/live';

/** The guest clusters of a Rancher, and those that could not be read. */
interface ReadGuests {
  readonly guests: readonly FoundCluster[];
  readonly unread: FoundCluster['unread'];
}

/** Clusters at a time. */
const CONCURRENCY = 4;

/**
 * Reads the guest clusters that a Rancher manages, by the Secrets with their kubeconfigs.
 *
 * @param taken the names of clusters that are read otherwise
 */
export async function guestsOf(
  rancher: OpenCluster, { objects, serverUrl }: FoundCluster, taken: ReadonlySet<string>, options: OpenOptions & { readonly signal?: AbortSignal },
): Promise<ReadGuests> {
  const { signal } = options;
  const unread: { kind: string; reason: string }[] = [];
  const named = objects.map(({ manifest }) => manifest).filter((manifest) => isCluster(manifest) && isProvisioned(manifest));
  const own = new Set<string>();
  const clusters = named.filter((cluster) => {
    const { name } = cluster.metadata;
    const reason = `another cluster has the name ${name}. Fix: set --context <target>=<context> for one of them`;
    if (own.has(name)) { unread.push({ kind: objectLabel(cluster), reason }); }
    return !taken.has(name) && !own.has(name) && own.add(name);
  });
  const guests = await inParallel(clusters, () => rancher.name, CONCURRENCY, async (cluster: Manifest): Promise<readonly FoundCluster[]> => {
    const { name, namespace = '' } = cluster.metadata;
    let opened: OpenCluster | undefined;
    try {
      opened = await openGuest(name, { namespace, name }, rancher, serverUrl, options, signal);
      return [await readLive({ name, cluster: opened.cluster, by: opened.by, signal })];
    } catch (error) {
      if (signal?.aborted) { throw error; }
      unread.push({ kind: objectLabel(cluster), reason: `what is in the cluster could not be read: ${(error as Error).message}` });
      return [];
    } finally {
      opened?.cluster.close();
    }
  }, signal);
  return { guests: guests.flat(), unread };
}
