import { withConsequences } from './consequences';
import { judgeLive, withLiveFindings } from './judge-live';
import { judgedStep, judgeSteps } from './judge-steps';
import { Looked, Looks } from './look';
import { MissingDependencies } from './missing-dependencies';
import { PlanLate } from './plan-late';
import { PlannedStep, planObject } from './plan-object';
import { problemsOfPlan } from './plan-problems';
import { MakePlanOptions, Planning, PlanInput, declaredManifest } from './planning';
import { leftoversBecome, readLeftovers, removalSteps } from './removal-steps';
import { AssemblyObject } from '../../../core/output/assembly';
import { HiddenValues } from '../../../core/secret/redactor';
import { isCluster, isClusterPart } from '../../../guest/cluster/cluster.kind';
import { declares } from '../../graph/object-index';
import {
  Inventory,
  InventoryEntry,
  Leftover,
  listedObjects,
  undeclaredIn,
} from '../../inventory/inventory';
import { InTheWay, waysOf } from '../../precondition/in-the-way';
import { LoginGuard, loginGuard } from '../../precondition/last-login';
import { checkBeginning } from '../../precondition/precondition';
import { checkNamed } from '../../precondition/run-preconditions';
import { JudgedStep, Sight, StepPreconditions } from '../../precondition/step-preconditions';
import { Becomes } from '../../removal/removal';
import { OpenTarget, OpenTargets } from '../open-targets';
import { MachineLoss, Plan, PLAN_VERSION, PlanStep, savedOptions } from '../plan';

/** A plan, and what a run needs to execute it. */
export interface Planned {
  readonly plan: Plan;
  readonly preconditions: StepPreconditions;
  /** What the inventories contain, by object ID. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  /** The objects that are no longer declared, and what becomes of each. */
  readonly leftovers: readonly Leftover[];
  readonly becomes: ReadonlyMap<string, Becomes>;
}

/**
 * Plans what an apply would do. Nothing is written: each object is read once, and only those that
 * differ are sent in a dry run.
 */
export async function planSteps(input: PlanInput, options: MakePlanOptions): Promise<Planned> {
  const open = options.seen ?? new OpenTargets(input.targets, options.signal);
  const targets = await Promise.all(
    input.assembly.targets.map(async ({ name }) => open.open(name)),
  );
  const planning = await withInventories(input, options, open, targets);
  const late = new PlanLate(input.assembly, open, planning.inventories, options.late);
  const looks = new Looks(planning, late);
  const objects = [...input.graph.nodes.values()].flatMap(({ object }) => object ?? []);
  const looked = await looks.at(objects);
  const declared = declaredSteps(input, objects, looked);

  const undeclared = undeclaredEntries(planning, declared);
  const leftovers = await readLeftovers(planning, undeclared);
  const becomes = leftoversBecome(planning, leftovers, declared, await logins(planning, leftovers));
  const removals = withConsequences(
    [...(await removalSteps(planning, leftovers, becomes))],
    leftovers,
    looked,
  );

  const keptFor = keptForIn(removals);
  const ways = options.prune === false ? [] : waysOf(declared, leftovers, keptFor);
  const preconditions = stepPreconditions(planning, targets, { declared, undeclared, ways });
  const judged = await judgeSteps(planning, declared, preconditions, keptFor);
  const planTargets = targets.map(({ plan }) => plan);
  const problems = problemsOfPlan(planning, leftovers, planTargets);
  // before a server is asked for anything but objects
  if (options.seen) {
    checkBeginning({ ...problems, steps: judged });
  }

  const planned = await planObjects(planning, looks, looked, ways);
  const written = declared.map((step, index) =>
    judgedStep(step, planned.get(step.object.id)?.step, judged[index], late),
  );
  const steps = withFindings(planning, [...written, ...removals], looked, leftovers);
  const rolls = rollsOf(planning, looks, looked, planned, removedParts(leftovers, steps));
  return {
    plan: {
      schemaVersion: PLAN_VERSION,
      assembly: input.digest,
      ...(options.app === undefined ? {} : { app: options.app }),
      ...savedOptions(options),
      targets: planTargets,
      steps,
      rolls,
      ...problems,
    },
    preconditions,
    entries: planning.entries,
    leftovers,
    becomes,
  };
}

/** What the parts of a plan share, with the inventories of the clusters that exist. */
async function withInventories(
  input: PlanInput,
  options: MakePlanOptions,
  open: OpenTargets,
  targets: readonly OpenTarget[],
): Promise<Planning> {
  const { inventory, signal, acceptExisting, forceConflicts, seen } = options;
  const inventories = new Map<string, Inventory>();
  const entries = new Map<string, InventoryEntry>();
  await Promise.all(
    targets.map(async ({ bound, cluster }) => {
      const { target } = bound;
      const found = cluster && (await inventory?.(cluster, target, signal));
      if (!found) {
        return;
      }
      inventories.set(target.name, found);
      for (const entry of found.entries) {
        entries.set(entry.id, entry);
      }
      if (!seen) {
        open.readBy(target.name, listedObjects(cluster, found));
      }
    }),
  );
  checkNamed(
    { '--accept-existing': acceptExisting, '--force-conflicts': forceConflicts },
    input.assembly,
    [...inventories.values()].flatMap((found) => found.entries),
    input.manifests,
  );
  return { input, options, open, values: new HiddenValues(), inventories, entries };
}

/** The declared objects: as they would be written where they were looked at. */
function declaredSteps(
  input: PlanInput,
  objects: readonly AssemblyObject[],
  looked: readonly Looked[],
): readonly JudgedStep[] {
  const byId = new Map(looked.map((each) => [each.object.id, each]));
  return objects.map(
    (object) => byId.get(object.id) ?? { object, manifest: declaredManifest(input, object) },
  );
}

/** What the inventories contain and the program no longer declares. */
function undeclaredEntries(
  { input, inventories }: Planning,
  declared: readonly JudgedStep[],
): readonly Leftover[] {
  const isLeftOut = ({ id }: InventoryEntry): boolean => input.leftOut?.objects.has(id) === true;
  const formers = [...inventories].flatMap(([target, { entries }]) =>
    entries.filter((entry) => !isLeftOut(entry)).map((entry) => ({ target, entry })),
  );
  return undeclaredIn(formers, declared);
}

/** Guards the last login provider against being removed. */
async function logins(
  { options, open }: Planning,
  leftovers: readonly Leftover[],
): Promise<LoginGuard | undefined> {
  return loginGuard(
    leftovers.filter(({ live }) => live),
    {
      gone: leftovers,
      cluster: async (target) => (await open.open(target)).cluster,
      signal: options.signal,
    },
  );
}

/** Why a leftover is kept, by its ID; undefined if it is deleted. */
function keptForIn(removals: readonly PlanStep[]): Sight['keptFor'] {
  const byId = new Map(removals.map((step) => [step.id, step]));
  return (id) => {
    const { action, reason = 'it is not deleted' } = byId.get(id) ?? {};
    return action === 'prune' ? undefined : reason;
  };
}

function stepPreconditions(
  { input, options, inventories }: Planning,
  targets: readonly OpenTarget[],
  found: Pick<
    ConstructorParameters<typeof StepPreconditions>[0],
    'declared' | 'undeclared' | 'ways'
  >,
): StepPreconditions {
  const { assembly, graph } = input;
  const entries = new Map(
    options.inventory
      ? targets.map(({ plan }) => [plan.name, inventories.get(plan.name)?.entries ?? []])
      : [],
  );
  const secrets = new Map(
    [...inventories].map(([name, inventory]) => [name, inventory.secrets ?? {}]),
  );
  return new StepPreconditions({ assembly, graph, entries, secrets, ...found });
}

/** Compares the objects that were looked at, by ID, in dry runs where these are possible. */
async function planObjects(
  { input, options, values }: Planning,
  looks: Looks,
  looked: readonly Looked[],
  ways: readonly InTheWay[],
): Promise<ReadonlyMap<string, PlannedStep>> {
  const first = new Map(
    ways
      .filter(({ stays }) => stays === undefined)
      .map(({ id, what }) => [id, `it gets ${what}, which is deleted first`]),
  );
  const dependencies = new MissingDependencies(input.graph, looked);
  const planned = await looks.each(
    looked,
    ({ object }) => object.target,
    async (each) => {
      const { id } = each.object;
      const blockedBy = first.get(id) ?? dependencies.blocking(id);
      return planObject(
        { ...each, blockedBy },
        { ...options, values, declares: (target, what) => declares(input, target, what) },
      );
    },
  );
  return new Map(planned.flatMap((each) => (each ? [[each.step.id, each] as const] : [])));
}

/** Steps with what rules say about the edit of a live object, and about its deletion. */
function withFindings(
  { input }: Planning,
  steps: readonly PlanStep[],
  looked: readonly Looked[],
  leftovers: readonly Leftover[],
): readonly PlanStep[] {
  const byName = new Map(input.assembly.targets.map((target) => [target.name, target]));
  const pruned = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
  const edits = looked.map(({ object, completed, live }) => ({
    id: object.id,
    target: byName.get(object.target)!,
    desired: completed,
    live,
  }));
  const deletions = leftovers
    .filter(({ entry }) => pruned.has(entry.id))
    .map(({ target, entry, live }) => ({ id: entry.id, target: byName.get(target)!, live }));
  const found = judgeLive([...edits, ...deletions]);
  return steps.map((step) => withLiveFindings(step, found.get(step.id) ?? []));
}

/** The machines that the plan replaces or deletes, on each Rancher that was looked at. */
function rollsOf(
  { input, options }: Planning,
  looks: Looks,
  looked: readonly Looked[],
  planned: ReadonlyMap<string, PlannedStep>,
  removed: readonly Leftover[],
): readonly MachineLoss[] {
  const { rolls } = options;
  if (!rolls) {
    return [];
  }
  const ranchers = input.assembly.targets.filter(
    ({ kind, name }) => kind === 'rancher' && !looks.isUnsure(name),
  );
  return ranchers.flatMap(({ name: target, version }) => {
    const parts = looked.filter(
      ({ object, manifest }) => object.target === target && isClusterPart(manifest),
    );
    const gone = removed.filter((each) => each.target === target);
    const before = [...parts, ...gone].flatMap(({ live }) => live ?? []);
    const after = parts.map(({ object }) => planned.get(object.id)!.after);
    return rolls({ target, version, manifests: before }, { target, version, manifests: after });
  });
}

/**
 * Machine configurations of live Clusters that the program no longer declares, and Clusters that
 * are deleted.
 */
function removedParts(
  leftovers: readonly Leftover[],
  steps: readonly PlanStep[],
): readonly Leftover[] {
  const going = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
  return leftovers.filter(
    ({ entry }) => isClusterPart(entry) && (!isCluster(entry) || going.has(entry.id)),
  );
}
