import { RunContext } from './run-context';
import { Plan, PlanStep } from '../plan/plan';
import { verifyPlan } from '../plan/plan-file';
import { PlannedObject, planObject } from '../plan/plan-object';

/** Enforces a saved plan: an object that changed after the check of the whole plan is not written. */
export class PlanKeeper {
  private readonly versions: ReadonlyMap<string, string | undefined>;
  private readonly steps: ReadonlyMap<string, PlanStep>;
  private readonly tried: ReadonlySet<string>;

  /**
   * @param plan the saved plan
   * @param fresh the equal plan that was made at the start of this run
   */
  public constructor(private readonly plan: Plan, fresh: Plan) {
    this.steps = new Map(plan.steps.map((step) => [step.id, step]));
    this.versions = new Map(fresh.steps.map(({ id, live }) => [id, live?.resourceVersion]));
    const isTried = ({ action, waitsFor, refused, reason }: PlanStep): boolean => ['create', 'update'].includes(action) && waitsFor.length === 0
      && refused === undefined && !/\bno dry run:/.test(reason ?? '');
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
    if (step?.refused !== undefined) { throw new Error(`was refused in the plan: ${step.refused}`); }
    // late values are known now, and the plan allows any of them
    if (step && step.waitsFor.length === 0 && this.versions.get(object.id) === live?.metadata.resourceVersion) { return; }
    const { step: now } = await planObject({ ...planned, waitsFor: [] }, { ...run.fields, values: run.values, signal: run.stop });
    const part = { ...this.plan, steps: step ? [step] : [], rolls: [] };
    const [mismatch] = verifyPlan(part, { ...part, steps: [now] });
    if (mismatch) { throw new Error(`no longer matches the plan: ${mismatch.message}. Fix: make a new plan`); }
  }
}
