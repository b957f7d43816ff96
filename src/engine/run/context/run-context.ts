import { setMaxListeners } from 'events';
import { DoneState, NodeState, OnEvent, isDone } from './events';
import { FieldPath, Manifest } from '../../../core/manifest/manifest';
import { AssemblyTarget } from '../../../core/output/assembly';
import { HiddenValues, Redactor } from '../../../core/secret/redactor';
import { compare } from '../../../core/text/values';
import { RunProgram } from '../../auth/run-program';
import { Cluster, ObjectRef } from '../../cluster/cluster';
import { App } from '../../fields/apply-set';
import { finalizersToRemove } from '../../fields/finalizers';
import { FieldOptions } from '../../fields/managed-fields';
import {
  InventoryEntry,
  KnownTarget,
  listedObjects,
  readInventory,
  StoredInventory,
  withTrustedUids,
} from '../../inventory/inventory';
import { InventoryKeeper } from '../../inventory/inventory-keeper';
import { Lock } from '../../inventory/lease';
import { homeTarget } from '../../inventory/removed-targets';
import { keepsDigests } from '../../inventory/standing';
import { readsRemembered } from '../../late/origin';
import { OpenTargets } from '../../plan/open-targets';
import { PlanTarget } from '../../plan/plan';
import {
  Beginning,
  checkNamed,
  checkRun,
  sameClusters,
} from '../../precondition/run-preconditions';
import { WaitNotes, WaitReadyOptions, readyContext, waitReady } from '../../ready/wait-ready';
import { ApiError, onFailure } from '../../transport/api';
import { Clock, PROCESS_CLOCK, Pacing, patiently } from '../../transport/pace';

/** Options that an apply and a destroy share. */
export interface RunOptions extends Omit<FieldOptions, 'fieldManager'> {
  readonly app: App;
  /** Version of the tool, for the inventory. @default '0.0.0' */
  readonly version?: string;
  readonly onEvent?: OnEvent;
  /** Learns the secrets of the run; share it with the transports. @default - a new one */
  readonly redactor?: Redactor;
  /** Ends the run cleanly: nothing new begins, and writes in progress get 10 seconds. */
  readonly signal?: AbortSignal;
  /** @default PROCESS_CLOCK */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: () => number;
  /**
   * Targets, and IDs of provisioning Clusters, that may have been recreated.
   * @default - a recreated cluster is an error
   */
  readonly acceptNewCluster?: readonly string[];
  /**
   * Targets whose inventory of an earlier version is read although others may write it.
   * @default - only that on Rancher is read
   */
  readonly formerInventory?: readonly string[];
  /** IDs of objects to delete even if others need them. @default - none */
  readonly acceptInUse?: readonly string[];
  /**
   * Finalizers to remove from objects that are being deleted, as `<id>=<finalizer>`.
   * @default - none
   */
  readonly removeFinalizer?: readonly string[];
  /** Number of objects that are written at the same time, per target. @default 8 */
  readonly concurrency?: number;
  /** Stop after the first failure. @default false */
  readonly failFast?: boolean;
  /** How long to wait for one object, in milliseconds. @default - depends on its kind */
  readonly timeoutMs?: number;
  /** Check all permissions before anything is written. @default true */
  readonly preflight?: boolean;
}

/** A cluster during a run. */
export interface ObjectPlace {
  readonly target: AssemblyTarget;
  readonly cluster: Cluster;
  readonly keeper: InventoryKeeper;
  /** Reads objects of earlier runs, by lists where that takes fewer requests. */
  readonly listed: Pick<Cluster, 'read'>;
  /** The inventory at the start; undefined if there was none. */
  readonly stored?: StoredInventory;
}

/** Time limit for writes in progress when a run is ended. */
const GRACE_MS = 10_000;

/** Time limit for the writes at the end of a run. */
export const END_MS = 20_000;

/** Time limit for a guest cluster, whose machines must be created first. */
const GUEST_MS = 45 * 60_000;

/** The state of an apply or a destroy: clusters, lock, inventories and events. */
export class RunContext {
  public readonly pacing: Pacing;
  /** When it began. */
  public readonly startedMs: number;
  /** Ends waiting and reading. */
  public readonly stop: AbortSignal;
  /** Ends writes in progress. */
  public readonly kill: AbortSignal;
  /** How fields of other field managers are treated. */
  public readonly fields: FieldOptions;
  public readonly values: HiddenValues;
  public readonly redactor: Redactor;
  /** The clusters that existed at the start, with or without an inventory. */
  public readonly reached = new Map<string, Cluster>();
  /** The clusters as the plan of this run sees them. */
  public readonly seen: OpenTargets;
  /** The final states of nodes, by ID. */
  public readonly did = new Map<string, DoneState>();
  private readonly places = new Map<string, ObjectPlace>();
  private readonly opening = new Map<string, Promise<ObjectPlace>>();
  private readonly dead = new Map<string, Error>();
  private readonly expected = new Map<string, InventoryEntry[]>();
  private readonly lost = new AbortController();
  private readonly killer = new AbortController();
  private targets: readonly PlanTarget[] = [];
  private readonly warned = new Set<string>();
  private known: { readonly [name: string]: KnownTarget } = {};
  private timer?: NodeJS.Timeout;
  private lock?: Lock;

  public constructor(
    public readonly program: RunProgram,
    public readonly options: RunOptions,
  ) {
    const { acceptExisting, takeFieldsFrom, migrateManagedFields, forceConflicts } = options;
    const { fieldManager } = options.app;
    const { signal, clock = PROCESS_CLOCK, random = Math.random } = options;
    this.fields = {
      fieldManager,
      acceptExisting,
      takeFieldsFrom,
      migrateManagedFields,
      forceConflicts,
    };
    this.redactor = options.redactor ?? new Redactor();
    this.values = new HiddenValues(this.redactor);
    this.stop = signal ? AbortSignal.any([signal, this.lost.signal]) : this.lost.signal;
    this.kill = this.killer.signal;
    // a server's message may contain the secret of another object than the requested one
    this.redactor.learn(program.manifests.values());
    // every request and every pause listens to them
    setMaxListeners(0, this.stop, this.kill);
    this.pacing = { clock, random, signal: this.stop };
    this.startedMs = clock.now();
    this.seen = new OpenTargets(program.targets, this.stop);
    this.stop.addEventListener(
      'abort',
      () => {
        this.timer = setTimeout(() => {
          this.killer.abort();
        }, GRACE_MS).unref();
      },
      { once: true },
    );
  }

  /** The clusters that exist, sorted by name. */
  public get open(): readonly ObjectPlace[] {
    return [...this.places.values()].sort((a, b) => compare(a.target.name, b.target.name));
  }

  /**
   * Connects, takes the lock and reads the inventories. Throws before anything but the lock is
   * written.
   */
  public async begin(): Promise<void> {
    const { assembly } = this.program;
    const opening = assembly.targets.map(async ({ name }) => {
      const open = await this.seen.open(name);
      if (open.cluster) {
        this.reached.set(name, open.cluster);
      }
      return { name, ...open };
    });
    const clusters = await Promise.all(opening).catch(async (error: unknown) => {
      // if one is forbidden, wait for the others to check their permissions, too
      if (error instanceof ApiError && error.failure === 'forbidden') {
        await Promise.allSettled(opening);
      }
      throw error;
    });
    const { name: home } = homeTarget(assembly.targets);
    const { cluster: keeper, plan: homePlan } = clusters.find(({ name }) => name === home)!;
    if (!keeper) {
      throw new Error(`target ${home}, which holds the lock: ${homePlan.absent}`);
    }
    this.lock = await Lock.acquire(keeper, this.options.app, {
      signal: this.stop,
      clock: this.pacing.clock,
      onWait: (message) => {
        this.warn(message);
      },
      onLost: (message) => {
        this.warn(`${message}; this run ends`);
        this.lost.abort(new Error(message));
      },
    });
    // it may have waited for another run, which wrote
    this.seen.forgetObjects();
    this.targets = clusters.map(({ plan }) => plan);
    for (const { name, cluster, plan } of clusters) {
      if (plan.absent !== undefined) {
        this.warn(plan.absent, name);
      }
      if (cluster) {
        await this.add(name, cluster);
      }
    }
    this.warnOfRemoved();
    checkRun(this.beginning(), sameClusters);
  }

  /** Throws if an option names an unknown object. */
  public checkIds(): void {
    const { acceptExisting, forceConflicts, acceptInUse, removeFinalizer } = this.options;
    checkNamed(
      {
        '--accept-existing': acceptExisting,
        '--force-conflicts': forceConflicts,
        '--remove-finalizer': [...finalizersToRemove(removeFinalizer).keys()],
        '--accept-in-use': acceptInUse,
      },
      this.program.assembly,
      this.open.flatMap(({ keeper }) => keeper.all),
      this.program.manifests,
    );
  }

  /** What is known before anything is written. */
  public beginning(going: readonly InventoryEntry[] = []): Beginning {
    const { targets } = this;
    const { assembly } = this.program;
    const { acceptNewCluster } = this.options;
    const { id: app } = this.options.app;
    return {
      assembly,
      targets,
      going,
      app,
      acceptNewCluster,
      inventories: this.open.flatMap(({ stored }) => stored ?? []),
    };
  }

  /**
   * Records what is about to be written in the inventories of all clusters that exist, and of
   * others once they do.
   *
   * @param targets what inventories record of the targets
   */
  public async expect(
    entries: ReadonlyMap<string, InventoryEntry[]>,
    targets: { readonly [name: string]: KnownTarget } = {},
  ): Promise<void> {
    this.known = targets;
    for (const [target, each] of entries) {
      this.expected.set(target, each);
    }
    for (const place of this.open) {
      await this.record(place);
    }
  }

  /** Moves inventories of earlier versions to their current place. */
  public async moveFormer(): Promise<void> {
    for (const { keeper } of this.open) {
      await keeper.dropFormer(this.stop);
    }
  }

  /** The cluster of a target; waits for guest clusters that do not exist yet. */
  public async place(name: string, onWait: (why: string) => void): Promise<ObjectPlace> {
    const dead = this.dead.get(name);
    if (dead) {
      throw dead;
    }
    const known = this.places.get(name);
    if (known) {
      return known;
    }
    let opening = this.opening.get(name);
    if (!opening) {
      opening = this.connect(name, onWait).finally(() => {
        this.opening.delete(name);
      });
      this.opening.set(name, opening);
    }
    return opening;
  }

  /** Whether the cluster of a target exists. */
  public has(name: string): boolean {
    return this.places.has(name);
  }

  /** Records failures that all other requests to a target would repeat. */
  public noteFailure(target: string, error: unknown): void {
    if (!(error instanceof ApiError) || this.dead.has(target)) {
      return;
    }
    if (error.failure === 'auth') {
      this.dead.set(
        target,
        new Error(
          `target ${target} rejected the credentials: ${error.message}. Fix: log in again, then run the command again`,
        ),
      );
    }
    // retried for the whole time limit: the next request would wait as long again
    if (error.failure === 'transient' && error.status === undefined) {
      this.dead.set(
        target,
        new Error(
          `target ${target} does not answer: ${error.message}. Fix: make it reachable, then run the command again to resume`,
        ),
      );
    }
  }

  public emit(
    id: string,
    target: string,
    state: NodeState,
    message?: string,
    notes: WaitNotes = {},
  ): undefined {
    if (isDone(state)) {
      this.did.set(id, state);
    }
    this.options.onEvent?.({
      type: 'node',
      id,
      target,
      state,
      ...(message ? { message: this.redactor.scrub(message) } : {}),
      ...notes,
    });
    return undefined;
  }

  /** Reports each text once per cluster: a server repeats a warning for every object. */
  public warn(message: string, target?: string, id?: string): void {
    const text = this.redactor.scrub(message);
    const once = `${target ?? ''} ${text}`;
    if (this.warned.has(once)) {
      return;
    }
    this.warned.add(once);
    this.options.onEvent?.({
      type: 'warning',
      message: text,
      ...(target ? { target } : {}),
      ...(id ? { id } : {}),
    });
  }

  /** A text without the secrets of an object and of the run. */
  public scrub(text: string, manifest?: Manifest, secretPaths: readonly FieldPath[] = []): string {
    return manifest ? this.values.scrub(text, manifest, secretPaths) : this.redactor.scrub(text);
  }

  /** Waits until an object is ready, and reports why it is not. */
  public async untilReady(
    id: string,
    { cluster, target }: ObjectPlace,
    ref: ObjectRef,
    more: Partial<Pick<WaitReadyOptions, 'lookFurther' | 'scrub'>> = {},
  ): Promise<void> {
    const { pacing } = this;
    const { timeoutMs } = this.options;
    const onWait = (why: string, notes: WaitNotes): void => {
      this.emit(id, target.name, 'not-ready', why, notes);
    };
    await waitReady(cluster, ref, {
      ...pacing,
      about: readyContext(target),
      timeoutMs,
      onWait,
      scrub: (text) => this.scrub(text),
      ...more,
    });
  }

  /**
   * Runs a whole command: saves the inventories at its end, and releases the lock, also after a
   * failure.
   */
  public async during<T>(
    act: () => Promise<T>,
    finish?: (place: ObjectPlace) => Promise<void>,
  ): Promise<T> {
    const result = await act().catch(async (error: unknown) => {
      await this.release();
      throw error;
    });
    await this.end(finish ?? (async ({ keeper }) => keeper.save(AbortSignal.timeout(END_MS))));
    return result;
  }

  /**
   * Saves the inventories and releases the lock, also after an interrupt. Writes nothing if the
   * lock is lost.
   */
  private async end(finish: (place: ObjectPlace) => Promise<void>): Promise<void> {
    try {
      if (!this.lost.signal.aborted) {
        for (const place of this.open.filter(({ target }) => !this.dead.has(target.name))) {
          // an unreachable cluster keeps its last inventory, which contains all objects
          await finish(place).catch((error: Error) => {
            this.warn(`cannot write the inventory: ${error.message}`, place.target.name);
          });
        }
      }
    } finally {
      await this.release();
    }
  }

  public async release(): Promise<void> {
    clearTimeout(this.timer);
    await this.lock?.release(AbortSignal.timeout(GRACE_MS)).catch((error: Error) => {
      this.warn(`cannot release the lock: ${error.message}`);
    });
  }

  private async connect(name: string, onWait: (why: string) => void): Promise<ObjectPlace> {
    const bound = this.program.targets.get(name);
    if (!bound) {
      throw new Error(
        `target ${name}: must be bound to a cluster. Fix: set --context ${name}=<context>`,
      );
    }
    const cluster = await patiently(
      async () => bound.cluster(this.stop),
      { timeoutMs: this.options.timeoutMs ?? GUEST_MS, onWait },
      this.pacing,
    );
    const place = await this.add(name, cluster);
    await this.record(place);
    return place;
  }

  private async record({ keeper, target: place }: ObjectPlace): Promise<void> {
    const { name } = place;
    const { assembly, manifests } = this.program;
    const { objects, lateValues } = assembly;
    const uids = this.targets.flatMap(({ name: of, clusterUid }) =>
      clusterUid === undefined ? [] : [[of, clusterUid] as const],
    );
    keeper.remember(Object.fromEntries(uids), this.known);
    if (
      keepsDigests(
        objects.filter(({ target }) => target === name),
        manifests,
      )
    ) {
      await keeper.withDigestKey(this.stop);
    } else if (readsRemembered(name, lateValues)) {
      await keeper.withDigestKey(this.stop).catch(
        onFailure(['forbidden'], ({ message }) => {
          this.warn(
            `cannot report late values that someone replaces, since the key of their digests cannot be kept: ${message}. ` +
              'Fix: have an administrator apply the output of `cdk8s-harvester rbac`',
            name,
          );
        }),
      );
    }
    await keeper.expect(this.expected.get(name) ?? [], this.stop);
    await keeper.dropFormer(this.stop);
  }

  private async add(name: string, cluster: Cluster): Promise<ObjectPlace> {
    const { app, version = '0.0.0', formerInventory } = this.options;
    let stored: StoredInventory | undefined;
    try {
      stored = await readInventory(cluster, app, {
        target: this.program.targets.get(name)!.target,
        formerInventory,
        signal: this.stop,
        onWarning: (message) => {
          this.warn(message, name);
        },
      });
    } catch (error) {
      throw error instanceof ApiError
        ? error
        : new Error(`target ${name}: ${(error as Error).message}`);
    }
    const { target } = this.program.targets.get(name)!;
    stored = stored && withTrustedUids(stored, target);
    const listed = stored ? listedObjects(cluster, stored, this.pacing.clock) : cluster;
    if (stored) {
      this.seen.readBy(name, listedObjects(cluster, stored, this.pacing.clock));
    }
    const place: ObjectPlace = {
      target,
      cluster,
      listed,
      keeper: new InventoryKeeper(cluster, app, version, stored),
      ...(stored ? { stored } : {}),
    };
    this.places.set(name, place);
    return place;
  }

  private warnOfRemoved(): void {
    const known = new Set(
      this.open.flatMap(({ stored }) => Object.keys(stored?.clusterUids ?? {})),
    );
    const { targets, leftOut } = this.program;
    const isDeclared = (name: string): boolean =>
      targets.has(name) || leftOut?.targets.includes(name) === true;
    for (const name of [...known].filter((each) => !isDeclared(each))) {
      this.warn(
        `target ${name} belonged to app ${this.options.app.id} and is no longer declared: nothing on it is deleted, unless its cluster itself is. ` +
          `To delete what this app left there, run destroy --target ${name}; if its cluster no longer exists, run forget ${name}`,
      );
    }
  }
}
