import { RunSummary } from './context/events';
import { RunContext, RunOptions } from './context/run-context';
import { ApplyWays, ApplyWorker, inventoryEntryOf } from './work/apply-worker';
import { Outcomes, runNodes, summaryOf } from './work/outcomes';
import { PlanKeeper, planRun, Turns } from './work/plan-of-run';
import { Prune, undeclaredOf } from './work/prune';
import { alwaysAsks } from '../../core/kind/retention';
import { hasLateName, listsObjects } from '../../core/late/late-token';
import { compare } from '../../core/text/values';
import { RunProgram } from '../auth/run-program';
import { checkTakeFieldsFrom } from '../fields/managed-fields';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { importsOf, deletionScopeOf } from '../graph/reverse-graph';
import { InventoryEntry, KnownTarget } from '../inventory/inventory';
import { isRemoved } from '../inventory/removed-targets';
import { LateResolver, LateResolverOptions } from '../late/late-resolver';
import { optionsOfPlan, Plan, RollsOf } from '../plan/plan';
import { checkAppOfPlan } from '../plan/plan-file';
import { beginPermitted, checkPermissions } from './context/run-permissions';
import { whereToLook } from '../ready/wait-ready';

/** Options of an apply. */
export interface ApplyRunOptions extends RunOptions {
  /**
   * Wait until every object is ready; apply always waits for objects that others depend on.
   * @default false
   */
  readonly wait?: boolean;
  /** Delete or reset objects that are no longer declared. @default true */
  readonly prune?: boolean;
  /**
   * Accept a program that declares none of the objects that its app applied before.
   * @default false
   */
  readonly acceptEmpty?: boolean;
  /**
   * Also prune objects that hold machines or data: Clusters with machines, virtual machines,
   * volumes. A plan records it.
   * @default false
   */
  readonly pruneMachines?: boolean;
  /**
   * Delete images whose download or upload failed, and create them again, if nothing uses them.
   * Cannot be combined with a plan.
   * @default false
   */
  readonly recreateFailedImages?: boolean;
  /**
   * Do exactly what this plan contains; refuse another state of the clusters.
   * @default - plan during the apply
   */
  readonly plan?: Plan;
  /** Write nothing if machines of guest clusters would be replaced or deleted. @default false */
  readonly failOnMachineLoss?: boolean;
  /** Finds the machines that a change replaces or deletes. */
  readonly rolls: RollsOf;
}

/**
 * Applies a program. Throws if it cannot begin; objects that fail are in the summary, and another
 * apply resumes.
 *
 * @param how whether objects wait for those that they depend on to be ready
 */
export async function applyProgram(
  program: RunProgram,
  given: ApplyRunOptions,
  how: Partial<Pick<ApplyWays, 'awaitsReady'>> = {},
): Promise<RunSummary> {
  const options = given.plan ? withPlan(given.plan, given) : given;
  checkTakeFieldsFrom(options, options.app.fieldManager);
  refuseCombinations(given);
  const graph = buildGraph(program.assembly, program.manifests);
  const run = new RunContext(program, options);
  const outcomes = await run.during(async () => applyObjects(run, graph, options, how));
  return summaryOf(outcomes, run);
}

function refuseCombinations(given: ApplyRunOptions): void {
  if (given.failOnMachineLoss && given.pruneMachines) {
    throw new Error(
      '--fail-on-machine-loss and --prune-machines exclude each other. Fix: set one of them',
    );
  }
  if (given.plan && given.recreateFailedImages) {
    throw new Error(
      '--recreate-failed-images: cannot be combined with a saved plan. Fix: run apply with the output folder',
    );
  }
}

async function applyObjects(
  run: RunContext,
  graph: ApplyGraph,
  options: ApplyRunOptions,
  how: Partial<Pick<ApplyWays, 'awaitsReady'>>,
): Promise<Outcomes> {
  const { program } = run;
  const { lateValues, objects: written } = program.assembly;
  await beginPermitted(run, { written, lateValues, gone: [], ends: false });
  run.checkIds();
  const left = options.prune === false ? [] : undeclaredOf(run);
  const gone = options.pruneMachines ? left : left.filter(({ entry }) => !alwaysAsks(entry));
  await checkPermissions(run, { written, lateValues, gone, ends: false });
  const { timeoutMs, clock, random, plan: saved } = options;
  const resolver = new LateResolver(program.assembly, program.targets, {
    signal: run.stop,
    timeoutMs,
    clock,
    random,
    onWait: lateWaits(run, graph),
  });
  await resolver.checkLookUps();
  const planned = await planRun(run, graph, options);
  await run.expect(expected(run), knownTargets(program, graph));
  const nodes = [...graph.nodes.values()].filter(({ object, late }) => object ?? late);
  options.onEvent?.({
    type: 'start',
    command: 'apply',
    nodes: nodes.length,
    targets: program.assembly.targets.map(({ name }) => name),
  });
  const prune = options.prune === false ? undefined : new Prune(run, planned, options);
  const early: Outcomes = (await prune?.first()) ?? new Map();
  const keeper = saved && new PlanKeeper(saved, planned.plan);
  const worker = new ApplyWorker(run, resolver, new Turns(run, planned, early), keeper, {
    ...how,
    recreatesImages: options.recreateFailedImages,
  });
  const applied = await runNodes(graph, worker, run, options.wait === true);
  return new Map([...early, ...applied, ...((await prune?.rest(applied)) ?? [])]);
}

/** Reports why a late value is not known yet. */
function lateWaits(run: RunContext, graph: ApplyGraph): LateResolverOptions['onWait'] {
  const nodes = new Map(
    [...graph.nodes.values()].flatMap(({ id, late }) => (late ? [[late.id, id] as const] : [])),
  );
  return ({ id, description, source }, why, limitMs) => {
    const node = nodes.get(id);
    if (node === undefined) {
      return;
    }
    run.emit(node, 'target' in source ? source.target : '', 'waiting', `${description}: ${why}`, {
      limitSeconds: Math.round(limitMs / 1000),
      ...('kind' in source && !listsObjects(source.resolver) ? { hint: whereToLook(source) } : {}),
    });
  };
}

/**
 * Every object enters the inventory before it is written; objects with late names follow once the
 * names are known.
 */
function expected({ program }: RunContext): Map<string, InventoryEntry[]> {
  const { assembly, manifests } = program;
  const entries = new Map<string, InventoryEntry[]>(assembly.targets.map(({ name }) => [name, []]));
  for (const object of assembly.objects) {
    if (!hasLateName(object)) {
      entries.get(object.target)!.push(inventoryEntryOf(object, manifests.get(object.id)!));
    }
  }
  return entries;
}

/** What inventories record of the targets of a program. */
function knownTargets(
  { assembly, manifests, leftOut }: RunProgram,
  graph: ApplyGraph,
): { [name: string]: KnownTarget } {
  // what is left out belongs to them, too: the records of whole runs remain
  if (leftOut) {
    return {};
  }
  return Object.fromEntries(
    assembly.targets
      .filter((target) => !isRemoved(target))
      .map(({ name, kind, version }) => {
        if (kind !== 'harvester') {
          return [name, { kind, version }];
        }
        const ids = new Set(
          assembly.objects.filter(({ target }) => target !== name).map(({ id }) => id),
        );
        const parts = [...deletionScopeOf(name, assembly, graph, manifests)]
          .filter((id) => ids.has(id))
          .sort(compare);
        return [
          name,
          { kind, version, imports: importsOf(name, assembly, graph, manifests), parts },
        ];
      }),
  );
}

/** Applies the options that a plan was made with. */
function withPlan(plan: Plan, given: ApplyRunOptions): ApplyRunOptions {
  checkAppOfPlan(plan, given.app.id);
  return {
    ...given,
    ...optionsOfPlan(plan, given),
    acceptEmpty: given.acceptEmpty || plan.acceptEmpty,
  };
}
