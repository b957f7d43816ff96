import { formerImports, namesCluster, namesImport } from './former-import';
import { renamedProblems, renamings } from './renamed';
import { asksForId, sharedIds } from './shared-ids';
import { kindOf } from '../../core/kind/kinds';
import { hasLateName } from '../../core/late/late-token';
import { Manifest, refId } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { remembered } from '../../core/text/values';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.kind';
import { Cluster, LiveObject, ObjectRef, refOf } from '../cluster/cluster';
import { Manifests } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { InventoryEntry } from '../inventory/inventory';
import { undeclaredIn } from '../inventory/undeclared';
import { importsOf } from '../run/scope';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** Concurrent reads per target. */
const CONCURRENCY = 8;

/** A cluster that exists. */
interface SeenPlace {
  readonly target: AssemblyTarget;
  readonly cluster: Cluster;
  /** The objects of its inventory. */
  readonly entries: readonly InventoryEntry[];
}

/** A Cluster to create. */
interface NewCluster extends Pick<AssemblyObject, 'id' | 'target'> {
  readonly manifest: Manifest;
}

/** What a plan and a run see of the clusters. */
export interface Sight {
  readonly assembly: Assembly;
  readonly graph: ApplyGraph;
  /** By object ID, as far as late values are known. */
  readonly manifests: Manifests;
  readonly places: readonly SeenPlace[];
  /** The live object, once read; `unreadable` if a plan must do without it. */
  readonly read: (target: string, ref: ObjectRef) => Promise<LiveObject | 'unreadable' | undefined>;
  /** Targets, and IDs of provisioning Clusters, that may have been recreated. */
  readonly acceptNewCluster?: readonly string[];
  readonly onWarning: (message: string, target: string, id: string) => void;
  /** The ID of the only object whose step is judged. @default - all steps are */
  readonly only?: string;
  readonly signal?: AbortSignal;
}

/** The steps that have a precondition, by the IDs of their objects, and why they must not be executed; undefined where nothing speaks against it. */
type Judged = ReadonlyMap<string, string | undefined>;

/**
 * A precondition of a step that is judged with the whole program in view: a plan shows the refusal at the step, and an apply does not begin with one.
 * A run judges the preconditions that a step has again where it executes the step.
 */
interface StepPrecondition {
  readonly id: 'recreated' | 'shared-id' | 'renamed' | 'former-import';
  readonly judge: (sight: Sight) => Promise<Judged>;
  /** The error of an apply. @default - that nothing was written, and each message with its ID */
  readonly error?: (problems: ReadonlyMap<string, string>) => string;
  /** What judges it again with the objects that a step reads anyway. @default - `judge` does */
  readonly again?: 'recreatedText' | 'takeoverOf';
}

/**
 * No object with an ID from Rancher was recreated after this app wrote it: with its new ID, a Harvester would be registered again, and every project, binding
 * and namespace would be created again next to the previous ones.
 */
const RECREATED: StepPrecondition = {
  id: 'recreated',
  judge: async ({ assembly: { objects }, places, read, acceptNewCluster }) => {
    const declared = new Set(objects.map(({ id }) => id));
    const judged = new Map<string, string | undefined>();
    for (const { target, entries } of places) {
      for (const entry of entries.filter((each) => declared.has(each.id) && kindOf(each)?.hasGeneratedId)) {
        const live = await read(target.name, entry);
        judged.set(entry.id, live === 'unreadable' ? undefined : recreatedText(entry, live, acceptNewCluster));
      }
    }
    return judged;
  },
  again: 'recreatedText',
  error: (problems) => [...problems.values()].join('\n'),
};

/** No Cluster to create would share the management cluster of another one. */
const SHARED_ID: StepPrecondition = {
  id: 'shared-id',
  judge: async (sight) => {
    const created = (await createdClusters(sight)).filter(({ manifest }) => asksForId(manifest));
    return inEach(sight, async ({ target: { name }, cluster, entries }) => {
      const wanted = created.filter(({ target }) => target === name);
      const { problems, unknown } = await sharedIds(wanted, entries.filter(isCluster), cluster, sight.signal);
      if (unknown !== undefined) { sight.onWarning(unknown, name, wanted[0].id); }
      return problems;
    });
  },
  // the management Cluster of that ID exists then
  again: 'takeoverOf',
};

/** No object that holds machines, data, or tenants would be created again under another name. */
const RENAMED: StepPrecondition = {
  id: 'renamed',
  judge: async ({ assembly: { objects, removals = [] }, manifests, places, read, only }) => {
    const known = places.flatMap(({ target: { name: target }, entries }) => entries.map((entry) => ({ target, entry })));
    const formers = undeclaredIn(known, objects.map((object) => ({ object, manifest: manifests.get(object.id)! })));
    const applied = appliedIn(places);
    const renamed = renamings(objects, formers, removals, ({ id }) => applied.has(id)).filter(({ object: { id } }) => id === (only ?? id));
    const problems = renamedProblems(await Promise.all(renamed.map(async (each) => ({ ...each, ...liveOf(await read(each.target, each.entry)) }))));
    return new Map(renamed.map(({ object: { id } }) => [id, problems.get(id)]));
  },
};

/** No Harvester that is registered as one Cluster becomes another one. */
const FORMER_IMPORT: StepPrecondition = {
  id: 'former-import',
  judge: async (sight) => {
    const { assembly, graph, manifests, read, signal } = sight;
    const { objects, targets, removals = [] } = assembly;
    const found = await createdClusters(sight);
    if (found.length === 0) { return new Map(); }
    const harvesters = targets.filter(({ kind }) => kind === 'harvester')
      .map(({ name }) => ({ name, imports: new Set(importsOf(name, assembly, graph, manifests)) }));
    const importersOf = (id: string): string[] => harvesters.filter(({ imports }) => imports.has(id)).map(({ name }) => name);
    const created = found.map((each) => ({ ...each, harvesters: importersOf(each.id) }));
    const open = new Set(sight.places.map(({ target }) => target.name));
    const named = objects.filter((object) => open.has(object.target) && namesCluster(object))
      .map(({ id, target }) => ({ id, target, manifest: manifests.get(id)! }))
      .filter((object) => hasName(object.manifest) && created.some((each) => namesImport(each, object)));
    const naming = await inParallel(named, ({ target }) => target, CONCURRENCY, async (object) => {
      const seen = await read(object.target, refOf(object.manifest)).catch(onFailure(['forbidden', 'not-found'], () => undefined));
      return { ...object, ...liveOf(seen) };
    }, signal);
    const declared = new Set(objects.map((object) => refId(object.target, object)));
    const isDeclared = (id: string): boolean => declared.has(id);
    const problems = await inEach(sight, async ({ target: { name }, cluster }) => (
      formerImports(created.filter(({ target }) => target === name), naming, { target: name, cluster, removals, isDeclared, signal })));
    return new Map(created.filter((each) => named.some((object) => namesImport(each, object))).map(({ id }) => [id, problems.get(id)]));
  },
};

const STEP_PRECONDITIONS: readonly StepPrecondition[] = [RECREATED, SHARED_ID, RENAMED, FORMER_IMPORT];

/** The refusals of steps, by the IDs of their objects. */
export async function refusedSteps(sight: Sight): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  for (const { judge } of STEP_PRECONDITIONS) {
    for (const [id, problem] of problemsIn(await judge(sight))) { if (!refused.has(id)) { refused.set(id, problem); } }
  }
  return refused;
}

/** The preconditions that a run judges again where it executes a step, by the ID of its object. */
export type StepPreconditions = ReadonlyMap<string, readonly StepPrecondition[]>;

/** Throws if a step must not be executed, before anything is written. */
export async function checkSteps(sight: Sight): Promise<StepPreconditions> {
  const carried = new Map<string, StepPrecondition[]>();
  for (const precondition of STEP_PRECONDITIONS) {
    const { judge, again, error = unwritten } = precondition;
    const judged = await judge(sight);
    const problems = problemsIn(judged);
    if (problems.size > 0) { throw new Error(error(problems)); }
    for (const id of again === undefined ? judged.keys() : []) { remembered(carried, id, () => []).push(precondition); }
  }
  return carried;
}

/** Throws if a step must no longer be executed. */
export async function checkStep(id: string, preconditions: StepPreconditions, sight: Sight): Promise<void> {
  for (const { judge } of preconditions.get(id) ?? []) {
    const problem = (await judge({ ...sight, only: id })).get(id);
    if (problem !== undefined) { throw new Error(problem); }
  }
}

function problemsIn(judged: Judged): ReadonlyMap<string, string> {
  return new Map([...judged].flatMap(([id, problem]) => (problem === undefined ? [] : [[id, problem] as const])));
}

function unwritten(problems: ReadonlyMap<string, string>): string {
  return `nothing was written\n${[...problems].map(([id, problem]) => `${id}: ${problem}`).join('\n')}`;
}

/** Clusters that an apply creates, or may: those that no inventory knows, and those that no longer exist. */
async function createdClusters({ assembly: { objects }, manifests, places, read, only }: Sight): Promise<NewCluster[]> {
  const applied = appliedIn(places);
  const ranchers = new Set(places.filter(({ target: { kind } }) => kind === 'rancher').map(({ target: { name } }) => name));
  const clusters = objects.filter((object) => ranchers.has(object.target) && isCluster(object) && object.id === (only ?? object.id))
    .map(({ id, target }) => ({ id, target, manifest: manifests.get(id)! }));
  const isCreated = await Promise.all(clusters.map(async ({ id, target, manifest }) => (
    !applied.has(id) || (hasName(manifest) && await read(target, refOf(manifest)) === undefined))));
  return clusters.filter((_, index) => isCreated[index]);
}

/** The IDs of objects that an earlier run wrote. */
function appliedIn(places: readonly SeenPlace[]): ReadonlySet<string> {
  return new Set(places.flatMap(({ entries }) => entries.flatMap(({ id, uid }) => (uid === undefined ? [] : [id]))));
}

/** The problems on each Rancher. */
async function inEach({ places }: Sight, judge: (place: SeenPlace) => Promise<ReadonlyMap<string, string>>): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(places.filter(({ target: { kind } }) => kind === 'rancher').map(judge));
  return new Map(found.flatMap((problems) => [...problems]));
}

function liveOf(seen: LiveObject | 'unreadable' | undefined): { readonly live?: LiveObject } {
  return seen === undefined || seen === 'unreadable' ? {} : { live: seen };
}

function hasName({ metadata }: Manifest): boolean {
  return !hasLateName(metadata);
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
