import { ApplyGraph, GoneEdge } from './graph';
import { GraphDraft } from './graph-draft';
import { impliedEdges } from './implied-edges';
import { Assembly, AssemblyEdge, AssemblyLateValue, AssemblyObject } from '../../model/assembly';
import { rankOf } from '../../model/kinds';
import { lateIdsIn } from '../../model/late-values';
import { Manifest } from '../../model/manifest';

/** The manifests of an assembly by the id of the object: from files, or templates with placeholders. */
export type Manifests = ReadonlyMap<string, Manifest>;

/** How a late value is named as an end of an edge. */
export const LATE_NODE = 'late:';

/**
 * All objects and late values of an assembly and what waits for what. Linear: an edge between two groups goes through one node for each.
 *
 * Throws where things wait for each other. Late values that nothing waits for any more are groups: their order counts, their value does not.
 */
export function buildGraph(assembly: Assembly, manifests: Manifests): ApplyGraph {
  const draft = new GraphDraft();
  for (const object of assembly.objects) { draft.add({ id: object.id, target: object.target, object, rank: rankOf(plainManifest(object)) }); }
  const needed = neededValues(assembly, manifests);
  for (const late of assembly.lateValues) {
    const target = 'target' in late.source ? late.source.target : '';
    draft.add({ id: `${LATE_NODE}${late.id}`, target, rank: 0, ...(needed.has(late.id) ? { late } : {}) });
  }
  const ends = new Ends(assembly, draft);
  for (const edge of assembly.edges) {
    // what is to be gone first is there while the program is: only taking away goes by it
    if (edge.type !== 'gone') { draft.after(ends.waiting(edge), ends.awaited(edge), edge.type); }
  }
  for (const { from, to, kind, weight } of impliedEdges(assembly, manifests)) { draft.implied(from, to, kind, weight); }
  return { ...draft.sorted(), whenGone: assembly.edges.filter(({ type }) => type === 'gone').map((edge) => ends.members(edge)) };
}

function plainManifest({ apiVersion, kind, namespace, name }: AssemblyObject): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

/** The late values that templates hold, with those that these are made of or found by. */
function neededValues({ objects, lateValues }: Assembly, manifests: Manifests): ReadonlySet<string> {
  const byId = new Map<string, AssemblyLateValue>(lateValues.map((late) => [late.id, late]));
  const needed = new Set<string>();
  const missing = (id: string, by: string): Error => (
    new Error(`assembly: ${by} waits for the late value "${id}", which the assembly does not have; synthesize again`));
  for (const { id, template, construct } of objects) {
    for (const late of template ? lateIdsIn(manifests.get(id) ?? template) : []) {
      if (!byId.has(late)) { throw missing(late, construct); }
      needed.add(late);
    }
  }
  for (const id of needed) {
    for (const inner of lateIdsIn(byId.get(id)!.source)) {
      if (!byId.has(inner)) { throw missing(inner, byId.get(id)!.construct); }
      needed.add(inner);
    }
  }
  return needed;
}

/** What the ends of edges are in the graph: a group as a whole is one node before its objects, and one after them for each kind of waiting. */
class Ends {
  private readonly groups: ReadonlyMap<string, readonly string[]>;
  private readonly made = new Set<string>();

  constructor(assembly: Assembly, private readonly draft: GraphDraft) {
    this.groups = new Map(assembly.groups.map(({ id, objects }) => [id, objects]));
  }

  public waiting({ from }: AssemblyEdge): string {
    const members = this.groups.get(from);
    if (!members) { return this.known(from); }
    return this.group(`${from} begins`, (id) => { for (const member of members) { this.draft.after(this.known(member), id, 'applied'); } });
  }

  public awaited({ to, type }: AssemblyEdge): string {
    const members = this.groups.get(to);
    if (!members) { return this.known(to); }
    return this.group(`${to} ${type}`, (id) => { for (const member of members) { this.draft.after(id, this.known(member), type); } });
  }

  public members({ from, to }: AssemblyEdge): GoneEdge {
    const all = (end: string): readonly string[] => this.groups.get(end) ?? [this.known(end)];
    return { from: all(from), to: all(to) };
  }

  private group(name: string, fill: (id: string) => void): string {
    const id = this.draft.addGroup(name);
    if (!this.made.has(id)) {
      this.made.add(id);
      fill(id);
    }
    return id;
  }

  private known(id: string): string {
    if (!this.draft.has(id)) { throw new Error(`assembly: an edge names "${id}", which is no object, late value or group of it; synthesize again`); }
    return id;
  }
}
