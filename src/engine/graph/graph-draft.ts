import { ApplyGraph, EdgeKind, GraphEdge, GraphNode } from './graph';
import { Heap } from './heap';
import { inverted, reach } from '../../core/graph/reach';

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

/**
 * Kahn's algorithm over nodes sorted by rank and ID, so that equal graphs get equal orders. In it,
 * nodes are numbers: their places among the sorted ones.
 */
class Sorting {
  private readonly nodes: readonly DraftNode[];
  private readonly places: ReadonlyMap<string, number>;
  /** The edges of each node to what it waits for. */
  private readonly edges: readonly (readonly DraftEdge[])[];
  /** The implied edges of each node that closed a cycle. */
  private readonly dropped: readonly Set<DraftEdge>[];
  /** The nodes that wait for each node, one for each edge. */
  private readonly waiting: readonly number[][];
  /** How many edges of each node are neither done nor dropped. */
  private readonly open: number[];
  private readonly done: boolean[];
  /** How many leading edges of each node are known to be done or dropped. */
  private readonly passed: number[];
  private readonly ready = new Heap();

  constructor(
    nodes: readonly DraftNode[],
    edges: ReadonlyMap<string, ReadonlyMap<string, DraftEdge>>,
  ) {
    this.nodes = [...nodes].sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
    this.places = new Map(this.nodes.map(({ id }, at) => [id, at]));
    this.edges = this.nodes.map(({ id }) => [...edges.get(id)!.values()]);
    this.dropped = this.nodes.map(() => new Set());
    this.waiting = this.nodes.map(() => []);
    this.open = this.edges.map((own) => own.length);
    this.done = this.nodes.map(() => false);
    this.passed = this.nodes.map(() => 0);
    this.edges.forEach((own, at) => {
      for (const { to } of own) {
        this.waiting[this.placeOf(to)].push(at);
      }
    });
  }

  public run(): ReadonlyMap<string, GraphNode> {
    this.open.forEach((count, at) => {
      if (count === 0) {
        this.ready.push(at);
      }
    });
    const order: number[] = [];
    let firstNotDone = 0;
    while (order.length < this.nodes.length) {
      const at = this.ready.pop();
      if (at !== undefined) {
        order.push(at);
        this.finish(at);
        continue;
      }
      while (this.done[firstNotDone]) {
        firstNotDone++;
      }
      this.breakCycle(this.cycleBefore(firstNotDone));
    }
    return new Map(order.map((at) => [this.nodes[at].id, this.graphNode(at)]));
  }

  private placeOf(id: string): number {
    return this.places.get(id)!;
  }

  private finish(at: number): void {
    this.done[at] = true;
    for (const next of this.waiting[at]) {
      // a dropped edge was already released
      if (!this.isDropped(next, at)) {
        this.release(next);
      }
    }
  }

  private release(at: number): void {
    this.open[at]--;
    if (this.open[at] === 0) {
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

  private graphNode(at: number): GraphNode {
    const remaining = this.edges[at].filter((edge) => !this.dropped[at].has(edge));
    const after = remaining.map(graphEdge).sort((a, b) => (edgeKey(a) < edgeKey(b) ? -1 : 1));
    return { ...this.nodes[at], after };
  }

  /** The nodes of a cycle that blocks a node: each waits for the next, the last for the first. */
  private cycleBefore(stuck: number): number[] {
    const way: number[] = [];
    const position = new Map<number, number>();
    let at = stuck;
    while (!position.has(at)) {
      position.set(at, way.length);
      way.push(at);
      at = this.placeOf(this.firstOpenEdge(at).to);
    }
    return way.slice(position.get(at));
  }

  private firstOpenEdge(at: number): DraftEdge {
    const own = this.edges[at];
    while (!this.isOpen(at, own[this.passed[at]])) {
      this.passed[at]++;
    }
    return own[this.passed[at]];
  }

  private isOpen(at: number, edge: DraftEdge): boolean {
    return !this.done[this.placeOf(edge.to)] && !this.dropped[at].has(edge);
  }

  /** Drops the weakest step of a cycle: all edges from one of its nodes to the next. */
  private breakCycle(cycle: readonly number[]): void {
    const steps = cycle.map((at, index) => {
      const next = this.nodes[cycle[(index + 1) % cycle.length]].id;
      const edges = this.edges[at].filter(
        (edge) => edge.to === next && !this.dropped[at].has(edge),
      );
      return { at, edges, weight: Math.max(...edges.map(({ weight }) => weight)) };
    });
    const weakest = steps.reduce((least, step) => (step.weight < least.weight ? step : least));
    if (weakest.weight === Infinity) {
      throw new Error(this.cycleMessage(cycle));
    }
    for (const edge of weakest.edges) {
      this.dropped[weakest.at].add(edge);
      this.release(weakest.at);
    }
  }

  private cycleMessage(cycle: readonly number[]): string {
    // begins with the same node, wherever the cycle was found
    const start = cycle.indexOf(Math.min(...cycle.filter((at) => this.nodes[at].rank >= 0)));
    const turned = [...cycle.slice(start), ...cycle.slice(0, start)];
    const names: string[] = [];
    for (const at of turned) {
      const { id, object, late } = this.nodes[at];
      const declared = object ?? late;
      if (declared) {
        names.push(`${id} (${declared.construct})`);
      }
    }
    return `these wait for each other: ${[...names, names[0]].join(' → ')}. Fix: remove one of these edges`;
  }
}

function graphEdge({ to, kind, weight }: DraftEdge): GraphEdge {
  return weight === Infinity ? { to, kind } : { to, kind, weight };
}

function edgeKey({ to, kind }: GraphEdge): string {
  return `${to} ${kind}`;
}
