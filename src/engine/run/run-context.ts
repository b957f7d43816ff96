import { setMaxListeners } from 'events';
import { DoneState, NodeState, OnEvent, isDone } from './events';
import { FieldPath } from '../../core/manifest/field-path';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { HiddenValues, Redactor } from '../../core/secret/redactor';
import { compare } from '../../core/text/values';
import { BoundTargets, Cluster } from '../cluster/cluster';
import { FieldOptions } from '../fields/managed-fields';
import { App } from '../inventory/apply-set';
import { StoredInventory, readInventory, withTrustedUids } from '../inventory/inventory';
import { InventoryKeeper } from '../inventory/inventory-keeper';
import { InventoryEntry, KnownTarget, listedObjects } from '../inventory/inventory-reader';
import { Lock } from '../inventory/lease';
import { homeTarget } from '../inventory/removed-targets';
import { keepsDigests } from '../inventory/standing';
import { OpenTargets, otherCluster } from '../plan/open-targets';
import { LoadedAssembly } from '../read/load-assembly';
import { ApiError } from '../transport/api';
import { Clock, PROCESS_CLOCK, Pacing, patiently } from '../transport/pace';

/** What synthesis wrote, and the clusters that it is for. */
export interface Program extends LoadedAssembly {
  readonly targets: BoundTargets;
}

/** How an apply or a destroy runs. */
export interface RunOptions extends Omit<FieldOptions, 'fieldManager'> {
  readonly app: App;
  /** Of this tool, for the inventory. @default '0.0.0' */
  readonly version?: string;
  readonly onEvent?: OnEvent;
  /** Is told the secrets of the run; the transports should have the same. @default - one of its own */
  readonly redactor?: Redactor;
  /** Ends it cleanly: nothing is begun any more, what is being written gets some seconds. */
  readonly signal?: AbortSignal;
  /** @default PROCESS_CLOCK */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: () => number;
  /** Targets whose cluster may be another one than before: it was made anew. */
  readonly acceptNewCluster?: readonly string[];
  /** Ids of objects that are deleted though others still need them. */
  readonly deleteAnyway?: readonly string[];
  /** How many objects of one target are written at a time. @default 8 */
  readonly concurrency?: number;
  /** Nothing is begun any more once something failed. @default false */
  readonly failFast?: boolean;
  /** How long one object is waited for. @default - by its kind */
  readonly timeoutMs?: number;
  /** Asks for all rights before anything is written. @default true */
  readonly preflight?: boolean;
}

/** A cluster during a run. */
export interface Place {
  readonly target: AssemblyTarget;
  readonly cluster: Cluster;
  readonly keeper: InventoryKeeper;
  /** Reads what earlier runs wrote. */
  readonly listed: Pick<Cluster, 'read'>;
  /** As it was at the start; undefined where there was none. */
  readonly stored?: StoredInventory;
}

/** What is being written when a run is ended gets so long. */
const GRACE_MS = 10_000;

/** A guest cluster is made of machines that are yet to be made. */
const GUEST_MS = 45 * 60_000;

/** What an apply and a destroy have in common: the clusters, the lock, the inventories, and what may be said of it all. */
export class RunContext {
  public readonly pacing: Pacing;
  /** Ends waiting and looking. */
  public readonly stop: AbortSignal;
  /** Ends what is being written. */
  public readonly kill: AbortSignal;
  /** How fields of other field managers are treated. */
  public readonly fields: FieldOptions;
  public readonly values: HiddenValues;
  public readonly redactor: Redactor;
  /** The clusters that were there at the beginning, with or without an inventory. */
  public readonly reached = new Map<string, Cluster>();
  /** What was done with nodes, by id. */
  public readonly did = new Map<string, DoneState>();
  private readonly places = new Map<string, Place>();
  private readonly opening = new Map<string, Promise<Place>>();
  private readonly dead = new Map<string, Error>();
  private readonly expected = new Map<string, InventoryEntry[]>();
  private readonly lost = new AbortController();
  private readonly killer = new AbortController();
  private readonly clusterUids: { [target: string]: string } = {};
  private readonly warned = new Set<string>();
  private known: { readonly [name: string]: KnownTarget } = {};
  private timer?: NodeJS.Timeout;
  private lock?: Lock;

  public constructor(public readonly program: Program, public readonly options: RunOptions) {
    const { app: { fieldManager }, adoptFrom, migrateManagedFields, forceConflicts, signal, clock = PROCESS_CLOCK, random = Math.random } = options;
    this.fields = { fieldManager, adoptFrom, migrateManagedFields, forceConflicts };
    this.redactor = options.redactor ?? new Redactor();
    this.values = new HiddenValues(this.redactor);
    this.stop = signal ? AbortSignal.any([signal, this.lost.signal]) : this.lost.signal;
    this.kill = this.killer.signal;
    // a server may say the secret of another object than the one that it is asked about
    this.redactor.learn(program.manifests.values());
    // every request and every pause listens to them
    setMaxListeners(0, this.stop, this.kill);
    this.pacing = { clock, random, signal: this.stop };
    this.stop.addEventListener('abort', () => { this.timer = setTimeout(() => { this.killer.abort(); }, GRACE_MS).unref(); }, { once: true });
  }

  /** The clusters that are there, in the order of their names. */
  public get open(): readonly Place[] {
    return [...this.places.values()].sort((a, b) => compare(a.target.name, b.target.name));
  }

  /** Connects, takes the lock and reads what earlier runs left. Throws before anything is written to a cluster but the lock. */
  public async begin(): Promise<void> {
    const { assembly, targets } = this.program;
    const opened = new OpenTargets(targets, this.stop);
    const opening = assembly.targets.map(async ({ name }) => {
      const open = await opened.open(name);
      if (open.cluster) { this.reached.set(name, open.cluster); }
      return { name, ...open };
    });
    const clusters = await Promise.all(opening).catch(async (error: unknown) => {
      // where one is forbidden, the others are asked for what is missing there
      if (error instanceof ApiError && error.failure === 'forbidden') { await Promise.allSettled(opening); }
      throw error;
    });
    const { name: home } = homeTarget(assembly.targets);
    const { cluster: keeper, plan: { absent } } = clusters.find(({ name }) => name === home)!;
    if (!keeper) { throw new Error(`target ${home}, which holds the lock: ${absent}`); }
    this.lock = await Lock.acquire(keeper, this.options.app, {
      signal: this.stop,
      clock: this.pacing.clock,
      onWait: (message) => { this.warn(message); },
      onLost: (message) => {
        this.warn(`${message}; this run ends`);
        this.lost.abort(new Error(message));
      },
    });
    for (const { name, cluster, plan } of clusters) {
      if (plan.clusterUid !== undefined) { this.clusterUids[name] = plan.clusterUid; }
      if (plan.absent !== undefined) { this.warn(plan.absent, name); }
      if (cluster) { await this.add(name, cluster); }
    }
    this.checkClusters();
  }

  /**
   * Names what is about to be written, on all clusters that are there, and on others once they are.
   *
   * @param targets what is known of the targets
   */
  public async expect(entries: ReadonlyMap<string, InventoryEntry[]>, targets: { readonly [name: string]: KnownTarget } = {}): Promise<void> {
    this.known = targets;
    for (const [target, each] of entries) { this.expected.set(target, each); }
    for (const place of this.open) { await this.record(place); }
  }

  /** Moves inventories of earlier versions to where they are kept now. */
  public async moveFormer(): Promise<void> {
    for (const { keeper } of this.open) { await keeper.dropFormer(this.stop); }
  }

  /** The cluster of a target; waits for guests that are yet to be made. */
  public async place(name: string, onWait: (why: string) => void): Promise<Place> {
    const dead = this.dead.get(name);
    if (dead) { throw dead; }
    const known = this.places.get(name);
    if (known) { return known; }
    let opening = this.opening.get(name);
    if (!opening) {
      opening = this.connect(name, onWait).finally(() => { this.opening.delete(name); });
      this.opening.set(name, opening);
    }
    return opening;
  }

  /** Whether a cluster is there. */
  public has(name: string): boolean {
    return this.places.has(name);
  }

  /** Notes failures that all other requests to a target would end with. */
  public noteFailure(target: string, error: unknown): void {
    if (!(error instanceof ApiError) || this.dead.has(target)) { return; }
    if (error.failure === 'auth') {
      this.dead.set(target, new Error(`target ${target} rejected the credentials: ${error.message}. Fix: log in again, then run this again`));
    }
    // tried for as long as an object is waited for: the next would wait as long for the same
    if (error.failure === 'transient' && error.status === undefined) {
      this.dead.set(target, new Error(`target ${target} does not answer: ${error.message}. Fix: see why it cannot be reached, then run this again to go on`));
    }
  }

  public emit(id: string, target: string, state: NodeState, message?: string): void {
    if (isDone(state)) { this.did.set(id, state); }
    this.options.onEvent?.({ type: 'node', id, target, state, ...(message ? { message: this.redactor.scrub(message) } : {}) });
  }

  /** Tells each text once for each cluster: a server says the same of a thousand objects. */
  public warn(message: string, target?: string, id?: string): void {
    const text = this.redactor.scrub(message);
    const once = `${target ?? ''} ${text}`;
    if (this.warned.has(once)) { return; }
    this.warned.add(once);
    this.options.onEvent?.({ type: 'warning', message: text, ...(target ? { target } : {}), ...(id ? { id } : {}) });
  }

  /** A text without the secrets of an object, and all others that this run knows. */
  public scrub(text: string, manifest?: Manifest, secretPaths: readonly FieldPath[] = []): string {
    return manifest ? this.values.scrub(text, manifest, secretPaths) : this.redactor.scrub(text);
  }

  /** Saves what was done and gives the lock back, also after an interrupt. Nothing is written where the lock is lost. */
  public async end(finish: (place: Place) => Promise<void>): Promise<void> {
    try {
      if (!this.lost.signal.aborted) {
        for (const place of this.open.filter(({ target: { name } }) => !this.dead.has(name))) {
          // one that is away keeps what was saved before: it names all that is there
          await finish(place).catch((error: Error) => { this.warn(`the inventory could not be written: ${error.message}`, place.target.name); });
        }
      }
    } finally {
      await this.release();
    }
  }

  public async release(): Promise<void> {
    clearTimeout(this.timer);
    await this.lock?.release(AbortSignal.timeout(GRACE_MS)).catch((error: Error) => { this.warn(`the lock could not be given back: ${error.message}`); });
  }

  private async connect(name: string, onWait: (why: string) => void): Promise<Place> {
    const bound = this.program.targets.get(name);
    if (!bound) { throw new Error(`target ${name} has no cluster: bind it, e.g. by --context ${name}=<context>`); }
    const cluster = await patiently(async () => bound.cluster(this.stop), { timeoutMs: this.options.timeoutMs ?? GUEST_MS, onWait }, this.pacing);
    const place = await this.add(name, cluster);
    await this.record(place);
    return place;
  }

  private async record({ keeper, target: { name } }: Place): Promise<void> {
    const { assembly: { objects }, manifests } = this.program;
    keeper.remember(this.clusterUids, this.known);
    if (keepsDigests(objects.filter(({ target }) => target === name), manifests)) { await keeper.withDigestKey(this.stop); }
    await keeper.expect(this.expected.get(name) ?? [], this.stop);
    await keeper.dropFormer(this.stop);
  }

  private async add(name: string, cluster: Cluster): Promise<Place> {
    const { app, version = '0.0.0' } = this.options;
    let stored: StoredInventory | undefined;
    try {
      stored = await readInventory(cluster, app, this.stop, (message) => { this.warn(message, name); });
    } catch (error) {
      throw error instanceof ApiError ? error : new Error(`target ${name}: ${(error as Error).message}`);
    }
    const { target } = this.program.targets.get(name)!;
    stored = stored && withTrustedUids(stored, target);
    const listed = stored ? listedObjects(cluster, stored) : cluster;
    const place: Place = { target, cluster, listed, keeper: new InventoryKeeper(cluster, app, version, stored), ...(stored ? { stored } : {}) };
    this.places.set(name, place);
    return place;
  }

  /** Each inventory remembers the clusters of all targets: one that is bound to another cluster by mistake is refused. */
  private checkClusters(): void {
    const { acceptNewCluster = [] } = this.options;
    const problems = new Set<string>();
    for (const { stored } of this.open) {
      for (const [name, uid] of Object.entries(stored?.clusterUids ?? {})) {
        const now = this.clusterUids[name];
        const by = this.program.targets.get(name)?.by;
        if (by === undefined) {
          this.warn(`target ${name} was part of app ${this.options.app.id} and is no longer in this program: nothing on it is deleted, unless its cluster itself is. `
            + `To delete what this app left there: destroy --target ${name}; where it is gone: forget ${name}`);
        } else if (now !== undefined && now !== uid && !acceptNewCluster.includes(name)) {
          problems.add(otherCluster(name, by, now, uid));
        }
      }
    }
    if (problems.size > 0) { throw new Error([...problems].join('\n')); }
  }
}
