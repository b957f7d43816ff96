import { RunSummary } from './context/events';
import { END_MS, ObjectPlace, RunContext, RunOptions } from './context/run-context';
import { allDone, Outcome, Outcomes, runNodes, summaryOf } from './work/outcomes';
import { ownAccess } from './work/own-access';
import { graphOf, stillNeeded, undeclaredOf, withKept, withLive } from './work/prune';
import { RemovalWorker } from './work/removal-worker';
import { keptByImports, refusedImports, usedImports } from './work/used-imports';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { RunProgram } from '../auth/run-program';
import { buildGraph } from '../graph/build-graph';
import { ApplyGraph } from '../graph/graph';
import { reverseGraph, deletionScopeOf } from '../graph/reverse-graph';
import { InventoryEntry, Leftover } from '../inventory/inventory';
import { isRemoved, removedTargets } from '../inventory/removed-targets';
import { RemovalStep } from '../plan/plan';
import { checkRun, noneHalfConnected } from '../precondition/run-preconditions';
import { beginPermitted, checkPermissions } from './context/run-permissions';
import { manifestsOfLeftovers, asObject } from '../removal/live-removal';

/** Options of a destroy. */
export interface DestroyRunOptions extends RunOptions {
  /** Confirms the deletion before it begins; false cancels it. @default - no confirmation */
  readonly confirm?: (what: DestroyScope) => Promise<boolean>;
  /**
   * Delete only the objects of this target, and what needs them on others.
   * @default - all targets
   */
  readonly target?: string;
}

/** The objects that a destroy deletes. */
export interface DestroyScope {
  /** Object IDs by target. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** What is done with each object, with the reason for a policy. */
  readonly steps: readonly RemovalStep[];
}

/**
 * Deletes what an app applied, in reverse order: guest clusters before their credentials and
 * networks, tenants while their cluster is connected, the registration Setting before the import.
 * Only objects in the inventories are touched. Another destroy resumes.
 */
export async function destroyProgram(
  program: RunProgram,
  options: DestroyRunOptions,
): Promise<RunSummary> {
  checkTarget(program, options.target);
  const run = new RunContext(program, options);
  let outcomes: Outcomes | undefined;
  await run.during(
    async () => {
      outcomes = await destroyConfirmed(run, options);
    },
    async (place) => {
      // a destroy that was canceled writes nothing
      if (outcomes) {
        await closeInventory(place, program, outcomes, options);
      }
    },
  );
  return summaryOf(outcomes ?? new Map(), run);
}

/** Returns nothing if it was canceled. */
async function destroyConfirmed(
  run: RunContext,
  options: DestroyRunOptions,
): Promise<Outcomes | undefined> {
  await beginPermitted(run, { written: [], lateValues: [], gone: [], ends: true });
  run.checkIds();
  const destruction = await destructionOf(run, options.target);
  const gone = leftoversOf(run, destruction);
  checkRun(run.beginning(gone.map(({ entry }) => entry)), noneHalfConnected);
  await checkPermissions(run, {
    written: [],
    lateValues: [],
    gone,
    ends: destruction.scope === undefined,
  });
  if (gone.length > 0 && (await options.confirm?.(scopeToConfirm(run, gone))) === false) {
    return undefined;
  }
  await run.moveFormer();
  return deleteObjects(run, gone, destruction, options);
}

/** All that is declared or was applied, and what of it is deleted. */
interface Destruction {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly graph: ApplyGraph;
  /** The IDs of the objects to delete. @default - all */
  readonly scope?: ReadonlySet<string>;
}

async function destructionOf(run: RunContext, target: string | undefined): Promise<Destruction> {
  const { program } = run;
  const leftovers = undeclaredOf(run, () => true);
  const assembly = {
    ...program.assembly,
    objects: [...program.assembly.objects, ...leftovers.map(asObject)],
  };
  const manifests = new Map([
    ...program.manifests,
    ...manifestsOfLeftovers(await withLive(leftovers, run)),
  ]);
  const graph = buildGraph(assembly, manifests);
  if (target === undefined) {
    return { assembly, manifests, graph };
  }
  const known = run.open.flatMap(({ stored }) => stored?.targets?.[target]?.parts ?? []);
  const scope = deletionScopeOf(target, assembly, graph, manifests, known);
  return { assembly, manifests, graph, scope };
}

function isInScope({ id }: { readonly id: string }, { scope }: Destruction): boolean {
  return scope?.has(id) ?? true;
}

/** What the inventories have of the objects to delete. */
function leftoversOf({ program, open }: RunContext, destruction: Destruction): Leftover[] {
  const declared = new Map(program.assembly.objects.map((object) => [object.id, object]));
  return open.flatMap(({ target, keeper }) =>
    keeper.all
      .filter((entry) => isInScope(entry, destruction))
      .map((entry) => ({ target: target.name, entry: asDeclared(entry, declared) })),
  );
}

function scopeToConfirm({ open }: RunContext, gone: readonly Leftover[]): DestroyScope {
  const idsOn = (name: string): string[] =>
    gone.filter(({ target }) => target === name).map(({ entry }) => entry.id);
  return {
    objects: new Map(open.map(({ target }) => [target.name, idsOn(target.name)])),
    steps: gone.map(({ target, entry }): RemovalStep => ({
      id: entry.id,
      target,
      action: entry.policy === 'delete' ? 'prune' : entry.policy,
      reason: entry.reason,
    })),
  };
}

/** Deletes objects in reverse order, without those that imports in use need. */
async function deleteObjects(
  run: RunContext,
  gone: readonly Leftover[],
  destruction: Destruction,
  options: DestroyRunOptions,
): Promise<Outcomes> {
  const { assembly, manifests, graph, scope } = destruction;
  const isOwn = await ownAccess(
    run,
    assembly.objects.filter((object) => isInScope(object, destruction)),
  );
  const all = reverseGraph(graph, assembly, manifests, isOwn);
  const used = await usedImports(gone, run);
  const kept = keptByImports(used, all);
  const now = [...all.nodes.values()].filter(
    (node) => isInScope(node, destruction) && !kept.has(node.id),
  );
  const reversed = graphOf(all, new Set(now.map(({ id }) => id)));
  const nodes = [...reversed.nodes.values()].filter(({ object }) => object);
  options.onEvent?.({
    type: 'start',
    command: 'destroy',
    nodes: nodes.length,
    targets: run.program.assembly.targets.map(({ name }) => name),
  });
  const worker = new RemovalWorker(run, gone, { needed: scope && stillNeeded(run, gone) });
  const waiting = gone.filter(({ entry }) => kept.has(entry.id));
  return new Map<string, Outcome>([
    ...waiting.map(({ entry }) => [entry.id, { state: 'pending', acted: false }] as const),
    ...refusedImports(used, run),
    ...withKept(await runNodes(reversed, worker, run, true), worker),
  ]);
}

async function closeInventory(
  { keeper }: ObjectPlace,
  { assembly }: RunProgram,
  outcomes: Outcomes,
  options: DestroyRunOptions,
): Promise<void> {
  // inventories can forget targets that the program no longer declares
  for (const target of allDone(outcomes) ? assembly.targets.filter(isRemoved) : []) {
    if ((options.target ?? target.name) === target.name) {
      keeper.forgetTarget(target.name);
    }
  }
  await keeper.close(AbortSignal.timeout(END_MS));
}

function checkTarget({ assembly }: RunProgram, target: string | undefined): void {
  const { targets } = assembly;
  if (target === undefined || targets.some(({ name }) => name === target)) {
    return;
  }
  throw new Error(
    `--target: must be a target of this program, or of an earlier run and bound to a context: ${targets.map(({ name }) => name).join(', ')}, got ${target}. ` +
      `Fix: if it was removed from the program, set --context ${target}=<context>; if its cluster no longer exists, run forget ${target}`,
  );
}

/** Keeps objects that the program retains now, even if that was not applied yet. */
function asDeclared(
  entry: InventoryEntry,
  declared: ReadonlyMap<string, AssemblyObject>,
): InventoryEntry {
  const deletion = declared.get(entry.id)?.deletion;
  return deletion?.policy === 'keep' ? { ...entry, ...deletion } : entry;
}

/** Options of `forgetTarget`. */
interface ForgetOptions extends RunOptions {
  /**
   * Confirms the targets whose inventories are written; false cancels it.
   * @default - no confirmation
   */
  readonly confirm?: (inventories: readonly string[]) => Promise<boolean>;
}

/**
 * Removes a target from the inventories of an app without a request to its cluster, which no longer
 * exists or keeps its objects.
 *
 * @returns the targets whose inventories contained it; none if it was canceled
 */
export async function forgetTarget(
  program: RunProgram,
  name: string,
  options: ForgetOptions,
): Promise<readonly string[]> {
  const run = new RunContext(program, options);
  let known: string[] = [];
  try {
    const { targets } = program.assembly;
    if (targets.some((target) => target.name === name)) {
      throw new Error(
        `target ${name} is declared by this program. Fix: remove it from the program and synthesize again, then forget it; to delete its objects, run destroy --target ${name}`,
      );
    }
    await run.begin();
    const removed = removedTargets(
      run.open.flatMap(({ stored }) => stored ?? []),
      targets,
    ).map((target) => target.name);
    if (!removed.includes(name)) {
      throw new Error(
        `target: must be one that app ${options.app.id} applied to and the program no longer declares, got ${name}. ${removed.length > 0 ? `Fix: use one of ${removed.join(', ')}` : 'There is none'}`,
      );
    }
    const places = run.open.filter(
      ({ stored }) =>
        stored && removedTargets([stored], targets).some((target) => target.name === name),
    );
    known = places.map(({ target }) => target.name).sort(compare);
    if ((await options.confirm?.(known)) === false) {
      known = [];
    } else {
      for (const { keeper } of places) {
        keeper.forgetTarget(name);
        await keeper.save(run.stop);
      }
    }
  } finally {
    await run.release();
  }
  return known;
}
