import { Command, CommanderError } from 'commander';
import { EXIT_COULD_NOT_RUN, EXIT_ERRORS } from './exit-codes';
import { surviveLostOutput } from './lost-output';
import { packageVersion } from './package-version';
import { optionDescription } from './repeatable';

/* eslint-disable @typescript-eslint/no-require-imports -- who runs one command does not wait for the modules of all others */

/** In the order of the help. */
const COMMANDS: { readonly [name: string]: () => Command } = {
  'lint': () => (require('./lint') as typeof import('./lint')).lintCommand(),
  'impact': () => (require('./impact') as typeof import('./impact')).impactCommand(),
  'show': () => (require('./show') as typeof import('./show')).showCommand(),
  'access': () => (require('./access') as typeof import('./access')).accessCommand(),
  'hash-password': () => (require('./hash-password') as typeof import('./hash-password')).hashPasswordCommand(),
  'images': () => (require('./images') as typeof import('./images')).imagesCommand(),
  'addresses': () => (require('./addresses') as typeof import('./addresses')).addressesCommand(),
  'plan': () => (require('./plan') as typeof import('./plan')).planCommand(),
  'apply': () => (require('./apply') as typeof import('./apply')).applyCommand(),
  'destroy': () => (require('./destroy') as typeof import('./destroy')).destroyCommand(),
  'forget': () => (require('./forget') as typeof import('./forget')).forgetCommand(),
  'unlock': () => (require('./unlock') as typeof import('./unlock')).unlockCommand(),
  'resolve': () => (require('./resolve') as typeof import('./resolve')).resolveCommand(),
  'status': () => (require('./status') as typeof import('./status')).statusCommand(),
  'doctor': () => (require('./doctor') as typeof import('./doctor')).doctorCommand(),
  'rbac': () => (require('./rbac') as typeof import('./rbac')).rbacCommand(),
  'rules': () => (require('./rules') as typeof import('./rules')).rulesCommand(),
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
