import { Command } from 'commander';
import { appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { forgetTarget } from '../../../engine/run/forget-target';
import { withOutputFolder } from '../../option/output-options';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';
import { isTyped } from '../../option/typed-answer';
import { EXIT } from '../../process';

interface ForgetFlags extends TargetFlags {
  readonly app: string;
  readonly yes?: boolean;
}

export function forgetCommand(): Command {
  const command = new Command('forget')
    .description('remove a target that is no longer in the program from the inventories; nothing is written to its cluster')
    .argument('<target>', 'name of the target, e.g. a Harvester that no longer exists');
  withAppOption(withOutputFolder(command)).option('--yes', 'write without asking');
  return withTargetOptions(command)
    .action(async (target: string, path: string, flags: ForgetFlags) => {
      process.exitCode = await forget(target, path, flags);
    });
}

async function forget(target: string, path: string, flags: ForgetFlags): Promise<number> {
  const loaded = loadAssembly(path);
  if (!flags.yes && !process.stdin.isTTY) { throw new Error('forget asks before it writes, and stdin is not a terminal. Fix: set --yes'); }
  const binding = await bindByFlags(loaded.assembly.targets, flags);
  try {
    const known = await forgetTarget({ ...loaded, targets: binding.targets }, target, {
      app: appOf(flags.app),
      acceptNewCluster: flags.acceptNewCluster,
      ...(flags.yes ? {} : { confirm: async (inventories: readonly string[]) => isTyped(questionOf(target, inventories), target) }),
    });
    process.stdout.write(known.length > 0 ? `target ${target} is forgotten (inventories on ${known.join(', ')})\n` : 'nothing was written\n');
    return known.length > 0 ? EXIT.DONE : EXIT.FAILED;
  } finally {
    binding.close();
  }
}

function questionOf(target: string, inventories: readonly string[]): string {
  return `Target ${target} is removed from the inventories on ${inventories.join(', ')}. Its objects are kept on its cluster, and its import on Rancher is deleted by the next apply. `
    + `Type the name of the target (${target}) to continue: `;
}
