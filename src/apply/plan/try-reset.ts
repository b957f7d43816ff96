import { untriable } from './noise';
import { PlanStep } from './plan';
import { Leftover, resetFormOf } from './prune-steps';
import { stepDigest } from './step-digest';
import { Manifest } from '../../model/manifest';
import { HiddenValues } from '../../model/secret/hidden-values';
import { Cluster } from '../cluster/cluster';
import { ReadyContext } from '../ready/kind-rules';
import { isRewritten } from '../run/marks';
import { ApiError } from '../transport/api';

/** How the reset of an object is written; of the very one that was read. */
export function resetOf({ apiVersion, kind, name }: Leftover['entry'], uid: string, about: ReadyContext): Manifest {
  return { apiVersion, kind, metadata: { name, uid }, value: resetFormOf({ apiVersion, kind, name }, about) };
}

interface TryOptions {
  readonly fieldManager: string;
  readonly values: HiddenValues;
  readonly forceConflicts?: readonly string[];
  /** Of the cluster that the object is on. */
  readonly about: ReadyContext;
  readonly signal?: AbortSignal;
}

/** A step that resets, with what a server says of it in a dry run: others who have the value by now, or that it refuses. */
export async function withTriedReset(
  step: PlanStep, { entry, live }: Leftover, cluster: Cluster, options: TryOptions,
): Promise<PlanStep> {
  const manifest = resetOf(entry, step.live!.uid, options.about);
  if (untriable(manifest) !== undefined) { return step; }
  try {
    const { fieldManager, signal } = options;
    await cluster.apply(manifest, { fieldManager, dryRun: true, force: isRewritten(live!, fieldManager), signal });
    return step;
  } catch (error) {
    if (!(error instanceof ApiError)) { throw error; }
    const found = told(error, options.forceConflicts?.includes(step.id) === true);
    return found ? { ...step, ...found, digest: stepDigest({ ...step, ...found }, undefined, options.values, []) } : step;
  }
}

function told(error: ApiError, forced: boolean): Partial<PlanStep> | undefined {
  switch (error.failure) {
    case 'conflict': return forced ? { forces: error.conflicts } : { conflicts: error.conflicts };
    case 'invalid': case 'forbidden': return { refused: error.message };
    // it may be another one by the time of the apply
    case 'blocked': case 'not-found': case 'precondition': return undefined;
    default: throw error;
  }
}
