import { Command, CommanderError } from 'commander';
import { surviveLostOutput } from './lost-output';
import { optionDescription } from './option/repeatable';
import { EXIT_COULD_NOT_RUN, EXIT_ERRORS, packageVersion } from './process';

/* eslint-disable @typescript-eslint/no-require-imports -- who runs one command does not wait for the modules of all others */

/** In the order of the help. */
const COMMANDS: { readonly [name: string]: () => Command } = {
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

/** Commands whose code 2 says something else, or that have none: what could not run is 1 there. */
const ONE_IS_ALL_FAILURES: readonly string[] = ['plan', 'apply', 'destroy', 'forget', 'unlock'];

/**
 * Runs the command line; exit codes are set on the process.
 *
 * @param argv as in process.argv
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('cdk8s-harvester')
    .description('works on what synthesis wrote, and on any manifests of Rancher and Harvester')
    .version(packageVersion());
  // help tells of all
  const [, , asked = ''] = argv;
  const misused = ONE_IS_ALL_FAILURES.includes(asked) ? EXIT_ERRORS : EXIT_COULD_NOT_RUN;
  surviveLostOutput();
  for (const name of Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS)) { program.addCommand(COMMANDS[name]()); }
  for (const command of [program, ...program.commands]) { command.exitOverride().configureHelp({ optionDescription }); }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed its words; help and version are no failures
      process.exitCode = error.exitCode === 0 ? 0 : misused;
    } else {
      process.stderr.write(`cdk8s-harvester: ${(error as Error).message}\n`);
      process.exitCode = misused;
    }
  }
}
