import { PlanKeeper } from './plan-keeper';
import { Place, RunContext } from './run-context';
import { printName } from '../../core/manifest/manifest';
import { isCluster, isClusterPart } from '../../guest/cluster/cluster.kind';
import { ApplyGraph } from '../graph/graph';
import { asMember } from '../inventory/apply-set';
import { Leftover } from '../inventory/undeclared';
import { LateResolver } from '../late/late-resolver';
import { PlanOptions, makePlan } from '../plan/make-plan';
import { MachineLoss, Plan, PlanStep, RollsOf, labelOf, lossText } from '../plan/plan';
import { verifyPlan } from '../plan/plan-file';
import { Sight, checkStep, checkSteps } from '../precondition/step-preconditions';
import { ApiError } from '../transport/api';

/** What an apply knows before it plans. */
interface RunPlanOptions {
  readonly rolls: RollsOf;
  /** The saved plan that the run carries out. @default - none */
  readonly saved?: Plan;
  /** Throw if machines would be replaced or deleted. */
  readonly keepMachines?: boolean;
  /** The objects that the program no longer declares. */
  readonly undeclared: readonly Leftover[];
  /** Those that the run deletes with their machines and data. */
  readonly gone: readonly Leftover[];
}

/** What holds a run to what was judged before it wrote anything. */
export interface RunPlan {
  /** @default - without a saved plan */
  readonly keeper?: PlanKeeper;
  /** Throws if the step of an object must no longer be executed. */
  readonly check: (id: string) => Promise<void>;
}

/** An apply ended before it wrote anything, since it would have replaced or deleted machines: `keepMachines`. */
export class MachinesKept extends Error {
  public override readonly name = 'MachinesKept';
}

/**
 * Plans an apply before anything is written, and throws if it must not begin: if a precondition of a step does not hold, or a saved plan is out of date.
 * Reports the machines of guest clusters that are replaced or deleted. Without a saved plan, only the Clusters and machine configurations that exist already
 * are planned: no other step can be refused before its turn.
 *
 */
export async function planRun(run: RunContext, graph: ApplyGraph, options: RunPlanOptions): Promise<RunPlan> {
  const { saved, keepMachines, gone, undeclared } = options;
  const sight = sightOf(run, graph);
  const preconditions = await checkSteps(sight);
  const pooled = run.open.filter((place) => hasPools(place) || mayAdopt(place, run));
  const going = new Set(gone.map(({ entry: { id } }) => id));
  const plans: Plan[] = [];
  if (saved) {
    plans.push(await makeFor(run, graph, options.rolls, { pruneMachines: saved.pruneMachines }));
    checkCurrent(saved, plans[0], run);
  }
  for (const { target: { name } } of saved ? [] : pooled) {
    try {
      plans.push(await makeFor(run, graph, options.rolls, {
        // what is deleted is known
        pruneMachines: true,
        only: (target, entry, isLeft) => target === name && isClusterPart(entry) && (!isLeft || !isCluster(entry) || going.has(entry.id)),
      }));
    } catch (error) {
      if (keepMachines || !(error instanceof ApiError) || error.failure === 'aborted') { throw error; }
      run.warn(`cannot determine which machines are replaced: ${error.message}`, name);
    }
  }
  // a run looks again at each object in its turn
  run.seen.forgetObjects();
  const kept = new Set(undeclared.filter(({ entry }) => isCluster(entry) && !going.has(entry.id)).map(({ target, entry }) => `${target} ${printName(entry)}`));
  reportRolls(run, plans, pooled, keepMachines, kept);
  // time has passed when a step is executed
  const read: Sight['read'] = async (target, ref) => (await run.place(target, () => undefined)).cluster.read(ref, { signal: run.stop });
  return { keeper: saved && new PlanKeeper(saved, plans[0]), check: async (id) => checkStep(id, preconditions, { ...sight, read }) };
}

async function makeFor(run: RunContext, graph: ApplyGraph, rolls: RollsOf, options: Partial<PlanOptions>): Promise<Plan> {
  const { program, options: { app, acceptNewCluster, concurrency }, stop: signal, seen } = run;
  // late values may change before the run uses them
  const late = new LateResolver(program.assembly, program.targets, { signal });
  const plan = await makePlan({ ...program, graph }, {
    ...run.fields,
    ...options,
    acceptNewCluster,
    inventory: async (_, { name }) => run.open.find(({ target }) => target.name === name)?.stored,
    seen,
    late,
    finish: asMember(app),
    concurrency,
    signal,
    rolls,
  });
  for (const secret of late.secrets) { run.redactor.add(secret); }
  return plan;
}

/** Throws if a saved plan is not what an apply would do now. */
function checkCurrent(saved: Plan, fresh: Plan, { redactor }: RunContext): void {
  const mismatches = verifyPlan(saved, fresh);
  if (mismatches.length === 0) { return; }
  const lines = mismatches.map(({ id, target, message }) => `  ${id ?? (target ? `target ${target}` : 'plan')}: ${message}`);
  throw new Error('the plan is out of date: the clusters or the program changed since it was made; nothing was written\n'
    + `${redactor.scrub(lines.join('\n'))}\nFix: make a new plan`);
}

/** Reports the machines that are replaced or deleted, except with the Clusters that are kept: `<target> <namespace>/<name>`. */
function reportRolls(run: RunContext, plans: readonly Plan[], pooled: readonly Place[], keepMachines = false, kept: ReadonlySet<string>): void {
  const scrub = (text: string): string => run.redactor.scrub(text);
  const losses = plans.flatMap(({ rolls }) => rolls).filter(({ target, cluster }) => !kept.has(`${target} ${cluster}`))
    .map((loss): MachineLoss => ({ ...loss, what: scrub(loss.what), causes: loss.causes.map(scrub) }));
  const places = new Set(pooled.map(({ target: { name } }) => name));
  const parts = new Set(run.program.assembly.objects.filter((object) => places.has(object.target) && isClusterPart(object)).map(({ id }) => id));
  const unsure = plans.flatMap(({ steps }) => steps.filter(({ id }) => parts.has(id)).flatMap(doubt));
  for (const loss of losses) { run.options.onEvent?.({ type: 'roll', ...loss }); }
  if (keepMachines && losses.length + unsure.length > 0) { throw new MachinesKept(scrub(refusal([...losses.map(lossText), ...unsure]))); }
  for (const line of unsure) { run.warn(line); }
}

/** What a plan could not determine. */
function doubt(step: PlanStep): string[] {
  const text = `${labelOf(step)} on ${step.target}: cannot determine what happens to machines`;
  if (step.action === 'unknown' && step.live === undefined && step.refused !== undefined) { return [`${text}: ${step.refused}`]; }
  const waits = step.waitsFor.length > 0 && step.live !== undefined && step.changes.length > 0;
  return waits ? [`${text}: it waits for late values (${step.waitsFor.join(', ')})`] : [];
}

function refusal(lines: readonly string[]): string {
  return [
    '--keep-machines: machines would be replaced or deleted; nothing was written',
    ...lines.map((line) => `  ${line}`),
    'Fix: undo the change, or add a new machine pool with it next to the old one; if the machines may be deleted, apply without --keep-machines',
  ].join('\n');
}

/** Objects that others wrote may lose fields when they are adopted. */
function mayAdopt({ target }: Place, { program, options: { adoptFrom = [] } }: RunContext): boolean {
  return adoptFrom.length > 0 && program.assembly.objects.some((object) => object.target === target.name && isClusterPart(object));
}

function hasPools({ target, stored }: Place): boolean {
  return target.kind === 'rancher' && stored?.entries.some((entry) => entry.uid !== undefined && isClusterPart(entry)) === true;
}

/** What preconditions of steps look at. */
function sightOf(run: RunContext, graph: ApplyGraph): Sight {
  const { program: { assembly, manifests }, options: { acceptNewCluster }, seen, stop: signal } = run;
  return {
    assembly,
    graph,
    manifests,
    acceptNewCluster,
    signal,
    places: run.open.map(({ target, cluster, stored }) => ({ target, cluster, entries: stored?.entries ?? [] })),
    read: async (target, ref) => seen.read(target, ref),
    onWarning: (message, target) => { run.warn(message, target); },
  };
}
