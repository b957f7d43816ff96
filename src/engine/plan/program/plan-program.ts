import { explainedPlan, planPermissions } from './plan-permissions';
import { Redactor } from '../../../core/secret/redactor';
import { RunProgram } from '../../auth/run-program';
import { withMembership } from '../../fields/apply-set';
import { FieldOptions, checkTakeFieldsFrom } from '../../fields/managed-fields';
import { buildGraph } from '../../graph/build-graph';
import { inventoryReader } from '../../inventory/inventory';
import { LateResolver } from '../../late/late-resolver';
import { RunOptions } from '../../run/context/run-context';
import { Plan, PlanOutcome, RollsOf, outcomeOf } from '../plan';
import { planSteps } from '../steps/make-plan';
import { MakePlanOptions } from '../steps/planning';

/** How a program is planned. */
export interface PlanRunOptions
  extends
    Omit<FieldOptions, 'fieldManager'>,
    Pick<RunOptions, 'app' | 'formerInventory' | 'preflight'>,
    Pick<
      MakePlanOptions,
      'acceptNewCluster' | 'prune' | 'pruneMachines' | 'acceptEmpty' | 'signal'
    > {
  /** Finds the machines that a change replaces or deletes. */
  readonly rolls: RollsOf;
  /**
   * Test objects that differ with a dry run, which needs the permission to write them. Without it,
   * objects are only read: what a server refuses or changes is not known, and permissions are not
   * checked. @default true
   */
  readonly dryRun?: boolean;
  /** Receives warnings: about an object (its ID) or a target (its name). */
  readonly onWarning?: (where: string, message: string) => void;
}

/** A plan and how to print it. */
export interface PlanResult {
  readonly plan: Plan;
  readonly outcome: PlanOutcome;
  /** Removes secrets from a text about the plan. */
  readonly scrub: (text: string) => string;
}

/** Plans a program: what an apply would do to the live clusters. Nothing is written. */
export async function planProgram(
  program: RunProgram,
  options: PlanRunOptions,
): Promise<PlanResult> {
  const { app, dryRun = true, onWarning, signal } = options;
  const preflight = dryRun && (options.preflight ?? true);
  checkTakeFieldsFrom(options, app.fieldManager);
  const redactor = Redactor.of(program.manifests.values());
  const late = new LateResolver(program.assembly, program.targets, { signal });
  try {
    const planned = await planSteps(
      { ...program, graph: buildGraph(program.assembly, program.manifests) },
      {
        ...options,
        app: app.id,
        fieldManager: app.fieldManager,
        inventory: inventoryReader(app, options),
        finish: withMembership(app),
        late,
        onWarning: ({ id }, message) => onWarning?.(id, redactor.scrub(message)),
      },
    );
    // a server may repeat what it answered for another object
    for (const secret of late.secrets) {
      redactor.add(secret);
    }
    const { missing, doubts } = preflight
      ? await planPermissions(program, app, planned, signal)
      : { missing: [], doubts: [] };
    for (const { target, line } of doubts) {
      onWarning?.(target, `a permission may be missing: ${line}`);
    }
    const plan = missing.length === 0 ? planned.plan : { ...planned.plan, missingRights: missing };
    return { plan, outcome: outcomeOf(plan), scrub: (text) => redactor.scrub(text) };
  } catch (error) {
    throw preflight ? await explainedPlan(error, program, app, signal) : error;
  }
}
