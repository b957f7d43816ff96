import { Held, heldRemovals } from './held-removals';
import { Outcome, Outcomes, allDone, runNodes } from './outcomes';
import { ownAccess } from './own-access';
import { RemovalWorker } from './removal-worker';
import { keptByImports, refusedImports, usedImports } from './used-imports';
import { printName } from '../../../core/manifest/manifest';
import { some } from '../../../core/text/plain-text';
import { LiveObject } from '../../cluster/cluster';
import { buildGraph } from '../../graph/build-graph';
import { ApplyGraph, withDependents, withNeeds } from '../../graph/graph';
import { reverseGraph } from '../../graph/reverse-graph';
import { Leftover, undeclaredIn } from '../../inventory/inventory';
import { isPruned } from '../../inventory/removed-targets';
import { Plan, PlanAction } from '../../plan/plan';
import { Planned } from '../../plan/steps/make-plan';
import { WAYS_TO_PRUNE } from '../../plan/steps/prune-steps';
import {
  asObject,
  assemblyOf,
  manifestsOfLeftovers,
  whatBecomesOf,
} from '../../removal/live-removal';
import { Becomes, stillInUse, usersOfObject } from '../../removal/removal';
import { onFailure } from '../../transport/api';
import { inParallel } from '../../transport/pace';
import { RunContext } from '../context/run-context';

const REMOVING: readonly PlanAction[] = ['prune', 'keep', 'reset'];

interface PruneOptions {
  /**
   * The saved plan, which alone decides what is removed.
   * @default - all that is no longer declared
   */
  readonly plan?: Plan;
  /** Whether to delete objects that hold machines or data. @default false */
  readonly pruneMachines?: boolean;
}

/**
 * Executes the steps of a plan for objects that are no longer declared, in the order of a destroy:
 * dependencies last.
 */
export class Prune {
  /** What a saved plan removes. */
  private readonly chosen?: ReadonlySet<string>;

  public constructor(
    private readonly run: RunContext,
    private readonly planned: Planned,
    private readonly options: PruneOptions,
  ) {
    const { plan } = options;
    this.chosen =
      plan &&
      new Set(plan.steps.filter(({ action }) => REMOVING.includes(action)).map(({ id }) => id));
  }

  /** Deletes objects that have unique values which declared objects need, with what needs them. */
  public async first(): Promise<Outcomes> {
    const only = new Set(
      this.planned.plan.steps.flatMap(({ preconditions = [] }) =>
        preconditions.flatMap((each) =>
          each.id === 'in-the-way' && each.problem === undefined ? [each.by] : [],
        ),
      ),
    );
    const { leftovers, becomes } = this.planned;
    return only.size === 0
      ? new Map()
      : this.remove(
          leftovers.filter(({ entry }) => this.mayRemove(entry.id)),
          becomes,
          only,
        );
  }

  /**
   * Removes the others, except for those that an object may still need which is not applied, and for
   * what these need in turn.
   */
  public async rest(applied: Outcomes): Promise<Outcomes> {
    const left = undeclaredOf(this.run).filter(({ entry }) => this.mayRemove(entry.id));
    const pending = (outcome: Outcome): Outcomes =>
      new Map(left.map(({ entry }) => [entry.id, outcome]));
    if (left.length === 0) {
      return new Map();
    }
    if (this.run.stop.aborted || (this.run.options.failFast && !allDone(applied))) {
      this.run.warn(`${keptText(left.length)} until everything else is applied`);
      return pending({ state: 'pending', acted: false });
    }
    // the inventory must record what was applied even if this fails
    try {
      const known = new Map(
        this.planned.leftovers.map((leftover) => [leftover.entry.id, leftover]),
      );
      // under a name that is known only now, or on a cluster that exists only now
      const more = await withLive(
        left.filter(({ entry }) => !known.has(entry.id)),
        this.run,
      );
      const { fields } = this.run;
      const { assembly, manifests } = this.run.program;
      const { pruneMachines } = this.options;
      const becomes = new Map([
        ...this.planned.becomes,
        ...whatBecomesOf(more, { ...fields, assembly, manifests, pruneMachines }),
      ]);
      const all = [...left.flatMap(({ entry }) => known.get(entry.id) ?? []), ...more];
      const held = allDone(applied) ? undefined : await heldRemovals(all, applied, this.run);
      return await this.remove(all, becomes, undefined, held);
    } catch (error) {
      return pending(
        this.run.stop.aborted
          ? { state: 'pending', acted: false }
          : { state: 'failed', error: error as Error, acted: false },
      );
    }
  }

  /** Whether the plan contains the removal of an object. */
  private mayRemove(id: string): boolean {
    return this.chosen?.has(id) ?? true;
  }

  /**
   * @param only the IDs of objects to remove now, with what needs them. @default - all
   * @param held what remains until the program is applied. @default - nothing
   */
  private async remove(
    leftovers: readonly Leftover[],
    becomes: ReadonlyMap<string, Becomes>,
    only?: ReadonlySet<string>,
    held: Held = NONE,
  ): Promise<Outcomes> {
    const { run } = this;
    const graph = await removalGraph(leftovers, run);
    // nodes with all that must be deleted before them
    const first = only && withNeeds(only, graph);
    const used = await usedImports(
      leftovers.filter(({ entry }) => first?.has(entry.id) !== false),
      run,
    );
    const unapplied = withDependents(held.keys(), graph);
    const waiting = new Set([...unapplied, ...keptByImports(used, graph)]);
    const isNow = (id: string): boolean => first?.has(id) !== false && !waiting.has(id);
    const now = leftovers.filter(({ entry }) => isNow(entry.id));
    const later = leftovers.filter(({ entry }) => waiting.has(entry.id));
    this.reportHeld(later.filter(({ entry }) => unapplied.has(entry.id)).length, held);
    const isKept = ({ entry }: Leftover): boolean => isKnownToBeKept(becomes.get(entry.id));
    const kept = now
      .filter(isKept)
      .map((each): readonly [string, Outcome] => [
        each.entry.id,
        keep(each, becomes.get(each.entry.id)!, run),
      ]);
    const deleted = await this.delete(
      now.filter((leftover) => !isKept(leftover)),
      graph,
    );
    return new Map<string, Outcome>([
      ...later.map(({ entry }): [string, Outcome] => [
        entry.id,
        { state: 'pending', acted: false },
      ]),
      ...refusedImports(used, run),
      ...kept,
      ...deleted,
    ]);
  }

  private async delete(going: readonly Leftover[], graph: ApplyGraph): Promise<Outcomes> {
    const { run } = this;
    const worker = new RemovalWorker(run, going, {
      keepsMachines: !this.options.pruneMachines,
      keepsNeeds: true,
      needed: stillNeeded(run, going),
    });
    const part = graphOf(graph, new Set(going.map(({ entry }) => entry.id)));
    return withKept(await runNodes(part, worker, run, true), worker);
  }

  private reportHeld(count: number, held: Held): void {
    if (count > 0) {
      const by = some([...new Set(held.values())], MAX_NAMED);
      this.run.warn(`${keptText(count)}, since what is not applied may need it: ${by}`);
    }
  }
}

const NONE: Held = new Map();

/** The graph of a removal: dependencies last. */
async function removalGraph(leftovers: readonly Leftover[], run: RunContext): Promise<ApplyGraph> {
  const manifests = manifestsOfLeftovers(leftovers);
  const assembly = assemblyOf(run.program.assembly.targets, leftovers.map(asObject));
  const graph = buildGraph(assembly, manifests);
  return reverseGraph(graph, assembly, manifests, await ownAccess(run, assembly.objects));
}

/** What is kept by its live state alone is looked at in its turn. */
function isKnownToBeKept(becomes: Becomes | undefined): boolean {
  return becomes?.fate === 'kept' && (becomes.loss !== undefined || becomes.neededBy !== undefined);
}

/** How many objects a warning names. */
const MAX_NAMED = 3;

function keptText(count: number): string {
  return count === 1
    ? '1 object that is no longer declared is kept'
    : `${count} objects that are no longer declared are kept`;
}

/** The outcomes of a removal, with the objects that it had to keep. */
export function withKept(outcomes: Outcomes, { changed }: RemovalWorker): Outcomes {
  const kept = [...changed].map(
    ([id, reason]) => [id, { state: 'kept', reason } as const] as const,
  );
  return new Map<string, Outcome>([...outcomes, ...kept]);
}

/** The part of a graph that consists of some objects. */
export function graphOf(graph: ApplyGraph, ids: ReadonlySet<string>): ApplyGraph {
  const isOut = (id: string): boolean => graph.nodes.get(id)?.object !== undefined && !ids.has(id);
  const nodes = [...graph.nodes.values()].filter(({ id }) => !isOut(id));
  return {
    ...graph,
    nodes: new Map(
      nodes.map((node) => [node.id, { ...node, after: node.after.filter(({ to }) => !isOut(to)) }]),
    ),
  };
}

/**
 * The objects that were applied and are no longer declared, not even under another ID, on all
 * clusters that exist.
 *
 * @param isGoing selects objects. @default - those that an apply removes
 */
export function undeclaredOf(
  { program, open }: RunContext,
  isGoing: typeof isPruned = isPruned,
): Leftover[] {
  const { assembly, manifests } = program;
  const formers = open.flatMap(({ target, keeper }) =>
    keeper.all.flatMap((entry) => (isGoing(target, entry) ? [{ target: target.name, entry }] : [])),
  );
  return undeclaredIn(
    formers,
    assembly.objects.map((object) => ({ object, manifest: manifests.get(object.id)! })),
  );
}

/** Leftovers with their live state, which contains their references. */
export async function withLive(
  leftovers: readonly Leftover[],
  run: RunContext,
): Promise<readonly Leftover[]> {
  return inParallel(
    leftovers,
    ({ target }) => target,
    run.options.concurrency ?? 8,
    async (leftover) => {
      const { cluster } = await run.place(leftover.target, () => undefined);
      // an object that cannot be read fails in its turn, and does not stop others
      return {
        ...leftover,
        live: await cluster
          .read(leftover.entry, { signal: run.stop })
          .catch(onFailure(['forbidden', 'blocked', 'invalid'], () => undefined)),
      };
    },
    run.stop,
  );
}

/** Reports that an object is kept, and how to delete it. */
function keep({ target, entry }: Leftover, { reason, loss }: Becomes, run: RunContext): Outcome {
  const { id, kind, namespace, name } = entry;
  run.emit(id, target, 'kept', reason);
  const label = `${kind} ${printName({ namespace, name })}`;
  if (loss !== undefined) {
    run.warn(
      `${label} is no longer declared but kept: ${reason}. Fix: to delete it, ${WAYS_TO_PRUNE}`,
      target,
      id,
    );
  }
  return { state: 'kept', reason };
}

/** Keeps Namespaces that contain declared objects. */
export function stillNeeded(
  run: RunContext,
  leftovers: readonly Leftover[],
): (live: LiveObject, target: string) => string | undefined {
  const going = new Set(leftovers.map(({ target, entry }) => `${target} ${entry.id}`));
  const used = new Set(
    run.open.flatMap(({ target, keeper }) =>
      keeper.all
        .filter(({ id }) => !going.has(`${target.name} ${id}`))
        .flatMap((entry) => usersOfObject(target.name, entry)),
    ),
  );
  return (live, target) => stillInUse(live, target, used);
}
