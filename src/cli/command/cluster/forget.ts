import { createInterface } from 'readline/promises';
import { Command } from 'commander';
import { appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { forgetTarget } from '../../../engine/run/forget-target';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';

/** Asks for a text at the terminal; whether it was typed. A `y` is typed too fast. */
export async function isTyped(question: string, expected: string, signal?: AbortSignal): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await reader.question(question, { signal })).trim() === expected;
  } finally {
    reader.close();
  }
}

interface ForgetFlags extends TargetFlags {
  readonly app: string;
  readonly yes?: boolean;
}

export function forgetCommand(): Command {
  const command = new Command('forget')
    .description('remove a target that is no longer in the program from the inventories; nothing is written to its cluster')
    .argument('<target>', 'the target, e.g. a Harvester that is gone')
    .argument('[dist]', 'the output folder', 'dist');
  withAppOption(command).option('--yes', 'do not ask');
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 it is forgotten, 1 it is not.')
    .action(async (target: string, dist: string, flags: ForgetFlags) => {
      process.exitCode = await forget(target, dist, flags);
    });
}

async function forget(target: string, dist: string, flags: ForgetFlags): Promise<number> {
  const loaded = loadAssembly(dist);
  if (!flags.yes && !process.stdin.isTTY) { throw new Error('forget asks before it writes, and stdin is not a terminal. Fix: give --yes'); }
  const binding = await bindByFlags(loaded.assembly.targets, flags);
  try {
    const known = await forgetTarget({ ...loaded, targets: binding.targets }, target, {
      app: appOf(flags.app),
      acceptNewCluster: flags.acceptNewCluster,
      ...(flags.yes ? {} : { confirm: async (inventories: readonly string[]) => isTyped(question(target, inventories), target) }),
    });
    process.stdout.write(known.length > 0 ? `target ${target} is forgotten (inventories on ${known.join(', ')})\n` : 'nothing was written\n');
    return known.length > 0 ? 0 : 1;
  } finally {
    binding.close();
  }
}

function question(target: string, inventories: readonly string[]): string {
  return `The inventories on ${inventories.join(', ')} forget target ${target}. What this app left on its cluster stays there, and its import on Rancher is deleted with the next apply. `
    + `Type the name of the target (${target}) to go on: `;
}
