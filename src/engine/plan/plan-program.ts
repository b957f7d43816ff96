import { PlanOptions, makePlan } from './make-plan';
import { Plan, PlanOutcome, RollsOf, outcomeOf } from './plan';
import { Redactor } from '../../core/secret/redactor';
import { FieldOptions, checkAdoptFrom } from '../fields/managed-fields';
import { buildGraph } from '../graph/build-graph';
import { asMember } from '../inventory/apply-set';
import { inventoryReader } from '../inventory/inventory';
import { LateResolver } from '../late/late-resolver';
import { PlanPermissions } from '../preflight/preflight';
import { Program, RunOptions } from '../run/run-context';

/** How a program is planned. */
export interface PlanRunOptions extends Omit<FieldOptions, 'fieldManager'>, Pick<RunOptions, 'app' | 'formerInventory' | 'preflight'>,
  Pick<PlanOptions, 'acceptNewCluster' | 'pruneMachines' | 'allowEmpty' | 'signal'> {
  /** Finds the machines that a change replaces or deletes. */
  readonly rolls: RollsOf;
  /**
   * Test objects that differ with a dry run, which needs the permission to write them. Without it, objects are only read: what a server refuses or
   * changes is not known, and permissions are not checked. @default true
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
export async function planProgram(program: Program, options: PlanRunOptions): Promise<PlanResult> {
  const { app, dryRun = true, onWarning, signal } = options;
  const preflight = dryRun && (options.preflight ?? true);
  checkAdoptFrom(options, app.fieldManager);
  const redactor = Redactor.of(program.manifests.values());
  const permissions = new PlanPermissions(program, app, signal);
  const late = new LateResolver(program.assembly, program.targets, { signal });
  try {
    const made = await makePlan({ ...program, graph: buildGraph(program.assembly, program.manifests) }, {
      ...options,
      app: app.id,
      fieldManager: app.fieldManager,
      inventory: permissions.reading(inventoryReader(app, options)),
      finish: asMember(app),
      late,
      onWarning: ({ id }, message) => onWarning?.(id, redactor.scrub(message)),
    });
    // a server may repeat what it answered for another object
    for (const secret of late.secrets) { redactor.add(secret); }
    const plan = preflight ? await checked(made, permissions, onWarning) : made;
    return { plan, outcome: outcomeOf(plan), scrub: (text) => redactor.scrub(text) };
  } catch (error) {
    throw preflight ? await permissions.explained(error) : error;
  }
}

async function checked(plan: Plan, permissions: PlanPermissions, onWarning: PlanRunOptions['onWarning']): Promise<Plan> {
  const { missing, doubts } = await permissions.of(plan);
  for (const { target, line } of doubts) { onWarning?.(target, `a permission may be missing: ${line}`); }
  return missing.length === 0 ? plan : { ...plan, missingRights: missing };
}
