import { ApplyGraph } from '../../graph/graph';
import { NodeOutcome, NodeWorker, runGraph } from '../../graph/run-graph';
import { DONE_STATES, RunSummary } from '../context/events';
import { RunContext } from '../context/run-context';

/**
 * The outcome of a node; `kept` if it holds machines or data, or if an object that does may need
 * it.
 */
export type Outcome = NodeOutcome | { readonly state: 'kept'; readonly reason: string };

/** The outcomes of all nodes of a run, by ID. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** Runs a graph and reports failed and skipped nodes. */
export async function runNodes(
  graph: ApplyGraph,
  worker: NodeWorker,
  run: RunContext,
  settles: boolean,
): Promise<Outcomes> {
  const { concurrency, failFast } = run.options;
  return runGraph(graph, worker, {
    concurrencyPerTarget: concurrency,
    failFast,
    signal: run.stop,
    settles: () => settles,
    onProgress: ({ id, target }, progress) => {
      if (progress.state === 'failed') {
        run.emit(id, target, 'failed', progress.error.message);
      }
      if (progress.state === 'skipped') {
        run.emit(id, target, 'skipped', progress.reason);
      }
    },
  });
}

/** Whether everything was done. */
export function allDone(outcomes: Outcomes): boolean {
  return [...outcomes.values()].every(({ state }) => state === 'done');
}

/** Why a node was not done; empty if it was. */
function outcomeText(outcome: Outcome, run: RunContext): string {
  if (outcome.state === 'failed') {
    return run.redactor.scrub(outcome.error.message);
  }
  return 'reason' in outcome ? outcome.reason : '';
}

/** Reports the end of a run, and returns its summary. */
export function summaryOf(outcomes: Outcomes, run: RunContext): RunSummary {
  const of = (wanted: Outcome['state']): { id: string; message: string }[] =>
    [...outcomes]
      .filter(([, { state }]) => state === wanted)
      .map(([id, outcome]) => ({
        id,
        message: outcomeText(outcome, run),
      }));
  const [done, pending] = [of('done'), of('pending')].map((list) => list.map(({ id }) => id));
  const kept = of('kept');
  const seconds = Math.round((run.pacing.clock.now() - run.startedMs) / 100) / 10;
  const summary = {
    done,
    counts: countsOf(done, run),
    failed: of('failed'),
    skipped: of('skipped'),
    pending,
    ...(kept.length > 0 ? { kept } : {}),
    interrupted: run.stop.aborted,
    seconds,
  };
  run.options.onEvent?.({ type: 'end', summary });
  return summary;
}

function countsOf(done: readonly string[], { did }: RunContext): RunSummary['counts'] {
  const states = done.map((id) => did.get(id));
  return Object.fromEntries(
    DONE_STATES.flatMap((state) => {
      const count = states.filter((each) => each === state).length;
      return count > 0 ? [[state, count]] : [];
    }),
  );
}
