import { Manifests } from './build-graph';
import { destroyFacts } from './destroy-facts';
import { ApplyGraph } from './graph';
import { GraphDraft } from './graph-draft';
import { Assembly } from '../../model/assembly';

/** The last to be applied is the first to go. */
const HIGHEST_RANK = 100;

/**
 * The order of taking everything away: all edges turned round, each waiting until the other is gone, and what facts demand beyond that.
 *
 * Late values are groups in it: there is nothing to resolve. An object that is reset or kept counts as gone once that is done.
 *
 * @param graph as buildGraph made it
 */
export function reverseGraph(graph: ApplyGraph, assembly: Assembly, manifests: Manifests): ApplyGraph {
  const draft = new GraphDraft();
  for (const { id, target, object, rank } of graph.nodes.values()) {
    draft.add({ id, target, rank: HIGHEST_RANK - rank, ...(object ? { object } : {}) });
  }
  for (const { id, after } of graph.nodes.values()) {
    for (const { to, implied } of after) {
      // a server takes objects and definitions away in any order, but what one holds on to must still be there for its finalizers
      if (implied) { draft.implied(to, id, 'gone', 1); } else { draft.after(to, id, 'gone'); }
    }
  }
  graph.whenGone?.forEach(({ from, to }, index) => {
    const group = draft.addGroup(`gone ${index}`);
    for (const id of to) { draft.after(group, id, 'gone'); }
    for (const id of from) { draft.after(id, group, 'gone'); }
  });
  destroyFacts(draft, graph, assembly, manifests);
  return draft.sorted();
}
