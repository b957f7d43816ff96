import { factsOf } from './facts';
import { withoutSecretValues } from './hidden-secrets';
import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { KindDescription } from '../../core/kind/kind';
import { allKinds, apiVersionOf } from '../../core/kind/kinds';
import { kindKey } from '../../core/manifest/manifest';
import { compare } from '../../core/text/values';
import { kubernetesVersion, productOf } from '../../engine/auth/identity';
import { Cluster } from '../../engine/cluster/cluster';
import { ApiError, FailureClass } from '../../engine/transport/api';
import { inParallel } from '../../engine/transport/pace';

/** A cluster to read. */
export interface LiveSource {
  /** The name of its target. */
  readonly name: string;
  readonly cluster: Cluster;
  /** How it is reached. @default - `context <name>` */
  readonly by?: string;
  readonly signal?: AbortSignal;
}

/** Lists at a time. The transport slows down for a server that is busy. */
const CONCURRENCY = 8;

/** Failures of the connection itself: no kind can be listed. */
const ENDS: readonly FailureClass[] = ['auth', 'aborted', 'connection'];

/**
 * Reads all objects of a cluster of the kinds that the library knows. Nothing is written, not even
 * in a dry run.
 */
export async function readLive({
  name,
  cluster,
  by = `context ${name}`,
  signal,
}: LiveSource): Promise<FoundCluster> {
  const options = { signal };
  const gitVersion = await kubernetesVersion(cluster, options);
  const kind = (await productOf(cluster, options)) as TargetKind;
  const unread: { kind: string; reason: string }[] = [];
  const lists = await inParallel(
    kindsOn(kind),
    () => name,
    CONCURRENCY,
    async (description) => {
      try {
        return await cluster.list(apiVersionOf(description), description.kind, options);
      } catch (error) {
        if (!(error instanceof ApiError) || ENDS.includes(error.failure)) {
          throw error;
        }
        unread.push({ kind: kindKey(description.group, description.kind), reason: error.message });
        return [];
      }
    },
    signal,
  );
  const objects = lists
    .flatMap((list) =>
      [...list].sort(
        ({ metadata: a }, { metadata: b }) =>
          compare(a.namespace ?? '', b.namespace ?? '') || compare(a.name, b.name),
      ),
    )
    // it is on its way out
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((live): FoundObject => ({ target: name, manifest: withoutSecretValues(live), from: by }));
  return {
    name,
    kind,
    ...factsOf(kind, objects, gitVersion),
    objects,
    unread: unread.sort((a, b) => compare(a.kind, b.kind)),
  };
}

/** The kinds that are listed on a kind of cluster. */
export function kindsOn(target: TargetKind): readonly KindDescription[] {
  return allKinds().filter(
    ({ group, kind, targets }) =>
      (targets?.includes(target) ?? true) && !NOT_LISTED.has(kindKey(group, kind)),
  );
}

/**
 * Kinds, as `group/Kind`, that are not listed: controllers write all of their objects, and there
 * may be many.
 */
export const NOT_LISTED: ReadonlySet<string> = new Set([
  // made from workloads and machines
  '/Pod',
  '/Endpoints',
  'apps/ReplicaSet',
  'storage.k8s.io/VolumeAttachment',
  'kubevirt.io/VirtualMachineInstance',
  'kubevirt.io/VirtualMachineInstanceMigration',
  // made from claims and snapshots
  '/PersistentVolume',
  'snapshot.storage.k8s.io/VolumeSnapshotContent',
  // made from provisioning Clusters
  'rke.cattle.io/RKECluster',
  'rke.cattle.io/RKEControlPlane',
  'rke.cattle.io/CustomMachine',
  'rke.cattle.io/ETCDSnapshot',
  // carried out once
  'operation.cattle.io/ETCDSnapshotSave',
  'operation.cattle.io/ETCDSnapshotRestore',
  'operation.cattle.io/EncryptionKeyRotation',
  // sessions and profiles of users, which hold credentials
  'management.cattle.io/Token',
  'management.cattle.io/UserAttribute',
  'management.cattle.io/Preference',
]);
