import { AT_A_TIME, DeniedRight, Intent, deniedOf, isNoAnswer, mayBeGranted, neededOn } from './ask';
import { Verb, madeNamespaces } from './grants';
import { groupOf, refKey } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { BoundTargets, Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { App, asMember } from '../inventory/apply-set';
import { Inventory, InventoryEntry, InventoryReader } from '../inventory/inventory-reader';
import { standingOf } from '../inventory/standing';
import { Plan } from '../plan/plan';
import { Leftover, leftoversOf } from '../run/leftovers';
import { Program, RunContext } from '../run/run-context';
import { ApiError } from '../transport/api';
import { inParallel } from '../transport/pace';

export interface PreflightInput extends Intent {
  readonly bound: BoundTargets;
  /** Those that are there. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** What the inventory remembers of an object. */
  readonly entry?: (target: string, id: string) => InventoryEntry | undefined;
  readonly signal?: AbortSignal;
}

/** What an identity lacks, in lines for people. */
export interface Preflight {
  /** A run would end at these. */
  readonly missing: readonly string[];
  /** A run may do without these, or have them by then. */
  readonly doubts: readonly { readonly target: string; readonly line: string }[];
}

/** The rights of an identity do not suffice. */
export class MissingPermissionsError extends Error {
  public constructor(lines: readonly string[], why?: string) {
    super([
      `the rights of this identity do not suffice; nothing was written${why === undefined ? '' : ` (${why})`}`,
      ...lines.map((line) => `  ${line}`),
      HINT,
    ].join('\n'));
    this.name = 'MissingPermissionsError';
  }
}

/** What to do about missing rights. */
export const HINT = '`cdk8s-harvester rbac` prints what is needed, for an administrator to apply; --no-preflight leaves it to the servers, e.g. where rights '
  + 'are given while it goes on';

/**
 * Asks all clusters at once whether an identity may do what a run is about to. Nothing is written. What can't be asked is left to the servers: clusters
 * that are yet to be made or do not answer such questions, names that are late, namespaces that this run makes, rights that it may give to itself.
 */
export async function preflight(input: PreflightInput): Promise<Preflight> {
  const found = await Promise.all([...input.clusters].map(async ([name, cluster]) => (
    new TargetPreflight(input.bound.get(name)!.target, cluster, input).check())));
  return { missing: found.flatMap(({ missing }) => missing), doubts: found.flatMap(({ doubts }) => doubts) };
}

/** What a run gives in place of a refusal that came before the rights could be asked for: all that is missing, as far as it can be asked. */
export async function explained(error: unknown, input: PreflightInput): Promise<unknown> {
  if (!(error instanceof ApiError) || error.failure !== 'forbidden') { return error; }
  try {
    const { missing, doubts } = await preflight(input);
    return new MissingPermissionsError([...missing, ...doubts.map(({ line }) => line)], error.message);
  } catch {
    // what came first is what there is to tell
    return new MissingPermissionsError([], error.message);
  }
}

/** What there is of an object: it, nothing, or nobody may look. */
type Seen = LiveObject | 'nothing' | 'unseen';

type Ref = Pick<DeniedRight, 'apiVersion' | 'kind' | 'namespace'> & { readonly name: string };

class TargetPreflight {
  private readonly reads = new Map<string, Promise<Seen>>();
  private readonly by: string;
  private readonly made: ReadonlySet<string>;

  public constructor(private readonly target: AssemblyTarget, private readonly cluster: Cluster, private readonly input: PreflightInput) {
    this.by = input.bound.get(target.name)!.by;
    this.made = madeNamespaces(input.written.filter((object) => object.target === target.name), input.manifests);
  }

  public async check(): Promise<Preflight> {
    const { input: { clusters, written, manifests, signal }, target, cluster } = this;
    const all = await deniedOf(cluster, neededOn(target, this.input, (name) => clusters.has(name)), { signal }) ?? [];
    for (const { verb, name, ...rest } of all) {
      if (verb === 'get' && name !== undefined) { this.reads.set(keyOf({ ...rest, name }), Promise.resolve('unseen')); }
    }
    const counting = await inParallel(all, () => '', AT_A_TIME, async (right) => this.counts(right), signal);
    const denied = all.filter((_, index) => counting[index]);
    const needed = denied.filter(({ perhaps }) => perhaps === undefined);
    const granted = needed.length > 0 && await mayBeGranted(target, cluster, written, manifests, { signal });
    const doubts = denied.filter(({ perhaps }) => perhaps !== undefined)
      .concat(granted ? needed.map((right) => ({ ...right, perhaps: 'this run may give it to itself' })) : []);
    return {
      missing: granted ? [] : this.lines(needed),
      doubts: this.lines(doubts).map((line) => ({ target: target.name, line })),
    };
  }

  /** A right that is missing does no harm where the run has no use for it as things are. */
  private async counts(right: DeniedRight): Promise<boolean> {
    const { apiVersion, kind, namespace, name, verb } = right;
    const place = namespace !== undefined && this.made.has(namespace) ? await this.seen({ apiVersion: 'v1', kind: 'Namespace', name: namespace }) : undefined;
    if (place === 'nothing' || place === 'unseen') { return false; }
    if (name === undefined || !USELESS.has(verb)) { return true; }
    const seen = await this.seen({ apiVersion, kind, namespace, name });
    if (seen === 'unseen') { return true; }
    // the lock is there only during a run
    if (seen === 'nothing') { return verb !== 'delete' || kind === 'Lease'; }
    return verb === 'delete' || (verb === 'patch' && !this.isAsDeclared(right, seen));
  }

  private isAsDeclared({ apiVersion, kind, namespace, name }: DeniedRight, live: LiveObject): boolean {
    const { app, written, manifests, entry } = this.input;
    const object = written.find((each) => each.target === this.target.name && each.kind === kind && each.name === name
      && each.namespace === namespace && groupOf(each.apiVersion) === groupOf(apiVersion));
    if (!object || object.lateValues?.length) { return false; }
    return standingOf(asMember(app)(object, manifests.get(object.id)!), live, {
      fieldManager: app.fieldManager, othersWrite: object.othersWrite, written: entry?.(this.target.name, object.id)?.written,
    }).same;
  }

  private async seen(ref: Ref): Promise<Seen> {
    const known = this.reads.get(keyOf(ref));
    if (known) { return known; }
    const seeing = this.cluster.read(ref, { signal: this.input.signal }).then((live): Seen => live ?? 'nothing', (error: unknown): Seen => {
      if (isNoAnswer(error)) { return 'unseen'; }
      throw error;
    });
    this.reads.set(keyOf(ref), seeing);
    return seeing;
  }

  /** One line for what differs by its verbs or names alone. */
  private lines(rights: readonly DeniedRight[]): string[] {
    const byObject = grouped(rights, ({ resource, namespace, name, perhaps }) => JSON.stringify([resource, namespace, name, perhaps]));
    const objects = [...byObject.values()].map((each) => ({ ...each[0], verbs: each.map(({ verb }) => verb).join(', ') }));
    const byPlace = grouped(objects, ({ resource, namespace, perhaps, verbs }) => JSON.stringify([resource, namespace, perhaps, verbs]));
    return [...byPlace.values()].map((each) => {
      const [{ verbs, resource, namespace, perhaps }] = each;
      const names = each.flatMap(({ name }) => name ?? []).sort(compare);
      return `${this.target.name} (${this.by}): ${verbs} ${resource}${names.length > 0 ? ` ${shortly(names)}` : ''}`
        + `${namespace === undefined ? '' : ` in namespace ${namespace}`}${perhaps === undefined ? '' : ` (${perhaps})`}`;
    }).sort(compare);
  }
}

/** Verbs that are needed only where the object is not as it shall be. */
const USELESS: ReadonlySet<Verb> = new Set<Verb>(['create', 'delete', 'patch']);

/** A line is read by people. */
const MAX_NAMES = 5;

function shortly(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''}`;
}

function keyOf({ apiVersion, kind, namespace, name }: Ref): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}

function grouped<T>(items: readonly T[], by: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(by(item));
    if (group) { group.push(item); } else { groups.set(by(item), [item]); }
  }
  return groups;
}

/** The rights that an apply of a plan needs, beside the plan itself. */
export class PlanPermissions {
  private readonly inventories = new Map<string, Inventory>();

  public constructor(private readonly program: Program, private readonly app: App, private readonly signal?: AbortSignal) {}

  /** Reads inventories as another reader does, and remembers them. */
  public reading(read: InventoryReader): InventoryReader {
    return async (cluster, target, signal) => {
      const found = await read(cluster, target, signal);
      if (found) { this.inventories.set(target.name, found); }
      return found;
    };
  }

  public async of(plan: Plan): Promise<Preflight> {
    const there = plan.targets.filter(({ absent }) => absent === undefined).map(({ name }) => name);
    const gone = new Set(plan.steps.filter(({ action, refused }) => (action === 'prune' || action === 'reset') && refused === undefined).map(({ id }) => id));
    return preflight(await this.input(there, gone));
  }

  /** What to tell where no plan could be made: all that is missing, and not only what came first. */
  public async explained(error: unknown): Promise<unknown> {
    return explained(error, await this.input(this.program.assembly.targets.filter(({ kind }) => kind !== 'guest').map(({ name }) => name), new Set()));
  }

  private async input(there: readonly string[], gone: ReadonlySet<string>): Promise<PreflightInput> {
    const { program: { assembly, manifests, targets }, app, inventories, signal } = this;
    const clusters = new Map<string, Cluster>();
    for (const name of there) {
      // one that is not reached is what the plan ended with
      const cluster = await targets.get(name)?.cluster(signal).catch(() => undefined);
      if (cluster) { clusters.set(name, cluster); }
    }
    return {
      app,
      manifests,
      clusters,
      signal,
      bound: targets,
      targets: assembly.targets,
      written: assembly.objects,
      lateValues: assembly.lateValues,
      gone: [...inventories].flatMap(([target, { entries }]) => entries.filter(({ id }) => gone.has(id)).map((entry) => ({ target, entry }))),
      ends: false,
      entry: (target, id) => inventories.get(target)?.entries.find((entry) => entry.id === id),
    };
  }
}

/** What is to be asked for before a run begins, beside what it knows itself. */
export type RunIntent = Pick<PreflightInput, 'written' | 'gone' | 'lateValues' | 'ends'>;

/** Connects, takes the lock, reads the inventories. Where that is forbidden, all that is missing is told, and not only what came first. */
export async function beginPermitted(run: RunContext, intent: RunIntent): Promise<void> {
  try {
    await run.begin();
  } catch (error) {
    throw run.options.preflight === false ? error : await explained(error, inputOf(run, intent));
  }
}

/** Throws where rights are missing, before anything is written; warns of those that are perhaps needed. */
export async function checkPermissions(run: RunContext, intent: RunIntent): Promise<void> {
  if (run.options.preflight === false) { return; }
  const { missing, doubts } = await preflight(inputOf(run, intent));
  if (missing.length > 0) { throw new MissingPermissionsError(missing); }
  for (const { target, line } of doubts) { run.warn(`perhaps a right is missing: ${line}`, target); }
}

/** What was applied before and is declared no longer, before anything is written: another id for the same object is none. */
export function undeclared(run: RunContext): Leftover[] {
  const declared = new Set(run.program.assembly.objects.map((object) => placeOf(object.target, object)));
  return leftoversOf(run).filter(({ target, entry }) => !declared.has(placeOf(target, entry)));
}

function placeOf(target: string, ref: ObjectRef): string {
  return `${target} ${refKey(ref)}`;
}

function inputOf(run: RunContext, intent: RunIntent): PreflightInput {
  const { program: { assembly, manifests, targets }, options: { app }, stop: signal, reached } = run;
  return {
    ...intent,
    app,
    manifests,
    signal,
    targets: assembly.targets,
    bound: targets,
    clusters: reached,
    entry: (target, id) => run.open.find((place) => place.target.name === target)?.keeper.entry(id),
  };
}
