import { ApplyGraph, EdgeKind, GraphNode } from './graph';
import { Heap } from './heap';
import { remembered } from '../../core/text/values';
import { isAbort } from '../transport/pace';

/** Processes the nodes of a graph. An error fails the node. */
export interface NodeWorker {
  /**
   * Applies or deletes an object, or resolves a late value: `applied` and `value` edges wait for
   * it. An object counts toward its target's limit; a late value does not, since it mostly waits.
   */
  act(node: GraphNode): Promise<void>;
  /**
   * Waits until an object is ready or deleted: `ready` and `gone` edges wait for it. Does not count
   * toward the limit.
   */
  settle(node: GraphNode): Promise<void>;
}

/** The outcome of a node. `acted`: whether it was applied, deleted or resolved before. */
export type NodeOutcome =
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly error: Error; readonly acted: boolean }
  /** Not begun, since a dependency failed: `because` is the ID of the first failure. */
  | { readonly state: 'skipped'; readonly reason: string; readonly because: string }
  /** Not begun, or aborted, since the run was interrupted. */
  | { readonly state: 'pending'; readonly acted: boolean };

/** The failure of a node that others need not wait for: they go on. */
export class PassedOverError extends Error {}

/** The progress of a node: it acts, settles if anything waits for that, and ends. */
type NodeProgress = { readonly state: 'acting' | 'settling' } | NodeOutcome;

export interface RunGraphOptions {
  /** Concurrent objects per target. @default 8 */
  readonly concurrencyPerTarget?: number;
  /**
   * Begins no more nodes once aborted; running ones are awaited, so the worker must listen to it,
   * too.
   */
  readonly signal?: AbortSignal;
  /** Begin no more nodes after a failure; running ones are awaited. @default false */
  readonly failFast?: boolean;
  /** Objects that settle even if nothing waits for it. @default - none */
  readonly settles?: (node: GraphNode) => boolean;
  readonly onProgress?: (node: GraphNode, progress: NodeProgress) => void;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Runs a graph: each node begins as soon as its dependencies are done. Nodes that depend on a
 * failure are skipped, unless it is one to pass over, or they go on; the others continue. Workers and outcomes do
 * not contain groups.
 */
export async function runGraph(
  graph: ApplyGraph,
  worker: NodeWorker,
  options: RunGraphOptions = {},
): Promise<ReadonlyMap<string, NodeOutcome>> {
  return new GraphRun(graph, worker, options).run();
}

class GraphRun {
  private readonly nodes: readonly GraphNode[];
  private readonly waits: number[];
  /** The nodes that wait for a node to act, and for it to settle, by index. */
  private readonly onActed: number[][];
  private readonly onSettled: number[][];
  /** The nodes that wait only until a node was tried. */
  private readonly onEnded: number[][];
  private readonly outcomes = new Map<string, NodeOutcome>();
  private readonly ready = new Map<string, Heap>();
  private readonly acting = new Map<string, number>();
  private readonly skippedGroups = new Set<string>();
  private running = 0;
  private failed = false;
  private finish!: () => void;

  constructor(
    graph: ApplyGraph,
    private readonly worker: NodeWorker,
    private readonly options: RunGraphOptions,
  ) {
    this.nodes = [...graph.nodes.values()];
    const index = new Map(this.nodes.map(({ id }, at) => [id, at]));
    this.waits = this.nodes.map(({ after }) => after.length);
    this.onActed = this.nodes.map(() => []);
    this.onSettled = this.nodes.map(() => []);
    this.onEnded = this.nodes.map(() => []);
    this.nodes.forEach(({ after }, at) => {
      for (const { to, kind } of after) {
        this.waitersFor(kind)[index.get(to)!].push(at);
      }
    });
  }

  public async run(): Promise<ReadonlyMap<string, NodeOutcome>> {
    const done = new Promise<void>((resolve) => {
      this.finish = resolve;
    });
    this.release(this.nodes.flatMap((_, at) => (this.waits[at] === 0 ? [at] : [])));
    this.begin();
    await done;
    for (const node of this.nodes) {
      if (isWork(node) && !this.outcomes.has(node.id)) {
        this.end(node, { state: 'pending', acted: false });
      }
    }
    return this.outcomes;
  }

  private waitersFor(kind: EdgeKind): number[][] {
    if (kind === 'ended') {
      return this.onEnded;
    }
    // until its end is ready or deleted, not only applied
    return kind === 'ready' || kind === 'gone' ? this.onSettled : this.onActed;
  }

  private get stopped(): boolean {
    return this.options.signal?.aborted === true || (this.failed && this.options.failFast === true);
  }

  /** Starts nodes within the limits; ends the run if none runs and none can begin. */
  private begin(): void {
    const places = this.options.concurrencyPerTarget ?? DEFAULT_CONCURRENCY;
    for (const [place, heap] of this.ready) {
      const limit = place === LATE_PLACE ? Infinity : places;
      while (heap.size > 0 && !this.stopped && (this.acting.get(place) ?? 0) < limit) {
        this.start(heap.pop()!, place);
      }
    }
    if (this.running === 0) {
      this.finish();
    }
  }

  private start(at: number, place: string): void {
    this.running++;
    this.acting.set(place, (this.acting.get(place) ?? 0) + 1);
    const leave = (): void => {
      this.acting.set(place, this.acting.get(place)! - 1);
    };
    void this.work(at, leave).finally(() => {
      this.running--;
      this.begin();
    });
  }

  private async work(at: number, leave: () => void): Promise<void> {
    const node = this.nodes[at];
    let acted = false;
    try {
      this.options.onProgress?.(node, { state: 'acting' });
      try {
        await this.worker.act(node);
      } finally {
        leave();
      }
      acted = true;
      const settles =
        node.object !== undefined &&
        (this.onSettled[at].length > 0 || this.options.settles?.(node) === true);
      if (!settles) {
        this.end(node, { state: 'done' });
      }
      this.satisfy(this.onActed[at]);
      if (settles) {
        // others need not wait for this one to settle
        this.begin();
        this.options.onProgress?.(node, { state: 'settling' });
        await this.worker.settle(node);
        this.end(node, { state: 'done' });
      }
      this.satisfy([...this.onSettled[at], ...this.onEnded[at]]);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (this.options.signal?.aborted && isAbort(error)) {
        this.end(node, { state: 'pending', acted });
      } else {
        this.failed = true;
        this.end(node, { state: 'failed', error, acted });
        const waiting = acted ? this.onSettled[at] : [...this.onActed[at], ...this.onSettled[at]];
        if (error instanceof PassedOverError) {
          this.satisfy(waiting);
        } else {
          this.skip(waiting, node);
        }
        this.satisfy(this.onEnded[at]);
      }
    }
  }

  /** Notifies waiting nodes that a dependency is done. */
  private satisfy(waiting: readonly number[]): void {
    this.release(waiting.filter((at) => --this.waits[at] === 0));
  }

  // groups are done as soon as they are reached; the list grows while it is walked: no recursion,
  // however long a chain of them
  private release(free: number[]): void {
    for (const at of free) {
      const node = this.nodes[at];
      if (this.outcomes.has(node.id)) {
        continue;
      }
      if (isWork(node)) {
        remembered(this.ready, node.late ? LATE_PLACE : node.target, () => new Heap()).push(at);
      } else {
        for (const waiting of [...this.onActed[at], ...this.onSettled[at], ...this.onEnded[at]]) {
          if (--this.waits[waiting] === 0) {
            free.push(waiting);
          }
        }
      }
    }
  }

  private skip(waiting: readonly number[], failed: GraphNode): void {
    const reason = `waits for ${nameOf(failed)}, which failed`;
    const queue = [...waiting];
    const goingOn: number[] = [];
    for (const at of queue) {
      const node = this.nodes[at];
      if (node.goesOn) {
        goingOn.push(at);
        continue;
      }
      if (this.outcomes.has(node.id) || this.skippedGroups.has(node.id)) {
        continue;
      }
      if (isWork(node)) {
        this.end(node, { state: 'skipped', reason, because: failed.id });
      } else {
        this.skippedGroups.add(node.id);
      }
      for (const next of this.onActed[at]) {
        queue.push(next);
      }
      for (const next of this.onSettled[at]) {
        queue.push(next);
      }
      this.satisfy(this.onEnded[at]);
    }
    this.satisfy(goingOn);
  }

  private end(node: GraphNode, outcome: NodeOutcome): void {
    this.outcomes.set(node.id, outcome);
    this.options.onProgress?.(node, outcome);
  }
}

function isWork({ object, late }: GraphNode): boolean {
  return object !== undefined || late !== undefined;
}

/**
 * Late values never keep an object from being applied: there is room for all of them at a time. No
 * target has this name.
 */
const LATE_PLACE = '\0late';

function nameOf({ id, object, late }: GraphNode): string {
  return object ? `${id} (${object.construct})` : `${late!.description} (${late!.construct})`;
}
