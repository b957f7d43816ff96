import { withRefusal } from './judge-live';
import { withProblem } from './judge-steps';
import { eachOfTargets, Planning } from './planning';
import { pruneSteps, withTriedReset } from './prune-steps';
import { ReadyContext } from '../../../core/kind/ready/readiness';
import { objectId, refId } from '../../../core/manifest/manifest';
import { isClusterPart } from '../../../guest/cluster/cluster.kind';
import { LiveObject, ObjectRef } from '../../cluster/cluster';
import { Leftover } from '../../inventory/inventory';
import { isPruned } from '../../inventory/removed-targets';
import { refusedDeletion } from '../../precondition/in-use';
import { LoginGuard } from '../../precondition/last-login';
import { JudgedStep } from '../../precondition/step-preconditions';
import { readyContext } from '../../ready/wait-ready';
import { whatBecomesOf } from '../../removal/live-removal';
import { Becomes, stillInUse, usersOfObject } from '../../removal/removal';
import { FailureClass, onFailure } from '../../transport/api';
import { PlanStep } from '../plan';

/** Reads the objects of the inventories that are no longer declared. */
export async function readLeftovers(
  { input, options, open }: Planning,
  undeclared: readonly Leftover[],
): Promise<readonly Leftover[]> {
  // without prune, only machines of remaining Clusters matter
  const isLeft = ({ entry }: Leftover): boolean => options.prune !== false || isClusterPart(entry);
  const gone = undeclared.filter(
    (each) => isPruned(input.targets.get(each.target)!.target, each.entry) && isLeft(each),
  );
  // in an apply, an object that cannot be read fails in its turn, and does not stop others
  const passes: readonly FailureClass[] = options.brief ? ['forbidden', 'blocked', 'invalid'] : [];
  return eachOfTargets(
    options,
    gone,
    ({ target }) => target,
    async ({ target, entry }) => ({
      target,
      entry,
      live: await open.read(target, entry).catch(onFailure(passes, () => undefined)),
    }),
  );
}

/** What becomes of leftovers, by object ID; a Namespace with declared objects is kept. */
export function leftoversBecome(
  { input, options }: Planning,
  leftovers: readonly Leftover[],
  declared: readonly JudgedStep[],
  logins: LoginGuard | undefined,
): ReadonlyMap<string, Becomes> {
  const { assembly, manifests } = input;
  const reason = 'is no longer declared, but kept: this apply deletes nothing';
  if (options.prune === false) {
    return new Map(leftovers.map(({ entry }) => [entry.id, { fate: 'kept', reason }]));
  }
  const used = new Set(
    declared.flatMap(({ object, manifest }) =>
      usersOfObject(object.target, { ...manifest, ...manifest.metadata }),
    ),
  );
  return whatBecomesOf(leftovers, {
    ...options,
    assembly,
    manifests,
    guard: (live, target) => stillInUse(live, target, used),
    logins,
  });
}

/** The steps for leftovers. Deletions are judged and resets are tried, except in a brief plan. */
export async function removalSteps(
  planning: Planning,
  leftovers: readonly Leftover[],
  becomes: ReadonlyMap<string, Becomes>,
): Promise<readonly PlanStep[]> {
  const { input, options, values } = planning;
  const about = (target: string): ReadyContext => readyContext(input.targets.get(target)!.target);
  const steps = pruneSteps(leftovers, { ...options, values, becomes, about });
  return options.brief ? steps : new TriedRemovals(planning, leftovers, steps, about).tried();
}

/** Steps for leftovers, with what the clusters say of them before anything is removed. */
class TriedRemovals {
  private readonly byId: ReadonlyMap<string, Leftover>;
  private readonly deleted: readonly (readonly [target: string, ref: ObjectRef])[];
  private readonly going: ReadonlySet<string>;

  public constructor(
    private readonly planning: Planning,
    leftovers: readonly Leftover[],
    private readonly steps: readonly PlanStep[],
    private readonly about: (target: string) => ReadyContext,
  ) {
    this.byId = new Map(leftovers.map((leftover) => [leftover.entry.id, leftover]));
    this.deleted = steps
      .filter(({ action }) => action === 'prune')
      .map(({ id, target }) => [target, this.byId.get(id)!.entry]);
    this.going = new Set(this.deleted.map(([target, ref]) => refId(target, ref)));
  }

  public async tried(): Promise<readonly PlanStep[]> {
    return eachOfTargets(
      this.planning.options,
      this.steps,
      ({ target }) => target,
      async (step) => {
        if (step.action === 'prune') {
          return this.judgedDeletion(step);
        }
        return step.action === 'reset' ? this.triedReset(step) : step;
      },
    );
  }

  private async judgedDeletion(step: PlanStep): Promise<PlanStep> {
    const { open, options } = this.planning;
    const { id } = step;
    const { bound, cluster } = await open.open(step.target);
    if (!cluster) {
      return step;
    }
    const { target } = bound;
    const isGoing = (other: LiveObject): boolean => this.going.has(objectId(target.name, other));
    const refused = await refusedDeletion(
      { id, live: this.byId.get(id)!.live!, target, cluster },
      this.deleted,
      { isGoing, fieldManager: options.fieldManager, signal: options.signal },
    );
    const problem = refused?.why;
    const { preconditions } = step;
    return withRefusal(
      { ...step, preconditions: preconditions && withProblem(preconditions, 'in-use', problem) },
      problem,
    );
  }

  private async triedReset(step: PlanStep): Promise<PlanStep> {
    const { open, options, values } = this.planning;
    const { cluster } = await open.open(step.target);
    if (!cluster || options.dryRun === false) {
      return step;
    }
    const about = this.about(step.target);
    return withTriedReset(step, this.byId.get(step.id)!, cluster, { ...options, values, about });
  }
}
