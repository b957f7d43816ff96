import { LiveWorld, ReadName, SeenTarget } from './live-world';
import { AssemblyTarget } from '../../core/output/assembly';
import { BoundTargets, clusterUid, LiveObject, RequestOptions } from '../../engine/cluster/cluster';
import { App } from '../../engine/inventory/apply-set';
import { readInventory, withTrustedUids } from '../../engine/inventory/inventory';
import { removedTargets, waysToRemove } from '../../engine/inventory/removed-targets';
import { otherClusters } from '../../engine/plan/open-targets';

/** What the inventories of an app say of its targets. */
interface KnownTargets {
  /** Targets that are bound to another cluster than before: the message and the target of each. */
  readonly others: ReadonlyMap<string, string>;
  /** Names of targets of the app that are no longer in the program. */
  readonly removed: readonly string[];
}

export interface KnownTargetsOptions extends RequestOptions {
  /** Targets whose cluster may be another one than before. @default - none */
  readonly acceptNewCluster?: readonly string[];
}

/** Compares the clusters that targets are bound to with those of earlier runs. What cannot be read is left out: other checks report that. */
export async function knownTargets(
  declared: readonly AssemblyTarget[], targets: BoundTargets, app: App, options: KnownTargetsOptions = {},
): Promise<KnownTargets> {
  const { signal } = options;
  const seen = await Promise.all([...targets.values()].map(async ({ target, by, cluster: connect }) => {
    const cluster = await orNothing(async () => connect(signal), signal);
    const stored = cluster && await orNothing(async () => readInventory(cluster, app, signal), signal);
    return {
      name: target.name,
      by,
      clusterUid: cluster && await orNothing(async () => clusterUid(cluster, options), signal),
      inventories: stored ? [withTrustedUids(stored, target)] : [],
    };
  }));
  const inventories = seen.flatMap((each) => each.inventories);
  const others = otherClusters(inventories, seen, options.acceptNewCluster);
  return { others, removed: removedTargets(inventories, declared).map(({ name }) => name) };
}

const SOURCE = 'the inventories of this app, and the uid of the namespace kube-system';

/** What doctor reports of targets as a whole. */
export function targetDiagnoses({ others, removed }: KnownTargets): Diagnosis[] {
  return [
    ...[...others].map(([text, target]): Diagnosis => {
      const [message, fix] = text.split('. Fix: ');
      return { check: 'target/other-cluster', level: 'error', target, message, fix, source: SOURCE };
    }),
    ...removed.map((target): Diagnosis => ({
      check: 'target/removed', level: 'info', target, message: 'is no longer in this program', fix: waysToRemove(target), source: SOURCE,
    })),
  ];
}

async function orNothing<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted) { throw error; }
    return undefined;
  }
}

/** `error`: something does not work, or will be lost; `warning`: it soon will, or looks wrong; `info`: good to know. */
export type DiagnosisLevel = 'error' | 'warning' | 'info';

/** A problem of a live cluster. Holds no secret. */
export interface Diagnosis {
  /** Id of the check, e.g. `agent/image-pull`. */
  readonly check: string;
  readonly level: DiagnosisLevel;
  readonly target: string;
  /** `Kind namespace/name`; none where it is about the cluster as a whole. */
  readonly object?: string;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
  /** Where the check is known from. */
  readonly source: string;
}

/** What a check found. */
export interface Symptom {
  readonly object?: LiveObject;
  readonly message: string;
  readonly fix: string;
  /** @default - the level of the check */
  readonly level?: DiagnosisLevel;
}

/** A check of live objects: a pure function over what was read. */
export interface Check {
  readonly id: string;
  readonly level: DiagnosisLevel;
  /** What is looked for. */
  readonly what: string;
  readonly source: string;
  /** The kinds of targets that it looks at. */
  readonly on: readonly AssemblyTarget['kind'][];
  /** The lists that must have been read from the target; the check is skipped without them. */
  readonly needs: readonly ReadName[];
  look(target: SeenTarget, world: LiveWorld): Iterable<Symptom>;
}
