import { Outcome, Outcomes, runNodes } from './outcomes';
import { RemovalWorker } from './removal-worker';
import { RunContext } from './run-context';
import { reach } from '../../core/graph/reach';
import { Manifest, printName, refId, refKey } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph, GraphEdge, GraphNode } from '../graph/graph';
import { reverseGraph } from '../graph/reverse-graph';
import { isPruned } from '../inventory/removed-targets';
import { Leftover } from '../inventory/undeclared';
import { WAYS_TO_PRUNE } from '../plan/prune-steps';
import { stillInUse, usedBy } from '../removal/contents';
import { asObject, whatBecomesOf } from '../removal/live-removal';
import { Becomes } from '../removal/removal';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** A graph without the kept objects. */
export function withoutHeld(graph: ApplyGraph, held: ReadonlyMap<string, unknown>): ApplyGraph {
  if (held.size === 0) { return graph; }
  const nodes = [...graph.nodes.values()].filter(({ id }) => !held.has(id));
  return { ...graph, nodes: new Map(nodes.map((node) => [node.id, { ...node, after: node.after.filter(({ to }) => !held.has(to)) }])) };
}

/**
 * The objects that were applied and are no longer declared, not even under another ID, on all clusters that exist.
 *
 * @param isGoing selects objects. @default - those that an apply removes
 */
export function leftoversOf(run: RunContext, isGoing: typeof isPruned = isPruned): Leftover[] {
  const { objects } = run.program.assembly;
  const [declared, places] = [new Set(objects.map(({ id }) => id)), new Set(objects.map((object) => refId(object.target, object)))];
  return run.open.flatMap(({ target: of, keeper }) => {
    const [target, entries] = [of.name, keeper.all];
    const keys = new Set(entries.filter(({ id }) => declared.has(id)).map(refKey));
    return entries.filter((entry) => !declared.has(entry.id) && isGoing(of, entry)).flatMap((entry) => {
      // the same object under its previous ID
      if (keys.has(refKey(entry))) { keeper.forget(entry.id); return []; }
      return places.has(refId(target, entry)) ? [] : [{ target, entry }];
    });
  });
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
  const { program: { assembly: declared, manifests: written }, fields } = run;
  const assembly: Assembly = {
    schemaVersion: '1', targets: declared.targets, objects: leftovers.map(asObject), groups: [], edges: [], lateValues: [], findings: [],
  };
  const graph = reverseGraph(buildGraph(assembly, manifests), assembly, manifests);
  const live = leftovers.map((leftover): Leftover => {
    const found = manifests.get(leftover.entry.id);
    return isLive(found) ? { ...leftover, live: found } : leftover;
  });
  const becomes = whatBecomesOf(live, { ...fields, assembly: declared, manifests: written, pruneMachines: takesMachines });
  // what is kept by its live state alone is looked at in its turn
  const held = new Map([...becomes].filter(([, { loss, neededBy, fate }]) => fate === 'kept' && (loss !== undefined || neededBy !== undefined)));
  // nodes with all that must be deleted before them
  const first = only && reach(only, (id) => needed(graph.nodes.get(id)).map(({ to }) => to));
  const later = new Set(leftovers.map(({ entry: { id } }) => id).filter((id) => first?.has(id) === false));
  const kept = leftovers.filter(({ entry: { id } }) => held.has(id) && !later.has(id))
    .map((leftover): readonly [string, Outcome] => [leftover.entry.id, keep(leftover, held.get(leftover.entry.id)!, run)]);
  const going = leftovers.filter(({ entry: { id } }) => !held.has(id) && !later.has(id));
  const worker = new RemovalWorker(run, going, stillNeeded(run, going));
  const staying = new Map<string, unknown>([...held, ...[...later].map((id) => [id, id] as const)]);
  return new Map([...kept, ...await runNodes(withoutHeld(graph, staying), worker, run, true)]);
}

// a node that waits only for an order does not need the other
function needed(node?: GraphNode): readonly GraphEdge[] {
  return (node?.after ?? []).filter(({ kind }) => kind !== 'ended');
}

/** Reports that an object is kept, and how to delete it. */
function keep({ target, entry: { id, kind, namespace, name } }: Leftover, { reason, loss }: Becomes, run: RunContext): Outcome {
  run.emit(id, target, 'kept', reason);
  const label = `${kind} ${printName({ namespace, name })}`;
  if (loss !== undefined) { run.warn(`${label} is no longer declared but kept: ${reason}. Fix: to delete it, ${WAYS_TO_PRUNE}`, target, id); }
  return { state: 'kept', reason };
}

/** Whether an object exists. */
export function isLive(live: Manifest | undefined): live is LiveObject {
  return live?.metadata.uid !== undefined;
}

/** Keeps Namespaces that contain declared objects. */
export function stillNeeded(run: RunContext, leftovers: readonly Leftover[]): (live: LiveObject, target: string) => string | undefined {
  const going = new Set(leftovers.map(({ target, entry }) => `${target} ${entry.id}`));
  const used = new Set(run.open.flatMap(({ target: { name }, keeper }) => (
    keeper.all.filter(({ id }) => !going.has(`${name} ${id}`)).flatMap((entry) => usedBy(name, entry)))));
  return (live, target) => stillInUse(live, target, used);
}
