import { RunProgram } from '../../auth/run-program';
import { Cluster } from '../../cluster/cluster';
import { App } from '../../fields/apply-set';
import { Preflight, PreflightInput, preflight, explained } from '../../preflight/preflight';
import { Planned } from '../steps/make-plan';

/** Checks the permissions that an apply of a plan needs. */
export async function planPermissions(
  program: RunProgram,
  app: App,
  { plan, leftovers, entries }: Planned,
  signal?: AbortSignal,
): Promise<Preflight> {
  const { targets, steps } = plan;
  const there = targets.filter(({ absent }) => absent === undefined).map(({ name }) => name);
  const gone = new Set(
    steps
      .filter(
        ({ action, refused }) =>
          (action === 'prune' || action === 'reset') && refused === undefined,
      )
      .map(({ id }) => id),
  );
  const input = await planInput(program, app, there, signal);
  return preflight({
    ...input,
    gone: leftovers.filter(({ entry }) => gone.has(entry.id)),
    entry: (_, id) => entries.get(id),
  });
}

/** The error if no plan could be made: with all missing permissions, not only the first. */
export async function explainedPlan(
  error: unknown,
  program: RunProgram,
  app: App,
  signal?: AbortSignal,
): Promise<unknown> {
  const there = program.assembly.targets
    .filter(({ kind }) => kind !== 'guest')
    .map(({ name }) => name);
  return explained(error, await planInput(program, app, there, signal));
}

async function planInput(
  { assembly, manifests, targets }: RunProgram,
  app: App,
  there: readonly string[],
  signal?: AbortSignal,
): Promise<PreflightInput> {
  const clusters = new Map<string, Cluster>();
  for (const name of there) {
    // the plan has already failed for an unreachable cluster
    const cluster = await targets
      .get(name)
      ?.cluster(signal)
      .catch(() => undefined);
    if (cluster) {
      clusters.set(name, cluster);
    }
  }
  const { targets: all, objects: written, lateValues } = assembly;
  return {
    app,
    manifests,
    clusters,
    signal,
    bound: targets,
    targets: all,
    written,
    lateValues,
    gone: [],
    ends: false,
  };
}
