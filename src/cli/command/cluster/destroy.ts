import { Command } from 'commander';
import { DestroyScope, destroy } from '../../../engine';
import { withOutputFolder } from '../../option/output-options';
import { RunFlags, runOnClusters, withRunOptions } from '../../option/run-options';
import { withAppOption } from '../../option/target-options';
import { isTyped } from '../../option/typed-answer';
import { EXIT } from '../../process';
import { Progress } from '../../progress';

interface DestroyFlags extends RunFlags {
  readonly yes?: boolean;
  readonly target?: string;
}

export function destroyCommand(): Command {
  const command = withOutputFolder(new Command('destroy'))
    .description('delete what apply created, in reverse order; objects that are not in the inventories on the clusters are left alone');
  withAppOption(command)
    .option('--yes', 'delete without asking')
    .option('--target <name>', 'delete only the objects on this target and the objects on other targets that need them: for a Harvester its import, and the tenants, credentials and guest clusters on it');
  return withRunOptions(command)
    .action(async (path: string, flags: DestroyFlags) => {
      process.exitCode = await run(path, flags);
    });
}

async function run(path: string, flags: DestroyFlags): Promise<number> {
  if (!flags.yes && !process.stdin.isTTY) { throw new Error('destroy asks for confirmation, and stdin is not a terminal. Fix: set --yes'); }
  let refused = false;
  const exitCode = await runOnClusters(flags, async (options, progress) => destroy(path, {
    ...options,
    target: flags.target,
    ...(flags.yes ? {} : { confirm: async (scope: DestroyScope) => !(refused = !await asked(scope, flags.app, progress, options.signal)) }),
  }));
  if (refused) { process.stderr.write('nothing was deleted\n'); }
  return refused && exitCode === EXIT.DONE ? EXIT.FAILED : exitCode;
}

/** Lists what is deleted, and asks for the name of the app. */
async function asked({ objects }: DestroyScope, id: string, progress: Progress, signal?: AbortSignal): Promise<boolean> {
  for (const [target, ids] of objects) {
    if (ids.length > 0) { process.stderr.write(`${target}:\n${ids.map((each) => `  ${each}\n`).join('')}`); }
  }
  return isTyped(
    `All of these objects are deleted from the clusters, with all virtual machines and data in them. Type the name of the app (${id}) to continue: `,
    id, { signal, progress },
  );
}
