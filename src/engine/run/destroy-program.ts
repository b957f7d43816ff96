import { RunSummary } from './context/events';
import { END_MS, RunContext, RunOptions } from './context/run-context';
import { allDone, Outcome, Outcomes, runNodes, summaryOf } from './work/outcomes';
import { ownAccess } from './work/own-access';
import { graphOf, stillNeeded, undeclaredOf, withKept, withLive } from './work/prune';
import { RemovalWorker } from './work/removal-worker';
import { keptByImports, refusedImports, usedImports } from './work/used-imports';
import { AssemblyObject } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { RunProgram } from '../auth/run-program';
import { buildGraph } from '../graph/build-graph';
import { reverseGraph, deletionScopeOf } from '../graph/reverse-graph';
import { InventoryEntry } from '../inventory/inventory';
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
  let outcomes: Outcomes = new Map();
  let agreed = true;
  await run.during(
    async () => {
      await beginPermitted(run, { written: [], lateValues: [], gone: [], ends: true });
      run.checkIds();
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
      const scope =
        options.target === undefined
          ? undefined
          : deletionScopeOf(
              options.target,
              assembly,
              graph,
              manifests,
              run.open.flatMap(({ stored }) => stored?.targets?.[options.target!]?.parts ?? []),
            );
      const isGoing = ({ id }: { readonly id: string }): boolean => scope?.has(id) ?? true;
      const declared = new Map(program.assembly.objects.map((object) => [object.id, object]));
      const gone = run.open.flatMap(({ target, keeper }) =>
        keeper.all
          .filter(isGoing)
          .map((entry) => ({ target: target.name, entry: asDeclared(entry, declared) })),
      );
      checkRun(run.beginning(gone.map(({ entry }) => entry)), noneHalfConnected);
      await checkPermissions(run, { written: [], lateValues: [], gone, ends: scope === undefined });
      const idsOn = (name: string): string[] =>
        gone.filter(({ target }) => target === name).map(({ entry }) => entry.id);
      const objects = new Map(run.open.map(({ target }) => [target.name, idsOn(target.name)]));
      const steps = gone.map(({ target, entry }): RemovalStep => ({
        id: entry.id,
        target,
        action: entry.policy === 'delete' ? 'prune' : entry.policy,
        reason: entry.reason,
      }));
      agreed = gone.length === 0 || (await options.confirm?.({ objects, steps })) !== false;
      if (agreed) {
        await run.moveFormer();
        const isOwn = await ownAccess(run, assembly.objects.filter(isGoing));
        const all = reverseGraph(graph, assembly, manifests, isOwn);
        const used = await usedImports(gone, run);
        const kept = keptByImports(used, all);
        const isNow = (node: { readonly id: string }): boolean =>
          isGoing(node) && !kept.has(node.id);
        const reversed = graphOf(
          all,
          new Set([...all.nodes.values()].filter(isNow).map(({ id }) => id)),
        );
        const nodes = [...reversed.nodes.values()].filter(({ object }) => object);
        options.onEvent?.({
          type: 'start',
          command: 'destroy',
          nodes: nodes.length,
          targets: program.assembly.targets.map(({ name }) => name),
        });
        const worker = new RemovalWorker(run, gone, { needed: scope && stillNeeded(run, gone) });
        outcomes = new Map<string, Outcome>([
          ...gone
            .filter(({ entry }) => kept.has(entry.id))
            .map(({ entry }) => [entry.id, { state: 'pending', acted: false }] as const),
          ...refusedImports(used, run),
          ...withKept(await runNodes(reversed, worker, run, true), worker),
        ]);
      }
    },
    async ({ keeper }) => {
      if (!agreed) {
        return;
      }
      // inventories can forget targets that the program no longer declares
      for (const target of allDone(outcomes) ? program.assembly.targets.filter(isRemoved) : []) {
        if ((options.target ?? target.name) === target.name) {
          keeper.forgetTarget(target.name);
        }
      }
      await keeper.close(AbortSignal.timeout(END_MS));
    },
  );
  return summaryOf(outcomes, run);
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
