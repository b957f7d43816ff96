import { readLive } from './live';
import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { OpenCluster, openGuest, OpenOptions } from '../../engine/auth/bind-targets';
import { inParallel } from '../../engine/transport/pace';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';

/** A live cluster that was read, with the connection to it. */
export interface LiveCluster {
  readonly open: OpenCluster;
  readonly found: FoundCluster;
}

/** Clusters that were read, and those of them that were opened for it. */
export interface ReadClusters {
  readonly clusters: readonly FoundCluster[];
  /** The connections to them: close each. */
  readonly opened: readonly OpenCluster[];
}

/** How guest clusters are read. */
interface GuestOptions extends OpenOptions {
  readonly signal?: AbortSignal;
}

const NO_RANCHER =
  '--guests: no Rancher is read from a context. Fix: set --context <target>=<context> for Rancher, or leave --guests out';

/**
 * The live clusters with the guest clusters that their Ranchers manage.
 *
 * @param otherNames the names of clusters that are read otherwise
 */
export async function readGuests(
  live: readonly LiveCluster[],
  otherNames: readonly string[],
  options: GuestOptions,
): Promise<ReadClusters> {
  const ranchers = live.filter(({ found }) => found.kind === TargetKind.RANCHER);
  if (ranchers.length === 0) {
    throw new Error(NO_RANCHER);
  }
  const taken = new Set([...live.map(({ found }) => found.name), ...otherNames]);
  const guests = await Promise.all(
    ranchers.map(async (rancher) => readGuestsOf(rancher, taken, options)),
  );
  const unread = new Map(ranchers.map(({ found }, index) => [found.name, guests[index].unread]));
  const readLiveClusters = live.map(({ found }) => ({
    ...found,
    unread: [...found.unread, ...(unread.get(found.name) ?? [])],
  }));
  return {
    clusters: [...readLiveClusters, ...guests.flatMap(({ clusters }) => clusters)],
    opened: guests.flatMap(({ opened }) => opened),
  };
}

/** The guest clusters of a Rancher, and those that could not be read. */
interface ReadGuests extends ReadClusters {
  readonly unread: FoundCluster['unread'];
}

/** Clusters at a time. */
const CONCURRENCY = 4;

/**
 * Reads the guest clusters that a Rancher manages, by the Secrets with their kubeconfigs.
 *
 * @param taken the names of clusters that are read otherwise
 */
async function readGuestsOf(
  rancher: LiveCluster,
  taken: ReadonlySet<string>,
  options: GuestOptions,
): Promise<ReadGuests> {
  const { signal } = options;
  const { guests, twice } = guestsIn(rancher.found, taken);
  const unread = twice.map(twiceUnread);
  const opened: OpenCluster[] = [];
  const read = async (guest: Manifest): Promise<FoundCluster | undefined> => {
    try {
      const { open, found } = await readGuest(guest, rancher, options);
      opened.push(open);
      return found;
    } catch (error) {
      if (signal?.aborted) {
        throw error;
      }
      const reason = `what is in the cluster could not be read: ${(error as Error).message}`;
      unread.push({ kind: objectLabel(guest), reason });
      return undefined;
    }
  };
  try {
    const found = await inParallel(guests, () => rancher.open.name, CONCURRENCY, read, signal);
    return { clusters: found.filter((cluster) => cluster !== undefined), opened, unread };
  } catch (error) {
    opened.forEach(({ cluster }) => cluster.close());
    throw error;
  }
}

/** The Clusters that a Rancher provisions, without those that are read otherwise. */
function guestsIn(
  { objects }: FoundCluster,
  taken: ReadonlySet<string>,
): { readonly guests: readonly Manifest[]; readonly twice: readonly Manifest[] } {
  const provisioned = objects
    .map(({ manifest }) => manifest)
    .filter((manifest) => isCluster(manifest) && isProvisioned(manifest));
  const guests = new Map<string, Manifest>();
  const twice: Manifest[] = [];
  for (const cluster of provisioned) {
    const { name } = cluster.metadata;
    if (guests.has(name)) {
      twice.push(cluster);
    } else if (!taken.has(name)) {
      guests.set(name, cluster);
    }
  }
  return { guests: [...guests.values()], twice };
}

/** A Cluster with the name of one in another namespace of Rancher. */
function twiceUnread(cluster: Manifest): FoundCluster['unread'][number] {
  const { name } = cluster.metadata;
  return {
    kind: objectLabel(cluster),
    reason: `another cluster has the name ${name}. Fix: set --context <target>=<context> for one of them`,
  };
}

async function readGuest(
  guest: Manifest,
  rancher: LiveCluster,
  options: GuestOptions,
): Promise<LiveCluster> {
  const { name, namespace = '' } = guest.metadata;
  const { signal } = options;
  const { serverUrl } = rancher.found;
  const open = await openGuest(name, { namespace, name }, rancher.open, serverUrl, options, signal);
  try {
    const found = await readLive({ name, cluster: open.cluster, by: open.by, signal });
    return { open, found };
  } catch (error) {
    open.cluster.close();
    throw error;
  }
}
