import { inverted, reach } from '../../core/graph/reach';
import { AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';

/**
 * What a node waits for in another one. `ended` requires only an order: the other one is done,
 * failed or skipped.
 */
export type EdgeKind = 'applied' | 'value' | 'ready' | 'gone' | 'ended';

/** An edge to a node that another one waits for. */
export interface GraphEdge {
  readonly to: string;
  readonly kind: EdgeKind;
  /**
   * Of an implied edge, which follows from the objects (a Namespace before its objects): in a
   * cycle, the one with the smallest weight is dropped.
   * @default - the program declares the edge
   */
  readonly weight?: number;
}

/**
 * One object or one late value. A node with neither is a group of objects that an edge names as
 * one: nothing is done with it, and workers never see it.
 */
export interface GraphNode {
  /** The ID of the object, `late:<id>`, or `group:<…>`. */
  readonly id: string;
  /** Empty for groups, and for late values composed of others. */
  readonly target: string;
  readonly object?: AssemblyObject;
  readonly late?: AssemblyLateValue;
  readonly after: readonly GraphEdge[];
  /** Order of nodes without dependencies: kinds that others need come first. */
  readonly rank: number;
  /** Whether it begins even if what it waits for failed. @default false */
  readonly goesOn?: boolean;
}

/** An order of deletion: `from` after `to`. */
export interface GoneEdge {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The nodes of all clusters and their dependencies, without cycles. */
export interface ApplyGraph {
  /** By ID, with dependencies first. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Order that the program declares only for deletion. */
  readonly whenGone?: readonly GoneEdge[];
}

/** The edges of a node to what it needs; one that only waits for an order does not need the other. */
export function neededEdges(node?: GraphNode): readonly GraphEdge[] {
  return (node?.after ?? []).filter(({ kind }) => kind !== 'ended');
}

/** Nodes with all that they need. */
export function withNeeds(ids: Iterable<string>, { nodes }: ApplyGraph): ReadonlySet<string> {
  return reach(ids, (id) => neededEdges(nodes.get(id)).map(({ to }) => to));
}

/** Nodes with all that needs them. */
export function withDependents(ids: Iterable<string>, { nodes }: ApplyGraph): ReadonlySet<string> {
  const after = inverted(
    [...nodes.values()].flatMap((node) =>
      neededEdges(node).map(({ to }) => [node.id, to] as const),
    ),
  );
  return reach(ids, (id) => after.get(id) ?? []);
}

/** A priority queue of numbers, smallest first. */
export class Heap {
  private readonly items: number[] = [];

  public get size(): number {
    return this.items.length;
  }

  public push(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = Math.floor((at - 1) / 2);
      if (items[parent] <= item) {
        break;
      }
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  public pop(): number | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) {
      return first;
    }
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) {
        break;
      }
      if (child + 1 < items.length && items[child + 1] < items[child]) {
        child++;
      }
      if (items[child] >= last) {
        break;
      }
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
}

/** A node without its dependencies. */
type DraftNode = Omit<GraphNode, 'after'>;

/** Groups are done as soon as they are reached. */
const GROUP_RANK = -1;

type DraftEdge = Required<GraphEdge>;

/**
 * Builds a graph: nodes, then edges, then their order. Linear in nodes and edges, except for
 * cycles.
 */
export class GraphDraft {
  private readonly nodes = new Map<string, DraftNode>();
  private readonly edges = new Map<string, Map<string, DraftEdge>>();

  public add(node: DraftNode): void {
    this.nodes.set(node.id, node);
    this.edges.set(node.id, new Map());
  }

  /** Adds a node for a group. */
  public addGroup(name: string): string {
    const id = `group:${name}`;
    if (!this.nodes.has(id)) {
      this.add({ id, target: '', rank: GROUP_RANK });
    }
    return id;
  }

  public has(id: string): boolean {
    return this.nodes.has(id);
  }

  /** Adds an edge: `from` waits for `to`. */
  public after(from: string, to: string, kind: EdgeKind): void {
    this.edges.get(from)!.set(`${kind} ${to}`, { to, kind, weight: Infinity });
  }

  /** Adds an implied edge, which is dropped if it closes a cycle. */
  public implied(from: string, to: string, kind: EdgeKind, weight: number): void {
    const edges = this.edges.get(from)!;
    if (from !== to && !edges.has(`${kind} ${to}`)) {
      edges.set(`${kind} ${to}`, { to, kind, weight });
    }
  }

  /** The nodes with all that they wait for, directly or indirectly. */
  public awaitedBy(ids: readonly string[]): Set<string> {
    return reach(ids, (id) => [...this.edges.get(id)!.values()].map(({ to }) => to));
  }

  /** The nodes with all that wait for them, directly or indirectly. */
  public waitingFor(ids: readonly string[]): Set<string> {
    const waiting = inverted(
      [...this.edges].flatMap(([from, edges]) =>
        [...edges.values()].map(({ to }) => [from, to] as const),
      ),
    );
    return reach(ids, (id) => waiting.get(id) ?? []);
  }

  /**
   * The nodes in order, without implied edges that close cycles. Throws for a cycle of declared
   * edges.
   */
  public sorted(): Pick<ApplyGraph, 'nodes'> {
    return { nodes: new Sorting([...this.nodes.values()], this.edges).run() };
  }
}

/** Kahn's algorithm over nodes sorted by rank and ID, so that equal graphs get equal orders. */
class Sorting {
  private readonly nodes: readonly DraftNode[];
  private readonly place: ReadonlyMap<string, number>;
  private readonly edges: readonly (readonly DraftEdge[])[];
  private readonly dropped: readonly Set<DraftEdge>[];
  private readonly waits: number[];
  private readonly done: boolean[];
  /** The number of leading edges of a node that are done. */
  private readonly seen: number[];
  private readonly waiting: number[][];
  private readonly ready = new Heap();

  constructor(
    nodes: readonly DraftNode[],
    edges: ReadonlyMap<string, ReadonlyMap<string, DraftEdge>>,
  ) {
    this.nodes = [...nodes].sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
    this.place = new Map(this.nodes.map(({ id }, at) => [id, at]));
    this.edges = this.nodes.map(({ id }) => [...edges.get(id)!.values()]);
    this.dropped = this.nodes.map(() => new Set());
    this.waits = this.edges.map((list) => list.length);
    this.done = this.nodes.map(() => false);
    this.seen = this.nodes.map(() => 0);
    this.waiting = this.nodes.map(() => []);
    this.edges.forEach((list, at) => {
      for (const { to } of list) {
        this.waiting[this.place.get(to)!].push(at);
      }
    });
  }

  public run(): ReadonlyMap<string, GraphNode> {
    this.waits.forEach((count, at) => {
      if (count === 0) {
        this.ready.push(at);
      }
    });
    const order: number[] = [];
    let first = 0;
    while (order.length < this.nodes.length) {
      const at = this.ready.pop();
      if (at === undefined) {
        while (this.done[first]) {
          first++;
        }
        this.breakCycle(this.cycleBefore(first));
        continue;
      }
      order.push(at);
      this.done[at] = true;
      for (const next of this.waiting[at]) {
        // a dropped edge was already released
        if (!this.isDropped(next, at)) {
          this.release(next);
        }
      }
    }
    return new Map(
      order.map((at) => [this.nodes[at].id, { ...this.nodes[at], after: this.edgesOf(at) }]),
    );
  }

  private release(at: number): void {
    if (--this.waits[at] === 0) {
      this.ready.push(at);
    }
  }

  // edges of different kinds between two nodes are dropped together
  private isDropped(from: number, to: number): boolean {
    if (this.dropped[from].size === 0) {
      return false;
    }
    const { id } = this.nodes[to];
    return [...this.dropped[from]].some((edge) => edge.to === id);
  }

  private edgesOf(at: number): GraphEdge[] {
    return this.edges[at]
      .filter((edge) => !this.dropped[at].has(edge))
      .map(({ to, kind, weight }): GraphEdge => ({
        to,
        kind,
        ...(weight === Infinity ? {} : { weight }),
      }))
      .sort((a, b) => (`${a.to} ${a.kind}` < `${b.to} ${b.kind}` ? -1 : 1));
  }

  /** The nodes of a cycle that blocks a node: each waits for the next, the last for the first. */
  private cycleBefore(stuck: number): number[] {
    const way: number[] = [];
    const position = new Map<number, number>();
    for (let at = stuck; ; at = this.place.get(this.outstanding(at).to)!) {
      const start = position.get(at);
      if (start !== undefined) {
        return way.slice(start);
      }
      position.set(at, way.length);
      way.push(at);
    }
  }

  private outstanding(at: number): DraftEdge {
    const list = this.edges[at];
    while (
      this.done[this.place.get(list[this.seen[at]].to)!] ||
      this.dropped[at].has(list[this.seen[at]])
    ) {
      this.seen[at]++;
    }
    return list[this.seen[at]];
  }

  private breakCycle(cycle: readonly number[]): void {
    // the strongest edge between two neighbors is the weight of the step
    const steps = cycle.map((at, index) => {
      const next = this.nodes[cycle[(index + 1) % cycle.length]].id;
      const between = this.edges[at].filter(
        (edge) => edge.to === next && !this.dropped[at].has(edge),
      );
      return { at, between, weight: Math.max(...between.map(({ weight }) => weight)) };
    });
    const weakest = steps.reduce((least, step) => (step.weight < least.weight ? step : least));
    if (weakest.weight === Infinity) {
      throw new Error(this.cycleText(cycle));
    }
    for (const edge of weakest.between) {
      this.dropped[weakest.at].add(edge);
      this.release(weakest.at);
    }
  }

  private cycleText(cycle: readonly number[]): string {
    // begins with the same node, wherever the cycle was found
    const start = cycle.indexOf(Math.min(...cycle.filter((at) => this.nodes[at].rank >= 0)));
    const nodes = [...cycle.slice(start), ...cycle.slice(0, start)]
      .map((at) => this.nodes[at])
      .filter(({ object, late }) => object ?? late);
    const names = nodes.map(({ id, object, late }) => `${id} (${(object ?? late)!.construct})`);
    return `these wait for each other: ${[...names, names[0]].join(' → ')}. Fix: remove one of these edges`;
  }
}
