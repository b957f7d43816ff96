import { Listed } from './declared';
import { TargetKind } from '../../core/app/target';
import { FoundCluster } from '../../core/draft/inverse';
import { AssemblyTarget } from '../../core/output/assembly';
import { BoundTarget, BoundTargets, Cluster } from '../../engine/cluster/cluster';
import { OWN_NAMESPACE, appOfParent } from '../../engine/inventory/apply-set';
import { readInventory } from '../../engine/inventory/inventory';
import { ApiError } from '../../engine/transport/api';
import { readLive } from '../read/live';

/** What the clusters of a program hold. */
export interface ReadTargets {
  readonly clusters: readonly FoundCluster[];
  /** The objects in the inventories of all apps. */
  readonly listed: readonly Listed[];
  /** Targets that could not be read. */
  readonly unreached: readonly { readonly target: string; readonly reason: string }[];
}

/** Reads the clusters of a program. Guest clusters that Rancher is yet to create have no objects. */
export async function readTargets(targets: BoundTargets, signal?: AbortSignal): Promise<ReadTargets> {
  const all = await Promise.all([...targets.values()].map(async (bound) => readTarget(bound, signal)));
  return {
    clusters: all.flatMap(({ cluster }) => cluster ?? []),
    listed: all.flatMap(({ listed }) => listed),
    unreached: all.flatMap(({ target, reason }) => (reason === undefined ? [] : [{ target, reason }])),
  };
}

interface ReadTarget {
  readonly target: string;
  readonly cluster?: FoundCluster;
  readonly listed: readonly Listed[];
  readonly reason?: string;
}

async function readTarget({ target, by, cluster: connect }: BoundTarget, signal?: AbortSignal): Promise<ReadTarget> {
  const { name } = target;
  try {
    const cluster = await connect(signal);
    const found = await readLive({ name, cluster, by, signal });
    return { target: name, cluster: asDeclared(found, target), listed: await listedOn(found, cluster, target, signal) };
  } catch (error) {
    if (signal?.aborted) { throw error; }
    const isAbsent = target.kind === 'guest' && error instanceof ApiError && ['blocked', 'not-found'].includes(error.failure);
    return { target: name, listed: [], ...(isAbsent ? {} : { reason: (error as Error).message }) };
  }
}

/** A cluster with the properties that the program declares. */
function asDeclared(found: FoundCluster, { kind, version, properties }: AssemblyTarget): FoundCluster {
  const known: { readonly serverUrl?: string; readonly vip?: string } = properties;
  return { ...found, kind: kind as TargetKind, version, serverUrl: known.serverUrl ?? found.serverUrl, vip: known.vip ?? found.vip };
}

/** The objects in the inventories of all apps on a cluster. */
async function listedOn({ objects }: FoundCluster, cluster: Cluster, target: AssemblyTarget, signal?: AbortSignal): Promise<readonly Listed[]> {
  const apps = objects.flatMap(({ manifest: { kind, metadata: { namespace, name } } }) => (
    kind === 'ConfigMap' && namespace === OWN_NAMESPACE ? appOfParent(name) ?? [] : []));
  const lists = await Promise.all(apps.map(async (app): Promise<Listed[]> => {
    try {
      const stored = await readInventory(cluster, app, { signal, target });
      return (stored?.entries ?? []).map((entry) => ({ app: app.id, target: target.name, entry }));
    } catch (error) {
      if (signal?.aborted) { throw error; }
      // another tool's, or not to be read: the field managers of its objects show whose they are
      return [];
    }
  }));
  return lists.flat();
}
