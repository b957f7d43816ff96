import { Leftover } from './leftovers';
import { AssemblyObject } from '../../model/assembly';
import { groupOf, Manifest } from '../../model/manifest';
import { GLOBAL_DATA } from '../../model/names';
import { lostWith } from '../../model/retention';
import { LiveObject } from '../cluster/cluster';
import { ApplyGraph, GraphNode } from '../graph/graph';
import { keptOf } from '../plan/prune-steps';

/** Why something stays that is no longer declared. */
export interface Held {
  readonly object: AssemblyObject;
  /** What would be lost with it. */
  readonly loss?: string;
  /** The id of what it stays for. */
  readonly neededBy?: string;
}

/**
 * What a run leaves alone unless it is told to take machines and data: the objects that hold them, and all that these may still need.
 *
 * @param graph the order of taking away: what an object needs waits for it
 * @param fieldManager ours
 */
export function heldBack(
  graph: ApplyGraph, leftovers: readonly Leftover[], manifests: ReadonlyMap<string, Manifest>, fieldManager: string,
): ReadonlyMap<string, Held> {
  const held = new Map<string, Held>();
  for (const { target, entry } of leftovers) {
    const live = manifests.get(entry.id);
    const object = graph.nodes.get(entry.id)?.object;
    if (!object || entry.policy !== 'delete' || !isThere(live) || keptOf(entry, live, target, { fieldManager })) { continue; }
    const loss = lostWith(live);
    if (loss !== undefined) { held.set(entry.id, { object, loss }); }
  }
  if (held.size === 0) { return held; }
  const waiting = waitingFor(graph);
  for (const [root, { object: holder }] of [...held]) {
    const reached = new Set<string>([root]);
    // grows while it is walked
    for (const id of reached) {
      for (const node of waiting.get(id) ?? []) {
        const byFact = graph.nodes.get(id)?.object === undefined;
        if (node.object && byFact && isBeside(node.object, holder)) { continue; }
        reached.add(node.id);
        if (node.object && !held.has(node.id)) { held.set(node.id, { object: node.object, neededBy: root }); }
      }
    }
  }
  return held;
}

/** A graph without what is left alone. */
export function withoutHeld(graph: ApplyGraph, held: ReadonlyMap<string, unknown>): ApplyGraph {
  if (held.size === 0) { return graph; }
  const nodes = [...graph.nodes.values()].filter(({ id }) => !held.has(id));
  return { ...graph, nodes: new Map(nodes.map((node) => [node.id, { ...node, after: node.after.filter(({ to }) => !held.has(to)) }])) };
}

/** One that is being deleted already is not kept by leaving it alone. */
function isThere(live: Manifest | undefined): live is LiveObject {
  return live?.metadata.uid !== undefined && live.metadata.deletionTimestamp === undefined;
}

function waitingFor({ nodes }: ApplyGraph): ReadonlyMap<string, readonly GraphNode[]> {
  const waiting = new Map<string, GraphNode[]>();
  for (const node of nodes.values()) {
    // who waits only for an order needs nothing of the other
    for (const { to, kind } of node.after) { if (kind !== 'ended') { waiting.set(to, [...waiting.get(to) ?? [], node]); } }
  }
  return waiting;
}

/** Whether nothing of a holder's can need an object that it does not name: plain Kubernetes in another namespace of the same cluster. */
function isBeside({ target, namespace, apiVersion }: AssemblyObject, holder: AssemblyObject): boolean {
  return target === holder.target && namespace !== undefined && namespace !== holder.namespace && namespace !== GLOBAL_DATA
    && ['', 'apps', 'batch', 'networking.k8s.io'].includes(groupOf(apiVersion));
}
