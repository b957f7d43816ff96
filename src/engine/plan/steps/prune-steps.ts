import { KindRemoval } from '../../../core/kind/description/removal';
import { kindOf, rankOf } from '../../../core/kind/kinds';
import { ReadyContext } from '../../../core/kind/ready/readiness';
import { Manifest, at, nameOnly, pathOf, pointerOf } from '../../../core/manifest/manifest';
import { HiddenValues } from '../../../core/secret/redactor';
import { compare } from '../../../core/text/values';
import { Cluster, JsonPatchOperation, LiveObject } from '../../cluster/cluster';
import { isRewrittenByOthers } from '../../fields/apply-set';
import { fixOfRefusal, untriable } from '../../fields/compare-desired';
import { FieldOptions, isForced } from '../../fields/managed-fields';
import { InventoryEntry, Leftover } from '../../inventory/inventory';
import { Precondition } from '../../precondition/precondition';
import { Becomes, Fate } from '../../removal/removal';
import { ApiError } from '../../transport/api';
import { PlannedField, PlanAction, PlanStep, stepDigest } from '../plan';

/**
 * The fix to delete an object that holds machines or data: removing lines from a program is not
 * enough.
 */
export const WAYS_TO_PRUNE = 'set --prune-machines';

interface LeftoverOptions {
  readonly values: HiddenValues;
  /** What becomes of each object, by its ID. */
  readonly becomes: ReadonlyMap<string, Becomes>;
  /** Whether objects that hold machines or data are deleted. @default false */
  readonly pruneMachines?: boolean;
  /** The versions of the cluster of a target. */
  readonly about: (target: string) => ReadyContext;
}

/** Plans objects that are no longer declared, in the reverse order of an apply. */
export function pruneSteps(leftovers: readonly Leftover[], options: LeftoverOptions): PlanStep[] {
  const rank = ({ entry }: Leftover): number => rankOf(nameOnly(entry));
  return [...leftovers]
    .sort((a, b) => rank(b) - rank(a) || compare(b.entry.id, a.entry.id))
    .flatMap((leftover) => stepOf(leftover, options));
}

function actionOf(fate: Fate): PlanAction {
  if (fate === 'kept' || fate === 'released') {
    return 'keep';
  }
  return fate === 'reset' ? 'reset' : 'prune';
}

function stepOf({ target, entry, live }: Leftover, options: LeftoverOptions): PlanStep[] {
  const { values, about, becomes, pruneMachines } = options;
  // already reset: nothing of this app is left
  if (!live || (entry.policy === 'reset' && isReset(live, about(target)))) {
    return [];
  }
  const { fate, reason: why, loss } = becomes.get(entry.id)!;
  const action = actionOf(fate);
  const isKept = action === 'keep';
  const reset = (): PlannedField => {
    const path = resetFieldOf(entry);
    return {
      path,
      before: values.show(at(live, pathOf(path)), pathOf(path), live, []),
      after: resetFormOf(entry, about(target)),
    };
  };
  const changes = action === 'reset' ? [reset()] : [];
  const deleting =
    live.metadata.deletionTimestamp === undefined
      ? undefined
      : `is being deleted${live.metadata.finalizers?.length ? `, held by ${live.metadata.finalizers.join(', ')}` : ''}`;
  const kept =
    loss === undefined
      ? why
      : `is no longer declared, but kept: ${why}. Fix: to delete it, ${WAYS_TO_PRUNE}`;
  const reason = isKept
    ? kept
    : (deleting ?? (action === 'reset' ? entry.reason : undefined) ?? 'is no longer declared');
  const step = {
    id: entry.id,
    target,
    action,
    changes,
    conflicts: [],
    waitsFor: [],
    reason,
    ...(entry.construct ? { construct: entry.construct } : {}),
    live: { uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion },
    ...(isKept ? {} : { preconditions: preconditionsOf(entry, pruneMachines) }),
  };
  return [{ ...step, digest: stepDigest(step, undefined, values, []) }];
}

function preconditionsOf({ uid, policy }: InventoryEntry, pruneMachines = false): Precondition[] {
  return [
    { id: 'not-ours', ...(uid === undefined ? {} : { uid }) },
    ...(policy === 'delete'
      ? [...(pruneMachines ? [] : [{ id: 'loss' } as const]), { id: 'in-use' } as const]
      : []),
  ];
}

/** The value that resets a Setting to its default. */
function resetFormOf(
  setting: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>,
  about: ReadyContext,
): string | boolean | null {
  const { reset } = kindOf<KindRemoval>(setting) ?? {};
  return reset ? reset.value(setting.name, about) : '';
}

/** The field that a reset writes. */
function resetFieldOf(object: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return kindOf<KindRemoval>(object)?.reset?.field ?? 'value';
}

/**
 * The patch that resets one field of an object; undefined for a kind that is reset by an apply. The
 * object must be as it was read.
 */
export function resetPatchOf(
  live: LiveObject,
  about: ReadyContext,
): readonly JsonPatchOperation[] | undefined {
  const field = kindOf<KindRemoval>(live)?.reset?.field;
  const { name, uid, resourceVersion } = live.metadata;
  if (field === undefined) {
    return undefined;
  }
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    {
      op: 'add',
      path: pointerOf(pathOf(field)),
      value: resetFormOf({ ...live, name }, about),
    },
  ];
}

/** Whether a Setting has its default value. */
export function isReset(live: LiveObject, about: ReadyContext): boolean {
  return (
    kindOf<KindRemoval>(live)?.reset?.isDone(live, about) ??
    (live.value === '' || live.value === undefined)
  );
}

/** The manifest that resets an object, with its UID so that no other object is reset. */
export function resetOf(
  { apiVersion, kind, name }: Leftover['entry'],
  uid: string,
  about: ReadyContext,
): Manifest {
  return {
    apiVersion,
    kind,
    metadata: { name, uid },
    value: resetFormOf({ apiVersion, kind, name }, about),
  };
}

interface TryOptions extends FieldOptions {
  readonly values: HiddenValues;
  /** The versions of the object's cluster. */
  readonly about: ReadyContext;
  readonly signal?: AbortSignal;
}

/** A reset step with the conflicts or the refusal of its dry run. */
export async function withTriedReset(
  step: PlanStep,
  { entry, live }: Leftover,
  cluster: Cluster,
  options: TryOptions,
): Promise<PlanStep> {
  if (resetPatchOf(live!, options.about)) {
    return step;
  }
  const manifest = resetOf(entry, step.live!.uid, options.about);
  if (untriable(manifest) !== undefined) {
    return step;
  }
  try {
    const { fieldManager, signal } = options;
    await cluster.apply(manifest, {
      fieldManager,
      dryRun: true,
      force: isRewrittenByOthers(live!, fieldManager),
      signal,
    });
    return step;
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    const fix = fixOfRefusal(entry, error.message);
    if (fix !== undefined) {
      const kept = {
        ...step,
        action: 'keep',
        changes: [],
        reason: notYetText(error, fix),
      } as const;
      return { ...kept, digest: stepDigest(kept, undefined, options.values, []) };
    }
    const found = findingOf(error, isForced(options, step.id));
    return found
      ? {
          ...step,
          ...found,
          digest: stepDigest({ ...step, ...found }, undefined, options.values, []),
        }
      : step;
  }
}

/** Why a reset is left for a later run. */
export function notYetText({ message }: Error, fix: string): string {
  return `cannot be reset yet: ${message}. Fix: ${fix}`;
}

function findingOf(error: ApiError, forced: boolean): Partial<PlanStep> | undefined {
  switch (error.failure) {
    case 'conflict':
      return forced ? { forces: error.conflicts } : { conflicts: error.conflicts };
    case 'invalid':
    case 'forbidden':
      return { refused: error.message };
    // may change before the apply
    case 'blocked':
    case 'not-found':
    case 'precondition':
      return undefined;
    default:
      throw error;
  }
}
