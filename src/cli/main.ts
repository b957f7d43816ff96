import { readFileSync } from 'fs';
import { join } from 'path';
import { Command, CommanderError } from 'commander';
import { accessCommand } from './access';
import { addressesCommand } from './addresses';
import { applyCommand } from './apply';
import { destroyCommand } from './destroy';
import { doctorCommand } from './doctor';
import { EXIT_COULD_NOT_RUN } from './exit-codes';
import { hashPasswordCommand } from './hash-password';
import { imagesCommand } from './images';
import { impactCommand } from './impact';
import { lintCommand } from './lint';
import { planCommand } from './plan';
import { rbacCommand } from './rbac';
import { resolveCommand } from './resolve';
import { rulesCommand } from './rules';
import { showCommand } from './show';
import { statusCommand } from './status';
import { unlockCommand } from './unlock';

/**
 * Runs the command line; exit codes are set on the process.
 *
 * @param argv as in process.argv
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('cdk8s-harvester')
    .description('works on what synthesis wrote, and on any manifests of Rancher and Harvester')
    .version(packageVersion())
    .addCommand(lintCommand())
    .addCommand(impactCommand())
    .addCommand(showCommand())
    .addCommand(accessCommand())
    .addCommand(hashPasswordCommand())
    .addCommand(imagesCommand())
    .addCommand(addressesCommand())
    .addCommand(planCommand())
    .addCommand(applyCommand())
    .addCommand(destroyCommand())
    .addCommand(unlockCommand())
    .addCommand(resolveCommand())
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
    .addCommand(rbacCommand())
    .addCommand(rulesCommand());
  for (const command of [program, ...program.commands]) { command.exitOverride(); }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed its words; help and version are no failures
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_COULD_NOT_RUN;
    } else {
      process.stderr.write(`cdk8s-harvester: ${(error as Error).message}\n`);
      process.exitCode = EXIT_COULD_NOT_RUN;
    }
  }
}

function packageVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version;
}
