import { LoginGuard } from './last-login';
import { refusedWhileOwned } from './owners';
import { neverDeleted, refusedReset, retainedByDefault } from '../../core/kind/retention';
import { LiveObject } from '../cluster/cluster';
import { isOurValue, missingMark, otherSetOf } from '../fields/apply-set';
import { FieldOptions, isForced, otherManagers, staysAfter } from '../fields/managed-fields';
import { InventoryEntry } from '../inventory/inventory';

/**
 * Annotations that keep an object that is no longer declared.
 * @see sigs.k8s.io/cli-utils:pkg/common/common.go
 */
const KEPT_BY: readonly [key: string, value: string][] = [
  ['client.lifecycle.config.k8s.io/deletion', 'detach'],
  ['cli-utils.sigs.k8s.io/on-remove', 'keep'],
];

/** By what a live object is kept. */
export interface KeptOptions extends FieldOptions {
  readonly guard?: (live: LiveObject, target: string) => string | undefined;
  /** Whether the run deletes all owners of an object, and so the object. @default - it does not */
  readonly isCollected?: (live: LiveObject, target: string) => boolean;
  /** Why an object is kept so that people can log in. @default - none is */
  readonly logins?: LoginGuard;
}

/** Why an object that is no longer declared is kept. */
export interface Kept {
  readonly why: string;
  /** Whether a later run may delete it. Otherwise the inventory forgets it. */
  readonly passes: boolean;
  /** Whether what it needs is kept with it: it is still an object of this program. */
  readonly keepsNeeds?: boolean;
  /** Whether the run is incomplete while the object remains. */
  readonly isUnfinished?: boolean;
  /**
   * Whether ownership of our fields is released, so that others can set them without a conflict.
   */
  readonly releases?: boolean;
}

function othersValue(live: LiveObject, fieldManager: string): string {
  const managers = otherManagers(live, fieldManager);
  return `has a value that this app did not set, or that was changed later${managers.length > 0 ? ` (written by ${managers.join(', ')})` : ''}`;
}

/** Why an object is kept; undefined if it is deleted or reset. */
export function keptOf(
  entry: InventoryEntry,
  live: LiveObject,
  target: string,
  options: KeptOptions,
): Kept | undefined {
  const { policy, reason, uid } = entry;
  const { fieldManager, guard, logins } = options;
  if (policy === 'keep') {
    return keepWhole(reason ?? 'is kept');
  }
  if (uid !== undefined && uid !== live.metadata.uid) {
    return keep('was recreated (its UID changed) and is not managed by this program');
  }
  const notReset = policy === 'reset' ? keptFromReset(entry, live, options) : undefined;
  if (notReset) {
    return notReset;
  }
  const passing = guard?.(live, target);
  const stays = staysAfter(live, fieldManager);
  if (stays) {
    return { why: stays, passes: false, releases: true };
  }
  const notDeleted =
    policy === 'delete' ? keptFromDeletion(entry, live, target, options) : undefined;
  if (notDeleted) {
    return notDeleted;
  }
  return passing === undefined ? logins?.(entry, live, target) : { why: passing, passes: true };
}

function keep(why: string): Kept {
  return { why, passes: false };
}

/** Keeps an object with what it needs. */
function keepWhole(why: string): Kept {
  return { why, passes: false, keepsNeeds: true };
}

/** Whatever the inventory contains: only values that this app set are reset. */
function keptFromReset(
  { id }: InventoryEntry,
  live: LiveObject,
  options: KeptOptions,
): Kept | undefined {
  const { fieldManager } = options;
  if (!isOurValue(live, fieldManager) && !isForced(options, id)) {
    return keep(
      `${othersValue(live, fieldManager)}. Fix: to reset it anyway, set --force-conflicts '${id}'`,
    );
  }
  const refused = refusedReset(live);
  return refused === undefined ? undefined : keep(refused);
}

/** Whatever the inventory contains: only objects with the marks of this app are deleted. */
function keptFromDeletion(
  { reason }: InventoryEntry,
  live: LiveObject,
  target: string,
  { fieldManager, isCollected }: KeptOptions,
): Kept | undefined {
  const other = otherSetOf(live, fieldManager);
  if (other) {
    return keep(`now belongs to ${other}`);
  }
  const lacks = missingMark(live, fieldManager);
  if (lacks !== undefined) {
    return keep(`is not managed by this app: it ${lacks}`);
  }
  const owner = refusedWhileOwned(live);
  if (owner !== undefined && !isCollected?.(live, target)) {
    return { why: owner, passes: true };
  }
  const { annotations = {} } = live.metadata;
  const mark = KEPT_BY.find(([key, value]) => annotations[key] === value);
  if (mark) {
    return keepWhole(`is kept by its annotation ${mark[0]}`);
  }
  const never = neverDeleted(live);
  // another StorageClass may be the default later
  if (never) {
    return { why: never.says, passes: never.passes ?? false, keepsNeeds: true };
  }
  // entries without a reason are of programs that declared no retention, perhaps before its kind
  // was kept by default
  const retained = reason === undefined ? retainedByDefault(live) : undefined;
  return retained === undefined ? undefined : keepWhole(retained);
}
