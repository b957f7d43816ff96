import { Program, RunContext, RunOptions } from './run-context';
import { compare } from '../../core/text/values';
import { removedTargets } from '../inventory/removed-targets';

export interface ForgetOptions extends RunOptions {
  /** Asked before anything is written, with the names of the inventories that know the target; false ends it. @default - not asked */
  readonly confirm?: (inventories: readonly string[]) => Promise<boolean>;
}

/**
 * Removes a target from the inventories of an app, without a request to its cluster: it is gone, or what is on it stays for good.
 *
 * @returns the targets in whose inventories it was, or nothing where it was not agreed to
 */
export async function forgetTarget(program: Program, name: string, options: ForgetOptions): Promise<readonly string[]> {
  const run = new RunContext(program, options);
  let known: string[] = [];
  try {
    const { targets } = program.assembly;
    if (targets.some((target) => target.name === name)) {
      throw new Error(`target ${name} is in this program. Fix: remove it from the program and synthesize again, then forget it; to delete its objects: destroy --target ${name}`);
    }
    await run.begin();
    const removed = removedTargets(run.open.flatMap(({ stored }) => stored ?? []), targets).map((target) => target.name);
    if (!removed.includes(name)) {
      throw new Error(`no inventory of app ${options.app.id} knows a target ${name}; ${removed.length > 0 ? `those that are no longer in the program: ${removed.join(', ')}` : 'all that they know are in the program'}`);
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
