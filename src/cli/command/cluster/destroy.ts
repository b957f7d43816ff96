import { createInterface } from 'readline/promises';
import { Command } from 'commander';
import { App } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { DestroyScope, destroyProgram } from '../../../engine/run/destroy-program';
import { Program } from '../../../engine/run/run-context';
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
      process.exitCode = await destroy(dist, flags);
    });
}

async function destroy(dist: string, flags: DestroyFlags): Promise<number> {
  const loaded = loadAssembly(dist);
  if (!flags.yes && !process.stdin.isTTY) { throw new Error('destroy asks before it takes anything away, and nobody is there to answer; give --yes'); }
  let refused = false;
  const exitCode = await runOnClusters(loaded, flags, async (program, options, progress) => destroyProgram(checked(program, flags.target), {
    ...options,
    target: flags.target,
    ...(flags.yes ? {} : { confirm: async (scope: DestroyScope) => !(refused = !await asked(scope, options.app, progress, options.signal)) }),
  }));
  if (refused) { process.stderr.write('nothing was taken away\n'); }
  return refused && exitCode === 0 ? 1 : exitCode;
}

function checked(program: Program, target: string | undefined): Program {
  const { targets } = program.assembly;
  if (target !== undefined && !targets.some(({ name }) => name === target)) {
    throw new Error(`--target: there is no target ${target}, neither in this program nor bound to a context from earlier runs; there are ${targets.map(({ name }) => name).join(', ')}. `
      + `Fix: where it was removed from the program, give --context ${target}=<context>; where its cluster is gone: forget ${target}`);
  }
  return program;
}

/** The name of the app is to be typed: a `y` is typed too fast. */
async function asked({ objects }: DestroyScope, { id }: App, progress: Progress, signal?: AbortSignal): Promise<boolean> {
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
    const answer = await reader.question(`All of this is taken away from the clusters, with all virtual machines and data in it. Type the name of the app (${id}) to go on: `, { signal });
    return answer.trim() === id;
  } finally {
    progress.ask(undefined);
    reader.close();
  }
}
