import { bindByFlags, TargetFlags } from './target-options';
import { BindOptions, Binding } from '../apply/bind/bind-targets';
import { LoadedAssembly } from '../apply/read/load-assembly';
import { App } from '../apply/run/app';
import { homeTarget } from '../apply/run/home';
import { readInventory } from '../apply/run/inventory';
import { asTarget, RemovedTarget, removedTargets } from '../apply/run/removed-targets';
import { AssemblyTarget } from '../model/assembly';

/** A program with its clusters, and with those targets of earlier runs that it does not have any more and whose context is still there. */
export interface BoundProgram {
  readonly loaded: LoadedAssembly;
  readonly binding: Binding;
}

/** Binds the targets of a program, and Harvesters that earlier runs had: what the app left on them can be removed while a context is still bound to them. */
export async function bindProgram(loaded: LoadedAssembly, app: App, flags: TargetFlags, more: Pick<BindOptions, 'onWarning' | 'transport'> = {}): Promise<BoundProgram> {
  const { targets } = loaded.assembly;
  const declared = (name: string): boolean => targets.some((target) => target.name === name);
  const own = { ...flags, context: flags.context.filter((text) => declared(text.split('=')[0])), acceptNewCluster: flags.acceptNewCluster.filter((name) => name.includes('/') || declared(name)) };
  const others = own.context.length < flags.context.length || own.acceptNewCluster.length < flags.acceptNewCluster.length;
  const binding = await bindByFlags(targets, own, more);
  const removed = (await removedOf(binding, targets, app)).filter(({ kind }) => kind === undefined || kind === 'harvester');
  let bound: BoundProgram = { loaded, binding };
  for (const each of removed) {
    const extended = { ...loaded, assembly: { ...loaded.assembly, targets: [...bound.loaded.assembly.targets, asTarget(each)] } };
    try {
      bound = { loaded: extended, binding: await bindByFlags(extended.assembly.targets, forTargets(flags, extended.assembly.targets), more) };
    } catch {
      // it has no context: the run says what that means
    }
  }
  // names that are no target of the program, nor of earlier runs
  if (others) { await bindByFlags(bound.loaded.assembly.targets, flags, more).then((again) => { again.close(); }); }
  if (bound.binding !== binding) { binding.close(); }
  return bound;
}

function forTargets(flags: TargetFlags, targets: readonly AssemblyTarget[]): TargetFlags {
  const isOne = (name: string): boolean => targets.some((target) => target.name === name);
  return {
    ...flags,
    context: flags.context.filter((text) => isOne(text.split('=')[0])),
    acceptNewCluster: flags.acceptNewCluster.filter((name) => name.includes('/') || isOne(name)),
  };
}

/** The inventory of the target that holds the lock knows all others; where it cannot be read, the run fails at it, and says why. */
async function removedOf({ targets: bound }: Binding, targets: readonly AssemblyTarget[], app: App): Promise<RemovedTarget[]> {
  try {
    const stored = await readInventory(await bound.get(homeTarget(targets).name)!.cluster(), app);
    return stored ? removedTargets([stored], targets) : [];
  } catch {
    return [];
  }
}
