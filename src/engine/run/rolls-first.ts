import { Leftover } from './leftovers';
import { Place, RunContext } from './run-context';
import { groupOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';
import { ApplyGraph } from '../graph/graph';
import { asMember } from '../inventory/apply-set';
import { LateResolver } from '../late/late-resolver';
import { makePlan } from '../plan/make-plan';
import { MachineLoss, PlanStep, RollsOf, labelOf, lossText } from '../plan/plan';
import { ApiError } from '../transport/api';

export interface RollsOptions {
  readonly rolls: RollsOf;
  /** Throws where machines would go. */
  readonly keepMachines?: boolean;
  /** What the run takes away. */
  readonly gone: readonly Leftover[];
}

/**
 * Tells which machines of guest clusters go before anything is written: a small plan of the Clusters and machine configurations that are there already.
 * Asks nothing where none was applied before.
 */
export async function tellRolls(run: RunContext, graph: ApplyGraph, { rolls, keepMachines, gone }: RollsOptions): Promise<void> {
  const losses: MachineLoss[] = [];
  const unsure: string[] = [];
  for (const place of run.open.filter((each) => hasPools(each) || mayTakeOver(each, run))) {
    try {
      const found = await new PoolPlan(run, place, graph, rolls).make(gone.filter(({ target }) => target === place.target.name));
      losses.push(...found.losses);
      unsure.push(...found.unsure);
    } catch (error) {
      if (keepMachines || !(error instanceof ApiError) || error.failure === 'aborted') { throw error; }
      run.warn(`which machines are replaced can not be told: ${error.message}`, place.target.name);
    }
  }
  for (const loss of losses) { run.options.onEvent?.({ type: 'roll', ...loss }); }
  if (keepMachines && losses.length + unsure.length > 0) { throw new Error(run.redactor.scrub(refusal([...losses.map(lossText), ...unsure]))); }
  for (const line of unsure) { run.warn(line); }
}

function refusal(lines: readonly string[]): string {
  return [
    '--keep-machines: machines would go; nothing was written',
    ...lines.map((line) => `  ${line}`),
    'take the change back, or make a new pool with it beside the old one; apply without --keep-machines where the machines may go',
  ].join('\n');
}

/** What others wrote may have fields that go when it is taken over. */
function mayTakeOver({ target }: Place, { program, options: { adoptFrom = [] } }: RunContext): boolean {
  return adoptFrom.length > 0 && program.assembly.objects.some((object) => object.target === target.name && isPart(object));
}

function hasPools({ target, stored }: Place): boolean {
  return target.kind === 'rancher' && stored?.entries.some((entry) => entry.uid !== undefined && isPart(entry)) === true;
}

function isPart({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return isCluster({ apiVersion, kind }) || kind === HARVESTER_CONFIG_KIND;
}

function isCluster({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return groupOf(apiVersion) === GROUPS.PROVISIONING && kind === 'Cluster';
}

/** The plan of what the pools of one Rancher are made of. */
class PoolPlan {
  public constructor(private readonly run: RunContext, private readonly place: Place, private readonly graph: ApplyGraph, private readonly rolls: RollsOf) {}

  public async make(gone: readonly Leftover[]): Promise<{ readonly losses: readonly MachineLoss[]; readonly unsure: readonly string[] }> {
    const { run: { program, options: { app, concurrency }, fields: { forceConflicts: _, ...fields }, stop: signal }, place: { target, stored } } = this;
    const objects = program.assembly.objects.filter((object) => object.target === target.name && isPart(object));
    const ids = new Set(objects.map(({ id }) => id));
    const going = new Set(gone.map(({ entry: { id } }) => id));
    // what it finds now may be another value when the run comes to it
    const late = new LateResolver(program.assembly, program.targets, { signal });
    const { steps, rolls } = await makePlan({
      ...program,
      assembly: { ...program.assembly, targets: [target], objects },
      graph: { nodes: new Map([...this.graph.nodes].filter(([id]) => ids.has(id))) },
    }, {
      ...fields,
      // what is not part of this would be taken for no longer declared; of Clusters that are not, those that go
      inventory: async () => stored && {
        ...stored, entries: stored.entries.filter((entry) => ids.has(entry.id) || (isPart(entry) && (!isCluster(entry) || going.has(entry.id)))),
      },
      late,
      finish: asMember(app),
      concurrency,
      signal,
      rolls: this.rolls,
    });
    for (const secret of late.secrets) { this.run.redactor.add(secret); }
    const scrub = (text: string): string => this.run.redactor.scrub(text);
    const losses = rolls.map((loss) => ({ ...loss, what: scrub(loss.what), causes: loss.causes.map(scrub) }));
    return { losses, unsure: steps.flatMap((step) => this.doubt(step)) };
  }

  /** What a plan could not see. */
  private doubt(step: PlanStep): string[] {
    const says = `${labelOf(step)} on ${step.target}: what becomes of machines can not be told`;
    if (step.action === 'unknown' && step.live === undefined && step.refused !== undefined) { return [`${says}: ${step.refused}`]; }
    const waits = step.waitsFor.length > 0 && step.live !== undefined && step.changes.length > 0;
    return waits ? [`${says}: it waits for late values (${step.waitsFor.join(', ')})`] : [];
  }
}
