import { Place, RunContext } from './run-context';
import { isCluster, isClusterPart } from '../../guest/cluster/cluster.kind';
import { ApplyGraph } from '../graph/graph';
import { asMember } from '../inventory/apply-set';
import { LateResolver } from '../late/late-resolver';
import { makePlan } from '../plan/make-plan';
import { MachineLoss, PlanStep, RollsOf, labelOf, lossText } from '../plan/plan';
import { Leftover } from '../plan/prune-steps';
import { ApiError } from '../transport/api';

/** Options of `reportRolls`. */
interface RollsOptions {
  readonly rolls: RollsOf;
  /** Throw if machines would be replaced or deleted. */
  readonly keepMachines?: boolean;
  /** The objects that the run deletes. */
  readonly gone: readonly Leftover[];
}

/** An apply ended before it wrote anything, since it would have replaced or deleted machines: `keepMachines`. */
export class MachinesKept extends Error {
  public override readonly name = 'MachinesKept';
}

/**
 * Reports which machines of guest clusters are replaced or deleted before anything is written: by a small plan of the Clusters and machine
 * configurations that exist already. Sends no request if none was applied before.
 */
export async function reportRolls(run: RunContext, graph: ApplyGraph, { rolls, keepMachines, gone }: RollsOptions): Promise<void> {
  const losses: MachineLoss[] = [];
  const unsure: string[] = [];
  for (const place of run.open.filter((each) => hasPools(each) || mayAdopt(each, run))) {
    try {
      const found = await new PoolPlan(run, place, graph, rolls).make(gone.filter(({ target }) => target === place.target.name));
      losses.push(...found.losses);
      unsure.push(...found.unsure);
    } catch (error) {
      if (keepMachines || !(error instanceof ApiError) || error.failure === 'aborted') { throw error; }
      run.warn(`cannot determine which machines are replaced: ${error.message}`, place.target.name);
    }
  }
  for (const loss of losses) { run.options.onEvent?.({ type: 'roll', ...loss }); }
  if (keepMachines && losses.length + unsure.length > 0) {
    throw new MachinesKept(run.redactor.scrub(refusal([...losses.map(lossText), ...unsure])));
  }
  for (const line of unsure) { run.warn(line); }
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

/** The plan of the Clusters and machine configurations of one Rancher. */
class PoolPlan {
  public constructor(
    private readonly run: RunContext, private readonly place: Place, private readonly graph: ApplyGraph, private readonly rolls: RollsOf,
  ) {}

  public async make(gone: readonly Leftover[]): Promise<{ readonly losses: readonly MachineLoss[]; readonly unsure: readonly string[] }> {
    const { program, options: { app, concurrency }, fields: { forceConflicts: _, ...fields }, stop: signal } = this.run;
    const { target, stored } = this.place;
    const objects = program.assembly.objects.filter((object) => object.target === target.name && isClusterPart(object));
    const ids = new Set(objects.map(({ id }) => id));
    const going = new Set(gone.map(({ entry: { id } }) => id));
    // late values may change before the run uses them
    const late = new LateResolver(program.assembly, program.targets, { signal });
    const { steps, rolls } = await makePlan({
      ...program,
      assembly: { ...program.assembly, targets: [target], objects },
      graph: { nodes: new Map([...this.graph.nodes].filter(([id]) => ids.has(id))) },
    }, {
      ...fields,
      // other objects would look undeclared; of undeclared Clusters, only those that are deleted
      inventory: async () => stored && {
        ...stored,
        entries: stored.entries.filter((entry) => ids.has(entry.id) || (isClusterPart(entry) && (!isCluster(entry) || going.has(entry.id)))),
      },
      late,
      finish: asMember(app),
      concurrency,
      signal,
      // the inventory contains only those that are deleted
      pruneMachines: true,
      rolls: this.rolls,
    });
    for (const secret of late.secrets) { this.run.redactor.add(secret); }
    const scrub = (text: string): string => this.run.redactor.scrub(text);
    const losses = rolls.map((loss) => ({ ...loss, what: scrub(loss.what), causes: loss.causes.map(scrub) }));
    return { losses, unsure: steps.flatMap((step) => this.doubt(step)) };
  }

  /** What the plan could not determine. */
  private doubt(step: PlanStep): string[] {
    const text = `${labelOf(step)} on ${step.target}: cannot determine what happens to machines`;
    if (step.action === 'unknown' && step.live === undefined && step.refused !== undefined) { return [`${text}: ${step.refused}`]; }
    const waits = step.waitsFor.length > 0 && step.live !== undefined && step.changes.length > 0;
    return waits ? [`${text}: it waits for late values (${step.waitsFor.join(', ')})`] : [];
  }
}
