import { DONE_STATES, RunSummary } from './events';
import { RunContext } from './run-context';
import { ApplyGraph } from '../graph/graph';
import { NodeOutcome, NodeWorker, runGraph } from '../graph/run-graph';

/** The outcome of a node; `kept` if it holds machines or data, or if an object that does may need it. */
export type Outcome = NodeOutcome | { readonly state: 'kept'; readonly reason: string };

/** The outcomes of all nodes of a run, by ID. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** Runs a graph and reports failed and skipped nodes. */
export async function runNodes(graph: ApplyGraph, worker: NodeWorker, run: RunContext, settles: boolean): Promise<Outcomes> {
  const { concurrency, failFast } = run.options;
  return runGraph(graph, worker, {
    concurrencyPerTarget: concurrency,
    failFast,
    signal: run.stop,
    settles: () => settles,
    onProgress: ({ id, target }, progress) => {
      if (progress.state === 'failed') { run.emit(id, target, 'failed', progress.error.message); }
      if (progress.state === 'skipped') { run.emit(id, target, 'skipped', progress.reason); }
    },
  });
}

/** Whether everything was done. */
export function allDone(outcomes: Outcomes): boolean {
  return [...outcomes.values()].every(({ state }) => state === 'done');
}

/** The summary of a run. */
export function summaryOf(outcomes: Outcomes, run: RunContext, startedMs: number): RunSummary {
  const done: string[] = [];
  const failed: { id: string; message: string }[] = [];
  const skipped: { id: string; message: string }[] = [];
  const pending: string[] = [];
  const kept: { id: string; message: string }[] = [];
  for (const [id, outcome] of outcomes) {
    switch (outcome.state) {
      case 'done': done.push(id); break;
      case 'failed': failed.push({ id, message: run.redactor.scrub(outcome.error.message) }); break;
      case 'skipped': skipped.push({ id, message: outcome.reason }); break;
      case 'pending': pending.push(id); break;
      case 'kept': kept.push({ id, message: outcome.reason }); break;
    }
  }
  const seconds = Math.round((run.pacing.clock.now() - startedMs) / 100) / 10;
  return { done, counts: countsOf(done, run), failed, skipped, pending, ...kept.length > 0 ? { kept } : {}, interrupted: run.stop.aborted, seconds };
}

function countsOf(done: readonly string[], { did }: RunContext): RunSummary['counts'] {
  const states = done.map((id) => did.get(id));
  return Object.fromEntries(DONE_STATES.flatMap((state) => {
    const count = states.filter((each) => each === state).length;
    return count > 0 ? [[state, count]] : [];
  }));
}
