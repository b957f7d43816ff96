import { untilCarriedOut, untilDisconnected } from './after-reset';
import { givesAccess } from '../../../core/kind/kinds';
import { lostWith, neverDeleted } from '../../../core/kind/retention';
import { groupOf } from '../../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../../core/manifest/names';
import { AssemblyObject } from '../../../core/output/assembly';
import { LiveObject } from '../../cluster/cluster';
import { isRewrittenByOthers } from '../../fields/apply-set';
import { fixOfRefusal } from '../../fields/compare-desired';
import { finalizersToRemove, isHeldByOthers } from '../../fields/finalizers';
import { isForced } from '../../fields/managed-fields';
import { giveUp } from '../../fields/released';
import { GraphNode } from '../../graph/graph';
import { NodeWorker, PassedOverError } from '../../graph/run-graph';
import { InventoryEntry, Leftover } from '../../inventory/inventory';
import {
  WAYS_TO_PRUNE,
  isReset,
  notYetText,
  resetOf,
  resetPatchOf,
} from '../../plan/steps/prune-steps';
import { heldBy, refusedDeletion, standsForAccess } from '../../precondition/in-use';
import { Kept, keptOf } from '../../precondition/kept';
import { LoginGuard, loginGuard } from '../../precondition/last-login';
import { ownersAmong } from '../../precondition/owners';
import { readyContext, readyTimeoutMs } from '../../ready/wait-ready';
import { wouldBeLost } from '../../removal/removal';
import { revokeHeld } from '../../removal/revoke';
import { ApiError, isFailure, onFailure, reworded } from '../../transport/api';
import { inWords, isAbort, patiently, until } from '../../transport/pace';
import { ObjectPlace, RunContext } from '../context/run-context';

/** Time limit for a deletion, unless the kind has its own. */
const GONE_MS = 10 * 60_000;

/**
 * How long a controller that is neither of Kubernetes nor of the products has to remove its
 * finalizer before the run continues without the object.
 */
const FOREIGN_MS = 60_000;

/** How long Rancher may hold a binding that is deleted before its permissions are taken. */
const HELD_MS = 10_000;

/** Time limit for the deletion of what uses an object. */
const USED_MS = 2 * 60_000;

/** An object that was reset or deleted, which decides how to wait for it. */
interface Removed {
  readonly how: 'reset' | 'deleted';
  readonly place: ObjectPlace;
  readonly entry: InventoryEntry;
  readonly uid: string;
}

/** What becomes of the access that an object gives if a run does not delete it. */
const STILL_GIVES_ACCESS =
  'it still gives access. Fix: delete it by hand, unless another program declares it';

interface RemovalOptions {
  /**
   * Whether what holds machines or data is kept: an apply without `--prune-machines`.
   * @default false
   */
  readonly keepsMachines?: boolean;
  /** Whether what a kept object needs is kept, too. @default false */
  readonly keepsNeeds?: boolean;
  /** Reports why an object of the app must be kept. @default - none must */
  readonly needed?: (live: LiveObject, target: string) => string | undefined;
}

/** Removes objects of inventories by their policies: deletes, resets or keeps them. */
export class RemovalWorker implements NodeWorker {
  private readonly removed = new Map<string, Removed | undefined>();
  /**
   * Why objects are kept that hold machines or data, or that are needed by one that is kept: they
   * changed since they were planned.
   */
  public readonly changed = new Map<string, string>();
  private readonly keeping = new Set<string>();
  /**
   * Objects that a server refused to delete before the object that owns them, by the ID of that one;
   * undefined once it is gone.
   */
  private readonly handedOver = new Map<string, [id: string, removed: Removed][] | undefined>();
  private readonly entries: ReadonlyMap<string, InventoryEntry>;
  private readonly finalizers: ReadonlyMap<string, readonly string[]>;

  /** @param gone the objects to remove; others are kept */
  public constructor(
    private readonly run: RunContext,
    private readonly gone: readonly Leftover[],
    private readonly options: RemovalOptions = {},
  ) {
    this.finalizers = finalizersToRemove(run.options.removeFinalizer);
    this.entries = new Map(gone.map(({ entry }) => [entry.id, entry]));
  }

  public async act({ object, after }: GraphNode): Promise<void> {
    const { id, target } = object!;
    try {
      this.removed.set(
        id,
        await this.remove(
          object!,
          after.find(({ to, kind }) => kind !== 'ended' && this.keeping.has(to))?.to,
        ),
      );
    } catch (error) {
      throw this.failure(error, id, target);
    }
  }

  public async settle({ object }: GraphNode): Promise<void> {
    const { id, target } = object!;
    const removed = this.removed.get(id);
    try {
      if (this.run.has(target)) {
        await this.run.place(target, () => undefined);
      }
      if (removed) {
        await (removed.how === 'reset'
          ? this.untilReset(id, removed)
          : this.untilGone(id, removed));
      }
    } catch (error) {
      throw this.failure(error, id, target);
    }
  }

  /**
   * Returns nothing if there is nothing to wait for.
   *
   * @param neededBy an object that is kept and needs this one
   */
  private async remove(object: AssemblyObject, neededBy?: string): Promise<Removed | undefined> {
    const { id, target } = object;
    const entry = this.entries.get(id);
    if (!this.run.has(target)) {
      return this.run.emit(id, target, 'kept', 'its cluster does not exist');
    }
    const place = await this.run.place(target, () => undefined);
    const live = await place.cluster.read(entry ?? object, { signal: this.run.stop });
    if (!live) {
      if (entry) {
        place.keeper.forget(id);
      }
      return this.run.emit(id, target, 'deleted', 'was already deleted');
    }
    if (!entry) {
      return this.keepOfOthers(object, live, place);
    }
    const isDone = entry.policy === 'reset' && isReset(live, readyContext(place.target));
    const logins = await loginGuard([{ target, entry }], {
      gone: this.gone,
      cluster: async () => place.cluster,
      signal: this.run.stop,
    });
    const kept = isDone ? undefined : this.whyKept(entry, live, target, { logins, neededBy });
    if (kept) {
      await this.keep(id, kept, place, entry);
      return undefined;
    }
    const about = { place, entry, uid: live.metadata.uid };
    if (entry.policy === 'delete') {
      return this.delete(id, { how: 'deleted', ...about }, live);
    }
    const notYet = isDone ? undefined : await this.reset(object, place, entry, live);
    if (notYet !== undefined) {
      this.run.warn(`${entry.kind} ${entry.name} ${notYet}`, target, id);
      // it remains in the inventory
      return this.run.emit(id, target, 'kept', notYet);
    }
    this.run.emit(id, target, 'reset');
    return { how: 'reset', ...about };
  }

  /** Keeps an object that the inventory does not have. */
  private keepOfOthers(
    { id, target, deletion }: AssemblyObject,
    live: LiveObject,
    place: ObjectPlace,
  ): undefined {
    const isAtDefault = deletion?.policy === 'reset' && isReset(live, readyContext(place.target));
    const why = isAtDefault ? 'already has its default value' : 'was not applied by this app';
    return this.run.emit(id, target, 'kept', why);
  }

  /** Undefined if the object is deleted or reset. */
  private whyKept(
    entry: InventoryEntry,
    live: LiveObject,
    target: string,
    by: { readonly logins: LoginGuard | undefined; readonly neededBy: string | undefined },
  ): Kept | undefined {
    const options = {
      ...this.run.fields,
      guard: this.options.needed,
      isCollected: (of: LiveObject) => this.ownersOf(of, target) !== undefined,
      logins: by.logins,
    };
    return keptOf(entry, live, target, options) ?? this.changedSince(entry, live, by.neededBy);
  }

  private async keep(
    id: string,
    kept: Kept,
    place: ObjectPlace,
    entry: InventoryEntry,
  ): Promise<void> {
    const target = place.target.name;
    const label = `${entry.kind} ${entry.name}`;
    if (kept.keepsNeeds && (this.options.keepsNeeds || kept.isUnfinished)) {
      this.keeping.add(id);
    }
    if (kept.isUnfinished) {
      this.changed.set(id, kept.why);
    }
    if (kept.releases) {
      await this.release(id, place, entry);
    } else if (entry.policy === 'reset') {
      this.run.warn(`${label} ${kept.why}`, target, id);
    } else if (entry.policy === 'delete' && givesAccess(entry)) {
      this.run.warn(`${label} ${kept.why}: ${STILL_GIVES_ACCESS}`, target, id);
    }
    // a later run may delete it: it remains in the inventory
    if (!kept.passes) {
      place.keeper.forget(id);
    }
    this.run.emit(id, target, 'kept', kept.why);
  }

  private changedSince(
    { id, policy }: InventoryEntry,
    live: LiveObject,
    neededBy: string | undefined,
  ): Kept | undefined {
    if (live.metadata.deletionTimestamp !== undefined) {
      return undefined;
    }
    const loss = this.options.keepsMachines && policy === 'delete' ? lostWith(live) : undefined;
    if (loss === undefined && neededBy === undefined) {
      return undefined;
    }
    const why =
      loss === undefined
        ? `${neededBy} is kept and needs it`
        : `${wouldBeLost(loss)}. Fix: to delete it, ${WAYS_TO_PRUNE}`;
    this.changed.set(id, why);
    return { why, passes: true, keepsNeeds: true };
  }

  /** Returns why the server refuses the reset until something else changes. */
  private async reset(
    { id, othersWrite = [] }: AssemblyObject,
    place: ObjectPlace,
    entry: InventoryEntry,
    live: LiveObject,
  ): Promise<string | undefined> {
    const { fields, kill: signal } = this.run;
    const { fieldManager } = fields;
    const force =
      isForced(fields, id) ||
      othersWrite.includes('value') ||
      isRewrittenByOthers(live, fieldManager);
    const about = readyContext(place.target);
    try {
      if (resetPatchOf(live, about)) {
        await this.patiently(id, place, async () => this.resetField(place, entry, live));
        return undefined;
      }
      const manifest = resetOf(entry, live.metadata.uid, about);
      await this.patiently(id, place, async () =>
        place.cluster.apply(manifest, { fieldManager, force, signal }),
      );
      return undefined;
    } catch (error) {
      const fix = fixOfRefusal(entry, (error as Error).message);
      if (fix === undefined) {
        throw error;
      }
      return this.run.scrub(notYetText(error as Error, fix));
    }
  }

  /** Resets one field of an object, which controllers may write at the same time. */
  private async resetField(
    place: ObjectPlace,
    entry: InventoryEntry,
    live: LiveObject,
  ): Promise<void> {
    const { fields, kill: signal } = this.run;
    const now = await place.cluster.read(entry, { signal });
    const about = readyContext(place.target);
    if (!now || now.metadata.uid !== live.metadata.uid || isReset(now, about)) {
      return;
    }
    const { fieldManager } = fields;
    await place.cluster.patch(entry, resetPatchOf(now, about)!, { fieldManager, signal });
  }

  private async delete(
    id: string,
    removed: Removed,
    live: LiveObject,
  ): Promise<Removed | undefined> {
    const { place, entry, uid } = removed;
    const target = place.target.name;
    const never = neverDeleted(live);
    if (never) {
      throw new Error(`${never.says}: it is never deleted`);
    }
    this.run.emit(id, target, 'deleting');
    if (live.metadata.deletionTimestamp === undefined) {
      if (!this.run.options.acceptInUse?.includes(id)) {
        await this.patiently(id, place, async () => this.checkUse(id, live, place), USED_MS);
      }
      const owner = this.ownersOf(live, target)?.[0].entry.id;
      const deleting = this.patiently(id, place, async () =>
        place.cluster.delete(entry, uid, { signal: this.run.kill }),
      );
      const isRefused = deleting.then(
        () => false,
        (error: unknown) => isFailure(error, 'invalid'),
      );
      if (owner !== undefined && (await isRefused)) {
        return this.handOver(id, owner, removed);
      }
      const isRecreated = await deleting.then(
        () => false,
        onFailure(['precondition'], () => true),
      );
      if (isRecreated) {
        place.keeper.forget(id);
        return this.run.emit(
          id,
          target,
          'kept',
          'was recreated (its UID changed) and is not managed by this program',
        );
      }
    }
    return removed;
  }

  /** The objects that this run deletes and that own an object, if it is collected with them. */
  private ownersOf(live: LiveObject, target: string): readonly Leftover[] | undefined {
    const deleted = this.gone.filter(({ entry }) => entry.policy === 'delete');
    return ownersAmong(live, target, deleted);
  }

  /**
   * Leaves an object to the garbage collector, which deletes it after its owner. Returns it if the
   * owner is gone already.
   */
  private handOver(id: string, owner: string, removed: Removed): Removed | undefined {
    if (this.handedOver.has(owner) && this.handedOver.get(owner) === undefined) {
      return removed;
    }
    this.handedOver.set(owner, [...(this.handedOver.get(owner) ?? []), [id, removed]]);
    return this.run.emit(id, removed.place.target.name, 'deleting', `is deleted with ${owner}`);
  }

  /** Waits until the objects that were left to the garbage collector are gone with their owner. */
  private async untilCollected(owner: string): Promise<void> {
    const collected = this.handedOver.get(owner) ?? [];
    this.handedOver.set(owner, undefined);
    for (const [id, removed] of collected) {
      await this.untilGone(id, removed);
    }
  }

  private async patiently<T>(
    id: string,
    { target }: ObjectPlace,
    act: () => Promise<T>,
    limitMs = GONE_MS,
  ): Promise<T> {
    const { name } = target;
    const { pacing } = this.run;
    const { timeoutMs = limitMs } = this.run.options;
    return patiently(
      act,
      {
        timeoutMs,
        onWait: (why) => {
          this.run.emit(id, name, 'waiting', why);
        },
      },
      pacing,
    );
  }

  private async checkUse(
    id: string,
    live: LiveObject,
    { target, cluster }: ObjectPlace,
  ): Promise<void> {
    const deleted = this.gone.flatMap(({ target: on, entry }) =>
      entry.policy === 'delete' ? [[on, entry] as const] : [],
    );
    // what others hold is lost already
    const options = {
      isGoing: isHeldByOthers,
      fieldManager: this.run.fields.fieldManager,
      signal: this.run.stop,
    };
    const {
      why,
      passes,
      notes = [],
    } = (await refusedDeletion({ id, live, target, cluster }, deleted, options)) ?? {};
    for (const note of notes) {
      this.run.warn(note, target.name, id);
    }
    if (why !== undefined) {
      throw passes ? new ApiError('blocked', why) : new Error(why);
    }
  }

  private async untilReset(id: string, { place, entry }: Removed): Promise<void> {
    if (groupOf(entry.apiVersion) === GROUPS.HARVESTER) {
      await this.run.untilReady(id, place, entry);
      if (entry.name === SETTING_REGISTRATION_URL) {
        await untilDisconnected(this.run, id, place);
      }
    }
    await untilCarriedOut(this.run, id, place, entry);
    await this.release(id, place, entry);
    place.keeper.forget(id);
  }

  /** Releases the ownership of our fields, so that others can set them without a conflict. */
  private async release(id: string, place: ObjectPlace, entry: InventoryEntry): Promise<void> {
    await this.patiently(id, place, async () =>
      giveUp(place.cluster, entry, this.run.fields.fieldManager, { signal: this.run.kill }),
    );
  }

  private async untilGone(id: string, { place, entry, uid }: Removed): Promise<void> {
    const timeoutMs = this.run.options.timeoutMs ?? Math.max(GONE_MS, readyTimeoutMs(entry));
    let [why, heldSince, isAccess] = ['', Infinity, false];
    const remains = (passedMs: number): string => {
      const anyway = isAccess
        ? 'do not remove the finalizer: the permissions would remain'
        : `to remove one anyway, set --remove-finalizer '${id}=<finalizer>'`;
      return (
        `still exists after ${inWords(passedMs)}: ${why}. Finalizers are not removed by force. ` +
        `Fix: let their controllers remove them, and run the command again to resume; ${anyway}`
      );
    };
    await until(
      async (passedMs) => {
        const live = await place.cluster.read(entry, { signal: this.run.stop });
        if (!live || live.metadata.uid !== uid) {
          return true;
        }
        const now = this.run.scrub(heldBy(live));
        if (now !== why) {
          this.run.emit(id, place.target.name, 'deleting', now);
        }
        why = now;
        isAccess = standsForAccess(live);
        await this.removeFinalizers(entry, live, place);
        if (passedMs >= HELD_MS) {
          await this.revoke(id, live, place);
        }
        heldSince = isHeldByOthers(live) ? Math.min(heldSince, passedMs) : Infinity;
        if (passedMs - heldSince >= FOREIGN_MS) {
          throw new PassedOverError(remains(passedMs));
        }
        return undefined;
      },
      timeoutMs,
      () => new Error(remains(timeoutMs)),
      this.run.pacing,
    );
    place.keeper.forget(id);
    this.run.emit(id, place.target.name, 'deleted');
    await this.untilCollected(id);
  }

  /** Takes the permissions of a binding that Rancher cannot remove yet. */
  private async revoke(id: string, live: LiveObject, place: ObjectPlace): Promise<void> {
    const revoked = await revokeHeld(place.cluster, live, this.run.kill);
    if (revoked !== undefined) {
      const text = `deleted ClusterRoleBinding ${revoked}, since Rancher still holds the GlobalRoleBinding: its members have lost the permissions on the cluster of Rancher`;
      this.run.warn(text, place.target.name, id);
    }
  }

  /** Removes the finalizers that the user listed for an object that is being deleted. */
  private async removeFinalizers(
    entry: InventoryEntry,
    live: LiveObject,
    { cluster, target }: ObjectPlace,
  ): Promise<void> {
    const { name } = target;
    const { finalizers = [], resourceVersion } = live.metadata;
    const listed = finalizers.filter((finalizer) =>
      this.finalizers.get(entry.id)?.includes(finalizer),
    );
    if (listed.length === 0) {
      return;
    }
    // a controller may write at the same time: the next look tries again
    const removed = await cluster
      .patch(
        entry,
        [
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          {
            op: 'add',
            path: '/metadata/finalizers',
            value: finalizers.filter((finalizer) => !listed.includes(finalizer)),
          },
        ],
        { fieldManager: this.run.fields.fieldManager, signal: this.run.kill },
      )
      .then(
        () => true,
        onFailure(['blocked', 'not-found'], () => false),
      );
    if (removed) {
      this.run.warn(
        `removed the finalizers ${listed.join(', ')}: what their controllers had to do is not done`,
        name,
        entry.id,
      );
    }
  }

  private failure(error: unknown, id: string, target: string): unknown {
    if (isAbort(error)) {
      return error;
    }
    if (error instanceof PassedOverError) {
      return new PassedOverError(`${id}: ${this.run.scrub(error.message)}`);
    }
    this.run.noteFailure(target, error);
    const { message } = error as Error;
    const hint = isFailure(error, 'conflict')
      ? `. Fix: to reset it anyway, set --force-conflicts '${id}'`
      : '';
    return reworded(error, `${id}: ${this.run.scrub(message)}${hint}`);
  }
}
