import '../registry/register';
import { Writable } from 'stream';
import { Command, CommanderError } from 'commander';
import { adoptCommand } from './command/cluster/adopt';
import { applyCommand, destroyCommand, planCommand, resolveCommand } from './command/cluster/apply';
import { doctorCommand, statusCommand } from './command/cluster/status';
import { registerCommand, forgetCommand, unlockCommand } from './command/cluster/targets';
import { deliverCommand } from './command/output/deliver';
import { diffCommand } from './command/output/diff';
import { graphCommand } from './command/output/graph';
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
import { refusePreviousOptions, refuseSecondValues } from './option/previous-options';
import { EXIT, EXIT_CODES_TEXT, printError } from './terminal/process';
import { PLAIN, line, render } from '../core/text/screen';
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

/** All commands by name: one command does not load the modules of all others. */
export const COMMANDS: { readonly [name: string]: () => Command } = {
  'init': () => initCommand(),
  'adopt': () => adoptCommand(),
  'lint': () => lintCommand(),
  'impact': () => impactCommand(),
  'review': () => reviewCommand(),
  'diff': () => diffCommand(),
  'show': () => showCommand(),
  'access': () => accessCommand(),
  'hash-password': () => hashPasswordCommand(),
  'images': () => imagesCommand(),
  'addresses': () => addressesCommand(),
  'fits': () => fitsCommand(),
  'graph': () => graphCommand(),
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

/** The commands by what a person wants to do, in the order of the help. */
export const COMMAND_GROUPS: { readonly [title: string]: readonly string[] } = {
  'Start a program:': ['init', 'adopt'],
  'Check a program, without clusters:': [
    'show',
    'graph',
    'lint',
    'review',
    'diff',
    'impact',
    'fits',
    'access',
    'addresses',
    'images',
  ],
  'Deliver it:': ['plan', 'apply', 'resolve', 'deliver', 'destroy'],
  'Look after the clusters:': ['status', 'doctor', 'register', 'forget', 'unlock'],
  'Prepare permissions and passwords:': ['rbac', 'hash-password'],
  'Look something up:': ['explain', 'rules', 'help'],
};

/** Where the arguments of a command begin, as in process.argv. */
const ARGUMENTS = 3;

/** The columns of a help that no terminal shows. */
const HELP_WIDTH = 80;
/** Descriptions break into more rows rather than be wider than the terminal. */
const MIN_DESCRIPTION = 20;

/** The list of commands contains what each does; its own help describes how. */
function shortDescription(command: Command): string {
  return command.description().split(/[:;] /, 1)[0]!;
}

/** The exit codes, as wide as the terminal. */
function exitCodesText(): string {
  return `\n${render([line(EXIT_CODES_TEXT)], { ...PLAIN, width: process.stdout.columns ?? HELP_WIDTH })}`;
}

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
  const groupOf = (name: string): string =>
    Object.keys(COMMAND_GROUPS).find((title) => COMMAND_GROUPS[title]!.includes(name))!;
  const names = Object.values(COMMAND_GROUPS)
    .flat()
    .filter((name) => Object.hasOwn(COMMANDS, name));
  for (const name of Object.hasOwn(COMMANDS, asked) ? [asked] : names) {
    program.addCommand(COMMANDS[name]().helpGroup(groupOf(name)));
  }
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('print this help, or that of a command')
      .helpGroup(groupOf('help')),
  );
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureHelp({
        optionDescription,
        minWidthToWrap: MIN_DESCRIPTION,
        subcommandTerm: (each) => each.name(),
        subcommandDescription: shortDescription,
      })
      .addHelpText('after', exitCodesText);
  }
  program.commands.forEach(refuseSecondValues);
  try {
    const command = program.commands.find((each) => each.name() === asked);
    if (command) {
      refusePreviousOptions(command, argv.slice(ARGUMENTS));
    }
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
