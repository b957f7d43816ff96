import { Place, RunContext } from './run-context';
import { neverDeleted } from '../../core/kind/retention';
import { groupOf } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { CLUSTER_AGENT } from '../../rancher/cluster/cluster.kind';
import { LiveObject } from '../cluster/cluster';
import { isForced } from '../fields/managed-fields';
import { giveUp } from '../fields/released';
import { GraphNode } from '../graph/graph';
import { NodeWorker } from '../graph/run-graph';
import { isRewritten } from '../inventory/apply-set';
import { InventoryEntry } from '../inventory/inventory';
import { heldBy, inUse, waysToDelete } from '../plan/guards';
import { isReset, keptOf, resetOf } from '../plan/prune-steps';
import { readyContext, readyTimeoutMs, waitReady } from '../ready/wait-ready';
import { ApiError, reworded } from '../transport/api';
import { inWords, isAbort, patiently, until } from '../transport/pace';

/** Time limit for a deletion, unless the kind has its own. */
const GONE_MS = 10 * 60_000;

/** Time limit for the deletion of what uses an object. */
const USED_MS = 2 * 60_000;

/** Time limit for Harvester to remove Rancher's agent. */
const AGENT_MS = 2 * 60_000;

/** What was done with an object, which decides how to wait for it. */
type Removed = { readonly how: 'gone' | 'kept' } | { readonly how: 'reset' | 'deleted'; readonly place: Place; readonly entry: InventoryEntry; readonly uid: string };

/** Removes objects of inventories by their policies: deletes, resets or keeps them. */
export class RemovalWorker implements NodeWorker {
  private readonly removed = new Map<string, Removed>();

  /**
   * @param entries by object ID; other objects are kept
   * @param needed reports why an object of the app must be kept
   */
  public constructor(
    private readonly run: RunContext, private readonly entries: ReadonlyMap<string, InventoryEntry>,
    private readonly needed: (live: LiveObject, target: string) => string | undefined = () => undefined,
  ) {}

  public async act({ object }: GraphNode): Promise<void> {
    const { id, target } = object!;
    try {
      this.removed.set(id, await this.remove(object!));
    } catch (error) {
      throw this.failure(error, id, target);
    }
  }

  public async settle({ object }: GraphNode): Promise<void> {
    const { id, target } = object!;
    const removed = this.removed.get(id)!;
    try {
      if (this.run.has(target)) { await this.run.place(target, () => undefined); }
      if (removed.how === 'reset') { await this.untilReset(id, removed.place, removed.entry); }
      if (removed.how === 'deleted') { await this.untilGone(id, removed); }
    } catch (error) {
      throw this.failure(error, id, target);
    }
  }

  private async remove(object: AssemblyObject): Promise<Removed> {
    const { id, target } = object;
    const entry = this.entries.get(id);
    if (!this.run.has(target)) {
      this.run.emit(id, target, 'kept', 'its cluster does not exist');
      return { how: 'kept' };
    }
    const place = await this.run.place(target, () => undefined);
    if (!entry) { return this.withoutEntry(object, place); }
    const live = await place.cluster.read(entry, { signal: this.run.stop });
    if (!live) {
      place.keeper.forget(id);
      this.run.emit(id, target, 'deleted', 'was already deleted');
      return { how: 'gone' };
    }
    const isDone = entry.policy === 'reset' && isReset(live, readyContext(place.target));
    const kept = isDone ? undefined : keptOf(entry, live, target, { ...this.run.fields, guard: this.needed });
    if (kept) {
      if (kept.releases) {
        await this.release(id, place, entry);
      } else if (entry.policy === 'reset') {
        this.run.warn(`${entry.kind} ${entry.name} ${kept.why}`, target, id);
      }
      // a later run may delete it: it remains in the inventory
      if (!kept.passes) { place.keeper.forget(id); }
      this.run.emit(id, target, 'kept', kept.why);
      return { how: 'kept' };
    }
    const about = { place, entry, uid: live.metadata.uid };
    if (entry.policy === 'reset') {
      if (!isDone) { await this.reset(object, about, live); }
      this.run.emit(id, target, 'reset');
      return { how: 'reset', ...about };
    }
    return this.delete(object, about, live);
  }

  /** An object without an inventory entry: of another app, or already deleted. */
  private async withoutEntry(object: AssemblyObject, { cluster }: Place): Promise<Removed> {
    const { id, target } = object;
    if (await cluster.read(object, { signal: this.run.stop })) {
      this.run.emit(id, target, 'kept', 'was not applied by this app');
      return { how: 'kept' };
    }
    this.run.emit(id, target, 'deleted', 'was already deleted');
    return { how: 'gone' };
  }

  private async reset(
    { id, target, othersWrite = [] }: AssemblyObject, { place, entry, uid }: Omit<Removed & { how: 'reset' }, 'how'>, live: LiveObject,
  ): Promise<void> {
    const { fields } = this.run;
    const force = isForced(fields, id) || othersWrite.includes('value') || isRewritten(live, fields.fieldManager);
    await patiently(async () => place.cluster.apply(resetOf(entry, uid, readyContext(place.target)), {
      fieldManager: fields.fieldManager, force, signal: this.run.kill,
    }), { timeoutMs: this.run.options.timeoutMs ?? GONE_MS, onWait: (why) => { this.run.emit(id, target, 'waiting', this.run.scrub(why)); } }, this.run.pacing);
  }

  private async delete({ id, target }: AssemblyObject, about: Omit<Removed & { how: 'deleted' }, 'how'>, live: LiveObject): Promise<Removed> {
    const { place, entry, uid } = about;
    const never = neverDeleted(live);
    if (never) { throw new Error(`${never.says}: it is never deleted`); }
    this.run.emit(id, target, 'deleting');
    if (live.metadata.deletionTimestamp === undefined) {
      const onWait = (why: string): void => { this.run.emit(id, target, 'waiting', this.run.scrub(why)); };
      if (!this.run.options.deleteAnyway?.includes(id)) {
        await patiently(async () => this.checkUse(id, live, place), { timeoutMs: this.run.options.timeoutMs ?? USED_MS, onWait }, this.run.pacing);
      }
      try {
        await patiently(async () => place.cluster.delete(entry, uid, { signal: this.run.kill }), {
          timeoutMs: this.run.options.timeoutMs ?? GONE_MS, onWait,
        }, this.run.pacing);
      } catch (error) {
        if (!(error instanceof ApiError) || error.failure !== 'precondition') { throw error; }
        place.keeper.forget(id);
        this.run.emit(id, target, 'kept', 'was recreated (its UID changed) and is not managed by this program');
        return { how: 'kept' };
      }
    }
    return { how: 'deleted', ...about };
  }

  private async checkUse(id: string, live: LiveObject, { target, cluster }: Place): Promise<void> {
    if (this.goesWithGuest(target)) { return; }
    const use = await inUse(live, target, cluster, { signal: this.run.stop });
    for (const note of use?.notes ?? []) { this.run.warn(note, target.name, id); }
    if (use?.why === undefined) { return; }
    const message = `${use.why}. Fix: ${waysToDelete(id)}`;
    throw use.passes ? new ApiError('blocked', message) : new Error(message);
  }

  /** Whether a guest cluster is deleted as a whole: its objects are lost anyway, as the run has reported. */
  private goesWithGuest({ kind, properties: { provisioningCluster } }: AssemblyTarget): boolean {
    return kind === 'guest' && [...this.entries.values()].some(({ apiVersion, kind: of, namespace, name, policy }) => (
      groupOf(apiVersion) === GROUPS.PROVISIONING && of === 'Cluster' && policy === 'delete' && `${namespace ?? ''}/${name}` === provisioningCluster));
  }

  private async untilReset(id: string, place: Place, entry: InventoryEntry): Promise<void> {
    if (groupOf(entry.apiVersion) === GROUPS.HARVESTER) {
      await waitReady(place.cluster, entry, {
        ...this.run.pacing,
        about: readyContext(place.target),
        timeoutMs: this.run.options.timeoutMs,
        onWait: (why) => { this.run.emit(id, place.target.name, 'not-ready', why); },
        scrub: (text) => this.run.scrub(text),
      });
      if (entry.name === SETTING_REGISTRATION_URL) { await this.untilDisconnected(id, place); }
    }
    await this.release(id, place, entry);
    place.keeper.forget(id);
  }

  /** Releases the ownership of our fields, so that others can set them without a conflict. */
  private async release(id: string, { cluster, target }: Place, entry: InventoryEntry): Promise<void> {
    const { app: { fieldManager }, timeoutMs = GONE_MS } = this.run.options;
    await patiently(async () => giveUp(cluster, entry, fieldManager, { signal: this.run.kill }), {
      timeoutMs, onWait: (why) => { this.run.emit(id, target.name, 'waiting', this.run.scrub(why)); },
    }, this.run.pacing);
  }

  /** Harvester removes Rancher's agent after a reset; while it is there, the Harvester is still connected. */
  private async untilDisconnected(id: string, { target: { name }, cluster }: Place): Promise<void> {
    const agent = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: CLUSTER_AGENT.namespace, name: CLUSTER_AGENT.deployment };
    const label = `Deployment ${agent.namespace}/${agent.name}`;
    const timeoutMs = this.run.options.timeoutMs ?? AGENT_MS;
    let isReported = false;
    await until(async () => {
      try {
        if (!await cluster.read(agent, { signal: this.run.stop })) { return true; }
      } catch (error) {
        if (!(error instanceof ApiError) || !['forbidden', 'transient', 'blocked'].includes(error.failure)) { throw error; }
        if (error.failure === 'forbidden') {
          this.run.warn(`cannot check whether Harvester removed Rancher's agent: ${error.message}`, name, id);
          return true;
        }
      }
      if (!isReported) { this.run.emit(id, name, 'not-ready', `waits until Harvester has removed Rancher's agent, ${label}`); }
      isReported = true;
      return undefined;
    }, timeoutMs, () => new Error(`is reset, but Rancher's agent still exists after ${inWords(timeoutMs)}: this Harvester is still connected. `
      + `Fix: check the log of Harvester's controller, or delete ${label}; then run the command again`), this.run.pacing);
  }

  private async untilGone(id: string, { place, entry, uid }: Omit<Removed & { how: 'deleted' }, 'how'>): Promise<void> {
    const timeoutMs = this.run.options.timeoutMs ?? Math.max(GONE_MS, readyTimeoutMs(entry));
    let why = '';
    await until(async () => {
      const live = await place.cluster.read(entry, { signal: this.run.stop });
      if (!live || live.metadata.uid !== uid) { return true; }
      const now = this.run.scrub(heldBy(live));
      if (now !== why) { this.run.emit(id, place.target.name, 'deleting', now); }
      why = now;
      return undefined;
    }, timeoutMs, () => new Error(`still exists after ${inWords(timeoutMs)}: ${why}. Finalizers are never removed by force. Fix: run the command again to resume`), this.run.pacing);
    place.keeper.forget(id);
    this.run.emit(id, place.target.name, 'deleted');
  }

  private failure(error: unknown, id: string, target: string): unknown {
    if (isAbort(error)) { return error; }
    this.run.noteFailure(target, error);
    const { message } = error as Error;
    const hint = error instanceof ApiError && error.failure === 'conflict' ? `. Fix: to reset it anyway, set --force-conflicts '${id}'` : '';
    const text = `${id}: ${this.run.scrub(message)}${hint}`;
    return reworded(error, text);
  }
}
