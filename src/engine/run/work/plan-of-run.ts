import { Outcomes } from './outcomes';
import { hasLateName } from '../../../core/late/late-token';
import { refId } from '../../../core/manifest/manifest';
import { remembered } from '../../../core/text/values';
import { isClusterPart } from '../../../guest/cluster/cluster.kind';
import { Cluster, LiveObject, refOf } from '../../cluster/cluster';
import { EngineError } from '../../engine-error';
import { withMembership } from '../../fields/apply-set';
import { ApplyGraph } from '../../graph/graph';
import { LateResolver } from '../../late/late-resolver';
import { labelOf, lossText, MachineLoss, Plan, PlanStep, RollsOf } from '../../plan/plan';
import { verifyPlan } from '../../plan/plan-file';
import { Planned, planSteps } from '../../plan/steps/make-plan';
import { PlannedObject, planObject } from '../../plan/steps/plan-object';
import { MakePlanOptions } from '../../plan/steps/planning';
import { JudgedStep } from '../../precondition/step-preconditions';
import { ObjectPlace, RunContext } from '../context/run-context';

/** How an apply plans. */
interface RunPlanOptions extends Pick<MakePlanOptions, 'prune' | 'pruneMachines' | 'acceptEmpty'> {
  readonly rolls: RollsOf;
  /** The saved plan that the run carries out. @default - none */
  readonly plan?: Plan;
  /** Throw if machines would be replaced or deleted. */
  readonly failOnMachineLoss?: boolean;
}

/**
 * An apply ended before it wrote anything, since it would have replaced or deleted machines:
 * `failOnMachineLoss`.
 */
export class MachinesKept extends EngineError {
  public override readonly name = 'MachinesKept';

  public constructor(message: string) {
    super('machine-loss', message);
  }
}

/**
 * Plans an apply before anything is written, and throws if it must not begin: if a precondition
 * does not hold, or a saved plan is out of date. Reports the machines of guest clusters that are
 * replaced or deleted. Without a saved plan, only the Clusters and machine configurations that
 * exist already are compared: no other step can be refused before its turn.
 */
export async function planRun(
  run: RunContext,
  graph: ApplyGraph,
  options: RunPlanOptions,
): Promise<Planned> {
  const { plan: saved, failOnMachineLoss } = options;
  const pooled = new Set(
    run.open
      .filter((place) => hasPools(place) || mayAdopt(place, run))
      .map(({ target }) => target.name),
  );
  const planned = await planFor(
    run,
    graph,
    options,
    saved
      ? undefined
      : {
          looksAt: (object) => pooled.has(object.target) && isClusterPart(object),
          onFailure: failOnMachineLoss
            ? undefined
            : (target, { message }) => {
                run.warn(`cannot determine which machines are replaced: ${message}`, target);
              },
        },
  );
  const { plan } = planned;
  if (saved) {
    checkCurrent(saved, plan, run);
  }
  // a run looks again at each object in its turn
  run.seen.forgetObjects();
  reportRolls(run, plan, pooled, failOnMachineLoss);
  return planned;
}

async function planFor(
  run: RunContext,
  graph: ApplyGraph,
  options: RunPlanOptions,
  brief: MakePlanOptions['brief'],
): Promise<Planned> {
  const { program, stop: signal, seen } = run;
  const { app } = run.options;
  // late values may change before the run uses them
  const late = new LateResolver(program.assembly, program.targets, { signal });
  const planned = await planSteps(
    { ...program, graph },
    {
      ...run.options,
      ...options,
      ...run.fields,
      brief,
      app: app.id,
      // what is not deleted may be of another program
      acceptEmpty: options.acceptEmpty || options.prune === false,
      inventory: async (_, { name }) => run.open.find(({ target }) => target.name === name)?.stored,
      seen,
      late,
      finish: withMembership(app),
      signal,
      onWarning: ({ id, target }, message) => {
        run.warn(message, target, id);
      },
    },
  );
  for (const secret of late.secrets) {
    run.redactor.add(secret);
  }
  return planned;
}

/** Throws if a saved plan is not what an apply would do now. */
function checkCurrent(saved: Plan, fresh: Plan, { redactor }: RunContext): void {
  const mismatches = verifyPlan(saved, fresh);
  if (mismatches.length === 0) {
    return;
  }
  const lines = mismatches.map(
    ({ id, target, message }) => `  ${id ?? (target ? `target ${target}` : 'plan')}: ${message}`,
  );
  throw new EngineError(
    'outdated-plan',
    'the plan is out of date: the clusters or the program changed since it was made; nothing was written\n' +
      `${redactor.scrub(lines.join('\n'))}\nFix: make a new plan`,
  );
}

/** Reports the machines that are replaced or deleted. */
function reportRolls(
  run: RunContext,
  { rolls, steps }: Plan,
  pooled: ReadonlySet<string>,
  failOnMachineLoss = false,
): void {
  const scrub = (text: string): string => run.redactor.scrub(text);
  const losses = rolls.map((loss): MachineLoss => ({
    ...loss,
    what: scrub(loss.what),
    causes: loss.causes.map(scrub),
  }));
  const parts = new Set(
    run.program.assembly.objects
      .filter((object) => pooled.has(object.target) && isClusterPart(object))
      .map(({ id }) => id),
  );
  const unsure = steps.filter(({ id }) => parts.has(id)).flatMap(doubt);
  for (const loss of losses) {
    run.options.onEvent?.({ type: 'roll', ...loss });
  }
  if (failOnMachineLoss && losses.length + unsure.length > 0) {
    throw new MachinesKept(scrub(refusal([...losses.map(lossText), ...unsure])));
  }
  for (const line of unsure) {
    run.warn(line);
  }
}

/** What a plan could not determine. */
function doubt(step: PlanStep): string[] {
  const text = `${labelOf(step)} on ${step.target}: cannot determine what happens to machines`;
  if (step.action === 'unknown' && step.live === undefined && step.refused !== undefined) {
    return [`${text}: ${step.refused}`];
  }
  const waits = step.waitsFor.length > 0 && step.live !== undefined && step.changes.length > 0;
  return waits ? [`${text}: it waits for late values (${step.waitsFor.join(', ')})`] : [];
}

function refusal(lines: readonly string[]): string {
  return [
    '--fail-on-machine-loss: machines would be replaced or deleted; nothing was written',
    ...lines.map((line) => `  ${line}`),
    'Fix: undo the change, or add a new machine pool with it next to the old one; if the machines may be deleted, apply without --fail-on-machine-loss',
  ].join('\n');
}

/** Objects that others wrote may lose fields when they are adopted. */
function mayAdopt({ target }: ObjectPlace, { program, options }: RunContext): boolean {
  const { takeFieldsFrom = [] } = options;
  return (
    takeFieldsFrom.length > 0 &&
    program.assembly.objects.some(
      (object) => object.target === target.name && isClusterPart(object),
    )
  );
}

function hasPools({ target, stored }: ObjectPlace): boolean {
  return (
    target.kind === 'rancher' &&
    stored?.entries.some((entry) => entry.uid !== undefined && isClusterPart(entry)) === true
  );
}

/** Judges the preconditions of steps again, where a run executes them. */
export class Turns {
  private readonly steps: ReadonlyMap<string, PlanStep>;
  private readonly absent: ReadonlySet<string>;

  /** @param before what became of objects that had to be deleted first */
  public constructor(
    private readonly run: RunContext,
    private readonly planned: Planned,
    private readonly before: Outcomes,
  ) {
    const { steps, targets } = planned.plan;
    this.steps = new Map(steps.map((step) => [step.id, step]));
    this.absent = new Set(
      targets.filter(({ absent }) => absent !== undefined).map(({ name }) => name),
    );
  }

  /**
   * Throws if a step must not be executed. Returns who has access to an object that is adopted from
   * someone else.
   *
   * @param own the live object, if it was read
   */
  public async judge(
    step: JudgedStep,
    { cluster, stored, keeper }: ObjectPlace,
    own?: { readonly live?: LiveObject },
  ): Promise<readonly string[] | undefined> {
    const { run } = this;
    const { preconditions } = this.planned;
    const { manifest } = step;
    const { id, target, ...object } = step.object;
    const isKnown = !this.absent.has(target) && !hasLateName(object);
    const judged = isKnown
      ? (this.steps.get(id)?.preconditions ?? [])
      : preconditions.of(
          step,
          stored?.entries.find((entry) => entry.id === id),
        );
    if (judged.length === 0) {
      return undefined;
    }
    const reads = new Map<string, Promise<LiveObject | undefined>>(
      own ? [[refId(target, refOf(manifest)), Promise.resolve(own.live)]] : [],
    );
    const clusterOf = async (name: string): Promise<Cluster> =>
      name === target ? cluster : (await run.place(name, () => undefined)).cluster;
    const { refused, holders, accepted, notes } = await preconditions.judge(step, judged, {
      ...run.options,
      ...run.fields,
      isTurn: true,
      read: async (name, ref) =>
        remembered(reads, refId(name, ref), async () =>
          run.has(name) ? (await clusterOf(name)).read(ref, { signal: run.stop }) : undefined,
        ),
      cluster: clusterOf,
      keptFor: (by) => this.keptFor(by),
      onWarning: (message, name) => {
        run.warn(message, name);
      },
      signal: run.stop,
    });
    if (refused !== undefined) {
      throw new Error(refused);
    }
    for (const secret of accepted ?? []) {
      keeper.acceptSecret(secret.id, secret.uid);
    }
    for (const note of notes ?? []) {
      run.warn(note, target, id);
    }
    return holders;
  }

  private keptFor(id: string): string | undefined {
    const outcome = this.before.get(id);
    if (outcome?.state === 'failed') {
      return outcome.error.message;
    }
    if (outcome && 'reason' in outcome) {
      return outcome.reason;
    }
    return undefined;
  }
}

/**
 * Enforces a saved plan: an object that changed after the check of the whole plan is not written.
 */
export class PlanKeeper {
  private readonly versions: ReadonlyMap<string, string | undefined>;
  private readonly steps: ReadonlyMap<string, PlanStep>;
  private readonly tried: ReadonlySet<string>;

  /**
   * @param plan the saved plan
   * @param fresh the equal plan that was made at the start of this run
   */
  public constructor(
    private readonly plan: Plan,
    fresh: Plan,
  ) {
    this.steps = new Map(plan.steps.map((step) => [step.id, step]));
    this.versions = new Map(fresh.steps.map(({ id, live }) => [id, live?.resourceVersion]));
    const isTried = ({ action, waitsFor, refused, reason }: PlanStep): boolean =>
      ['create', 'update'].includes(action) &&
      waitsFor.length === 0 &&
      refused === undefined &&
      !/\bno dry run:/.test(reason ?? '');
    this.tried = new Set(fresh.steps.filter(isTried).map(({ id }) => id));
  }

  /** Whether the server accepted a dry run of an object at the start of this run. */
  public passed(id: string): boolean {
    return this.tried.has(id);
  }

  /** Throws if an object would no longer be written as planned. */
  public async check(planned: Omit<PlannedObject, 'waitsFor'>, run: RunContext): Promise<void> {
    const { object, live } = planned;
    const step = this.steps.get(object.id);
    if (step?.refused !== undefined) {
      throw new Error(`was refused in the plan: ${step.refused}`);
    }
    // late values are known now, and the plan allows any of them
    if (
      step &&
      step.waitsFor.length === 0 &&
      this.versions.get(object.id) === live?.metadata.resourceVersion
    ) {
      return;
    }
    const { step: now } = await planObject(
      { ...planned, waitsFor: [] },
      { ...run.fields, values: run.values, signal: run.stop },
    );
    const part = { ...this.plan, steps: step ? [step] : [], rolls: [] };
    const [mismatch] = verifyPlan(part, { ...part, steps: [now] });
    if (mismatch) {
      throw new Error(`no longer matches the plan: ${mismatch.message}. Fix: make a new plan`);
    }
  }
}
