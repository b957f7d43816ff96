import { AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';

/**
 * What a step of an apply waits for in another. `ended` asks only for an order: it is enough that the other was tried, whether it is done, failed or was
 * skipped.
 */
export type EdgeKind = 'applied' | 'value' | 'ready' | 'gone' | 'ended';

export interface GraphEdge {
  readonly to: string;
  readonly kind: EdgeKind;
  /** Made up by us (a Namespace before what lies in it): left out where it would close a circle. */
  readonly implied?: boolean;
}

/**
 * One object, or one late value. A node with neither only holds others together (a group of objects that an edge names as one): nothing is done
 * with it, and workers never see it.
 */
export interface GraphNode {
  /** The id of the object, `late:<id>`, or `group:<…>`. */
  readonly id: string;
  /** Empty where no cluster is asked: groups, and late values that are put together from others. */
  readonly target: string;
  readonly object?: AssemblyObject;
  readonly late?: AssemblyLateValue;
  readonly after: readonly GraphEdge[];
  /** Place among nodes that wait for nothing: kinds that others need come first. */
  readonly rank: number;
}

/** Some nodes go after others are gone. */
export interface GoneEdge {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** What is to be done and what waits for what, over all clusters; without circles. */
export interface ApplyGraph {
  /** By id, in an order in which everything comes after what it waits for. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Order that the program asks for only where things are taken away: `from` go after `to` are gone. */
  readonly whenGone?: readonly GoneEdge[];
}

/** Numbers, of which the smallest is taken first. */
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
      if (items[parent] <= item) { break; }
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  public pop(): number | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) { return first; }
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) { break; }
      if (child + 1 < items.length && items[child + 1] < items[child]) { child++; }
      if (items[child] >= last) { break; }
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
}

/** What a node is, before it is known what it waits for. */
export type DraftNode = Omit<GraphNode, 'after'>;

/** Groups are done as soon as they are reached. */
const GROUP_RANK = -1;

interface DraftEdge extends GraphEdge {
  /** Of implied edges: the one that matters least is left out first where they close a circle. */
  readonly weight: number;
}

/**
 * A graph while it is put together: nodes, then edges, then an order of all. Linear in nodes and edges, but for circles.
 */
export class GraphDraft {
  private readonly nodes = new Map<string, DraftNode>();
  private readonly edges = new Map<string, Map<string, DraftEdge>>();

  public add(node: DraftNode): void {
    this.nodes.set(node.id, node);
    this.edges.set(node.id, new Map());
  }

  /** A node that only holds others together. */
  public addGroup(name: string): string {
    const id = `group:${name}`;
    if (!this.nodes.has(id)) { this.add({ id, target: '', rank: GROUP_RANK }); }
    return id;
  }

  public has(id: string): boolean {
    return this.nodes.has(id);
  }

  /** `from` waits for `to`. */
  public after(from: string, to: string, kind: EdgeKind): void {
    this.edges.get(from)!.set(`${kind} ${to}`, { to, kind, weight: Infinity });
  }

  /** The same, unless it closes a circle. */
  public implied(from: string, to: string, kind: EdgeKind, weight: number): void {
    const edges = this.edges.get(from)!;
    if (from !== to && !edges.has(`${kind} ${to}`)) { edges.set(`${kind} ${to}`, { to, kind, implied: true, weight }); }
  }

  /** All that these wait for, directly or not, with themselves. */
  public awaitedBy(ids: readonly string[]): Set<string> {
    return reach(ids, (id) => [...this.edges.get(id)!.values()].map(({ to }) => to));
  }

  /** All that wait for these, directly or not, with themselves. */
  public waitingFor(ids: readonly string[]): Set<string> {
    const waiting = new Map<string, string[]>();
    for (const [from, edges] of this.edges) {
      for (const { to } of edges.values()) {
        const list = waiting.get(to);
        if (list) { list.push(from); } else { waiting.set(to, [from]); }
      }
    }
    return reach(ids, (id) => waiting.get(id) ?? []);
  }

  /** The nodes in an order, with the implied edges that close no circle. Throws for a circle of others. */
  public sorted(): Pick<ApplyGraph, 'nodes'> {
    return { nodes: new Sorting([...this.nodes.values()], this.edges).run() };
  }
}

function reach(ids: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const seen = new Set(ids);
  for (const id of seen) {
    for (const other of next(id)) { seen.add(other); }
  }
  return seen;
}

/** Kahn's algorithm over places in the order by rank and id, so that the same graph always gets the same order. */
class Sorting {
  private readonly nodes: readonly DraftNode[];
  private readonly place: ReadonlyMap<string, number>;
  private readonly edges: readonly (readonly DraftEdge[])[];
  private readonly dropped: readonly Set<DraftEdge>[];
  private readonly waits: number[];
  private readonly done: boolean[];
  /** Up to where the edges of a node are known to be done with. */
  private readonly seen: number[];
  private readonly waiting: number[][];
  private readonly ready = new Heap();

  constructor(nodes: readonly DraftNode[], edges: ReadonlyMap<string, ReadonlyMap<string, DraftEdge>>) {
    this.nodes = [...nodes].sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
    this.place = new Map(this.nodes.map(({ id }, at) => [id, at]));
    this.edges = this.nodes.map(({ id }) => [...edges.get(id)!.values()]);
    this.dropped = this.nodes.map(() => new Set());
    this.waits = this.edges.map((list) => list.length);
    this.done = this.nodes.map(() => false);
    this.seen = this.nodes.map(() => 0);
    this.waiting = this.nodes.map(() => []);
    this.edges.forEach((list, at) => { for (const { to } of list) { this.waiting[this.place.get(to)!].push(at); } });
  }

  public run(): ReadonlyMap<string, GraphNode> {
    this.waits.forEach((count, at) => { if (count === 0) { this.ready.push(at); } });
    const order: number[] = [];
    let first = 0;
    while (order.length < this.nodes.length) {
      const at = this.ready.pop();
      if (at === undefined) {
        while (this.done[first]) { first++; }
        this.breakCircle(this.circleBefore(first));
        continue;
      }
      order.push(at);
      this.done[at] = true;
      for (const next of this.waiting[at]) {
        // an edge that was left out was taken off already
        if (!this.isDropped(next, at)) { this.release(next); }
      }
    }
    return new Map(order.map((at) => [this.nodes[at].id, { ...this.nodes[at], after: this.edgesOf(at) }]));
  }

  private release(at: number): void {
    if (--this.waits[at] === 0) { this.ready.push(at); }
  }

  // two edges of different kinds between the same two nodes are left out both or none
  private isDropped(from: number, to: number): boolean {
    if (this.dropped[from].size === 0) { return false; }
    const { id } = this.nodes[to];
    return [...this.dropped[from]].some((edge) => edge.to === id);
  }

  private edgesOf(at: number): GraphEdge[] {
    return this.edges[at]
      .filter((edge) => !this.dropped[at].has(edge))
      .map(({ to, kind, implied }): GraphEdge => ({ to, kind, ...(implied ? { implied } : {}) }))
      .sort((a, b) => (`${a.to} ${a.kind}` < `${b.to} ${b.kind}` ? -1 : 1));
  }

  /** The nodes along a circle that keeps a node from being done: each waits for the next, the last for the first. */
  private circleBefore(stuck: number): number[] {
    const way: number[] = [];
    const position = new Map<number, number>();
    for (let at = stuck; ; at = this.place.get(this.outstanding(at).to)!) {
      const start = position.get(at);
      if (start !== undefined) { return way.slice(start); }
      position.set(at, way.length);
      way.push(at);
    }
  }

  private outstanding(at: number): DraftEdge {
    const list = this.edges[at];
    while (this.done[this.place.get(list[this.seen[at]].to)!] || this.dropped[at].has(list[this.seen[at]])) { this.seen[at]++; }
    return list[this.seen[at]];
  }

  private breakCircle(circle: readonly number[]): void {
    // all edges between two neighbours matter: the strongest says how much
    const steps = circle.map((at, index) => {
      const next = this.nodes[circle[(index + 1) % circle.length]].id;
      const between = this.edges[at].filter((edge) => edge.to === next && !this.dropped[at].has(edge));
      return { at, between, weight: Math.max(...between.map(({ weight }) => weight)) };
    });
    const weakest = steps.reduce((least, step) => (step.weight < least.weight ? step : least));
    if (weakest.weight === Infinity) { throw new Error(this.circleText(circle)); }
    for (const edge of weakest.between) {
      this.dropped[weakest.at].add(edge);
      this.release(weakest.at);
    }
  }

  private circleText(circle: readonly number[]): string {
    // wherever it was come upon, it is told from the same end
    const start = circle.indexOf(Math.min(...circle.filter((at) => this.nodes[at].rank >= 0)));
    const told = [...circle.slice(start), ...circle.slice(0, start)].map((at) => this.nodes[at]).filter(({ object, late }) => object ?? late);
    const names = told.map(({ id, object, late }) => `${id} (${(object ?? late)!.construct})`);
    return `these wait for each other: ${[...names, names[0]].join(' → ')}; take one of these edges back`;
  }
}
