import { IConstruct } from 'constructs';
import { Program } from './program';
import { reach } from '../graph/reach';
import { DeclaredEdge } from '../late/edge';
import { LATE_TOKEN } from '../late/late-token';
import { groupOf, kindKey } from '../manifest/manifest';
import { AssemblyEdge, AssemblyGroup } from '../output/assembly';

/**
 * Orders many nodes in linear time: objects, late values, and groups of objects that edges name as one.
 */
export class OrderGraph {
  private readonly successors = new Map<string, string[]>();
  private readonly waits = new Map<string, number>();

  /** Adds a node. If edges leave a choice, the node that was added first comes first. */
  public add(id: string): void {
    if (!this.waits.has(id)) {
      this.waits.set(id, 0);
      this.successors.set(id, []);
    }
  }

  /** Adds an edge: `later` waits for `earlier`. */
  public after(later: string, earlier: string): void {
    this.add(later);
    this.add(earlier);
    this.successors.get(earlier)!.push(later);
    this.waits.set(later, this.waits.get(later)! + 1);
  }

  /**
   * One cycle, as the nodes along it, the first again at the end; undefined if there is none.
   */
  public cycle(): string[] | undefined {
    const stuck = this.stuck();
    let current = stuck.values().next().value;
    if (current === undefined) { return undefined; }

    // a stuck node may only wait for a cycle: every stuck node has a stuck predecessor, so walking backwards ends on the cycle itself
    const predecessor = new Map<string, string>();
    for (const id of stuck) {
      for (const successor of this.successors.get(id)!) {
        if (stuck.has(successor)) { predecessor.set(successor, id); }
      }
    }
    const seen = new Set<string>();
    while (!seen.has(current)) {
      seen.add(current);
      current = predecessor.get(current)!;
    }
    const cycle = [current];
    for (let id = predecessor.get(current)!; id !== current; id = predecessor.get(id)!) { cycle.push(id); }
    return [...cycle, current];
  }

  /** Some nodes and all nodes that wait for them, directly or not. */
  public waitingFor(ids: Iterable<string>): ReadonlySet<string> {
    return reach(ids, (id) => this.successors.get(id) ?? []);
  }

  // what never becomes ready; the list grows while it is walked: no recursion, a chain of 100,000 is as good as any
  private stuck(): Set<string> {
    const waits = new Map(this.waits);
    const ready = [...waits.keys()].filter((id) => waits.get(id) === 0);
    for (let next = 0; next < ready.length; next++) {
      for (const successor of this.successors.get(ready[next])!) {
        const left = waits.get(successor)! - 1;
        waits.set(successor, left);
        if (left === 0) { ready.push(successor); }
      }
    }
    const done = new Set(ready);
    return new Set([...waits.keys()].filter((id) => !done.has(id)));
  }
}

/** The edges of a program between ids, and the groups that some of them name. */
export interface ResolvedEdges {
  readonly edges: readonly AssemblyEdge[];
  readonly groups: readonly AssemblyGroup[];
  /** Edges that the program asked for and that order nothing, since one end has no objects. */
  readonly idle: readonly DeclaredEdge[];
}

/**
 * Edges between constructs as edges between objects and groups, with those that late values make: who uses one waits for it, and it waits for
 * the object that it is read from. Linear: an edge between a thousand objects and a thousand others is one edge between two groups.
 */
export function resolveEdges(program: Program): ResolvedEdges {
  const groups = new Map<string, AssemblyGroup>();
  const members = indexByScope(program);
  const end = (construct: IConstruct): string | undefined => {
    const { path } = construct.node;
    const objects = members.get(path) ?? [];
    if (objects.length < 2) { return objects[0]; }
    groups.set(path, { id: path, objects });
    return path;
  };

  const edges: AssemblyEdge[] = [];
  const idle: DeclaredEdge[] = [];
  for (const edge of program.edges) {
    const { from, to, type } = edge;
    const [later, earlier] = [end(from), end(to)];
    if (edge.asked && (later === undefined || earlier === undefined)) { idle.push(edge); }
    if (later !== undefined && earlier !== undefined && later !== earlier) { edges.push({ from: later, to: earlier, type }); }
  }
  edges.push(...lateEdges(program));
  return { edges: unique(edges), groups: [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), idle };
}

// no path of a construct and no id of an object holds this
const START = '\0start';
const END = '\0end';

/** Ids that wait for each other, the first again at the end; undefined where none do. */
export function cycleOf(edges: ResolvedEdges): string[] | undefined {
  const found = edgeGraph(edges).cycle();
  if (!found) { return undefined; }
  const nodes = found.slice(0, -1);
  const at = (list: readonly string[], index: number) => list[(index + list.length) % list.length];
  const groupAt = (index: number, side: string) => {
    const node = at(nodes, index);
    return node.endsWith(side) ? node.slice(0, -side.length) : undefined;
  };
  // one of its objects is between end and start of a group, which adds nothing
  const told = nodes.filter((_, index) => groupAt(index - 1, END) === undefined || groupAt(index - 1, END) !== groupAt(index + 1, START));
  const ids = told.map((node) => node.replace(START, '').replace(END, ''));
  const cycle = ids.length === 1 ? ids : ids.filter((id, index) => id !== at(ids, index - 1));
  return [...cycle, cycle[0]];
}

/** What waits, directly or not, until an object is ready: ids of objects, among others. */
export function waitingForReady(resolved: ResolvedEdges, id: string): ReadonlySet<string> {
  const { edges, groups } = resolved;
  const ends = new Set([id, ...groups.filter(({ objects }) => objects.includes(id)).map((group) => group.id)]);
  const isGroup = new Set(groups.map((group) => group.id));
  const first = edges.filter(({ to, type }) => type === 'ready' && ends.has(to)).map(({ from }) => (isGroup.has(from) ? `${from}${START}` : from));
  return first.length === 0 ? new Set() : edgeGraph(resolved).waitingFor(first);
}

/** The graph of resolved edges: a group represents all its objects, with one node before and one after them. */
function edgeGraph({ edges, groups }: Pick<ResolvedEdges, 'edges' | 'groups'>): OrderGraph {
  const graph = new OrderGraph();
  const isGroup = new Set(groups.map((group) => group.id));
  for (const { id, objects } of groups) {
    for (const object of objects) {
      graph.after(object, `${id}${START}`);
      graph.after(`${id}${END}`, object);
    }
  }
  for (const { from, to } of edges) {
    graph.after(isGroup.has(from) ? `${from}${START}` : from, isGroup.has(to) ? `${to}${END}` : to);
  }
  return graph;
}

// only scopes that edges name are indexed: an index of all scopes would be as large as depth times objects
function indexByScope(program: Program): ReadonlyMap<string, string[]> {
  const named = new Set(program.edges.flatMap(({ from, to }) => [from.node.path, to.node.path]));
  const index = new Map<string, string[]>();
  if (named.size === 0) { return index; }
  for (const late of program.lateValues) { index.set(late.node.path, [lateNode(late.lateId)]); }
  for (const { construct, id } of program.objects) {
    for (let path = construct; ; path = path.slice(0, path.lastIndexOf('/'))) {
      if (named.has(path)) {
        const list = index.get(path);
        if (list) { list.push(id); } else { index.set(path, [id]); }
      }
      if (!path.includes('/')) { break; }
    }
  }
  return index;
}

function lateEdges(program: Program): AssemblyEdge[] {
  if (program.lateValues.length === 0) { return []; }
  const users = program.objects.flatMap((object) => object.lateIds.map((to): AssemblyEdge => ({
    from: object.id, to: lateNode(to), type: 'value',
  })));
  const written = new Set(program.objects.map(({ id }) => id));
  const sources = program.lateValues.flatMap(({ lateId, source: { object, content = '' } }): AssemblyEdge[] => {
    const within = object ? `${object.namespace ?? ''}/${object.name}` : content;
    const inner = [...within.matchAll(LATE_TOKEN)].map((match): AssemblyEdge => ({ from: lateNode(lateId), to: lateNode(match[1]), type: 'value' }));
    if (!object) { return inner; }
    const { target, apiVersion, kind, namespace, name } = object;
    const id = `${target.targetName}/${kindKey(groupOf(apiVersion), kind)}/${namespace ?? ''}/${name}`;
    // an object that the server creates is not a node; the edges of the construct name the object that causes it
    return written.has(id) ? [...inner, { from: lateNode(lateId), to: id, type: 'applied' }] : inner;
  });
  return [...users, ...sources];
}

/** How a late value is named as an end of an edge. */
function lateNode(id: string): string {
  return `late:${id}`;
}

function unique(edges: readonly AssemblyEdge[]): AssemblyEdge[] {
  const byKey = new Map(edges.map((edge) => [`${edge.from} ${edge.type} ${edge.to}`, edge]));
  return [...byKey.keys()].sort().map((key) => byKey.get(key)!);
}
