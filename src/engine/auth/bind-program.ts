import { BindOptions, Binding, bindTargets } from './bind-targets';
import { Assembly, AssemblyTarget } from '../../core/output/assembly';
import { App } from '../fields/apply-set';
import { onTargets } from '../graph/only-targets';
import { readInventory } from '../inventory/inventory';
import { RemovedTarget, asTarget, homeTarget, removedTargets } from '../inventory/removed-targets';
import { LoadedAssembly } from '../read/load-assembly';

/**
 * Targets on which a program has nothing: no objects, no late values, no guest clusters. The lock
 * of a run is never there.
 */
export function emptyTargets({ targets, objects, lateValues }: Assembly): ReadonlySet<string> {
  const used = new Set([
    ...objects.map(({ target }) => target),
    ...lateValues.flatMap(({ source }) => ('target' in source ? [source.target] : [])),
    ...targets.flatMap(({ properties }) => properties.rancher ?? []),
    ...(targets.length > 0 ? [homeTarget(targets).name] : []),
  ]);
  return new Set(targets.map(({ name }) => name).filter((name) => !used.has(name)));
}

/**
 * A program with its clusters, and with those targets of earlier runs that it no longer declares
 * and that are still bound to a context.
 */
interface BoundProgram {
  readonly loaded: LoadedAssembly;
  readonly binding: Binding;
}

/**
 * Binds the targets of a program, and Harvesters that earlier runs declared: what the app left on
 * them can be removed as long as a context is bound to them. A target on which the program has
 * nothing, such as the Harvester of an import with `register: false`, needs no context: it is left
 * out then.
 *
 * @param removed the target whose objects alone are removed: the others need no context
 */
export async function bindProgram(
  all: LoadedAssembly,
  app: App,
  given: BindOptions,
  removed?: string,
): Promise<BoundProgram> {
  const empty = emptyTargets(all.assembly);
  const isDeclared = all.assembly.targets.some(({ name }) => name === removed);
  const options: BindOptions = {
    ...given,
    optional: ({ name }) => empty.has(name) || (isDeclared && name !== removed),
  };
  const own = forTargets(options, all.assembly.targets);
  const binding = await bindTargets(all.assembly.targets, own);
  const loaded = { ...all, assembly: onTargets(all.assembly, binding.targets) };
  const { targets } = loaded.assembly;
  const formers = (await removedOf(binding, targets, app)).filter(
    ({ kind }) => kind === undefined || kind === 'harvester',
  );
  let bound: BoundProgram = { loaded, binding };
  for (const each of formers) {
    const extended = {
      ...loaded,
      assembly: { ...loaded.assembly, targets: [...bound.loaded.assembly.targets, asTarget(each)] },
    };
    try {
      bound = {
        loaded: extended,
        binding: await bindTargets(
          extended.assembly.targets,
          forTargets(options, extended.assembly.targets),
        ),
      };
    } catch {
      // it has no context: the run reports what that means
    }
  }
  // names that are targets neither of the program nor of earlier runs
  const others =
    own.context?.size !== options.context?.size ||
    own.acceptNewCluster?.length !== options.acceptNewCluster?.length;
  if (others) {
    await bindTargets(bound.loaded.assembly.targets, options).then((again) => {
      again.close();
    });
  }
  if (bound.binding !== binding) {
    binding.close();
  }
  return bound;
}

/** The options without what names other targets. */
function forTargets(options: BindOptions, targets: readonly AssemblyTarget[]): BindOptions {
  const isOne = (name: string): boolean => targets.some((target) => target.name === name);
  return {
    ...options,
    context: options.context && new Map([...options.context].filter(([name]) => isOne(name))),
    acceptNewCluster: options.acceptNewCluster?.filter((name) => name.includes('/') || isOne(name)),
  };
}

/**
 * The inventory of the target that holds the lock knows all others; if it cannot be read, the run
 * fails there and reports why.
 */
async function removedOf(
  { targets: bound }: Binding,
  targets: readonly AssemblyTarget[],
  app: App,
): Promise<RemovedTarget[]> {
  try {
    const { target, cluster } = bound.get(homeTarget(targets).name)!;
    const stored = await readInventory(await cluster(), app, { target });
    return stored ? removedTargets([stored], targets) : [];
  } catch {
    return [];
  }
}
