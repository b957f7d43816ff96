import '../registry/register';
import { Writable } from 'stream';
import { Command, CommanderError } from 'commander';
import { adoptCommand } from './command/cluster/adopt';
import { applyCommand, destroyCommand, planCommand, resolveCommand } from './command/cluster/apply';
import { doctorCommand, statusCommand } from './command/cluster/status';
import { registerCommand, forgetCommand, unlockCommand } from './command/cluster/targets';
import { deliverCommand } from './command/output/deliver';
import { hashPasswordCommand } from './command/output/hash-password';
import { initCommand } from './command/output/init';
import { lintCommand, rulesCommand } from './command/output/lint';
import { rbacCommand } from './command/output/rbac';
import {
  accessCommand,
  addressesCommand,
  explainCommand,
  fitsCommand,
  imagesCommand,
  impactCommand,
  showCommand,
} from './command/output/reports';
import { reviewCommand } from './command/output/review';
import { optionDescription } from './option/output-options';
import { EXIT, EXIT_CODES_TEXT, printError } from './process';
import { packageVersion } from '../core/version/package-version';

/**
 * Marks a stream of the process that is watched: from the registry, since the module may be loaded
 * more than once.
 */
const WATCHED = Symbol.for('cdk8s-harvester.watched');

/**
 * Lets a command continue when its output cannot be written: the reader may have exited (`| head`),
 * or the disk be full, and a run must finish on the clusters and release its lock.
 *
 * @param stdout the stream to watch, for as long as the process lives: such an error may come after the run
 * @param stderr receives the message, unless it is closed as well
 */
export function surviveLostOutput(
  stdout: Writable = process.stdout,
  stderr: Writable = process.stderr,
): void {
  if (WATCHED in stdout) {
    return;
  }
  Object.defineProperty(stdout, WATCHED, { value: true });
  let told = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE' && !told) {
      stderr.write(`cdk8s-harvester: the output cannot be written: ${message}\n`);
    }
    told = true;
  });
  stderr.on('error', () => undefined);
}

/** All commands, in the order of the help: one command does not load the modules of all others. */
export const COMMANDS: { readonly [name: string]: () => Command } = {
  'init': () => initCommand(),
  'adopt': () => adoptCommand(),
  'lint': () => lintCommand(),
  'impact': () => impactCommand(),
  'review': () => reviewCommand(),
  'show': () => showCommand(),
  'access': () => accessCommand(),
  'hash-password': () => hashPasswordCommand(),
  'images': () => imagesCommand(),
  'addresses': () => addressesCommand(),
  'fits': () => fitsCommand(),
  'deliver': () => deliverCommand(),
  'plan': () => planCommand(),
  'apply': () => applyCommand(),
  'destroy': () => destroyCommand(),
  'register': () => registerCommand(),
  'forget': () => forgetCommand(),
  'unlock': () => unlockCommand(),
  'resolve': () => resolveCommand(),
  'status': () => statusCommand(),
  'doctor': () => doctorCommand(),
  'rbac': () => rbacCommand(),
  'rules': () => rulesCommand(),
  'explain': () => explainCommand(),
};

/**
 * Runs the command line, and sets the exit code of the process.
 *
 * @param argv as in process.argv
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('cdk8s-harvester')
    .description(
      'check, compare and apply the output of a synthesis, or any manifests for Rancher and Harvester',
    )
    .version(packageVersion());
  // help lists all commands
  const [, , asked = ''] = argv;
  surviveLostOutput();
  for (const name of Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS)) {
    program.addCommand(COMMANDS[name]());
  }
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureHelp({ optionDescription })
      .addHelpText('after', EXIT_CODES_TEXT);
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed the message; help and version are not failures
      process.exitCode = error.exitCode === 0 ? EXIT.DONE : EXIT.FAILED;
    } else {
      printError(`cdk8s-harvester: ${(error as Error).message}`);
      process.exitCode = EXIT.FAILED;
    }
  }
}
