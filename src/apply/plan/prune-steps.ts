import { HiddenValues } from './hidden-values';
import { InventoryEntry } from './inventory-reader';
import { ownedBy } from './owned-fields';
import { FieldChange, PlanAction, PlanStep } from './plan';
import { stepDigest } from './step-digest';
import { compare } from '../../model/compare';
import { rankOf } from '../../model/kinds';
import { LiveObject } from '../cluster/cluster';
import { neverDeleted } from '../run/guards';

/** Annotations by which people keep an object that is no longer declared. @see sigs.k8s.io/cli-utils:pkg/common/common.go */
const KEPT_BY: readonly [key: string, value: string][] = [
  ['client.lifecycle.config.k8s.io/deletion', 'detach'], ['cli-utils.sigs.k8s.io/on-remove', 'keep'],
];

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
}

/** What is done with objects that are no longer declared: the last that an apply would make goes first. */
export function pruneSteps(leftovers: readonly Leftover[], options: LeftoverOptions): PlanStep[] {
  const rank = ({ entry: { apiVersion, kind, name } }: Leftover): number => rankOf({ apiVersion, kind, metadata: { name } });
  return [...leftovers].sort((a, b) => rank(b) - rank(a) || compare(b.entry.id, a.entry.id)).flatMap((leftover) => stepOf(leftover, options));
}

function stepOf({ target, entry, live }: Leftover, { values, guard, fieldManager }: LeftoverOptions): PlanStep[] {
  if (!live) { return []; }
  const kept = keptBecause(entry, live, fieldManager) ?? guard?.(live, target);
  const action: PlanAction = kept ? 'keep' : entry.policy === 'reset' ? 'reset' : 'prune';
  // what is reset already has nothing of ours any more
  if (action === 'reset' && (live.value === '' || live.value === undefined)) { return []; }
  const changes: FieldChange[] = action === 'reset' ? [{ path: 'value', before: values.show(live.value, ['value'], live, []), after: '' }] : [];
  const deleting = live.metadata.deletionTimestamp === undefined ? undefined
    : `is being deleted${live.metadata.finalizers?.length ? `, held by ${live.metadata.finalizers.join(', ')}` : ''}`;
  const reason = kept ?? deleting ?? (action === 'reset' ? entry.reason : undefined) ?? 'is no longer declared';
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

function keptBecause({ policy, reason, uid }: InventoryEntry, live: LiveObject, fieldManager: string): string | undefined {
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  if (policy === 'keep') { return reason ?? 'is left alone'; }
  if (uid !== undefined && uid !== live.metadata.uid) { return 'is another object of that name by now, which is not ours'; }
  // a run that ended before it wrote the object
  if (uid === undefined && !ownedBy(live, fieldManager)) { return 'was written by others, and never by us'; }
  if (policy === 'reset') { return undefined; }
  if (ownerReferences.length > 0) { return `belongs to ${ownerReferences.map((owner) => `${String(owner.kind)} ${String(owner.name)}`).join(', ')}, and goes with it`; }
  const mark = KEPT_BY.find(([key, value]) => annotations[key] === value);
  if (mark) { return `is kept by its annotation ${mark[0]}`; }
  return neverDeleted(live);
}
