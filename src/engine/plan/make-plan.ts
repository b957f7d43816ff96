import { withConsequences } from './consequences';
import { judgeLive, withFindings, withRefusal, withTakeover, withWarnings } from './judge-live';
import { OpenTargets } from './open-targets';
import { MachineLoss, Plan, PlanStep, RollsOf } from './plan';
import { PlannedObject, PlannedStep, planObject } from './plan-object';
import { pruneSteps, withTriedReset } from './prune-steps';
import { ReadyContext } from '../../core/kind/readiness';
import { lateIdsIn } from '../../core/late/late-text';
import { LATE_TOKEN, hasLateName } from '../../core/late/late-token';
import { Manifest, objectLabel, refId, objectId } from '../../core/manifest/manifest';
import { AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';
import { HiddenValues, secretPathsOf, sensitiveIds } from '../../core/secret/redactor';
import { remembered } from '../../core/text/values';
import { isCluster, isClusterPart } from '../../guest/cluster/cluster.kind';
import { Takeover, declaredIn, takeoverOf } from '../adopt/takeover';
import { LiveObject, ObjectRef } from '../cluster/cluster';
import { FieldOptions, savedOptions } from '../fields/managed-fields';
import { ApplyGraph } from '../graph/graph';
import { declares } from '../graph/object-index';
import { Inventory, InventoryEntry, InventoryReader, listedObjects } from '../inventory/inventory';
import { isPruned, removedNotes, removedTargets } from '../inventory/removed-targets';
import { Leftover, undeclaredIn } from '../inventory/undeclared';
import { LateResolver } from '../late/late-resolver';
import { lateValuesWithin, replacedText } from '../late/origin';
import { inTheWay, stillTaken } from '../precondition/in-the-way';
import { refusedDeletion } from '../precondition/in-use';
import { Beginning, HALF_CONNECTED, OTHER_CLUSTER, OTHER_PROGRAM, checkNamed } from '../precondition/run-preconditions';
import { refusedSteps } from '../precondition/step-preconditions';
import { readyContext } from '../ready/wait-ready';
import { stillInUse, usedBy } from '../removal/contents';
import { whatBecomesOf } from '../removal/live-removal';
import { Program } from '../run/run-context';
import { lateDigest } from '../secret/digest';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** The input of a plan: a program, and its graph. */
export interface PlanInput extends Omit<Program, 'folder'> {
  readonly graph: ApplyGraph;
}

export interface PlanOptions extends FieldOptions {
  /** The app (`--app`). @default - the plan names no app */
  readonly app?: string;
  /** Targets, and IDs of provisioning Clusters, that may have been recreated. @default - a recreated cluster is an error */
  readonly acceptNewCluster?: readonly string[];
  /** @default - nothing is pruned */
  readonly inventory?: InventoryReader;
  /** @default - no late value is known */
  readonly late?: Pick<LateResolver, 'tryResolve' | 'completeKnown'> & Partial<Pick<LateResolver, 'values' | 'unmatched'>>;
  /** Adds what an apply adds to a manifest: the membership label. @default - nothing */
  readonly finish?: (object: AssemblyObject, manifest: Manifest) => Manifest;
  /** Plan the deletion of objects that hold machines or data. @default false: they are kept with what they need */
  readonly pruneMachines?: boolean;
  /** Whether objects that differ are tested with a dry run. @default true */
  readonly dryRun?: boolean;
  /** Finds the machines that a change replaces or deletes. @default - the plan reports none */
  readonly rolls?: RollsOf;
  /** Concurrent requests per target. @default 8 */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Accept a program that declares none of the objects that its app applied before. @default false */
  readonly allowEmpty?: boolean;
  /** Selects what is planned: a declared object, or one that is left of an earlier run. @default - everything */
  readonly only?: (target: string, object: Pick<InventoryEntry, 'id' | 'apiVersion' | 'kind'>, isLeft: boolean) => boolean;
  /** The clusters as a run sees them, which has judged the preconditions of all steps. @default - they are opened, and the plan judges them */
  readonly seen?: OpenTargets;
  /** Receives the warnings of servers. */
  readonly onWarning?: (object: AssemblyObject, message: string) => void;
}

/** A declared object, its manifest as it would be written, and its live state. */
interface Looked extends Pick<PlannedObject, 'object' | 'manifest' | 'secretPaths' | 'waitsFor' | 'live' | 'cluster' | 'written' | 'unreadable'> {
  /** The manifest without what an apply adds: rules judge it. */
  readonly completed: Manifest;
}

/** Plans what an apply would do. Nothing is written: each object is read once, and only those that differ are sent in a dry run. */
export async function makePlan(input: PlanInput, options: PlanOptions): Promise<Plan> {
  return new Planning(input, options).plan();
}

class Planning {
  private readonly values = new HiddenValues();
  private readonly open: OpenTargets;
  private readonly sensitive: ReadonlySet<string>;
  private readonly inventories = new Map<string, ReadonlyMap<string, InventoryEntry>>();
  private readonly found = new Map<string, Inventory>();
  private readonly lateValues: ReadonlyMap<string, AssemblyLateValue>;
  private readonly known = new Map<string, Promise<boolean>>();
  private readonly groups = new Map<string, string | undefined>();
  private readonly isDeclared: ReturnType<typeof declaredIn>;

  public constructor(private readonly input: PlanInput, private readonly options: PlanOptions) {
    this.open = options.seen ?? new OpenTargets(input.targets, options.signal);
    this.sensitive = sensitiveIds(input.assembly.lateValues);
    this.isDeclared = declaredIn(input.assembly);
    this.lateValues = new Map(input.assembly.lateValues.map((late) => [late.id, late]));
  }

  public async plan(): Promise<Plan> {
    const { assembly, graph, digest } = this.input;
    const { inventory, signal, app, adopt, forceConflicts = [] } = this.options;
    const targets = await Promise.all(assembly.targets.map(async ({ name }) => this.open.open(name)));
    await Promise.all(targets.map(async ({ bound: { target }, cluster }) => {
      const found = cluster && await inventory?.(cluster, target, signal);
      if (!found) { return; }
      this.found.set(target.name, found);
      this.inventories.set(target.name, new Map(found.entries.map((entry) => [entry.id, entry])));
      if (!this.options.seen) { this.open.readBy(target.name, listedObjects(cluster, found)); }
    }));
    checkNamed({ '--adopt': adopt, '--force-conflicts': forceConflicts }, assembly, [...this.found.values()].flatMap(({ entries }) => entries));
    const objects = [...graph.nodes.values()].flatMap(({ object }) => (object && this.isWanted(object.target, object, false) ? [object] : []));
    const looked = await this.each(objects, async (object) => this.look(object));
    const absent = looked.filter(({ live, unreadable }) => !live && unreadable === undefined);
    const missing = new Map(absent.map(({ object, manifest }) => [object.id, objectLabel(manifest)]));
    const leftovers = await this.leftovers(looked);
    const gone = withConsequences(await this.gone(leftovers, looked), leftovers, looked);
    const ways = this.ways(looked, leftovers, gone);
    const blocked = (id: string): { readonly blockedBy?: string } => ways.first.get(id) ?? this.blocked(id, missing);
    const planned = await this.each(looked, async (each) => planObject({ ...each, ...blocked(each.object.id) }, {
      ...this.options, values: this.values, declares: (target, what) => declares(this.input, target, what),
    }));
    const refusals = this.options.seen ? new Map<string, string>() : await this.refused(looked, targets.map(({ plan }) => plan));
    const takeovers = await this.each(looked, async (each) => this.takeover(each));
    const written = planned.map(({ step }, index) => {
      const refused = refusals.get(step.id) ?? ways.taken.get(step.id);
      const { object } = looked[index];
      const [several, none] = [this.unmatched(object, true), this.unmatched(object, false)];
      const known = withRefusal(withWarnings(step, [...this.replaced(object), ...none]), several.length > 0 ? several.join('; ') : undefined);
      return refused === undefined ? withTakeover(known, takeovers[index]) : withRefusal(known, refused);
    });
    const steps = this.judged([...written, ...gone], looked, leftovers);
    return {
      schemaVersion: '1',
      assembly: digest,
      ...(app === undefined ? {} : { app }),
      ...(forceConflicts.length > 0 ? { forceConflicts } : {}),
      ...savedOptions(this.options),
      ...(this.options.pruneMachines ? { pruneMachines: true } : {}),
      targets: targets.map(({ plan }) => plan),
      steps,
      rolls: this.rolls(looked, planned, removedParts(leftovers, steps)),
      ...this.problems(leftovers, targets.map(({ plan }) => plan)),
    };
  }

  /** Objects that must be deleted before declared ones can get their values, and those that are kept and keep the values. */
  private ways(looked: readonly Looked[], leftovers: readonly Leftover[], gone: readonly PlanStep[]): {
    readonly first: ReadonlyMap<string, { readonly blockedBy: string }>; readonly taken: ReadonlyMap<string, string>;
  } {
    const declared = looked.map(({ object: { id, target }, manifest }) => ({ id, target, manifest }));
    const steps = new Map(gone.map((step) => [step.id, step]));
    const [first, taken] = [new Map<string, { readonly blockedBy: string }>(), new Map<string, string>()];
    const keptFor = (id: string): string | undefined => {
      const { action, reason = 'it is not deleted' } = steps.get(id) ?? {};
      return action === 'prune' ? undefined : reason;
    };
    for (const way of inTheWay(declared, leftovers, keptFor)) {
      if (way.stays === undefined) { first.set(way.id, { blockedBy: `it gets ${way.what}, which is deleted first` }); } else { taken.set(way.id, stillTaken(way, way.stays)); }
    }
    return { first, taken };
  }

  /** Steps that an apply would not begin with. */
  private async refused(looked: readonly Looked[], targets: Plan['targets']): Promise<ReadonlyMap<string, string>> {
    const { input: { assembly, graph }, options: { acceptNewCluster, signal, onWarning } } = this;
    const objects = new Map(assembly.objects.map((object) => [object.id, object]));
    const places = await Promise.all(targets.map(async ({ name }) => {
      const { bound: { target }, cluster } = await this.open.open(name);
      return cluster ? [{ target, cluster, entries: this.found.get(name)?.entries ?? [] }] : [];
    }));
    return refusedSteps({
      assembly,
      graph,
      acceptNewCluster,
      signal,
      manifests: new Map(looked.map(({ object: { id }, manifest }) => [id, manifest])),
      places: places.flat(),
      read: async (target, ref) => {
        const { live, unreadable } = await this.read(target, ref);
        return unreadable === undefined ? live : 'unreadable';
      },
      onWarning: (message, _, id) => onWarning?.(objects.get(id)!, message),
    });
  }

  /** Whether an object that someone else made is adopted. */
  private async takeover({ object, manifest, live, cluster, unreadable }: Looked): Promise<Takeover | undefined> {
    if (!cluster || !this.options.inventory || unreadable !== undefined || hasLateName(manifest.metadata)) { return undefined; }
    const { adopt, acceptNewCluster, fieldManager, signal } = this.options;
    const entry = this.inventories.get(object.target)?.get(object.id);
    return takeoverOf({ object, manifest, live, entry }, {
      cluster, adopt, acceptNewCluster, fieldManager, signal, isDeclared: (ref) => this.isDeclared(object.target, ref),
    });
  }

  /** The warnings about late values of an object that are other ones than the last run read. */
  private replaced({ lateValues = [] }: AssemblyObject): string[] {
    return lateValuesWithin(lateValues, this.lateValues).flatMap((id) => {
      const late = this.lateValues.get(id)!;
      const value = this.options.late?.values?.get(id);
      const { late: digests = {}, digestKey } = ('target' in late.source && this.found.get(late.source.target)) || {};
      if (value === undefined || digestKey === undefined || digests[id] === undefined) { return []; }
      return digests[id] !== lateDigest(id, value, digestKey) ? [replacedText(late, this.input.assembly.targets)] : [];
    });
  }

  /** The look-ups of an object that find several objects, or none yet. */
  private unmatched({ lateValues = [] }: AssemblyObject, isFinal: boolean): string[] {
    const { unmatched } = this.options.late ?? {};
    return lateValuesWithin(lateValues, this.lateValues).flatMap((id) => unmatched?.get(id) ?? [])
      .filter((each) => each.isFinal === isFinal).map(({ message }) => message);
  }

  /** The steps for leftovers; a Namespace with declared objects is kept. */
  private async gone(leftovers: readonly Leftover[], looked: readonly Looked[]): Promise<PlanStep[]> {
    const { options, values } = this;
    const used = new Set(looked.flatMap(({ object: { target }, manifest }) => usedBy(target, { ...manifest, ...manifest.metadata })));
    const guard = (live: LiveObject, target: string): string | undefined => stillInUse(live, target, used);
    const byId = new Map(leftovers.map((leftover) => [leftover.entry.id, leftover]));
    const about = (target: string): ReadyContext => readyContext(this.input.targets.get(target)!.target);
    const { assembly, manifests } = this.input;
    const becomes = whatBecomesOf(leftovers, { ...options, assembly, manifests, guard });
    const steps = pruneSteps(leftovers, { values, becomes, about });
    const deleted = steps.flatMap(({ id, target, action }) => (action === 'prune' ? [[target, byId.get(id)!.entry] as const] : []));
    const going = new Set(deleted.map(([target, ref]) => refId(target, ref)));
    return this.each(steps, async (step) => {
      const { id, action } = step;
      const { bound: { target }, cluster } = await this.open.open(step.target);
      const { live } = byId.get(id)!;
      if (action === 'prune' && cluster) {
        const isGoing = (other: LiveObject): boolean => going.has(objectId(target.name, other));
        return withRefusal(step, (await refusedDeletion({ id, live: live!, target, cluster }, deleted, { isGoing, signal: options.signal }))?.why);
      }
      const tries = action === 'reset' && cluster && options.dryRun !== false;
      return tries ? withTriedReset(step, byId.get(id)!, cluster, { ...options, values, about: about(target.name) }) : step;
    });
  }

  private problems(leftovers: readonly Leftover[], planTargets: Plan['targets']): Pick<Plan, 'problems' | 'allowEmpty' | 'notes'> {
    const { app, allowEmpty, acceptNewCluster } = this.options;
    const { assembly } = this.input;
    const { targets } = assembly;
    const removed = removedTargets([...this.found.values()], targets);
    const notes = removedNotes(removed, targets);
    const going = leftovers.flatMap(({ entry, live }) => (live ? [entry] : []));
    const beginning: Beginning = { assembly, targets: planTargets, inventories: [...this.found.values()], going, app, acceptNewCluster };
    const other = [...OTHER_PROGRAM.judge(beginning)];
    const problems = [...OTHER_CLUSTER.judge(beginning), ...HALF_CONNECTED.judge(beginning), ...allowEmpty ? [] : other];
    return {
      ...(problems.length > 0 ? { problems } : {}),
      ...(notes.length > 0 ? { notes } : {}),
      ...(other.length > 0 && allowEmpty ? { allowEmpty } : {}),
    };
  }

  private isWanted(target: string, object: Pick<InventoryEntry, 'id' | 'apiVersion' | 'kind'>, isLeft: boolean): boolean {
    return this.options.only?.(target, object, isLeft) ?? true;
  }

  private async look(object: AssemblyObject): Promise<Looked> {
    const template = this.input.manifests.get(object.id);
    if (!template) { throw new Error(`${object.id}: its manifest is missing. Fix: synthesize again`); }
    const waitsFor = await this.unknown(object.lateValues ?? []);
    const { late, finish } = this.options;
    const completed = late && object.lateValues?.length ? late.completeKnown(template) : template;
    const manifest = finish ? finish(object, completed) : completed;
    const { cluster } = await this.open.open(object.target);
    const { apiVersion, kind, metadata: { namespace, name } } = manifest;
    return {
      object,
      manifest,
      completed,
      waitsFor,
      cluster,
      secretPaths: secretPathsOf(template, this.sensitive),
      ...(!hasLateName(manifest.metadata) ? await this.read(object.target, { apiVersion, kind, namespace, name }) : {}),
      written: this.inventories.get(object.target)?.get(object.id)?.written,
    };
  }

  // an object that cannot be read does not hide the others: all missing permissions are reported at once
  private async read(target: string, ref: ObjectRef): Promise<Pick<Looked, 'live' | 'unreadable'>> {
    return this.open.read(target, ref).then((live) => ({ live }), onFailure(['forbidden'], ({ message }) => ({ unreadable: message })));
  }

  private async unknown(ids: readonly string[]): Promise<string[]> {
    const known = await Promise.all(ids.map(async (id) => remembered(this.known, id, async () => this.ask(id))));
    return ids.filter((_, index) => !known[index]);
  }

  private async ask(id: string): Promise<boolean> {
    const { late } = this.options;
    // values on a cluster that does not exist yet are not known
    const targets = await Promise.all([...this.sourcesOf(id, new Set())].map(async (name) => this.open.open(name)));
    if (!late || targets.some(({ cluster }) => !cluster)) { return false; }
    return late.tryResolve(id).catch(onFailure(['not-found', 'blocked'], () => false));
  }

  /** The targets that a late value is read from, including those of the values that its text or names contain. */
  private sourcesOf(id: string, seen: Set<string>): ReadonlySet<string> {
    const source = this.input.assembly.lateValues.find((late) => late.id === id)?.source;
    if (!source || seen.has(id)) { return new Set(); }
    seen.add(id);
    const inner = lateIdsIn(source).flatMap((each) => [...this.sourcesOf(each, seen)]);
    return new Set('target' in source ? [source.target, ...inner] : inner);
  }

  /** Why a dry run of an object is not possible: a dependency does not exist yet. */
  private blocked(id: string, missing: ReadonlyMap<string, string>): { readonly blockedBy?: string } {
    const label = this.missingBelow(id, missing);
    return label ? { blockedBy: `${label.replace(new RegExp(LATE_TOKEN), '(late)')} is created by this plan` } : {};
  }

  private missingBelow(node: string, missing: ReadonlyMap<string, string>): string | undefined {
    for (const { to, kind } of this.input.graph.nodes.get(node)?.after ?? []) {
      if (kind === 'gone') { continue; }
      // groups and late values are shared by many objects, so they are visited once
      const found = this.input.graph.nodes.get(to)?.object ? missing.get(to) : this.missingBelowGroup(to, missing);
      if (found) { return found; }
    }
    return undefined;
  }

  private missingBelowGroup(group: string, missing: ReadonlyMap<string, string>): string | undefined {
    if (!this.groups.has(group)) { this.groups.set(group, this.missingBelow(group, missing)); }
    return this.groups.get(group);
  }

  private async leftovers(looked: readonly Looked[]): Promise<Leftover[]> {
    const before = [...this.inventories].flatMap(([target, entries]) => {
      const { target: of } = this.input.targets.get(target)!;
      return [...entries.values()].filter((entry) => isPruned(of, entry) && this.isWanted(target, entry, true)).map((entry) => ({ target, entry }));
    });
    const gone = undeclaredIn(before, looked);
    return this.each(gone, async ({ target, entry }) => ({ target, entry, live: await this.open.read(target, entry) }), ({ target }) => target);
  }

  private judged(steps: readonly PlanStep[], looked: readonly Looked[], leftovers: readonly Leftover[]): PlanStep[] {
    const byName = new Map(this.input.assembly.targets.map((target) => [target.name, target]));
    const pruned = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
    const found = judgeLive([
      ...looked.map(({ object: { id, target }, completed, live }) => ({ id, target: byName.get(target)!, desired: completed, live })),
      ...leftovers.filter(({ entry }) => pruned.has(entry.id)).map(({ target, entry: { id }, live }) => ({ id, target: byName.get(target)!, live })),
    ]);
    return steps.map((step) => withFindings(step, found.get(step.id) ?? []));
  }

  private rolls(looked: readonly Looked[], planned: readonly PlannedStep[], removed: readonly Leftover[]): readonly MachineLoss[] {
    const { rolls } = this.options;
    if (!rolls) { return []; }
    return this.input.assembly.targets.filter(({ kind }) => kind === 'rancher').flatMap(({ name: target, version }) => {
      const parts = looked.map((each, index) => ({ ...each, after: planned[index].after }))
        .filter(({ object, manifest }) => object.target === target && isClusterPart(manifest));
      const before = [...parts, ...removed.filter((each) => each.target === target)].flatMap(({ live }) => live ?? []);
      return rolls({ target, version, manifests: before }, { target, version, manifests: parts.map(({ after }) => after) });
    });
  }

  private async each<T, R>(items: readonly T[], act: (item: T) => Promise<R>, targetOf?: (item: T) => string): Promise<R[]> {
    const target = targetOf ?? ((item: T): string => {
      const { object, target: own } = item as { readonly object?: AssemblyObject; readonly target?: string };
      return object?.target ?? own ?? '';
    });
    return inParallel(items, target, this.options.concurrency ?? 8, act, this.options.signal);
  }
}

/** Machine configurations of live Clusters that the program no longer declares, and Clusters that are deleted. */
function removedParts(leftovers: readonly Leftover[], steps: readonly PlanStep[]): readonly Leftover[] {
  const going = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
  return leftovers.filter(({ entry }) => isClusterPart(entry) && (!isCluster(entry) || going.has(entry.id)));
}
