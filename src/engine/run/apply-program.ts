import { ApplyWorker, entryOf } from './apply-worker';
import { RunSummary } from './events';
import { isLive, leftoversOf, liveManifests, prune } from './leftovers';
import { Outcomes, allDone, runNodes, summaryOf } from './outcomes';
import { planRun } from './plan-of-run';
import { Program, RunContext, RunOptions } from './run-context';
import { importsOf, scopeOf } from './scope';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { alwaysAsks } from '../../core/kind/retention';
import { hasLateName } from '../../core/late/late-token';
import { compare } from '../../core/text/values';
import { checkAdoptFrom, optionsOfPlan } from '../fields/managed-fields';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { InventoryEntry, KnownTarget } from '../inventory/inventory';
import { isRemoved } from '../inventory/removed-targets';
import { Leftover } from '../inventory/undeclared';
import { LateResolver } from '../late/late-resolver';
import { forcedByPlan } from '../plan/open-targets';
import { Plan, RollsOf } from '../plan/plan';
import { checkAppOfPlan } from '../plan/plan-file';
import { inTheWay, stillTaken } from '../precondition/in-the-way';
import { keptOf } from '../precondition/kept';
import { HALF_CONNECTED, OTHER_PROGRAM, checkRun } from '../precondition/run-preconditions';
import { beginPermitted, checkPermissions } from '../preflight/preflight';

/** Options of an apply. */
export interface ApplyRunOptions extends RunOptions {
  /** Wait until every object is ready; apply always waits for objects that others depend on. @default false */
  readonly wait?: boolean;
  /** Delete or reset objects that are no longer declared. @default true */
  readonly prune?: boolean;
  /** Accept a program that declares none of the objects that its app applied before. @default false */
  readonly allowEmpty?: boolean;
  /**
   * Also prune objects that hold machines or data: Clusters with machines, virtual machines, volumes. A plan records it.
   *
   * @default false
   */
  readonly pruneMachines?: boolean;
  /**
   * Delete images whose download or upload failed, and create them again, if nothing uses them. Cannot be combined with a plan.
   *
   * @default false
   */
  readonly recreateFailedImages?: boolean;
  /** Do exactly what this plan contains; refuse another state of the clusters. @default - plan during the apply */
  readonly plan?: Plan;
  /** Write nothing if machines of guest clusters would be replaced or deleted. @default false */
  readonly keepMachines?: boolean;
  /** Finds the machines that a change replaces or deletes. */
  readonly rolls: RollsOf;
}

/** Applies a program. Throws if it cannot begin; objects that fail are in the summary, and another apply resumes. */
export async function applyProgram(program: Program, given: ApplyRunOptions): Promise<RunSummary> {
  const options = given.plan ? withPlan(given.plan, given) : given;
  checkAdoptFrom(options, options.app.fieldManager);
  if (given.keepMachines && given.pruneMachines) { throw new Error('--keep-machines and --prune-machines exclude each other. Fix: set one of them'); }
  if (given.plan && given.recreateFailedImages) { throw new Error('--recreate-failed-images: cannot be combined with a saved plan. Fix: run apply with the output folder'); }
  const takesMachines = options.pruneMachines === true;
  const graph = buildGraph(program.assembly, program.manifests);
  const run = new RunContext(program, options);
  const outcomes = await run.during<Outcomes>(async () => {
    const { lateValues, objects: written } = program.assembly;
    await beginPermitted(run, { written, lateValues, gone: [], ends: false });
    run.checkIds();
    const left = leftoversOf(run);
    const gone = options.prune === false ? [] : left.filter(isPlanned(options.plan));
    const mayBeOther = options.prune === false || options.allowEmpty || options.plan?.allowEmpty;
    checkRun(run.beginning(gone.map(({ entry }) => entry)), ...mayBeOther ? [] : [OTHER_PROGRAM], HALF_CONNECTED);
    await checkPermissions(run, { written, lateValues, gone: takesMachines ? gone : gone.filter(({ entry }) => !alwaysAsks(entry)), ends: false });
    const { timeoutMs, clock, random } = options;
    const resolver = new LateResolver(program.assembly, program.targets, { signal: run.stop, timeoutMs, clock, random });
    await resolver.checkLookUps();
    const { plan: saved, rolls, keepMachines } = options;
    const planned = await planRun(run, graph, { saved, rolls, keepMachines, undeclared: left, gone: takesMachines ? gone : [] });
    await run.expect(expected(run), knownTargets(program, graph));
    const nodes = [...graph.nodes.values()].filter(({ object, late }) => object ?? late);
    options.onEvent?.({ type: 'start', command: 'apply', nodes: nodes.length, targets: program.assembly.targets.map(({ name }) => name) });
    const early = options.prune === false ? new Map() : await pruneFirst(leftoversOf(run).filter(isPlanned(options.plan)), run, takesMachines);
    const applied = await runNodes(graph, new ApplyWorker(run, resolver, planned, options.recreateFailedImages), run, options.wait === true);
    return new Map([...early, ...options.prune === false ? applied : await pruneAfter(applied, run, options.plan, takesMachines)]);
  });
  return summaryOf(outcomes, run);
}

/** Deletes objects first whose unique values declared objects need, if nothing is lost with them. */
async function pruneFirst(leftovers: readonly Leftover[], run: RunContext, takesMachines: boolean): Promise<Outcomes> {
  const { program: { assembly, manifests } } = run;
  const holders = leftovers.filter(({ entry }) => kindOf<KindRemoval>(entry)?.unique);
  const declared = assembly.objects.filter((object) => kindOf<KindRemoval>(object)?.unique)
    .map(({ id, target }) => ({ id, target, manifest: manifests.get(id)! }));
  if (holders.length === 0 || declared.length === 0) { return new Map(); }
  const found = await liveManifests(holders, run);
  const there = holders.flatMap(({ target, entry }) => {
    const live = found.get(entry.id);
    return isLive(live) ? [{ target, entry, live }] : [];
  });
  const { fieldManager } = run.fields;
  const kept = new Map(there.map(({ target, entry, live }) => [entry.id, keptOf(entry, live, target, { fieldManager })?.why]));
  const ways = inTheWay(declared, there, (id) => kept.get(id));
  const only = new Set(ways.filter(({ stays }) => stays === undefined).map(({ by }) => by));
  const outcomes: Outcomes = only.size === 0 ? new Map() : await prune(leftovers, run, takesMachines, only);
  const targets = new Map(declared.map(({ id, target }) => [id, target]));
  for (const way of ways) {
    const outcome = outcomes.get(way.by);
    const why = way.stays ?? (outcome?.state === 'failed' ? outcome.error.message : outcome && 'reason' in outcome ? outcome.reason : undefined);
    if (why !== undefined) { run.warn(`${way.id} ${stillTaken(way, why)}`, targets.get(way.id), way.id); }
  }
  return outcomes;
}

/** Prunes only if everything else is applied: an object that failed may still need one that is no longer declared. */
async function pruneAfter(outcomes: Outcomes, run: RunContext, plan: Plan | undefined, takesMachines: boolean): Promise<Outcomes> {
  const leftovers = leftoversOf(run).filter(isPlanned(plan));
  if (leftovers.length === 0) { return outcomes; }
  if (allDone(outcomes)) { return new Map([...outcomes, ...await pruned(leftovers, run, takesMachines)]); }
  run.warn(`${counted(leftovers)} until everything else is applied`);
  return new Map([...outcomes, ...leftovers.map(({ entry: { id } }) => [id, { state: 'pending', acted: false }] as const)]);
}

/** Whether a plan contains the deletion or reset of an object; without a plan, always. */
function isPlanned(plan: Plan | undefined): (leftover: Leftover) => boolean {
  const planned = plan && new Set(plan.steps.filter(({ action, refused }) => PRUNES.includes(action) && refused === undefined).map(({ id }) => id));
  return ({ entry }) => planned?.has(entry.id) ?? true;
}

// the inventory must record what was applied even if the prune fails
async function pruned(leftovers: readonly Leftover[], run: RunContext, takesMachines: boolean): Promise<Outcomes> {
  try {
    return await prune(leftovers, run, takesMachines);
  } catch (error) {
    const outcome = run.stop.aborted ? { state: 'pending', acted: false } as const : { state: 'failed', error: error as Error, acted: false } as const;
    return new Map(leftovers.map(({ entry: { id } }) => [id, outcome]));
  }
}

const PRUNES: readonly string[] = ['prune', 'keep', 'reset'];

function counted(leftovers: readonly Leftover[]): string {
  return leftovers.length === 1 ? '1 object that is no longer declared is kept' : `${leftovers.length} objects that are no longer declared are kept`;
}

/** Every object enters the inventory before it is written; objects with late names follow once the names are known. */
function expected({ program: { assembly, manifests } }: RunContext): Map<string, InventoryEntry[]> {
  const entries = new Map<string, InventoryEntry[]>(assembly.targets.map(({ name }) => [name, []]));
  for (const object of assembly.objects) {
    if (!hasLateName(object)) { entries.get(object.target)!.push(entryOf(object, manifests.get(object.id)!)); }
  }
  return entries;
}

/** What inventories record of the targets of a program. */
function knownTargets({ assembly, manifests }: Program, graph: ApplyGraph): { [name: string]: KnownTarget } {
  return Object.fromEntries(assembly.targets.filter((target) => !isRemoved(target)).map(({ name, kind, version }) => {
    if (kind !== 'harvester') { return [name, { kind, version }]; }
    const ids = new Set(assembly.objects.filter(({ target }) => target !== name).map(({ id }) => id));
    const parts = [...scopeOf(name, assembly, graph, manifests)].filter((id) => ids.has(id)).sort(compare);
    return [name, { kind, version, imports: importsOf(name, assembly, graph, manifests), parts }];
  }));
}

/** Applies the options that a plan was made with. */
function withPlan(plan: Plan, given: ApplyRunOptions): ApplyRunOptions {
  checkAppOfPlan(plan, given.app.id);
  if (given.pruneMachines && !plan.pruneMachines) { throw new Error('the plan keeps machines and data. Fix: make a new plan with --prune-machines'); }
  return { ...given, ...optionsOfPlan(plan, given), pruneMachines: plan.pruneMachines, forceConflicts: forcedByPlan(plan, given.forceConflicts) };
}
