import { checkIds } from './check-ids';
import { RunSummary } from './events';
import { asObject, leftoversOf, liveManifests } from './leftovers';
import { Outcomes, runNodes, summaryOf } from './outcomes';
import { RemovalWorker } from './removal-worker';
import { Program, RunContext, RunOptions } from './run-context';
import { buildGraph } from '../graph/build-graph';
import { reverseGraph } from '../graph/reverse-graph';
import { beginWithRights, checkRights } from '../preflight/of-run';

/** How a destroy runs. */
export interface DestroyRunOptions extends RunOptions {
  /** Asked before anything is taken away, with what would be; false ends it. @default - not asked */
  readonly confirm?: (what: DestroyScope) => Promise<boolean>;
}

/** What a destroy would take away. */
export interface DestroyScope {
  /** Ids, by target. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
}

/** What is left to write at the end gets so long. */
const END_MS = 20_000;

/**
 * Takes away what an app applied, the last first: guest clusters before their credentials and networks, tenants while their cluster is connected,
 * the registration Setting before the import. Only what the inventories name is touched. Running it again goes on.
 */
export async function destroyProgram(program: Program, options: DestroyRunOptions): Promise<RunSummary> {
  const graph = buildGraph(program.assembly, program.manifests);
  const run = new RunContext(program, options);
  const started = run.pacing.clock.now();
  let outcomes: Outcomes = new Map();
  let agreed = true;
  try {
    await beginWithRights(run, { written: [], lateValues: [], gone: [], ends: true });
    checkIds(run);
    const gone = run.open.flatMap(({ target, keeper }) => keeper.all.map((entry) => ({ target: target.name, entry })));
    await checkRights(run, { written: [], lateValues: [], gone, ends: true });
    const entries = new Map(run.open.flatMap(({ keeper }) => keeper.all.map((entry) => [entry.id, entry])));
    const objects = new Map(run.open.map(({ target, keeper }) => [target.name, keeper.all.map(({ id }) => id)]));
    agreed = entries.size === 0 || await options.confirm?.({ objects }) !== false;
    if (agreed) {
      await run.moveFormer();
      const leftovers = leftoversOf(run);
      const assembly = { ...program.assembly, objects: [...program.assembly.objects, ...leftovers.map(asObject)] };
      const manifests = new Map([...program.manifests, ...await liveManifests(leftovers, run)]);
      const reversed = reverseGraph(leftovers.length > 0 ? buildGraph(assembly, manifests) : graph, assembly, manifests);
      const nodes = [...reversed.nodes.values()].filter(({ object }) => object);
      options.onEvent?.({ type: 'start', command: 'destroy', nodes: nodes.length, targets: program.assembly.targets.map(({ name }) => name) });
      outcomes = await runNodes(reversed, new RemovalWorker(run, entries), run, true);
    }
  } catch (error) {
    await run.release();
    throw error;
  }
  await run.end(async ({ keeper }) => { if (agreed) { await keeper.close(AbortSignal.timeout(END_MS)); } });
  const summary = summaryOf(outcomes, run, started);
  options.onEvent?.({ type: 'end', summary });
  return summary;
}
