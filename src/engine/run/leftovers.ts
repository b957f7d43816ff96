import { Outcome, Outcomes, runNodes } from './outcomes';
import { RemovalWorker } from './removal-worker';
import { RunContext } from './run-context';
import { lostWith } from '../../core/kind/retention';
import { Manifest, groupOf, refKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { GLOBAL_DATA } from '../../rancher/credential/cloud-credential.kind';
import { Cluster, LiveObject } from '../cluster/cluster';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph, GraphNode } from '../graph/graph';
import { reverseGraph } from '../graph/reverse-graph';
import { InventoryEntry } from '../inventory/inventory-reader';
import { isPruned } from '../inventory/removed-targets';
import { WAYS_TO_PRUNE, keptOf, namespaceInUse } from '../plan/prune-steps';
import { ApiError } from '../transport/api';
import { inParallel } from '../transport/pace';

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

/** An object that an inventory names and the program does not. */
export interface Leftover {
  readonly target: string;
  readonly entry: InventoryEntry;
}

/**
 * What was applied before and is no longer declared, on all clusters that are there.
 *
 * @param isGoing which of it, where not what an apply removes
 */
export function leftoversOf(run: RunContext, isGoing: typeof isPruned = isPruned): Leftover[] {
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  return run.open.flatMap(({ target: of, keeper }) => {
    const [target, entries] = [of.name, keeper.all];
    const keys = new Set(entries.filter(({ id }) => declared.has(id)).map(refKey));
    return entries.filter((entry) => !declared.has(entry.id) && isGoing(of, entry)).flatMap((entry) => {
      // the same object, which had another id
      if (keys.has(refKey(entry))) { keeper.forget(entry.id); return []; }
      return [{ target, entry }];
    });
  });
}

/** An inventory's object as an assembly would name it. */
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

/** The leftovers as they are on the clusters: what refers to what is read from them. */
export async function liveManifests(leftovers: readonly Leftover[], run: RunContext): Promise<Map<string, Manifest>> {
  const read = await inParallel(leftovers, ({ target }) => target, run.options.concurrency ?? 8, async ({ target, entry }): Promise<Manifest> => {
    const { cluster } = await run.place(target, () => undefined);
    const { apiVersion, kind, namespace, name } = entry;
    const live = await readable(cluster, entry, run.stop);
    return live ?? { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  }, run.stop);
  return new Map(leftovers.map(({ entry: { id } }, index) => [id, read[index]]));
}

// one that cannot be read now fails when it is its turn, and keeps nothing else from it
async function readable(cluster: Cluster, entry: InventoryEntry, signal: AbortSignal): Promise<LiveObject | undefined> {
  try {
    return await cluster.read(entry, { signal });
  } catch (error) {
    if (error instanceof ApiError && ['forbidden', 'blocked', 'invalid'].includes(error.failure)) { return undefined; }
    throw error;
  }
}

/**
 * Takes leftovers away, in the order in which everything would be taken away: what one still needs goes last.
 *
 * @param takesMachines whether it takes those, too, that hold machines or data; else they are kept, with all that they may need
 * @param only the ids of those that go now, with what needs them
 */
export async function prune(leftovers: readonly Leftover[], run: RunContext, takesMachines: boolean, only?: ReadonlySet<string>): Promise<Outcomes> {
  const manifests = await liveManifests(leftovers, run);
  const { targets } = run.program.assembly;
  const assembly: Assembly = { schemaVersion: '1', targets, objects: leftovers.map(asObject), groups: [], edges: [], lateValues: [], findings: [] };
  const graph = reverseGraph(buildGraph(assembly, manifests), assembly, manifests);
  const held = takesMachines ? new Map<string, Held>() : heldBack(graph, leftovers, manifests, run.options.app.fieldManager);
  const later = new Set(only ? leftovers.map(({ entry: { id } }) => id).filter((id) => !neededFirst(graph, only).has(id)) : []);
  const kept = [...held.values()].filter(({ object: { id } }) => !later.has(id))
    .map((each): readonly [string, Outcome] => [each.object.id, keep(each, run)]);
  const going = leftovers.filter(({ entry: { id } }) => !held.has(id) && !later.has(id));
  const worker = new RemovalWorker(run, new Map(going.map(({ entry }) => [entry.id, entry])), stillNeeded(run, going));
  const staying = new Map<string, unknown>([...held, ...[...later].map((id) => [id, id] as const)]);
  return new Map([...kept, ...await runNodes(withoutHeld(graph, staying), worker, run, true)]);
}

/** Some nodes, with all that must be gone before them. */
function neededFirst({ nodes }: ApplyGraph, ids: ReadonlySet<string>): ReadonlySet<string> {
  const first = new Set(ids);
  for (const id of first) {
    for (const { to, kind } of nodes.get(id)?.after ?? []) { if (kind !== 'ended') { first.add(to); } }
  }
  return first;
}

/** Tells that an object stays, and what to do where it shall go. */
function keep({ object: { id, target, kind, namespace, name }, loss, neededBy }: Held, run: RunContext): Outcome {
  const reason = loss === undefined ? `${neededBy} stays, and may need it` : `${loss} would be lost with it`;
  run.emit(id, target, 'kept', reason);
  const label = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (loss !== undefined) { run.warn(`${label} is no longer declared and stays, since ${reason}; if it shall go, ${WAYS_TO_PRUNE}`, target, id); }
  return { state: 'kept', reason };
}

/** A Namespace that declared objects lie in stays. */
export function stillNeeded(run: RunContext, leftovers: readonly Leftover[]): (live: LiveObject, target: string) => string | undefined {
  const going = new Set(leftovers.map(({ target, entry }) => `${target} ${entry.id}`));
  const used = new Set(run.open.flatMap(({ target: { name }, keeper }) => (
    keeper.all.filter(({ id }) => !going.has(`${name} ${id}`)).map(({ namespace }) => `${name} ${namespace ?? ''}`))));
  return (live, target) => namespaceInUse(live, target, used);
}
