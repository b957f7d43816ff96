import { reach } from '../../core/graph/reach';
import { kindOf } from '../../core/kind/all-kinds';
import { Manifest, groupOf, kindKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { compare, grouped } from '../../core/text/values';
import { buildGraph, WEIGHT } from '../../engine/graph/build-graph';
import { GraphEdge, GraphNode } from '../../engine/graph/graph';

/** Objects of a target that an engine can apply in one request after the other, in any order. */
export interface Stage {
  /** `<target>-<number>`, or `<target>` where the target has one stage; `<target>-late` for objects that wait for late values. */
  readonly name: string;
  readonly target: string;
  /** The place among the stages of the target, from 1; stages of late objects come after the others. */
  readonly number: number;
  /** IDs of its objects, sorted. */
  readonly objects: readonly string[];
  /** Names of the stages that must be healthy before, without those that others of them wait for. */
  readonly after: readonly string[];
  /** Whether its objects wait for late values, so that they are not in the output: `resolve` writes them. */
  readonly isLate: boolean;
  /** IDs of its objects that must be healthy before objects of later stages. */
  readonly awaited: ReadonlySet<string>;
}

/** An assembly with its manifests by ID. */
interface StagedProgram {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/**
 * The stages of all targets, from the graph that apply uses. The number of a stage follows from the longest chain of objects that must exist one after the
 * other, over all targets.
 *
 * @param left IDs of objects that no engine delivers
 */
export function stagesOf(program: StagedProgram, left: ReadonlySet<string> = new Set()): Stage[] {
  return new Staging(program, left).stages();
}

/** An edge between objects, through groups and late values or directly. */
interface ObjectEdge {
  readonly from: string;
  readonly to: string;
}

/** A stage before it has a name. */
interface Draft {
  readonly target: string;
  readonly place: number;
  readonly isLate: boolean;
  readonly objects: string[];
}

class Staging {
  private readonly nodes: ReadonlyMap<string, GraphNode>;
  private readonly waiters = new Map<string, Set<string>>();
  /** Objects that must be healthy before others. */
  private readonly awaited = new Set<string>();
  /** Objects that wait for a slow one, directly or not. */
  private readonly behindSlow = new Set<string>();
  private readonly levels = new Map<string, number>();
  /** The edges of a node to objects that must be in earlier stages. */
  private readonly steps: ReadonlyMap<string, readonly GraphEdge[]>;
  private readonly late: ReadonlySet<string>;
  private readonly byId: ReadonlyMap<string, AssemblyObject>;

  constructor(private readonly program: StagedProgram, private readonly left: ReadonlySet<string>) {
    const { assembly, manifests } = program;
    this.byId = new Map(assembly.objects.map((object) => [object.id, object]));
    this.nodes = buildGraph(assembly, manifests).nodes;
    this.findWaiters();
    this.late = this.lateObjects();
    this.steps = new Map([...this.nodes].map(([id, node]) => [id, this.stepsOf(node)]));
    for (const list of this.steps.values()) { for (const { to } of list) { this.awaited.add(to); } }
    for (const node of this.nodes.values()) { this.place(node); }
  }

  public stages(): Stage[] {
    const drafts = this.drafts();
    const names = new Map<Draft, string>();
    const numbers = new Map<Draft, number>();
    for (const target of new Set(drafts.map((draft) => draft.target))) {
      const own = drafts.filter((draft) => draft.target === target);
      for (const isLate of [false, true]) {
        const alike = own.filter((draft) => draft.isLate === isLate);
        const base = isLate ? `${target}-late` : target;
        alike.forEach((draft, index) => { names.set(draft, alike.length > 1 ? `${base}-${index + 1}` : base); });
      }
      own.forEach((draft, index) => { numbers.set(draft, index + 1); });
    }
    refuseTwice([...names].map(([{ target }, name]) => ({ target, name })));
    const stageOf = new Map(drafts.flatMap((draft) => draft.objects.map((id) => [id, draft] as const)));
    const edges = this.stageEdges(stageOf);
    return drafts.map((draft): Stage => ({
      name: names.get(draft)!,
      target: draft.target,
      number: numbers.get(draft)!,
      objects: [...draft.objects].sort(compare),
      after: reduced(draft, edges).map((other) => names.get(other)!).sort(compare),
      isLate: draft.isLate,
      awaited: new Set(draft.objects.filter((id) => this.awaited.has(id))),
    }));
  }

  private drafts(): Draft[] {
    const placed = this.program.assembly.objects.filter(({ id }) => !this.left.has(id)).map(({ id, target }) => (
      { id, target, isLate: this.late.has(id), place: this.levels.get(id)! + (this.isSlow(id) || this.behindSlow.has(id) ? SLOWER : 0) }));
    const drafts = grouped(placed, ({ target, isLate, place }) => `${target} ${isLate} ${place}`);
    return [...drafts.values()].map((list): Draft => {
      const [{ target, place, isLate }] = list;
      return { target, place, isLate, objects: list.map(({ id }) => id) };
    }).sort((a, b) => compare(a.target, b.target) || Number(a.isLate) - Number(b.isLate) || a.place - b.place);
  }

  private stageEdges(stageOf: ReadonlyMap<string, Draft>): ReadonlyMap<Draft, ReadonlySet<Draft>> {
    const edges = new Map<Draft, Set<Draft>>();
    for (const { from, to } of this.objectEdges()) {
      const [waiting, awaited] = [stageOf.get(from), stageOf.get(to)];
      if (waiting === undefined || awaited === undefined || waiting === awaited) { continue; }
      const known = edges.get(waiting);
      if (known) { known.add(awaited); } else { edges.set(waiting, new Set([awaited])); }
    }
    return edges;
  }

  /** All edges between objects; a group or a late value passes on what it waits for. */
  private *objectEdges(): Iterable<ObjectEdge> {
    const reached = new Map<string, ReadonlySet<string>>();
    for (const node of this.nodes.values()) {
      const ends = new Set<string>();
      for (const { to } of node.after) {
        if (this.byId.has(to)) { ends.add(to); } else { for (const end of reached.get(to)!) { ends.add(end); } }
      }
      if (this.byId.has(node.id)) { for (const to of ends) { yield { from: node.id, to }; } } else { reached.set(node.id, ends); }
    }
  }

  /** The targets of the objects that wait by a group, directly or through other groups. */
  private findWaiters(): void {
    for (const { id, target, object, after } of [...this.nodes.values()].reverse()) {
      const targets = object ? [target] : this.waiters.get(id) ?? [];
      for (const { to } of after) {
        const known = this.waiters.get(to) ?? new Set();
        for (const each of targets) { known.add(each); }
        this.waiters.set(to, known);
      }
    }
  }

  /** Finds the level of a node; those that it waits for have theirs. */
  private place(node: GraphNode): void {
    if (node.after.some(({ to }) => this.behindSlow.has(to) || this.isSlow(to))) { this.behindSlow.add(node.id); }
    const levels = node.after.map(({ to }) => this.levels.get(to)!);
    const steps = this.steps.get(node.id)!.map(({ to }) => this.levels.get(to)! + 1);
    this.levels.set(node.id, [...levels, ...steps].reduce((most, each) => Math.max(most, each), 0));
  }

  private stepsOf(node: GraphNode): GraphEdge[] {
    return node.after.filter((edge) => {
      const to = this.nodes.get(edge.to)!;
      return hasObject(to) && isHard(node, to, edge, this.waiters);
    });
  }

  /** Whether an object takes long, and others wait for that: in a stage of its own, it delays nothing else. */
  private isSlow(id: string): boolean {
    return this.awaited.has(id) && kindOf(this.byId.get(id)!)?.health?.slow === true;
  }

  /** The objects that wait for late values, with those of the same target that wait for one of them. */
  private lateObjects(): ReadonlySet<string> {
    const { objects } = this.program.assembly;
    const late = new Set(objects.filter(({ lateValues, needs }) => lateValues !== undefined || needs !== undefined).map(({ id }) => id));
    for (const { from, to } of this.objectEdges()) {
      if (late.has(to) && this.byId.get(from)!.target === this.byId.get(to)!.target) { late.add(from); }
    }
    return late;
  }
}

/** Slow objects and those that wait for them are in stages between those of two levels. */
const SLOWER = 0.5;

/** Throws if stages of two targets have the same name. */
function refuseTwice(stages: readonly { readonly target: string; readonly name: string }[]): void {
  const targets = new Map<string, string>();
  for (const { target, name } of stages) {
    const other = targets.get(name);
    if (other !== undefined) {
      throw new Error(`stage ${name}: must be of one target, got ${other} and ${target}. Fix: rename one of the targets`);
    }
    targets.set(name, target);
  }
}

function hasObject(node: GraphNode): node is ObjectNode {
  return node.object !== undefined;
}

/** What a stage waits for, without what the others of these wait for. */
function reduced(stage: Draft, edges: ReadonlyMap<Draft, ReadonlySet<Draft>>): Draft[] {
  const next = (draft: Draft): Iterable<Draft> => edges.get(draft) ?? [];
  const direct = [...next(stage)];
  const indirect = reach(direct.flatMap((draft) => [...next(draft)]), next);
  return direct.filter((draft) => !indirect.has(draft));
}

const keyOf = ({ apiVersion, kind }: Pick<AssemblyObject, 'apiVersion' | 'kind'>): string => kindKey(groupOf(apiVersion), kind);

/** A node of an object. */
export type ObjectNode = GraphNode & { readonly object: AssemblyObject };

/**
 * Whether the object that waits must be in a later stage than the one that it waits for. Otherwise engines order both within one apply, or both recover.
 *
 * @param waiters the targets of the objects that wait by a group, by the ID of its node
 */
function isHard(
  from: GraphNode, to: ObjectNode, { kind, weight = Infinity }: GraphEdge, waiters: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const { object, late } = from;
  // a controller needs time for what others refer to
  if (kind === 'ready' || late || kindOf(to.object)?.makes) { return true; }
  if (object && lookedUpKinds(object).has(keyOf(to.object))) { return true; }
  const targets = object ? new Set([object.target]) : waiters.get(from.id) ?? new Set();
  const isSameTarget = targets.size === 1 && targets.has(to.target);
  if (isSameTarget && kindOf(to.object)?.appliedFirst) { return false; }
  return weight > WEIGHT.REFERRED;
}

/** The kinds of which a webhook looks up the objects that an object refers to: it refuses the object before they exist. */
function lookedUpKinds(object: AssemblyObject): ReadonlySet<string> {
  const { looksUp = [], passing = [] } = kindOf(object) ?? {};
  const missed = passing.flatMap(({ missing }) => missing?.(ANY_MATCH) ?? []).filter(({ going }) => going !== true);
  return new Set([...looksUp, ...missed.map(({ kind }) => kind)]);
}

// only the kind is asked for, which no match decides
const ANY_MATCH = Object.assign(['', '', ''], { index: 0, input: '' }) as unknown as RegExpExecArray;
