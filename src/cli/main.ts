import { Command, CommanderError } from 'commander';
import { surviveLostOutput } from './lost-output';
import { optionDescription } from './option/repeatable';
import { EXIT, EXIT_CODES_TEXT, packageVersion } from './process';

/* eslint-disable @typescript-eslint/no-require-imports -- one command does not load the modules of all others */

/** All commands, in the order of the help. */
export const COMMANDS: { readonly [name: string]: () => Command } = {
  'lint': () => (require('./command/output/lint') as typeof import('./command/output/lint')).lintCommand(),
  'impact': () => (require('./command/output/impact') as typeof import('./command/output/impact')).impactCommand(),
  'show': () => (require('./command/output/show') as typeof import('./command/output/show')).showCommand(),
  'access': () => (require('./command/output/access') as typeof import('./command/output/access')).accessCommand(),
  'hash-password': () => (require('./command/output/hash-password') as typeof import('./command/output/hash-password')).hashPasswordCommand(),
  'images': () => (require('./command/output/images') as typeof import('./command/output/images')).imagesCommand(),
  'addresses': () => (require('./command/output/addresses') as typeof import('./command/output/addresses')).addressesCommand(),
  'plan': () => (require('./command/cluster/plan') as typeof import('./command/cluster/plan')).planCommand(),
  'apply': () => (require('./command/cluster/apply') as typeof import('./command/cluster/apply')).applyCommand(),
  'destroy': () => (require('./command/cluster/destroy') as typeof import('./command/cluster/destroy')).destroyCommand(),
  'forget': () => (require('./command/cluster/forget') as typeof import('./command/cluster/forget')).forgetCommand(),
  'unlock': () => (require('./command/cluster/unlock') as typeof import('./command/cluster/unlock')).unlockCommand(),
  'resolve': () => (require('./command/cluster/resolve') as typeof import('./command/cluster/resolve')).resolveCommand(),
  'status': () => (require('./command/cluster/status') as typeof import('./command/cluster/status')).statusCommand(),
  'doctor': () => (require('./command/cluster/doctor') as typeof import('./command/cluster/doctor')).doctorCommand(),
  'rbac': () => (require('./command/output/rbac') as typeof import('./command/output/rbac')).rbacCommand(),
  'rules': () => (require('./command/output/lint') as typeof import('./command/output/lint')).rulesCommand(),
};

/**
 * Runs the command line, and sets the exit code of the process.
 *
 * @param argv as in process.argv
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('cdk8s-harvester')
    .description('check, compare and apply the output of a synthesis, or any manifests for Rancher and Harvester')
    .version(packageVersion());
  // help lists all commands
  const [, , asked = ''] = argv;
  surviveLostOutput();
  for (const name of Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS)) { program.addCommand(COMMANDS[name]()); }
  for (const command of [program, ...program.commands]) { command.exitOverride().configureHelp({ optionDescription }).addHelpText('after', EXIT_CODES_TEXT); }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed the message; help and version are not failures
      process.exitCode = error.exitCode === 0 ? EXIT.DONE : EXIT.FAILED;
    } else {
      process.stderr.write(`cdk8s-harvester: ${(error as Error).message}\n`);
      process.exitCode = EXIT.FAILED;
    }
  }
}
