import { withConsequences } from './consequences';
import { judgeLive, withLiveFindings, withRefusal, withWarnings } from './judge-live';
import { OpenTarget, OpenTargets } from './open-targets';
import {
  MachineLoss,
  Plan,
  PLAN_VERSION,
  PlannedOptions,
  PlanStep,
  RollsOf,
  savedOptions,
} from './plan';
import { KnownLate, PlanLate } from './plan-late';
import { PlannedObject, PlannedStep, planObject } from './plan-object';
import { pruneSteps, withTriedReset } from './prune-steps';
import { MissingObject } from '../../core/kind/description/refusals';
import { ReadyContext } from '../../core/kind/ready/readiness';
import { LATE_TOKEN, hasLateName } from '../../core/late/late-token';
import { objectLabel, refId, objectId, Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { HiddenValues, secretPathsOf, sensitiveIds } from '../../core/secret/redactor';
import { isCluster, isClusterPart } from '../../guest/cluster/cluster.kind';
import { LiveObject, refOf } from '../cluster/cluster';
import { FieldOptions } from '../fields/managed-fields';
import { ApplyGraph } from '../graph/graph';
import { declares } from '../graph/object-index';
import {
  Inventory,
  InventoryEntry,
  InventoryReader,
  Leftover,
  listedObjects,
  undeclaredIn,
} from '../inventory/inventory';
import { isPruned, removedNotes, removedTargets } from '../inventory/removed-targets';
import { InTheWay, waysOf } from '../precondition/in-the-way';
import { refusedDeletion } from '../precondition/in-use';
import { LoginGuard, loginGuard } from '../precondition/last-login';
import { Precondition, checkBeginning, decidesFirst } from '../precondition/precondition';
import {
  Beginning,
  checkNamed,
  noneHalfConnected,
  sameClusters,
  sameProgram,
} from '../precondition/run-preconditions';
import { JudgedStep, Sight, StepPreconditions } from '../precondition/step-preconditions';
import { heldText } from '../precondition/takeover';
import { readyContext } from '../ready/wait-ready';
import { whatBecomesOf } from '../removal/live-removal';
import { Becomes, stillInUse, usersOfObject } from '../removal/removal';
import { RunProgram } from '../run/run-context';
import { ApiError, FailureClass, onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** The input of a plan: a program, and its graph. */
export interface PlanInput extends Omit<RunProgram, 'folder'> {
  readonly graph: ApplyGraph;
}

export interface MakePlanOptions extends PlannedOptions, Pick<FieldOptions, 'fieldManager'> {
  /** The app (`--app`). @default - the plan names no app */
  readonly app?: string;
  /**
   * Targets, and IDs of provisioning Clusters, that may have been recreated.
   * @default - a recreated cluster is an error
   */
  readonly acceptNewCluster?: readonly string[];
  /** @default - nothing is pruned */
  readonly inventory?: InventoryReader;
  /** @default - no late value is known */
  readonly late?: KnownLate;
  /** Adds what an apply adds to a manifest: the membership label. @default - nothing */
  readonly finish?: (object: AssemblyObject, manifest: Manifest) => Manifest;
  /** Whether objects that differ are tested with a dry run. @default true */
  readonly dryRun?: boolean;
  /** Finds the machines that a change replaces or deletes. @default - the plan reports none */
  readonly rolls?: RollsOf;
  /** Concurrent requests per target. @default 8 */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /**
   * Accept a program that declares none of the objects that its app applied before.
   * @default false
   */
  readonly acceptEmpty?: boolean;
  /** Delete or reset objects that are no longer declared. @default true */
  readonly prune?: boolean;
  /** The clusters as a run sees them. @default - they are opened */
  readonly seen?: OpenTargets;
  /**
   * The plan of an apply, which judges each step where it is executed.
   * @default - every object is looked at, and every precondition is judged
   */
  readonly brief?: BriefPlan;
  /** Receives the warnings of servers. */
  readonly onWarning?: (object: AssemblyObject, message: string) => void;
}

/** What a plan of an apply looks at: an object that is looked at twice takes two requests. */
interface BriefPlan {
  /** Whether a declared object is looked at before anything is written. */
  readonly looksAt: (object: AssemblyObject) => boolean;
  /**
   * Receives the first failure of a look at a target, whose objects are not looked at then.
   * @default - it is thrown
   */
  readonly onFailure?: (target: string, error: ApiError) => void;
}

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

/** A declared object, its manifest as it would be written, and its live state. */
interface Looked extends Pick<
  PlannedObject,
  | 'object'
  | 'manifest'
  | 'secretPaths'
  | 'waitsFor'
  | 'live'
  | 'cluster'
  | 'written'
  | 'knownUid'
  | 'unreadable'
> {
  /** The manifest without what an apply adds: rules judge it. */
  readonly completed: Manifest;
}

/**
 * Plans what an apply would do. Nothing is written: each object is read once, and only those that
 * differ are sent in a dry run.
 */
export async function planSteps(input: PlanInput, options: MakePlanOptions): Promise<Planned> {
  return new Planning(input, options).plan();
}

/** The preconditions of the step of an object, and the problem of the first that does not hold. */
interface JudgedPreconditions {
  readonly id: string;
  readonly preconditions: readonly Precondition[];
  readonly refused?: string;
  readonly holders?: readonly string[];
  /** What a plan reports about the Secrets of others. */
  readonly notes?: readonly string[];
}

class Planning {
  private readonly values = new HiddenValues();
  private readonly open: OpenTargets;
  private readonly sensitive: ReadonlySet<string>;
  private readonly found = new Map<string, Inventory>();
  private readonly entries = new Map<string, InventoryEntry>();
  private readonly late: PlanLate;
  private readonly groups = new Map<string, string | undefined>();
  /** Targets of which a brief plan looks at nothing more. */
  private readonly unsure = new Set<string>();

  public constructor(
    private readonly input: PlanInput,
    private readonly options: MakePlanOptions,
  ) {
    this.open = options.seen ?? new OpenTargets(input.targets, options.signal);
    this.sensitive = sensitiveIds(input.assembly.lateValues);
    this.late = new PlanLate(input.assembly, this.open, this.found, options.late);
  }

  public async plan(): Promise<Planned> {
    const {
      input: { assembly, graph },
      options: { brief, prune, seen },
    } = this;
    const targets = await Promise.all(
      assembly.targets.map(async ({ name }) => this.open.open(name)),
    );
    await this.readInventories(targets);
    const objects = [...graph.nodes.values()].flatMap(({ object }) => object ?? []);
    const looks = await this.each(brief ? objects.filter(brief.looksAt) : objects, async (object) =>
      this.look(object),
    );
    const looked = looks.flatMap((each) => each ?? []);
    const byId = new Map(looked.map((each) => [each.object.id, each]));
    const declared = objects.map(
      (object): JudgedStep => byId.get(object.id) ?? { object, manifest: this.templateOf(object) },
    );
    const formers = [...this.found].flatMap(([target, { entries }]) =>
      entries
        .filter(({ id }) => this.input.leftOut?.objects.has(id) !== true)
        .map((entry) => ({ target, entry })),
    );
    const undeclared = undeclaredIn(formers, declared);
    const leftovers = await this.leftovers(undeclared);
    const logins = await loginGuard(
      leftovers.filter(({ live }) => live),
      {
        gone: leftovers,
        cluster: async (target) => (await this.open.open(target)).cluster,
        signal: this.options.signal,
      },
    );
    const becomes = this.becomes(leftovers, declared, logins);
    const gone = withConsequences(await this.gone(leftovers, becomes), leftovers, looked);
    const actions = new Map(gone.map((step) => [step.id, step]));
    const keptFor = (id: string): string | undefined => {
      const { action, reason = 'it is not deleted' } = actions.get(id) ?? {};
      return action === 'prune' ? undefined : reason;
    };
    const ways = prune === false ? [] : waysOf(declared, leftovers, keptFor);
    const entries = new Map(
      this.options.inventory
        ? targets.map(({ plan: { name } }) => [name, this.found.get(name)?.entries ?? []])
        : [],
    );
    const preconditions = new StepPreconditions({
      assembly,
      graph,
      declared,
      entries,
      secrets: new Map([...this.found].map(([name, { secrets = {} }]) => [name, secrets])),
      undeclared,
      ways,
    });
    const judged = await this.judged(declared, preconditions, keptFor);
    const planTargets = targets.map(({ plan }) => plan);
    const problems = this.problems(leftovers, planTargets);
    // before a server is asked for anything but objects
    if (seen) {
      checkBeginning({ ...problems, steps: judged });
    }
    const planned = await this.planObjects(looked, ways);
    const written = declared.map((step, index) =>
      this.written(step, planned.get(step.object.id)?.step, judged[index]),
    );
    const steps = this.withFindings([...written, ...gone], looked, leftovers);
    const rolls = this.rolls(looked, planned, removedParts(leftovers, steps));
    return {
      plan: { ...this.planOf(planTargets, steps, rolls), ...problems },
      preconditions,
      entries: this.entries,
      leftovers,
      becomes,
    };
  }

  private planOf(targets: Plan['targets'], steps: readonly PlanStep[], rolls: Plan['rolls']): Plan {
    const {
      input: { digest },
      options: { app },
    } = this;
    return {
      schemaVersion: PLAN_VERSION,
      assembly: digest,
      ...(app === undefined ? {} : { app }),
      ...savedOptions(this.options),
      targets,
      steps,
      rolls,
    };
  }

  private async readInventories(targets: readonly OpenTarget[]): Promise<void> {
    const {
      input: { assembly },
      options: { inventory, signal, acceptExisting, forceConflicts, seen },
    } = this;
    await Promise.all(
      targets.map(async ({ bound: { target }, cluster }) => {
        const found = cluster && (await inventory?.(cluster, target, signal));
        if (!found) {
          return;
        }
        this.found.set(target.name, found);
        for (const entry of found.entries) {
          this.entries.set(entry.id, entry);
        }
        if (!seen) {
          this.open.readBy(target.name, listedObjects(cluster, found));
        }
      }),
    );
    checkNamed(
      { '--accept-existing': acceptExisting, '--force-conflicts': forceConflicts },
      assembly,
      [...this.found.values()].flatMap(({ entries }) => entries),
      this.input.manifests,
    );
  }

  private async planObjects(
    looked: readonly Looked[],
    ways: readonly InTheWay[],
  ): Promise<ReadonlyMap<string, PlannedStep>> {
    const first = new Map(
      ways.flatMap(({ id, stays, what }) =>
        stays === undefined ? [[id, `it gets ${what}, which is deleted first`] as const] : [],
      ),
    );
    const absent = looked.filter(({ live, unreadable }) => !live && unreadable === undefined);
    const missing = new Map(
      absent.map(({ object, manifest }) => [object.id, objectLabel(manifest)]),
    );
    const options = {
      ...this.options,
      values: this.values,
      declares: (target: string, what: MissingObject) => declares(this.input, target, what),
    };
    const blockedBy = (id: string): string | undefined =>
      first.get(id) ?? this.blocked(id, missing);
    const planned = await this.each(looked, async (each) =>
      planObject({ ...each, blockedBy: blockedBy(each.object.id) }, options),
    );
    return new Map(planned.flatMap((each) => (each ? [[each.step.id, each] as const] : [])));
  }

  /**
   * The step of a declared object with its preconditions: with warnings about its late values, or
   * not looked at yet.
   */
  private written(
    { object }: JudgedStep,
    step: PlanStep | undefined,
    { preconditions, refused, holders = [], notes = [] }: JudgedPreconditions,
  ): PlanStep {
    const { id, target, construct, lateValues = [] } = object;
    const planned: PlanStep = step
      ? withRefusal(withWarnings(step, this.late.warnings(object)), this.late.refusal(object))
      : {
          id,
          target,
          action: 'unknown',
          changes: [],
          conflicts: [],
          waitsFor: lateValues,
          reason: 'is compared when it is applied',
          construct,
          digest: '',
        };
    const adopted = withWarnings(planned, [
      ...(holders.length === 0 ? [] : [`is adopted from someone else; ${heldText(holders)}`]),
      ...notes,
    ]);
    return withRefusal(
      preconditions.length === 0 ? adopted : { ...adopted, preconditions },
      refused,
    );
  }

  /** The preconditions of the steps of declared objects. */
  private async judged(
    declared: readonly JudgedStep[],
    preconditions: StepPreconditions,
    keptFor: Sight['keptFor'],
  ): Promise<JudgedPreconditions[]> {
    const { brief, onWarning, concurrency = 8, signal } = this.options;
    const objects = new Map(declared.map(({ object }) => [object.id, object]));
    const sight: Sight = {
      ...this.options,
      keptFor,
      read: async (target, ref) => this.open.read(target, ref),
      cluster: async (target) => (await this.open.open(target)).cluster!,
      onWarning: (message, _, id) => onWarning?.(objects.get(id)!, message),
    };
    const judgements = await inParallel(
      declared,
      ({ object }) => object.target,
      concurrency,
      async (step) => {
        const { id, target } = step.object;
        const found = preconditions.of(step);
        const { cluster } = await this.open.open(target);
        const judged = cluster
          ? await preconditions.judge(step, brief ? found.filter(decidesFirst) : found, sight)
          : {};
        return { id, found, ...judged };
      },
      signal,
    );
    const isRenamed = judgements.some(({ broken }) => broken?.id === 'renamed' && !broken.follows);
    return judgements.map(({ id, found, broken, refused, holders, notes }) => {
      // what follows a cluster into another namespace has the same fix
      if (!broken || (isRenamed && broken.id === 'renamed' && broken.follows)) {
        return { id, preconditions: found, holders, notes };
      }
      return {
        id,
        preconditions: found.map((each) =>
          each.id === broken.id ? { ...each, problem: refused } : each,
        ),
        refused,
      };
    });
  }

  /** What becomes of leftovers; a Namespace with declared objects is kept. */
  private becomes(
    leftovers: readonly Leftover[],
    declared: readonly JudgedStep[],
    logins: LoginGuard | undefined,
  ): ReadonlyMap<string, Becomes> {
    const {
      options,
      input: { assembly, manifests },
    } = this;
    const reason = 'is no longer declared, but kept: this apply deletes nothing';
    if (options.prune === false) {
      return new Map(leftovers.map(({ entry: { id } }) => [id, { fate: 'kept', reason }]));
    }
    const used = new Set(
      declared.flatMap(({ object: { target }, manifest }) =>
        usersOfObject(target, { ...manifest, ...manifest.metadata }),
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

  /** The steps for leftovers. */
  private async gone(
    leftovers: readonly Leftover[],
    becomes: ReadonlyMap<string, Becomes>,
  ): Promise<PlanStep[]> {
    const { options, values } = this;
    const byId = new Map(leftovers.map((leftover) => [leftover.entry.id, leftover]));
    const about = (target: string): ReadyContext =>
      readyContext(this.input.targets.get(target)!.target);
    const steps = pruneSteps(leftovers, { ...options, values, becomes, about });
    if (options.brief) {
      return steps;
    }
    const deleted = steps.flatMap(({ id, target, action }) =>
      action === 'prune' ? [[target, byId.get(id)!.entry] as const] : [],
    );
    const going = new Set(deleted.map(([target, ref]) => refId(target, ref)));
    return inParallel(
      steps,
      ({ target }) => target,
      options.concurrency ?? 8,
      async (step) => {
        const { id, action } = step;
        const {
          bound: { target },
          cluster,
        } = await this.open.open(step.target);
        const { live } = byId.get(id)!;
        if (action === 'prune' && cluster) {
          const isGoing = (other: LiveObject): boolean => going.has(objectId(target.name, other));
          const problem = (
            await refusedDeletion({ id, live: live!, target, cluster }, deleted, {
              isGoing,
              signal: options.signal,
            })
          )?.why;
          return withRefusal(
            {
              ...step,
              preconditions: step.preconditions?.map((each) =>
                each.id === 'in-use' ? { ...each, problem } : each,
              ),
            },
            problem,
          );
        }
        const tries = action === 'reset' && cluster && options.dryRun !== false;
        return tries
          ? withTriedReset(step, byId.get(id)!, cluster, {
              ...options,
              values,
              about: about(target.name),
            })
          : step;
      },
      options.signal,
    );
  }

  private problems(
    leftovers: readonly Leftover[],
    planTargets: Plan['targets'],
  ): Pick<Plan, 'problems' | 'acceptEmpty' | 'notes'> {
    const { app, acceptEmpty, acceptNewCluster, prune } = this.options;
    const { assembly } = this.input;
    const { targets } = assembly;
    const left = this.input.leftOut?.targets ?? [];
    const removed = removedTargets([...this.found.values()], targets).filter(
      ({ name }) => !left.includes(name),
    );
    const notes = removedNotes(removed, targets);
    const going = leftovers.flatMap(({ entry, live }) => (live && prune !== false ? [entry] : []));
    const beginning: Beginning = {
      assembly,
      targets: planTargets,
      inventories: [...this.found.values()],
      going,
      app,
      acceptNewCluster,
    };
    const other = sameProgram(beginning);
    const problems = [
      ...sameClusters(beginning),
      ...noneHalfConnected(beginning),
      ...(acceptEmpty ? [] : other),
    ];
    return {
      ...(problems.length > 0 ? { problems } : {}),
      ...(notes.length > 0 ? { notes } : {}),
      ...(other.length > 0 && acceptEmpty ? { acceptEmpty } : {}),
    };
  }

  private templateOf({ id }: AssemblyObject): Manifest {
    const template = this.input.manifests.get(id);
    if (!template) {
      throw new Error(`${id}: its manifest is missing. Fix: synthesize again`);
    }
    return template;
  }

  private async look(object: AssemblyObject): Promise<Looked> {
    const template = this.templateOf(object);
    const waitsFor = await this.late.unknown(object);
    const { late, finish } = this.options;
    const completed = late && object.lateValues?.length ? late.completeKnown(template) : template;
    const manifest = finish ? finish(object, completed) : completed;
    const { cluster } = await this.open.open(object.target);
    const entry = this.entries.get(object.id);
    return {
      object,
      manifest,
      completed,
      waitsFor,
      cluster,
      secretPaths: secretPathsOf(template, this.sensitive),
      ...(hasLateName(manifest.metadata) ? {} : await this.read(object.target, manifest)),
      written: entry?.written,
      knownUid: entry?.uid,
    };
  }

  // an object that cannot be read does not hide the others: all missing permissions are reported at
  // once
  private async read(
    target: string,
    manifest: Manifest,
  ): Promise<Pick<Looked, 'live' | 'unreadable'>> {
    return this.open.read(target, refOf(manifest)).then(
      (live) => ({ live }),
      onFailure(['forbidden'], ({ message }) => ({ unreadable: message })),
    );
  }

  /** Why a dry run of an object is not possible: a dependency does not exist yet. */
  private blocked(id: string, missing: ReadonlyMap<string, string>): string | undefined {
    const label = this.missingBelow(id, missing);
    return label && `${label.replace(new RegExp(LATE_TOKEN), '(late)')} is created by this plan`;
  }

  private missingBelow(node: string, missing: ReadonlyMap<string, string>): string | undefined {
    for (const { to, kind } of this.input.graph.nodes.get(node)?.after ?? []) {
      if (kind === 'gone') {
        continue;
      }
      // groups and late values are shared by many objects, so they are visited once
      const found = this.input.graph.nodes.get(to)?.object
        ? missing.get(to)
        : this.missingBelowGroup(to, missing);
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  private missingBelowGroup(
    group: string,
    missing: ReadonlyMap<string, string>,
  ): string | undefined {
    if (!this.groups.has(group)) {
      this.groups.set(group, this.missingBelow(group, missing));
    }
    return this.groups.get(group);
  }

  private async leftovers(undeclared: readonly Leftover[]): Promise<readonly Leftover[]> {
    const { targets } = this.input;
    // without prune, only machines of remaining Clusters matter
    const isLeft = ({ entry }: Leftover): boolean =>
      this.options.prune !== false || isClusterPart(entry);
    const gone = undeclared.filter(
      (each) => isPruned(targets.get(each.target)!.target, each.entry) && isLeft(each),
    );
    // in an apply, an object that cannot be read fails in its turn, and does not stop others
    const passes: readonly FailureClass[] = this.options.brief
      ? ['forbidden', 'blocked', 'invalid']
      : [];
    return inParallel(
      gone,
      ({ target }) => target,
      this.options.concurrency ?? 8,
      async ({ target, entry }) => ({
        target,
        entry,
        live: await this.open.read(target, entry).catch(onFailure(passes, () => undefined)),
      }),
      this.options.signal,
    );
  }

  private withFindings(
    steps: readonly PlanStep[],
    looked: readonly Looked[],
    leftovers: readonly Leftover[],
  ): PlanStep[] {
    const byName = new Map(this.input.assembly.targets.map((target) => [target.name, target]));
    const pruned = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
    const found = judgeLive([
      ...looked.map(({ object: { id, target }, completed, live }) => ({
        id,
        target: byName.get(target)!,
        desired: completed,
        live,
      })),
      ...leftovers
        .filter(({ entry }) => pruned.has(entry.id))
        .map(({ target, entry: { id }, live }) => ({ id, target: byName.get(target)!, live })),
    ]);
    return steps.map((step) => withLiveFindings(step, found.get(step.id) ?? []));
  }

  private rolls(
    looked: readonly Looked[],
    planned: ReadonlyMap<string, PlannedStep>,
    removed: readonly Leftover[],
  ): readonly MachineLoss[] {
    const { rolls } = this.options;
    if (!rolls) {
      return [];
    }
    return this.input.assembly.targets
      .filter(({ kind, name }) => kind === 'rancher' && !this.unsure.has(name))
      .flatMap(({ name: target, version }) => {
        const parts = looked.filter(
          ({ object, manifest }) => object.target === target && isClusterPart(manifest),
        );
        const before = [...parts, ...removed.filter((each) => each.target === target)].flatMap(
          ({ live }) => live ?? [],
        );
        return rolls(
          { target, version, manifests: before },
          { target, version, manifests: parts.map(({ object }) => planned.get(object.id)!.after) },
        );
      });
  }

  /**
   * In the plan of an apply, what cannot be looked at now is looked at where its step is executed.
   */
  private async each<T extends AssemblyObject | Looked, R>(
    items: readonly T[],
    act: (item: T) => Promise<R>,
  ): Promise<(R | undefined)[]> {
    const {
      options: { brief, concurrency = 8, signal },
      unsure,
    } = this;
    const targetOf = (item: T): string => ('object' in item ? item.object.target : item.target);
    return inParallel(
      items,
      targetOf,
      concurrency,
      async (item) =>
        unsure.has(targetOf(item))
          ? undefined
          : act(item).catch((error: unknown) => {
              if (
                !brief?.onFailure ||
                !(error instanceof ApiError) ||
                error.failure === 'aborted'
              ) {
                throw error;
              }
              if (!unsure.has(targetOf(item))) {
                brief.onFailure(targetOf(item), error);
              }
              unsure.add(targetOf(item));
              return undefined;
            }),
      signal,
    );
  }
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
