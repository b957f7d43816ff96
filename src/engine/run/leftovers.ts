import { Outcome, Outcomes, runNodes } from './outcomes';
import { RemovalWorker } from './removal-worker';
import { RunContext } from './run-context';
import { inverted, reach } from '../../core/graph/reach';
import { lostWith } from '../../core/kind/retention';
import { Manifest, groupOf, refKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { LiveObject } from '../cluster/cluster';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph, GraphEdge, GraphNode } from '../graph/graph';
import { reverseGraph } from '../graph/reverse-graph';
import { isPruned } from '../inventory/removed-targets';
import { Leftover, WAYS_TO_PRUNE, keptOf, stillInUse, usedBy } from '../plan/prune-steps';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** An object that is no longer declared but kept. */
interface Held {
  readonly object: AssemblyObject;
  /** What would be lost with it. @default - nothing */
  readonly loss?: string;
  /** The ID of the object that needs it. @default - none */
  readonly neededBy?: string;
}

/**
 * The objects that a run keeps unless it prunes machines and data: those that hold them, and all that these may need.
 *
 * @param graph the order of deletion: dependencies wait for their dependents
 * @param fieldManager the field manager of the app
 */
function heldBack(
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
  const waiting = inverted([...graph.nodes.values()].flatMap((node) => needed(node).map(({ to }) => [node, to] as const)));
  for (const [root, { object: holder }] of [...held]) {
    const reached = new Set<string>([root]);
    for (const id of reached) {
      for (const node of waiting.get(id) ?? []) {
        const byFact = graph.nodes.get(id)?.object === undefined;
        if (node.object && byFact && isUnrelated(node.object, holder)) { continue; }
        reached.add(node.id);
        if (node.object && !held.has(node.id)) { held.set(node.id, { object: node.object, neededBy: root }); }
      }
    }
  }
  return held;
}

/** A graph without the kept objects. */
export function withoutHeld(graph: ApplyGraph, held: ReadonlyMap<string, unknown>): ApplyGraph {
  if (held.size === 0) { return graph; }
  const nodes = [...graph.nodes.values()].filter(({ id }) => !held.has(id));
  return { ...graph, nodes: new Map(nodes.map((node) => [node.id, { ...node, after: node.after.filter(({ to }) => !held.has(to)) }])) };
}

/** Whether an object exists and is not already being deleted. */
function isThere(live: Manifest | undefined): live is LiveObject {
  return live?.metadata.uid !== undefined && live.metadata.deletionTimestamp === undefined;
}

/** Whether a holder cannot need an object that it does not refer to: plain Kubernetes in another namespace of the same cluster. */
function isUnrelated({ target, namespace, apiVersion }: AssemblyObject, holder: AssemblyObject): boolean {
  return target === holder.target && namespace !== undefined && namespace !== holder.namespace && namespace !== GLOBAL_DATA
    && ['', 'apps', 'batch', 'networking.k8s.io'].includes(groupOf(apiVersion));
}

/**
 * The objects that were applied and are no longer declared, on all clusters that exist.
 *
 * @param isGoing selects objects. @default - those that an apply removes
 */
export function leftoversOf(run: RunContext, isGoing: typeof isPruned = isPruned): Leftover[] {
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  return run.open.flatMap(({ target: of, keeper }) => {
    const [target, entries] = [of.name, keeper.all];
    const keys = new Set(entries.filter(({ id }) => declared.has(id)).map(refKey));
    return entries.filter((entry) => !declared.has(entry.id) && isGoing(of, entry)).flatMap((entry) => {
      // the same object under its previous ID
      if (keys.has(refKey(entry))) { keeper.forget(entry.id); return []; }
      return [{ target, entry }];
    });
  });
}

/** An inventory entry as an object of an assembly. */
export function asObject({ target, entry }: Leftover): AssemblyObject {
  const { id, apiVersion, kind, namespace, name, policy, reason, construct } = entry;
  return {
    id,
    target,
    apiVersion,
    kind,
    name,
    construct: construct ?? 'no longer declared',
    deletion: { policy, reason: reason ?? '' },
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** The live state of leftovers, which contains their references. */
export async function liveManifests(leftovers: readonly Leftover[], run: RunContext): Promise<Map<string, Manifest>> {
  const read = await inParallel(leftovers, ({ target }) => target, run.options.concurrency ?? 8, async ({ target, entry }): Promise<Manifest> => {
    const { cluster } = await run.place(target, () => undefined);
    const { apiVersion, kind, namespace, name } = entry;
    // an object that cannot be read fails in its turn, and does not stop others
    const live = await cluster.read(entry, { signal: run.stop }).catch(onFailure(['forbidden', 'blocked', 'invalid'], () => undefined));
    return live ?? { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  }, run.stop);
  return new Map(leftovers.map(({ entry: { id } }, index) => [id, read[index]]));
}

/**
 * Deletes leftovers in the order of a destroy: dependencies last.
 *
 * @param takesMachines whether to delete objects that hold machines or data; otherwise they are kept with all that they may need
 * @param only the IDs of objects to delete now, with what needs them. @default - all
 */
export async function prune(leftovers: readonly Leftover[], run: RunContext, takesMachines: boolean, only?: ReadonlySet<string>): Promise<Outcomes> {
  const manifests = await liveManifests(leftovers, run);
  const { targets } = run.program.assembly;
  const assembly: Assembly = { schemaVersion: '1', targets, objects: leftovers.map(asObject), groups: [], edges: [], lateValues: [], findings: [] };
  const graph = reverseGraph(buildGraph(assembly, manifests), assembly, manifests);
  const held = takesMachines ? new Map<string, Held>() : heldBack(graph, leftovers, manifests, run.options.app.fieldManager);
  // nodes with all that must be deleted before them
  const first = only && reach(only, (id) => needed(graph.nodes.get(id)).map(({ to }) => to));
  const later = new Set(leftovers.map(({ entry: { id } }) => id).filter((id) => first?.has(id) === false));
  const kept = [...held.values()].filter(({ object: { id } }) => !later.has(id))
    .map((each): readonly [string, Outcome] => [each.object.id, keep(each, run)]);
  const going = leftovers.filter(({ entry: { id } }) => !held.has(id) && !later.has(id));
  const worker = new RemovalWorker(run, new Map(going.map(({ entry }) => [entry.id, entry])), stillNeeded(run, going));
  const staying = new Map<string, unknown>([...held, ...[...later].map((id) => [id, id] as const)]);
  return new Map([...kept, ...await runNodes(withoutHeld(graph, staying), worker, run, true)]);
}

// a node that waits only for an order does not need the other
function needed(node?: GraphNode): readonly GraphEdge[] {
  return (node?.after ?? []).filter(({ kind }) => kind !== 'ended');
}

/** Reports that an object is kept, and how to delete it. */
function keep({ object: { id, target, kind, namespace, name }, loss, neededBy }: Held, run: RunContext): Outcome {
  const reason = loss === undefined ? `${neededBy} is kept and may need it` : `${loss} would be lost with it`;
  run.emit(id, target, 'kept', reason);
  const label = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (loss !== undefined) { run.warn(`${label} is no longer declared but kept: ${reason}. Fix: to delete it, ${WAYS_TO_PRUNE}`, target, id); }
  return { state: 'kept', reason };
}

/** Keeps Namespaces that contain declared objects. */
export function stillNeeded(run: RunContext, leftovers: readonly Leftover[]): (live: LiveObject, target: string) => string | undefined {
  const going = new Set(leftovers.map(({ target, entry }) => `${target} ${entry.id}`));
  const used = new Set(run.open.flatMap(({ target: { name }, keeper }) => (
    keeper.all.filter(({ id }) => !going.has(`${name} ${id}`)).flatMap((entry) => usedBy(name, entry)))));
  return (live, target) => stillInUse(live, target, used);
}
