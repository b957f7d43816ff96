import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { isLate, mayBecome } from '../../core/late/late-token';
import { groupOf, idOf, kindKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyKnownObject, AssemblyTarget } from '../../core/output/assembly';
import { BoundTarget, BoundTargets, Cluster } from '../../engine/cluster/cluster';
import { appOfParent, OWN_NAMESPACE } from '../../engine/fields/apply-set';
import { InventoryEntry, readInventory } from '../../engine/inventory/inventory';
import { ApiError } from '../../engine/transport/api';
import { foundId } from '../evaluate/statements';
import { readLive } from '../read/live';

/** What the clusters of a program hold. */
export interface ReadTargets {
  readonly clusters: readonly FoundCluster[];
  /** The objects in the inventories of all apps. */
  readonly listed: readonly Listed[];
  /** Targets that could not be read. */
  readonly unreached: readonly { readonly target: string; readonly reason: string }[];
}

/**
 * Reads the clusters of a program. Guest clusters that Rancher is yet to create have no objects.
 */
export async function readTargets(
  targets: BoundTargets,
  signal?: AbortSignal,
): Promise<ReadTargets> {
  const all = await Promise.all(
    [...targets.values()].map(async (bound) => readTarget(bound, signal)),
  );
  return {
    clusters: all.flatMap(({ cluster }) => cluster ?? []),
    listed: all.flatMap(({ listed }) => listed),
    unreached: all.flatMap(({ target, reason }) =>
      reason === undefined ? [] : [{ target, reason }],
    ),
  };
}

interface ReadTarget {
  readonly target: string;
  readonly cluster?: FoundCluster;
  readonly listed: readonly Listed[];
  readonly reason?: string;
}

async function readTarget(
  { target, by, cluster: connect }: BoundTarget,
  signal?: AbortSignal,
): Promise<ReadTarget> {
  const { name } = target;
  try {
    const cluster = await connect(signal);
    const found = await readLive({ name, cluster, by, signal });
    return {
      target: name,
      cluster: asDeclared(found, target),
      listed: await listedOn(found, cluster, target, signal),
    };
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    const isAbsent =
      target.kind === 'guest' &&
      error instanceof ApiError &&
      ['blocked', 'not-found'].includes(error.failure);
    return { target: name, listed: [], ...(isAbsent ? {} : { reason: (error as Error).message }) };
  }
}

/** A cluster with the properties that the program declares. */
function asDeclared(
  found: FoundCluster,
  { kind, version, properties }: AssemblyTarget,
): FoundCluster {
  const known: {
    readonly serverUrl?: string;
    readonly vip?: string;
    readonly namespace?: string;
  } = properties;
  const { namespace: chartNamespace } = known;
  return {
    ...found,
    chartNamespace,
    objects: found.objects.map((object) => ({ ...object, chartNamespace })),
    kind: kind as TargetKind,
    version,
    serverUrl: known.serverUrl ?? found.serverUrl,
    vip: known.vip ?? found.vip,
  };
}

/** The objects in the inventories of all apps on a cluster. */
async function listedOn(
  { objects }: FoundCluster,
  cluster: Cluster,
  target: AssemblyTarget,
  signal?: AbortSignal,
): Promise<readonly Listed[]> {
  const apps = objects.flatMap(({ manifest }) =>
    manifest.kind === 'ConfigMap' && manifest.metadata.namespace === OWN_NAMESPACE
      ? (appOfParent(manifest.metadata.name) ?? [])
      : [],
  );
  const lists = await Promise.all(
    apps.map(async (app): Promise<Listed[]> => {
      try {
        const stored = await readInventory(cluster, app, { signal, target });
        return (stored?.entries ?? []).map((entry) => ({
          app: app.id,
          target: target.name,
          entry,
        }));
      } catch (error) {
        if (signal?.aborted) {
          throw error;
        }
        // another tool's, or not to be read: the field managers of its objects show whose they are
        return [];
      }
    }),
  );
  return lists.flat();
}

/** An object that the inventory of an app lists. */
export interface Listed {
  readonly app: string;
  /** The target whose cluster the inventory is on, as this program names it. */
  readonly target: string;
  readonly entry: InventoryEntry;
}

/** The objects of a program among those that were found, by `foundId`. */
export function declaredByProgram(
  { objects, known = [] }: Assembly,
  clusters: readonly FoundCluster[],
  own: readonly Listed[],
): ReadonlyMap<string, string> {
  const found = clusters.flatMap((cluster) => cluster.objects);
  const written = new Map(own.map((each) => [each.entry.id, idOfListed(each)]));
  const declared = new Map<string, string>();
  for (const object of known) {
    for (const id of idsOf(object, found)) {
      declared.set(id, REFERRED);
    }
  }
  for (const object of objects) {
    const id = written.get(object.id);
    const ids = id === undefined ? idsOf(object, found) : [id];
    for (const each of ids) {
      declared.set(each, DECLARED);
    }
  }
  return declared;
}

/** The ID of a listed object on all targets. */
export function idOfListed({ target, entry }: Listed): string {
  const { apiVersion, kind, namespace, name } = entry;
  return idOf(target, groupOf(apiVersion), kind, namespace, name);
}

/** Why objects are left out that the program contains. */
const DECLARED = 'is declared by the program';
const REFERRED = 'the program refers to it as an existing object';

/** The live objects that an object of a program may be: one, unless only clusters know its name. */
function idsOf(
  { target, apiVersion, kind, namespace, name }: AssemblyKnownObject,
  found: readonly FoundObject[],
): readonly string[] {
  const group = groupOf(apiVersion);
  // a manifest without a namespace is in default if its kind has namespaces
  if (!isLate(name) && !isLate(namespace)) {
    return [namespace, namespace ?? 'default'].map((each) => idOf(target, group, kind, each, name));
  }
  return found
    .filter((object) => {
      const { metadata } = object.manifest;
      return (
        object.target === target &&
        kindKey(groupOf(object.manifest.apiVersion), object.manifest.kind) ===
          kindKey(group, kind) &&
        mayBecome(name, metadata.name) &&
        mayBecome(namespace ?? '', metadata.namespace ?? '')
      );
    })
    .map(foundId);
}
