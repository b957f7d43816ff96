import { InventoryEntry } from './inventory-reader';
import { otherManagers } from './owned-fields';
import { FieldChange, PlanAction, PlanStep } from './plan';
import { stepDigest } from './step-digest';
import { compare } from '../../model/compare';
import { rankOf } from '../../model/kinds';
import { groupOf } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { lostWith, retainedByDefault } from '../../model/retention';
import { HiddenValues } from '../../model/secret/hidden-values';
import { LiveObject } from '../cluster/cluster';
import { staysAfter } from '../managed-fields/before-us';
import { ReadyContext } from '../ready/kind-rules';
import { isResetSetting, resetFormOf as settingForm } from '../ready/setting';
import { otherSetOf } from '../run/apply-set';
import { neverDeleted } from '../run/guards';
import { isOurValue, missingMark } from '../run/marks';

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

export interface LeftoverOptions {
  readonly fieldManager: string;
  readonly values: HiddenValues;
  readonly guard?: (live: LiveObject, target: string) => string | undefined;
  /** What is known of the cluster of a target. */
  readonly about: (target: string) => ReadyContext;
  /** Ids of objects whose fields are taken from other managers. */
  readonly forceConflicts?: readonly string[];
}

/** What is done with objects that are no longer declared: the last that an apply would make goes first. */
export function pruneSteps(leftovers: readonly Leftover[], options: LeftoverOptions): PlanStep[] {
  const rank = ({ entry: { apiVersion, kind, name } }: Leftover): number => rankOf({ apiVersion, kind, metadata: { name } });
  return [...leftovers].sort((a, b) => rank(b) - rank(a) || compare(b.entry.id, a.entry.id)).flatMap((leftover) => stepOf(leftover, options));
}

function stepOf({ target, entry, live }: Leftover, { values, guard, fieldManager, forceConflicts, about }: LeftoverOptions): PlanStep[] {
  // what is reset already has nothing of ours any more
  if (!live || (entry.policy === 'reset' && isReset(live, about(target)))) { return []; }
  const kept = keptOf(entry, live, target, { fieldManager, guard, forceConflicts })?.why;
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
export function resetFormOf({ apiVersion, name }: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'name'>, { harvesterVersion }: ReadyContext): string {
  return groupOf(apiVersion) === GROUPS.HARVESTER ? settingForm(name, harvesterVersion) : '';
}

/** Whether a Setting has its default again. */
export function isReset(live: LiveObject, { harvesterVersion }: ReadyContext): boolean {
  if (groupOf(live.apiVersion) === GROUPS.HARVESTER) { return isResetSetting(live, harvesterVersion); }
  return live.value === '' || live.value === undefined;
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
  { id, policy, reason, uid }: InventoryEntry, live: LiveObject, target: string,
  { fieldManager, guard, forceConflicts }: Omit<LeftoverOptions, 'values' | 'about'>,
): Kept | undefined {
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  const forGood = (why: string): Kept => ({ why, passes: false });
  if (policy === 'keep') { return forGood(reason ?? 'is left alone'); }
  if (uid !== undefined && uid !== live.metadata.uid) { return forGood('is another object of that name by now, which is not ours'); }
  // whatever the inventory says: only what is ours by its own marks is deleted or reset
  if (policy === 'reset' && !isOurValue(live, fieldManager) && forceConflicts?.includes(id) !== true) {
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
