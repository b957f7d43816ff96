import { RunContext } from './run-context';
import { importsOf } from './scope';
import { kindOf } from '../../core/kind/all-kinds';
import { isLate } from '../../core/late/late-token';
import { Manifest, refId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.kind';
import { NewImport, formerImports, namesCluster, namesImport } from '../adopt/former-import';
import { LiveObject } from '../cluster/cluster';
import { finalizersToRemove } from '../fields/finalizers';
import { Manifests } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { InventoryEntry } from '../inventory/inventory';
import { renamedProblems, renamings } from '../inventory/renamed';
import { checkNamed } from '../plan/open-targets';
import { asksForId, sharedIds } from '../plan/shared-ids';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** Concurrent reads per target. */
const CONCURRENCY = 8;

/** Throws if an option names an object that neither the program nor an inventory contains: a typo would have no effect. */
export function checkIds({ options, program: { assembly }, open }: RunContext): void {
  const { adopt, forceConflicts, deleteAnyway, removeFinalizer: removeFinalizers } = options;
  const before = open.flatMap(({ keeper }) => keeper.all);
  checkNamed('--adopt', adopt, assembly, []);
  checkNamed('--force-conflicts', forceConflicts, assembly, before);
  checkNamed('--remove-finalizer', [...finalizersToRemove(removeFinalizers).keys()], assembly, before);
  checkNamed('--delete-anyway', deleteAnyway, assembly, before);
}

/** Throws if a Cluster to create would share the management cluster of another one, before anything is written. */
export async function checkSharedIds(run: RunContext): Promise<void> {
  const { assembly: { objects }, manifests } = run.program;
  const problems: string[] = [];
  for (const { target: { kind, name }, stored, cluster } of run.open) {
    if (kind !== 'rancher') { continue; }
    const entries = stored?.entries ?? [];
    const applied = new Set(entries.filter(({ uid }) => uid !== undefined).map(({ id }) => id));
    const wanted = objects.filter(({ id, target }) => target === name && !applied.has(id))
      .map(({ id }) => ({ id, manifest: manifests.get(id)! })).filter(({ manifest }) => asksForId(manifest));
    const { problems: found, unknown } = await sharedIds(wanted, entries.filter((entry) => entry.kind === 'Cluster'), cluster, run.stop);
    if (unknown !== undefined) { run.warn(unknown, name); }
    problems.push(...[...found].map(([id, problem]) => `${id}: ${problem}`));
  }
  if (problems.length > 0) { throw new Error(`nothing was written\n${problems.join('\n')}`); }
}

/** Throws if an object that holds machines, data, or tenants would be created again under another name, before anything is written. */
export async function checkRenamed(run: RunContext): Promise<void> {
  const { objects, removals = [] } = run.program.assembly;
  const declared = new Set(objects.flatMap((object) => [object.id, refId(object.target, object)]));
  const entries = run.open.flatMap(({ target: { name: target }, stored }) => (stored?.entries ?? []).map((entry) => ({ target, entry })));
  const formers = entries.filter(({ target, entry }) => !declared.has(entry.id) && !declared.has(refId(target, entry)));
  const applied = new Set(entries.filter(({ entry }) => entry.uid !== undefined).map(({ entry }) => entry.id));
  const cluster = new Map(run.open.map(({ target: { name }, listed }) => [name, listed]));
  const renamed = await Promise.all(renamings(objects, formers, removals, ({ id }) => applied.has(id)).map(async (each) => {
    const { apiVersion, kind, namespace, name } = each.entry;
    const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    return { ...each, live: await cluster.get(each.target)!.read(ref, { signal: run.stop }) };
  }));
  const problems = [...renamedProblems(renamed)].map(([id, problem]) => `${id}: ${problem}`);
  if (problems.length > 0) { throw new Error(`nothing was written\n${problems.join('\n')}`); }
}

/** New Clusters with the Harvesters that they import. */
export function newImports(
  created: readonly { readonly id: string; readonly manifest: Manifest }[], assembly: Assembly, graph: ApplyGraph, manifests: Manifests,
): NewImport[] {
  const harvesters = assembly.targets.filter(({ kind }) => kind === 'harvester')
    .map(({ name }) => ({ name, imports: new Set(importsOf(name, assembly, graph, manifests)) }));
  return created.map((each) => ({ ...each, harvesters: harvesters.filter(({ imports }) => imports.has(each.id)).map(({ name }) => name) }));
}

/** Throws if a Harvester that is registered as one Cluster would become another one, before anything is written. */
export async function checkFormerImports(run: RunContext, graph: ApplyGraph): Promise<void> {
  const { assembly, manifests } = run.program;
  const { objects, removals = [] } = assembly;
  const applied = new Set(run.open.flatMap(({ stored }) => stored?.entries ?? []).filter(({ uid }) => uid !== undefined).map(({ id }) => id));
  const places = new Map(run.open.map((place) => [place.target.name, place]));
  const candidates = objects.filter((object) => isCluster(object) && !applied.has(object.id) && places.get(object.target)?.target.kind === 'rancher');
  const created = newImports(candidates.map(({ id }) => ({ id, manifest: manifests.get(id)! })), assembly, graph, manifests);
  if (created.length === 0) { return; }
  const named = objects.filter((object) => places.has(object.target) && !isLate(object.name) && namesCluster(object))
    .map(({ id, target }) => ({ id, target, manifest: manifests.get(id)! }))
    .filter((object) => created.some((each) => namesImport(each, object)));
  const naming = await inParallel(named, ({ target }) => target, CONCURRENCY, async (object) => {
    const { apiVersion, kind, metadata: { namespace, name } } = object.manifest;
    const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    const live = await places.get(object.target)!.listed.read(ref, { signal: run.stop }).catch(onFailure(['forbidden', 'not-found'], () => undefined));
    return { ...object, ...(live ? { live } : {}) };
  }, run.stop);
  const declared = new Set(objects.map((object) => refId(object.target, object)));
  const targetOf = new Map(candidates.map(({ id, target }) => [id, target]));
  const problems: string[] = [];
  for (const { target: { name }, cluster } of run.open) {
    const wanted = created.filter(({ id }) => targetOf.get(id) === name);
    const found = await formerImports(wanted, naming, { target: name, cluster, removals, isDeclared: (id) => declared.has(id), signal: run.stop });
    problems.push(...[...found].map(([id, problem]) => `${id}: ${problem}`));
  }
  if (problems.length > 0) { throw new Error(`nothing was written\n${problems.join('\n')}`); }
}

/**
 * The error for an object with an ID from Rancher that was recreated after this app wrote it.
 *
 * @param acceptNewCluster IDs of objects that may have been recreated
 */
export function recreatedText(
  { id, apiVersion, kind, uid }: InventoryEntry, live: LiveObject | undefined, acceptNewCluster: readonly string[] = [],
): string | undefined {
  if (!live || uid === undefined || live.metadata.uid === uid || acceptNewCluster.includes(id)) { return undefined; }
  const hasFixedId = live.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] !== undefined;
  if (!kindOf({ apiVersion, kind })?.hasGeneratedId || hasFixedId) { return undefined; }
  return `${id} was recreated (its UID changed from ${uid} to ${live.metadata.uid}), so Rancher gives it another ID and other tokens. `
    + `Fix: check the consequences with plan; to accept them, set --accept-new-cluster '${id}'`;
}

/**
 * Throws if a provisioning Cluster was recreated after this app wrote it: with its new ID, the Harvester would be registered again, and every project,
 * binding and namespace would be created again next to the previous ones.
 */
export async function checkNotRecreated(run: RunContext): Promise<void> {
  const { acceptNewCluster = [] } = run.options;
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  const problems: string[] = [];
  for (const { stored, listed } of run.open) {
    for (const entry of stored?.entries ?? []) {
      const { id, apiVersion, kind, namespace, name } = entry;
      if (!declared.has(id) || !kindOf({ apiVersion, kind })?.hasGeneratedId) { continue; }
      const live = await listed.read({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal: run.stop });
      const problem = recreatedText(entry, live, acceptNewCluster);
      if (problem !== undefined) { problems.push(problem); }
    }
  }
  if (problems.length > 0) { throw new Error(problems.join('\n')); }
}
