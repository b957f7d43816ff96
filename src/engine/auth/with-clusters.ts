import { bindProgram } from './bind-program';
import { BindOptions, Binding, bindTargets } from './bind-targets';
import { RunProgram } from './run-program';
import { App, appOf } from '../fields/apply-set';
import { onlyTargets } from '../graph/only-targets';
import { LoadedAssembly } from '../read/load-assembly';

/** How the clusters of a program are found, and which app the program is. */
export interface RunClusterOptions extends BindOptions {
  /**
   * Name that separates this program's inventory from other programs on the same clusters.
   * @default 'default'
   */
  readonly app?: string;
  /** Aborts the operation. An apply or destroy ends cleanly: nothing new begins. */
  readonly signal?: AbortSignal;
}

/** Options of functions that can leave out targets. */
export interface ChosenTargets {
  /**
   * The targets to work on: the others need no context, and are not read. Objects that need one of
   * the others are left out, with a warning. Nothing is pruned, and the inventories keep what is
   * left out.
   * @default - all targets of the program
   */
  readonly target?: readonly string[];
}

/** Whether a run leaves out targets. */
export function isPartial({ target: names = [] }: ChosenTargets): boolean {
  return names.length > 0;
}

/** A run that removes what is on one target: the others need no context. */
export interface RemovedTargets {
  readonly removed?: string;
}

/** Acts on the clusters of a program, and closes the connections to them. */
export async function withClusters<T>(
  loaded: LoadedAssembly,
  options: RunClusterOptions & ChosenTargets & RemovedTargets,
  act: (program: RunProgram, app: App) => Promise<T>,
): Promise<T> {
  const app = appOf(options.app);
  if (isPartial(options)) {
    return withChosenClusters(loaded, options, app, act);
  }
  const { loaded: found, binding } = await bindProgram(loaded, app, options, options.removed);
  if (options.removed !== undefined) {
    warnOfTargetsWithout(binding, loaded, options.removed, options.onWarning);
  }
  return closing(binding, async () => act({ ...found, targets: binding.targets }, app));
}

/** As `withClusters`, with the clusters of the chosen targets alone. */
async function withChosenClusters<T>(
  loaded: LoadedAssembly,
  options: RunClusterOptions & ChosenTargets,
  app: App,
  act: (program: RunProgram, app: App) => Promise<T>,
): Promise<T> {
  const { target: names = [], onWarning } = options;
  const { assembly, leftOut, notes } = onlyTargets(loaded.assembly, loaded.manifests, names);
  const binding = await bindTargets(loaded.assembly.targets, {
    ...options,
    needed: ({ name }) => names.includes(name),
  });
  for (const [target, note] of notes) {
    onWarning?.(target, note);
  }
  return closing(binding, async () =>
    act({ ...loaded, assembly, targets: binding.targets, leftOut }, app),
  );
}

/** Acts, and closes the connections. */
export async function closing<T>(binding: Binding, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    binding.close();
  }
}

/** Warns of the targets whose objects a removal of another target cannot look at. */
function warnOfTargetsWithout(
  binding: Binding,
  loaded: LoadedAssembly,
  removed: string,
  onWarning: RunClusterOptions['onWarning'],
): void {
  const unbound = loaded.assembly.targets.filter(({ name }) => !binding.targets.has(name));
  for (const { name } of unbound) {
    onWarning?.(
      name,
      `has no context: what needs ${removed} there is neither deleted nor looked at. Fix: to delete it first, set --context ${name}=<context>`,
    );
  }
}
