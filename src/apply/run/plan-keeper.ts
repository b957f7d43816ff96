import { RunContext } from './run-context';
import { Plan, PlanStep } from '../plan/plan';
import { PlannedObject, planObject } from '../plan/plan-object';
import { verifyPlan } from '../plan/verify-plan';

/** Holds an apply to a saved plan: what changed between the check of the whole plan and the turn of an object is not written. */
export class PlanKeeper {
  private readonly versions: ReadonlyMap<string, string | undefined>;
  private readonly steps: ReadonlyMap<string, PlanStep>;
  private readonly tried: ReadonlySet<string>;

  /**
   * @param plan as it was saved
   * @param fresh as it was made, and found to be the same, at the start of this run
   */
  public constructor(private readonly plan: Plan, fresh: Plan) {
    this.steps = new Map(plan.steps.map((step) => [step.id, step]));
    this.versions = new Map(fresh.steps.map(({ id, live }) => [id, live?.resourceVersion]));
    const isTried = ({ action, waitsFor, refused, reason }: PlanStep): boolean => ['create', 'update'].includes(action) && waitsFor.length === 0
      && refused === undefined && !/\bnot tried:/.test(reason ?? '');
    this.tried = new Set(fresh.steps.filter(isTried).map(({ id }) => id));
  }

  /** Whether the server let a dry run of an object pass at the start of this run. */
  public passed(id: string): boolean {
    return this.tried.has(id);
  }

  /** Throws where an object would no longer be written as planned. */
  public async check(planned: Omit<PlannedObject, 'waitsFor'>, run: RunContext): Promise<void> {
    const { object, live } = planned;
    const step = this.steps.get(object.id);
    if (step?.refused !== undefined) { throw new Error(`was refused when it was planned: ${step.refused}`); }
    // late values are known by now, and the plan allowed for any
    if (step && step.waitsFor.length === 0 && this.versions.get(object.id) === live?.metadata.resourceVersion) { return; }
    const { app: { fieldManager }, adoptFrom, migrateManagedFields, forceConflicts } = run.options;
    const { step: now } = await planObject({ ...planned, waitsFor: [] }, {
      fieldManager, adoptFrom, migrateManagedFields, forceConflicts, values: run.values, signal: run.stop,
    });
    const part = { ...this.plan, steps: step ? [step] : [], rolls: [] };
    const [mismatch] = verifyPlan(part, { ...part, steps: [now] });
    if (mismatch) { throw new Error(`is not as planned any more: ${mismatch.message}; make a new plan`); }
  }
}
