import { Chart } from 'cdk8s';
import { IConstruct } from 'constructs';
import { Program, ProgramObject } from './program';
import { DeclaredEdge } from '../construct/edge';
import { reach } from '../graph/reach';
import { AssemblyEdge, AssemblyGroup } from '../output/assembly';
import { lateEdges, lateNode, uniqueEdges } from '../output/implied-edges';
import { compare, grouped, remembered } from '../text/values';

/**
 * Orders many nodes in linear time: objects, late values, and groups of objects that edges name as
 * one.
 */
export class OrderGraph {
  private readonly nodes = new Map<string, OrderNode>();

  /** Adds a node. If edges leave a choice, the node that was added first comes first. */
  public add(id: string): void {
    this.node(id);
  }

  /** Adds an edge: `later` waits for `earlier`. */
  public after(later: string, earlier: string): void {
    const node = this.node(later);
    this.node(earlier).successors.push(node);
    node.waits++;
  }

  /** One cycle, as the nodes along it, the first again at the end; undefined if there is none. */
  public cycle(): string[] | undefined {
    const stuck = this.stuck();
    let current = stuck.values().next().value;
    if (current === undefined) {
      return undefined;
    }

    // a stuck node may only wait for a cycle: every stuck node has a stuck predecessor, so walking
    // backwards ends on the cycle itself
    const predecessor = new Map<OrderNode, OrderNode>();
    for (const node of stuck) {
      for (const successor of node.successors) {
        if (stuck.has(successor)) {
          predecessor.set(successor, node);
        }
      }
    }
    const seen = new Set<OrderNode>();
    while (!seen.has(current)) {
      seen.add(current);
      current = predecessor.get(current)!;
    }
    const cycle = [current];
    for (let node = predecessor.get(current)!; node !== current; node = predecessor.get(node)!) {
      cycle.push(node);
    }
    return [...cycle, current].map(({ id }) => id);
  }

  /** Some nodes and all nodes that wait for them, directly or not. */
  public waitingFor(ids: Iterable<string>): ReadonlySet<string> {
    return reach(
      ids,
      (id) => this.nodes.get(id)?.successors.map((successor) => successor.id) ?? [],
    );
  }

  private node(id: string): OrderNode {
    let node = this.nodes.get(id);
    if (!node) {
      node = { id, successors: [], waits: 0, left: 0 };
      this.nodes.set(id, node);
    }
    return node;
  }

  // what never becomes ready; the list grows while it is walked: no recursion, a chain of 100,000
  // is as good as any
  private stuck(): Set<OrderNode> {
    const ready: OrderNode[] = [];
    for (const node of this.nodes.values()) {
      node.left = node.waits;
      if (node.waits === 0) {
        ready.push(node);
      }
    }
    for (let next = 0; next < ready.length; next++) {
      for (const successor of ready[next].successors) {
        successor.left--;
        if (successor.left === 0) {
          ready.push(successor);
        }
      }
    }
    const stuck = new Set<OrderNode>();
    if (ready.length < this.nodes.size) {
      for (const node of this.nodes.values()) {
        if (node.left > 0) {
          stuck.add(node);
        }
      }
    }
    return stuck;
  }
}

interface OrderNode {
  readonly id: string;
  readonly successors: OrderNode[];
  /** The number of edges to nodes that come before it. */
  waits: number;
  /** How many of these are left while ready nodes are removed. */
  left: number;
}

/** The edges of a program between ids, and the groups that some of them name. */
export interface ResolvedEdges {
  readonly edges: readonly AssemblyEdge[];
  readonly groups: readonly AssemblyGroup[];
  /** Edges that the program asked for and that order nothing, since one end has no objects. */
  readonly idle: readonly DeclaredEdge[];
}

/**
 * Edges between constructs as edges between objects and groups, with those that late values make:
 * who uses one waits for it, and it waits for the object that it is read from. Linear: an edge
 * between a thousand objects and a thousand others is one edge between two groups.
 */
export function resolveEdges(program: Program): ResolvedEdges {
  const groups = new Map<string, AssemblyGroup>();
  const made = grouped<ProgramObject, IConstruct>(program.objects, ({ source }) => source);
  const ends = new Map<IConstruct, End>();
  const endOf = (construct: IConstruct): End =>
    remembered(ends, construct, () => {
      const own = made.get(construct);
      // nearly every end is one object, and a construct computes its path each time
      if (own?.length === 1 && construct.node.children.length === 0) {
        return { id: own[0].id };
      }
      return { path: construct.node.path, isChart: Chart.isChart(construct) };
    });
  const declared = program.edges.map((edge) => ({
    edge,
    from: endOf(edge.from),
    to: endOf(edge.to),
  }));
  const members = indexByScope(
    program,
    new Set([...ends.values()].flatMap(({ path }) => path ?? [])),
  );
  for (const end of ends.values()) {
    if (end.path === undefined) {
      continue;
    }
    const objects = members.get(end.path) ?? [];
    const isGroup = objects.length > 1 || (end.isChart === true && objects.length > 0);
    if (isGroup) {
      groups.set(end.path, { id: end.path, objects: [...objects].sort(compare) });
    }
    end.id = isGroup ? end.path : objects[0];
  }

  const edges: AssemblyEdge[] = [];
  const idle: DeclaredEdge[] = [];
  for (const { edge, from, to } of declared) {
    const { id: later } = from;
    const { id: earlier } = to;
    if (edge.asked && (later === undefined || earlier === undefined)) {
      idle.push(edge);
    }
    if (later !== undefined && earlier !== undefined && later !== earlier) {
      edges.push({ from: later, to: earlier, type: edge.type });
    }
  }
  for (const edge of programLateEdges(program)) {
    edges.push(edge);
  }
  return {
    edges: uniqueEdges(edges),
    groups: [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    idle,
  };
}

/**
 * A construct that edges name, and the id of its object or of the group of its objects; none for
 * one without objects.
 */
interface End {
  /** Of a construct that may have several objects. */
  readonly path?: string;
  /**
   * Whether it is a chart: a group also while it has one object, so that the next one changes no
   * edge of the first.
   */
  readonly isChart?: boolean;
  id?: string;
}

// no path of a construct and no id of an object holds this
const START = '\0start';
const END = '\0end';

/** Ids that wait for each other, the first again at the end; undefined where none do. */
export function cycleOf(edges: ResolvedEdges): string[] | undefined {
  const found = edgeGraph(edges, manySided(edges)).cycle();
  if (!found) {
    return undefined;
  }
  const nodes = found.slice(0, -1);
  const at = (list: readonly string[], index: number) => list[(index + list.length) % list.length];
  const groupAt = (index: number, side: string) => {
    const node = at(nodes, index);
    return node.endsWith(side) ? node.slice(0, -side.length) : undefined;
  };
  // one of its objects is between end and start of a group, which adds nothing
  const told = nodes.filter(
    (_, index) =>
      groupAt(index - 1, END) === undefined ||
      groupAt(index - 1, END) !== groupAt(index + 1, START),
  );
  const ids = told.map((node) => node.replace(START, '').replace(END, ''));
  const cycle = ids.length === 1 ? ids : ids.filter((id, index) => id !== at(ids, index - 1));
  return [...cycle, cycle[0]];
}

/** What waits, directly or not, until an object is ready: ids of objects, among others. */
export function waitingForReady(resolved: ResolvedEdges, id: string): ReadonlySet<string> {
  const { edges, groups } = resolved;
  const ends = new Set([
    id,
    ...groups.filter(({ objects }) => objects.includes(id)).map((group) => group.id),
  ]);
  const isGroup = new Set(groups.map((group) => group.id));
  const first = edges
    .filter(({ to, type }) => type === 'ready' && ends.has(to))
    .map(({ from }) => (isGroup.has(from) ? `${from}${START}` : from));
  return first.length === 0 ? new Set() : edgeGraph(resolved).waitingFor(first);
}

/**
 * The graph of resolved edges: a group represents all its objects, with one node before and one
 * after them.
 *
 * @param members the objects that get a node by their groups. @default - all
 */
function edgeGraph(
  { edges, groups }: Pick<ResolvedEdges, 'edges' | 'groups'>,
  members?: ReadonlySet<string>,
): OrderGraph {
  const graph = new OrderGraph();
  const isGroup = new Set(groups.map((group) => group.id));
  for (const { id, objects } of groups) {
    const [start, end] = [`${id}${START}`, `${id}${END}`];
    graph.after(end, start);
    for (const object of objects) {
      if (members && !members.has(object)) {
        continue;
      }
      graph.after(object, start);
      graph.after(end, object);
    }
  }
  for (const { from, to } of edges) {
    graph.after(isGroup.has(from) ? `${from}${START}` : from, isGroup.has(to) ? `${to}${END}` : to);
  }
  return graph;
}

/**
 * The objects by which a cycle may leave a group: those that edges name, or that are in several
 * groups, one within another.
 */
function manySided({ edges, groups }: ResolvedEdges): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { from, to } of edges) {
    found.add(from).add(to);
  }
  const scopes = new Set(groups.map(({ id }) => id));
  for (const { id, objects } of groups) {
    if (scopesAbove(id).some((scope) => scopes.has(scope))) {
      objects.forEach((object) => {
        found.add(object);
      });
    }
  }
  return found;
}

/** The paths above a path, the root included. */
function scopesAbove(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return parts.map((_, depth) => parts.slice(0, depth).join('/'));
}

// only scopes that edges name are indexed: an index of all scopes would be as large as depth times
// objects
function indexByScope(program: Program, named: ReadonlySet<string>): ReadonlyMap<string, string[]> {
  const index = new Map<string, string[]>();
  if (named.size === 0) {
    return index;
  }
  for (const late of program.lateValues) {
    index.set(late.node.path, [lateNode(late.lateId)]);
  }
  const known = new Map<string, readonly string[]>();
  const namedAt = (path: string): readonly string[] => {
    const outer = namedAbove(path);
    return named.has(path) ? [path, ...outer] : outer;
  };
  // of what is above, since nearly every object has a path of its own
  const namedAbove = (path: string): readonly string[] => {
    const slash = path.lastIndexOf('/');
    if (slash < 0) {
      return [];
    }
    const above = path.slice(0, slash);
    let scopes = known.get(above);
    if (!scopes) {
      scopes = namedAt(above);
      known.set(above, scopes);
    }
    return scopes;
  };
  const add = (path: string, id: string): void => {
    const list = index.get(path);
    if (list) {
      list.push(id);
    } else {
      index.set(path, [id]);
    }
  };
  for (const { construct, id } of program.objects) {
    if (named.has(construct)) {
      add(construct, id);
    }
    for (const path of namedAbove(construct)) {
      add(path, id);
    }
  }
  return index;
}

/** The edges that the late values of a program imply. */
function programLateEdges({ objects, lateValues }: Program): AssemblyEdge[] {
  return lateEdges(
    objects.map(({ id, lateIds }) => ({ id, lateValues: lateIds })),
    lateValues.map(({ lateId: id, source }) => {
      const { object, content = '' } = source;
      return {
        id,
        source: object ? { ...object, target: object.target.targetName } : { text: content },
      };
    }),
  );
}
