import { asMember } from './apply-set';
import { ApplyWorker, entryOf } from './apply-worker';
import { RunSummary } from './events';
import { inventoryReader } from './inventory';
import { Leftover, leftoversOf, prune } from './leftovers';
import { allDone, Outcomes, runNodes, summaryOf } from './outcomes';
import { PlanKeeper } from './plan-keeper';
import { Program, RunContext, RunOptions } from './run-context';
import { isLate } from '../../model/late-token';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { LateResolver } from '../late/late-resolver';
import { InventoryEntry } from '../plan/inventory-reader';
import { makePlan } from '../plan/make-plan';
import { Plan } from '../plan/plan';
import { verifyPlan } from '../plan/verify-plan';

export type { Program } from './run-context';

/** How an apply runs. */
export interface ApplyRunOptions extends RunOptions {
  /** Waits at the end until every object is ready; those that others wait for are always waited for. @default false */
  readonly wait?: boolean;
  /** Takes away what is no longer declared. @default true */
  readonly prune?: boolean;
  /** Prunes also where nothing that was applied before is declared any more. @default false */
  readonly allowEmpty?: boolean;
  /** Nothing else is done than this says; another state of the clusters is refused. */
  readonly plan?: Plan;
}

/**
 * Brings the clusters to what a program says. Throws where it must not begin; what fails on the way is in the summary, and running it again goes on.
 */
export async function applyProgram(program: Program, options: ApplyRunOptions): Promise<RunSummary> {
  const graph = buildGraph(program.assembly, program.manifests);
  checkIds(program, [...options.forceConflicts ?? []]);
  const run = new RunContext(program, options);
  const started = run.pacing.clock.now();
  let outcomes: Outcomes;
  try {
    await run.begin();
    if (options.prune !== false && !options.allowEmpty) { checkNotEmpty(run); }
    const keeper = options.plan ? await checkedPlan(options.plan, graph, run) : undefined;
    await run.expect(expected(run));
    const nodes = [...graph.nodes.values()].filter(({ object, late }) => object ?? late);
    options.onEvent?.({ type: 'start', command: 'apply', nodes: nodes.length, targets: program.assembly.targets.map(({ name }) => name) });
    const { timeoutMs, clock, random } = options;
    const late = new LateResolver(program.assembly, program.targets, { signal: run.stop, timeoutMs, clock, random });
    outcomes = await runNodes(graph, new ApplyWorker(run, late, keeper), run, options.wait === true);
    if (options.prune !== false) { outcomes = await pruneAfter(outcomes, run, options.plan); }
  } catch (error) {
    await run.release();
    throw error;
  }
  await run.end(async ({ keeper }) => keeper.save(AbortSignal.timeout(END_MS)));
  const summary = summaryOf(outcomes, run, started);
  options.onEvent?.({ type: 'end', summary });
  return summary;
}

/** What is left to write at the end gets so long. */
const END_MS = 20_000;

/** Only when everything else is as declared: something that failed may still need what is no longer declared. */
async function pruneAfter(outcomes: Outcomes, run: RunContext, plan: Plan | undefined): Promise<Outcomes> {
  const planned = plan && new Set(plan.steps.filter(({ action, refused }) => PRUNES.includes(action) && refused === undefined).map(({ id }) => id));
  const leftovers = leftoversOf(run).filter(({ entry }) => planned?.has(entry.id) ?? true);
  if (leftovers.length === 0) { return outcomes; }
  if (allDone(outcomes)) { return new Map([...outcomes, ...await pruned(leftovers, run)]); }
  run.warn(`${counted(leftovers)} until everything else is applied`);
  return outcomes;
}

// what was applied before is done, and to be remembered, whatever comes of this
async function pruned(leftovers: readonly Leftover[], run: RunContext): Promise<Outcomes> {
  try {
    return await prune(leftovers, run);
  } catch (error) {
    const outcome = run.stop.aborted ? { state: 'pending', acted: false } as const : { state: 'failed', error: error as Error, acted: false } as const;
    return new Map(leftovers.map(({ entry: { id } }) => [id, outcome]));
  }
}

const PRUNES: readonly string[] = ['prune', 'keep', 'reset'];

function counted(leftovers: readonly Leftover[]): string {
  return leftovers.length === 1 ? '1 object that is no longer declared stays' : `${leftovers.length} objects that are no longer declared stay`;
}

/** Every object goes into the inventory before it is written; those whose names are late follow when these are known. */
function expected({ program: { assembly, manifests } }: RunContext): Map<string, InventoryEntry[]> {
  const entries = new Map<string, InventoryEntry[]>(assembly.targets.map(({ name }) => [name, []]));
  for (const object of assembly.objects) {
    if (!isLate(object.name) && !isLate(object.namespace ?? '')) { entries.get(object.target)!.push(entryOf(object, manifests.get(object.id)!)); }
  }
  return entries;
}

/** A program that shares nothing with what its app applied before is most likely another one, or empty by mistake. */
function checkNotEmpty(run: RunContext): void {
  const { app } = run.options;
  const declared = new Set(run.program.assembly.objects.map(({ id }) => id));
  const before = run.open.flatMap(({ stored }) => stored?.entries ?? []);
  if (before.length === 0 || before.some(({ id }) => declared.has(id))) { return; }
  throw new Error(`none of the ${before.length} objects that app ${app.id} applied before is in this program: all of them would be taken away; `
    + 'if this is another program, give it its own --app; if they shall really go, give --allow-empty, or use destroy');
}

async function checkedPlan(plan: Plan, graph: ApplyGraph, run: RunContext): Promise<PlanKeeper> {
  const { app } = run.options;
  const fresh = await makePlan({ ...run.program, graph }, {
    fieldManager: app.fieldManager,
    inventory: inventoryReader(app),
    late: new LateResolver(run.program.assembly, run.program.targets, { signal: run.stop }),
    finish: asMember(app),
    signal: run.stop,
  });
  const mismatches = verifyPlan(plan, fresh);
  if (mismatches.length > 0) {
    const lines = mismatches.map(({ id, target, message }) => `  ${id ?? (target ? `target ${target}` : 'plan')}: ${message}`);
    throw new Error(`the clusters or the program are not as they were when the plan was made; nothing was written\n${run.redactor.scrub(lines.join('\n'))}\nmake a new plan`);
  }
  return new PlanKeeper(plan, fresh);
}

function checkIds({ assembly }: Program, ids: readonly string[]): void {
  const known = new Set(assembly.objects.map(({ id }) => id));
  const wrong = ids.filter((id) => !known.has(id));
  if (wrong.length > 0) { throw new Error(`--force-conflicts: no such object: ${wrong.join(', ')}; give ids as plan prints them, e.g. ${assembly.objects[0]?.id ?? 'rancher//Namespace//shop'}`); }
}
