import { createInterface } from 'readline/promises';
import { Command } from 'commander';
import { DestroyScope, destroy } from '../../../engine';
import { EXIT_CODES_TEXT, RunFlags, runOnClusters, withRunOptions } from '../../option/run-options';
import { withAppOption } from '../../option/target-options';
import { Progress } from '../../progress';

interface DestroyFlags extends RunFlags {
  readonly yes?: boolean;
  readonly target?: string;
}

export function destroyCommand(): Command {
  const command = new Command('destroy')
    .description('take away what apply brought, the last first; only what the inventories on the clusters name is touched')
    .argument('[dist]', 'the output folder', 'dist');
  withAppOption(command)
    .option('--yes', 'do not ask')
    .option('--target <name>', 'delete only the objects on this target, and what needs them on others: of a Harvester its import, and the tenants, credentials and guest clusters on it');
  return withRunOptions(command)
    .addHelpText('after', EXIT_CODES_TEXT)
    .action(async (dist: string, flags: DestroyFlags) => {
      process.exitCode = await run(dist, flags);
    });
}

async function run(dist: string, flags: DestroyFlags): Promise<number> {
  if (!flags.yes && !process.stdin.isTTY) { throw new Error('destroy asks for confirmation, and stdin is not a terminal. Fix: set --yes'); }
  let refused = false;
  const exitCode = await runOnClusters(flags, async (options, progress) => destroy(dist, {
    ...options,
    target: flags.target,
    ...(flags.yes ? {} : { confirm: async (scope: DestroyScope) => !(refused = !await asked(scope, flags.app, progress, options.signal)) }),
  }));
  if (refused) { process.stderr.write('nothing was deleted\n'); }
  return refused && exitCode === 0 ? 1 : exitCode;
}

/** Asks for the name of the app: a `y` is typed too fast. */
async function asked({ objects }: DestroyScope, id: string, progress: Progress, signal?: AbortSignal): Promise<boolean> {
  for (const [target, ids] of objects) {
    if (ids.length > 0) { process.stderr.write(`${target}:\n${ids.map((each) => `  ${each}\n`).join('')}`); }
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  progress.ask(() => {
    // it goes back to where the question began, which is as many lines up as the question has
    process.stderr.write('\n'.repeat(reader.getCursorPos().rows));
    reader.prompt(true);
  });
  try {
    const answer = await reader.question(`All of these objects are deleted from the clusters, with all virtual machines and data in them. Type the name of the app (${id}) to continue: `, { signal });
    return answer.trim() === id;
  } finally {
    progress.ask(undefined);
    reader.close();
  }
}
