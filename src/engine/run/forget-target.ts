import { Program, RunContext, RunOptions } from './run-context';
import { compare } from '../../core/text/values';
import { removedTargets } from '../inventory/removed-targets';

/** Options of `forgetTarget`. */
interface ForgetOptions extends RunOptions {
  /** Confirms the targets whose inventories are written; false cancels it. @default - no confirmation */
  readonly confirm?: (inventories: readonly string[]) => Promise<boolean>;
}

/**
 * Removes a target from the inventories of an app without a request to its cluster, which no longer exists or keeps its objects.
 *
 * @returns the targets whose inventories contained it; none if it was canceled
 */
export async function forgetTarget(program: Program, name: string, options: ForgetOptions): Promise<readonly string[]> {
  const run = new RunContext(program, options);
  let known: string[] = [];
  try {
    const { targets } = program.assembly;
    if (targets.some((target) => target.name === name)) {
      throw new Error(`target ${name} is declared by this program. Fix: remove it from the program and synthesize again, then forget it; to delete its objects, run destroy --target ${name}`);
    }
    await run.begin();
    const removed = removedTargets(run.open.flatMap(({ stored }) => stored ?? []), targets).map((target) => target.name);
    if (!removed.includes(name)) {
      throw new Error(`target: must be one that app ${options.app.id} applied to and the program no longer declares, got ${name}. ${removed.length > 0 ? `Fix: use one of ${removed.join(', ')}` : 'There is none'}`);
    }
    const places = run.open.filter(({ stored }) => stored && removedTargets([stored], targets).some((target) => target.name === name));
    known = places.map(({ target }) => target.name).sort(compare);
    if (await options.confirm?.(known) === false) { known = []; } else {
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
