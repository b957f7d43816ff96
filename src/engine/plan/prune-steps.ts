import { neverDeleted } from './guards';
import { FieldChange, PlanAction, PlanStep, stepDigest } from './plan';
import { kindOf } from '../../core/kind/all-kinds';
import { rankOf } from '../../core/kind/rank';
import { ReadyContext } from '../../core/kind/readiness';
import { lostWith, retainedByDefault } from '../../core/kind/retention';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { HiddenValues } from '../../core/secret/redactor';
import { compare } from '../../core/text/values';
import { Cluster, LiveObject } from '../cluster/cluster';
import { FieldOptions, isForced } from '../fields/managed-fields';
import { untriable } from '../fields/noise';
import { otherManagers, staysAfter } from '../fields/owned-fields';
import { isOurValue, isRewritten, missingMark, otherSetOf } from '../inventory/apply-set';
import { InventoryEntry } from '../inventory/inventory-reader';
import { ApiError } from '../transport/api';

/** Annotations by which people keep an object that is no longer declared. @see sigs.k8s.io/cli-utils:pkg/common/common.go */
const KEPT_BY: readonly [key: string, value: string][] = [
  ['client.lifecycle.config.k8s.io/deletion', 'detach'], ['cli-utils.sigs.k8s.io/on-remove', 'keep'],
];

/** How to delete an object that holds machines or data: nobody loses them by deleting some lines of a program. */
export const WAYS_TO_PRUNE = 'save a plan that says so and apply that, or give --prune-machines';

/** An object that was applied and is no longer declared. */
export interface Leftover {
  readonly target: string;
  readonly entry: InventoryEntry;
  /** Undefined where it is gone already. */
  readonly live?: LiveObject;
}

export interface LeftoverOptions extends FieldOptions {
  readonly values: HiddenValues;
  readonly guard?: (live: LiveObject, target: string) => string | undefined;
  /** What is known of the cluster of a target. */
  readonly about: (target: string) => ReadyContext;
}

/** What is done with objects that are no longer declared: the last that an apply would make goes first. */
export function pruneSteps(leftovers: readonly Leftover[], options: LeftoverOptions): PlanStep[] {
  const rank = ({ entry: { apiVersion, kind, name } }: Leftover): number => rankOf({ apiVersion, kind, metadata: { name } });
  return [...leftovers].sort((a, b) => rank(b) - rank(a) || compare(b.entry.id, a.entry.id)).flatMap((leftover) => stepOf(leftover, options));
}

function stepOf({ target, entry, live }: Leftover, options: LeftoverOptions): PlanStep[] {
  const { values, about } = options;
  // what is reset already has nothing of ours any more
  if (!live || (entry.policy === 'reset' && isReset(live, about(target)))) { return []; }
  const kept = keptOf(entry, live, target, options)?.why;
  const action: PlanAction = kept ? 'keep' : entry.policy === 'reset' ? 'reset' : 'prune';
  const changes: FieldChange[] = action === 'reset' ? [{ path: 'value', before: values.show(live.value, ['value'], live, []), after: resetFormOf(entry, about(target)) }] : [];
  const deleting = live.metadata.deletionTimestamp === undefined ? undefined
    : `is being deleted${live.metadata.finalizers?.length ? `, held by ${live.metadata.finalizers.join(', ')}` : ''}`;
  const loss = action === 'prune' ? lostWith(live) : undefined;
  const gone = loss === undefined ? 'is no longer declared' : `is no longer declared, and ${loss} would be lost with it: ${WAYS_TO_PRUNE}; else it stays`;
  const reason = kept ?? deleting ?? (action === 'reset' ? entry.reason : undefined) ?? gone;
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

/** Why a Namespace stays: others lie in it. `used` has those of all targets, as `<target> <namespace>`. */
export function namespaceInUse({ apiVersion, kind, metadata: { name } }: LiveObject, target: string, used: ReadonlySet<string>): string | undefined {
  return apiVersion === 'v1' && kind === 'Namespace' && used.has(`${target} ${name}`) ? 'other objects of this program lie in it' : undefined;
}

/** The value that takes a Setting back to its default. */
function resetFormOf(setting: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>, about: ReadyContext): string {
  return kindOf(setting)?.reset?.value(setting.name, about) ?? '';
}

/** Whether a Setting has its default again. */
export function isReset(live: LiveObject, about: ReadyContext): boolean {
  return kindOf(live)?.reset?.isDone(live, about) ?? (live.value === '' || live.value === undefined);
}

/** Why an object stays that is no longer declared. */
export interface Kept {
  readonly why: string;
  /** Whether a later run may take it away: the reason passes. Else it is none of ours any more. */
  readonly passes: boolean;
  /** Whether our fields are given up, so that the next one to set them meets no conflict. */
  readonly releases?: boolean;
}

function othersValue(live: LiveObject, fieldManager: string): string {
  const managers = otherManagers(live, fieldManager);
  return `has a value that this app did not set, or that was changed since${managers.length > 0 ? ` (written by ${managers.join(', ')})` : ''}`;
}

/** Why an object is left alone; undefined where it goes. */
export function keptOf(
  { id, policy, reason, uid }: InventoryEntry, live: LiveObject, target: string, options: Omit<LeftoverOptions, 'values' | 'about'>,
): Kept | undefined {
  const { fieldManager, guard } = options;
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  const forGood = (why: string): Kept => ({ why, passes: false });
  if (policy === 'keep') { return forGood(reason ?? 'is left alone'); }
  if (uid !== undefined && uid !== live.metadata.uid) { return forGood('is another object of that name by now, which is not ours'); }
  // whatever the inventory says: only what is ours by its own marks is deleted or reset
  if (policy === 'reset' && !isOurValue(live, fieldManager) && !isForced(options, id)) {
    return forGood(`${othersValue(live, fieldManager)}; to reset it all the same: --force-conflicts '${id}'`);
  }
  const passing = guard?.(live, target);
  const stays = staysAfter(live, fieldManager);
  if (stays) { return { why: stays, passes: false, releases: true }; }
  if (policy === 'delete') {
    const other = otherSetOf(live, fieldManager);
    if (other) { return forGood(`belongs to ${other} by now`); }
    const lacks = missingMark(live, fieldManager);
    if (lacks !== undefined) { return forGood(`is not this app's: it ${lacks}`); }
    if (ownerReferences.length > 0) {
      return forGood(`belongs to ${ownerReferences.map((owner) => `${String(owner.kind)} ${String(owner.name)}`).join(', ')}, and goes with it`);
    }
    const mark = KEPT_BY.find(([key, value]) => annotations[key] === value);
    if (mark) { return forGood(`is kept by its annotation ${mark[0]}`); }
    const never = neverDeleted(live);
    // another one may be the default by then
    if (never) { return { why: never, passes: live.kind === 'StorageClass' }; }
    // an entry without a reason is of a program that said nothing, perhaps from before its kind was kept
    const retained = reason === undefined ? retainedByDefault(live) : undefined;
    if (retained !== undefined) { return forGood(retained); }
  }
  return passing === undefined ? undefined : { why: passing, passes: true };
}

/** An object that is no longer declared and still has a value of which the server has only one, which a declared object is to get. */
export interface InTheWay {
  /** The id of the declared object. */
  readonly id: string;
  /** The id of the one that is in its way. */
  readonly by: string;
  /** The value and who has it: `nodePort TCP 30080 of Service default/web`. */
  readonly what: string;
  /** Why it cannot be deleted first, where the kind says so. */
  readonly stays?: string;
  readonly fix: string;
}

/** A declared object. */
interface Declared {
  readonly id: string;
  readonly target: string;
  readonly manifest: Manifest;
}

/** What is in the way of declared objects. */
export function inTheWay(declared: readonly Declared[], leftovers: readonly Leftover[]): InTheWay[] {
  const former = leftovers.filter(({ entry, live }) => live && entry.policy === 'delete' && kindOf(entry)?.unique);
  if (former.length === 0) { return []; }
  return declared.flatMap(({ id, target, manifest }) => {
    const unique = kindOf(manifest)?.unique;
    return unique === undefined ? [] : former.flatMap(({ target: on, entry, live }) => {
      const values = on === target && kindOf(entry)?.unique === unique ? unique.shared(manifest, live!) : [];
      if (values.length === 0) { return []; }
      const stays = unique.stays?.(live!);
      return [{
        id, by: entry.id, what: `${unique.what} ${values.join(', ')} of ${objectLabel(live!)}`, fix: unique.fix, ...(stays === undefined ? {} : { stays }),
      }];
    });
  });
}

/** What to say of an object whose value stays taken. */
export function stillTaken({ what, fix }: InTheWay, why: string): string {
  return `needs ${what}, which is no longer declared and stays: ${why}. Fix: ${fix}`;
}

/** How the reset of an object is written; of the very one that was read. */
export function resetOf({ apiVersion, kind, name }: Leftover['entry'], uid: string, about: ReadyContext): Manifest {
  return { apiVersion, kind, metadata: { name, uid }, value: resetFormOf({ apiVersion, kind, name }, about) };
}

interface TryOptions extends FieldOptions {
  readonly values: HiddenValues;
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
    const found = told(error, isForced(options, step.id));
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
