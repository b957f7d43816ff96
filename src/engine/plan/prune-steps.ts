import { FieldChange, PlanAction, PlanStep, stepDigest } from './plan';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf, rankOf } from '../../core/kind/kinds';
import { ReadyContext } from '../../core/kind/readiness';
import { neverDeleted, retainedByDefault } from '../../core/kind/retention';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { HiddenValues } from '../../core/secret/redactor';
import { compare } from '../../core/text/values';
import { Cluster, LiveObject } from '../cluster/cluster';
import { fixOfRefusal, untriable } from '../fields/compare-desired';
import { FieldOptions, isForced } from '../fields/managed-fields';
import { otherManagers, staysAfter } from '../fields/owned-fields';
import { isOurValue, isRewritten, missingMark, otherSetOf } from '../inventory/apply-set';
import { InventoryEntry } from '../inventory/inventory';
import { Becomes } from '../removal/removal';
import { ApiError } from '../transport/api';

/** Annotations that keep an object that is no longer declared. @see sigs.k8s.io/cli-utils:pkg/common/common.go */
const KEPT_BY: readonly [key: string, value: string][] = [
  ['client.lifecycle.config.k8s.io/deletion', 'detach'], ['cli-utils.sigs.k8s.io/on-remove', 'keep'],
];

/** The fix to delete an object that holds machines or data: removing lines from a program is not enough. */
export const WAYS_TO_PRUNE = 'set --prune-machines';

/** An object of an inventory that the program no longer declares. */
export interface Leftover {
  readonly target: string;
  readonly entry: InventoryEntry;
  /** Undefined if it no longer exists. */
  readonly live?: LiveObject;
}

/** By what a live object is kept. */
export interface KeptOptions extends FieldOptions {
  readonly guard?: (live: LiveObject, target: string) => string | undefined;
}

interface LeftoverOptions {
  readonly values: HiddenValues;
  /** What becomes of each object, by its ID. */
  readonly becomes: ReadonlyMap<string, Becomes>;
  /** The versions of the cluster of a target. */
  readonly about: (target: string) => ReadyContext;
}

/** Plans objects that are no longer declared, in the reverse order of an apply. */
export function pruneSteps(leftovers: readonly Leftover[], options: LeftoverOptions): PlanStep[] {
  const rank = ({ entry: { apiVersion, kind, name } }: Leftover): number => rankOf({ apiVersion, kind, metadata: { name } });
  return [...leftovers].sort((a, b) => rank(b) - rank(a) || compare(b.entry.id, a.entry.id)).flatMap((leftover) => stepOf(leftover, options));
}

function stepOf({ target, entry, live }: Leftover, options: LeftoverOptions): PlanStep[] {
  const { values, about, becomes } = options;
  // already reset: nothing of this app is left
  if (!live || (entry.policy === 'reset' && isReset(live, about(target)))) { return []; }
  const { fate, reason: why, loss } = becomes.get(entry.id)!;
  const isKept = fate === 'kept' || fate === 'released';
  const action: PlanAction = isKept ? 'keep' : fate === 'reset' ? 'reset' : 'prune';
  const changes: FieldChange[] = action === 'reset' ? [{ path: 'value', before: values.show(live.value, ['value'], live, []), after: resetFormOf(entry, about(target)) }] : [];
  const deleting = live.metadata.deletionTimestamp === undefined ? undefined
    : `is being deleted${live.metadata.finalizers?.length ? `, held by ${live.metadata.finalizers.join(', ')}` : ''}`;
  const kept = loss === undefined ? why : `is no longer declared, but kept: ${why}. Fix: to delete it, ${WAYS_TO_PRUNE}`;
  const reason = isKept ? kept : deleting ?? (action === 'reset' ? entry.reason : undefined) ?? 'is no longer declared';
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
  };
  return [{ ...step, digest: stepDigest(step, undefined, values, []) }];
}

/** The value that resets a Setting to its default. */
function resetFormOf(setting: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>, about: ReadyContext): string {
  return kindOf<KindRemoval>(setting)?.reset?.value(setting.name, about) ?? '';
}

/** Whether a Setting has its default value. */
export function isReset(live: LiveObject, about: ReadyContext): boolean {
  return kindOf<KindRemoval>(live)?.reset?.isDone(live, about) ?? (live.value === '' || live.value === undefined);
}

/** Why an object that is no longer declared is kept. */
interface Kept {
  readonly why: string;
  /** Whether a later run may delete it. Otherwise the inventory forgets it. */
  readonly passes: boolean;
  /** Whether what it needs is kept with it: it is still an object of this program. */
  readonly keepsNeeds?: boolean;
  /** Whether ownership of our fields is released, so that others can set them without a conflict. */
  readonly releases?: boolean;
}

function othersValue(live: LiveObject, fieldManager: string): string {
  const managers = otherManagers(live, fieldManager);
  return `has a value that this app did not set, or that was changed later${managers.length > 0 ? ` (written by ${managers.join(', ')})` : ''}`;
}

/** Why an object is kept; undefined if it is deleted or reset. */
export function keptOf(
  { id, policy, reason, uid }: InventoryEntry, live: LiveObject, target: string, options: KeptOptions,
): Kept | undefined {
  const { fieldManager, guard } = options;
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  const keep = (why: string): Kept => ({ why, passes: false });
  const keepWhole = (why: string): Kept => ({ why, passes: false, keepsNeeds: true });
  if (policy === 'keep') { return keepWhole(reason ?? 'is kept'); }
  if (uid !== undefined && uid !== live.metadata.uid) { return keep('was recreated (its UID changed) and is not managed by this program'); }
  // whatever the inventory contains: only objects with our own marks are deleted or reset
  if (policy === 'reset' && !isOurValue(live, fieldManager) && !isForced(options, id)) {
    return keep(`${othersValue(live, fieldManager)}. Fix: to reset it anyway, set --force-conflicts '${id}'`);
  }
  const passing = guard?.(live, target);
  const stays = staysAfter(live, fieldManager);
  if (stays) { return { why: stays, passes: false, releases: true }; }
  if (policy === 'delete') {
    const other = otherSetOf(live, fieldManager);
    if (other) { return keep(`now belongs to ${other}`); }
    const lacks = missingMark(live, fieldManager);
    if (lacks !== undefined) { return keep(`is not managed by this app: it ${lacks}`); }
    const owners = ownerReferences.filter(({ kind }) => kind !== kindOf(live)?.owner);
    if (owners.length > 0) {
      return keep(`belongs to ${owners.map((owner) => `${String(owner.kind)} ${String(owner.name)}`).join(', ')}, and is deleted with it`);
    }
    const mark = KEPT_BY.find(([key, value]) => annotations[key] === value);
    if (mark) { return keepWhole(`is kept by its annotation ${mark[0]}`); }
    const never = neverDeleted(live);
    // another StorageClass may be the default later
    if (never) { return { why: never.says, passes: never.passes ?? false, keepsNeeds: true }; }
    // entries without a reason are of programs that declared no retention, perhaps before its kind was kept by default
    const retained = reason === undefined ? retainedByDefault(live) : undefined;
    if (retained !== undefined) { return keepWhole(retained); }
  }
  return passing === undefined ? undefined : { why: passing, passes: true };
}

/** An object that is no longer declared and still has a unique value that a declared object needs. */
interface InTheWay {
  /** The ID of the declared object. */
  readonly id: string;
  /** The ID of the object that has the value. */
  readonly by: string;
  /** The value and its owner: `nodePort TCP 30080 of Service default/web`. */
  readonly what: string;
  /** Why it cannot be deleted first. @default - it can */
  readonly stays?: string;
  readonly fix: string;
}

/** A declared object. */
interface Declared {
  readonly id: string;
  readonly target: string;
  readonly manifest: Manifest;
}

/**
 * Finds objects that are no longer declared and have values that declared ones need.
 *
 * @param keptFor why an object is not deleted
 */
export function inTheWay(declared: readonly Declared[], leftovers: readonly Leftover[], keptFor: (id: string) => string | undefined): InTheWay[] {
  const holders = leftovers.filter(({ entry, live }) => live && entry.policy === 'delete' && kindOf<KindRemoval>(entry)?.unique);
  if (holders.length === 0) { return []; }
  return declared.flatMap(({ id, target, manifest }) => {
    const unique = kindOf<KindRemoval>(manifest)?.unique;
    return unique === undefined ? [] : holders.flatMap(({ target: on, entry, live }) => {
      const values = on === target && kindOf<KindRemoval>(entry)?.unique === unique ? unique.shared(manifest, live!) : [];
      if (values.length === 0) { return []; }
      const stays = unique.stays?.(live!) ?? keptFor(entry.id);
      return [{
        id, by: entry.id, what: `${unique.what} ${values.join(', ')} of ${objectLabel(live!)}`, fix: unique.fix, ...(stays === undefined ? {} : { stays }),
      }];
    });
  });
}

/** The error for an object whose value is not released. */
export function stillTaken({ what, fix }: InTheWay, why: string): string {
  return `needs ${what}, which is no longer declared but kept: ${why}. Fix: ${fix}`;
}

/** The manifest that resets an object, with its UID so that no other object is reset. */
export function resetOf({ apiVersion, kind, name }: Leftover['entry'], uid: string, about: ReadyContext): Manifest {
  return { apiVersion, kind, metadata: { name, uid }, value: resetFormOf({ apiVersion, kind, name }, about) };
}

interface TryOptions extends FieldOptions {
  readonly values: HiddenValues;
  /** The versions of the object's cluster. */
  readonly about: ReadyContext;
  readonly signal?: AbortSignal;
}

/** A reset step with the conflicts or the refusal of its dry run. */
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
    const fix = fixOfRefusal(entry, error.message);
    if (fix !== undefined) {
      const kept = { ...step, action: 'keep', changes: [], reason: notYetText(error, fix) } as const;
      return { ...kept, digest: stepDigest(kept, undefined, options.values, []) };
    }
    const found = findingOf(error, isForced(options, step.id));
    return found ? { ...step, ...found, digest: stepDigest({ ...step, ...found }, undefined, options.values, []) } : step;
  }
}

/** Why a reset is left for a later run. */
export function notYetText({ message }: Error, fix: string): string {
  return `cannot be reset yet: ${message}. Fix: ${fix}`;
}

function findingOf(error: ApiError, forced: boolean): Partial<PlanStep> | undefined {
  switch (error.failure) {
    case 'conflict': return forced ? { forces: error.conflicts } : { conflicts: error.conflicts };
    case 'invalid': case 'forbidden': return { refused: error.message };
    // may change before the apply
    case 'blocked': case 'not-found': case 'precondition': return undefined;
    default: throw error;
  }
}
