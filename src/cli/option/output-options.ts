import { writeFileSync } from 'fs';
import { Command, Help, InvalidArgumentError, Option } from 'commander';
import { failedSynthesis } from '../../core/app/failed-synthesis';
import { TARGET_KINDS } from '../../core/output/assembly';
import { plainText, printable } from '../../core/text/plain-text';
import { Block, PLAIN, render } from '../../core/text/screen';
import { COLOR_CHOICES, ScreenFlags } from '../../core/text/terminal';
import { ReadOptions } from '../../engine/files/find-files';
import { IGNORE_FILE } from '../../engine/files/ignored-paths';
import { TargetOptions } from '../../engine/files/judged-targets';
import { print, printBlocks, printError } from '../terminal/process';

/**
 * An option that may be given several times; its values are a list, empty where it is not given.
 */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be given several times`)
    .argParser((value: string, before: readonly string[]): string[] => [...before, value])
    .default([]);
}

/** The help of an option, without the default of an empty list. */
export function optionDescription(option: Option): string {
  const isEmpty = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  const told: Option = isEmpty
    ? Object.assign(Object.create(Object.getPrototypeOf(option) as object), option, {
        defaultValue: undefined,
      })
    : option;
  return new Help().optionDescription(told);
}

/** The options of a command that prints a result, as commander gives them. */
export interface OutputFlags<Format extends string = string> extends ScreenFlags {
  readonly output: Format;
  readonly outputFile?: string;
}

/** What the argument of most commands is. */
export const OUTPUT_FOLDER = 'output folder of a synthesis, with its assembly.json';

/** Adds the output folder of a synthesis as the argument of a command. */
export function withOutputFolder(command: Command): Command {
  return withFailedSynthesis(command.argument('[path]', OUTPUT_FOLDER, 'dist'));
}

/** Adds manifests as the arguments of a command. */
export function withManifests(command: Command): Command {
  return withReading(
    withFailedSynthesis(
      command.argument(
        '[paths...]',
        'YAML or JSON files, folders, or output folders of a synthesis',
        ['dist'],
      ),
    ),
  );
}

/** What the flag of `withCurrentOutput` sets. */
interface PreviousOutputFlags {
  readonly previousOutput?: boolean;
}

/**
 * Adds the output folder of a synthesis as the argument of a command that acts for the program: it
 * stops where the output is older than the program, unless the previous output is asked for.
 */
export function withCurrentOutput(command: Command): Command {
  return command
    .argument('[path]', OUTPUT_FOLDER, 'dist')
    .option(
      '--previous-output',
      'use the previous output although the last synthesis of the program failed',
    )
    .hook('preAction', ({ processedArgs }, action) => {
      const [path] = processedArgs as [string];
      const older = olderThanProgram(path);
      if (older === undefined) {
        return;
      }
      if (!action.opts<PreviousOutputFlags>().previousOutput) {
        throw new Error(
          `${older}. Fix: synthesize again without errors; to use the previous output, set --previous-output`,
        );
      }
      printError(`warning: ${older}`);
    });
}

/**
 * Lets a command warn where the paths of its argument are outputs that are older than their
 * programs.
 */
export function withFailedSynthesis(command: Command): Command {
  return command.hook('preAction', ({ processedArgs }) => {
    for (const path of processedArgs.flat() as string[]) {
      const older = olderThanProgram(path);
      if (older !== undefined) {
        printError(`warning: ${older}`);
      }
    }
  });
}

/** That an output is older than its program, whose last synthesis failed; otherwise undefined. */
function olderThanProgram(path: string): string | undefined {
  const failed = failedSynthesis(path);
  if (!failed) {
    return undefined;
  }
  const errors = `${failed.errors} ${failed.errors === 1 ? 'error' : 'errors'}`;
  return plainText(
    `${path} is older than the program: the last synthesis failed at ${failed.time} with ${errors}`,
  );
}

/** Adds the options of how manifests are read. */
export function withReading(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--max-file-size <MiB>',
        'read files of at most this size, and 16 times as much in total (default: 16)',
      ).argParser(Number),
    )
    .option('--follow-links', 'follow symbolic links that lead out of a folder')
    .addOption(
      repeatable(
        '--exclude <pattern>',
        `leave out files and folders by a pattern as in .gitignore, such as charts/ or **/values.yaml; ${IGNORE_FILE} of a folder has more`,
      ),
    );
}

/** How manifests are read, as commander gives it. */
export function readingOf({ maxFileSize, followLinks, exclude }: ReadOptions): ReadOptions {
  return { maxFileSize, followLinks, exclude };
}

/**
 * How manifests without an assembly are read, and live objects next to them, as commander gives it.
 */
export interface WorldFlags extends ReadOptions {
  readonly targetKind?: TargetOptions['targetKind'];
  readonly harvesterVersion?: string;
  readonly world: readonly string[];
}

/** Adds the kind of manifests without an assembly as an option. */
export function withTargetKind(command: Command): Command {
  return command.addOption(
    new Option(
      '--target-kind <kind>',
      'treat manifests without an assembly as objects of this kind of cluster',
    ).choices(TARGET_KINDS),
  );
}

/** Adds the version of Harvester that manifests are judged by as an option. */
export function withHarvesterVersion(command: Command): Command {
  return command.option(
    '--harvester-version <version>',
    'take this as the version of Harvester; e.g. 1.7.2',
  );
}

/** Stops for nothing. */
const NOTHING = 'nothing';

/** Some of the words that a pipeline stops for, as an option gives them. */
function stopsOf<Stop extends string>(stops: readonly Stop[], text: string): readonly Stop[] {
  if (text === NOTHING) {
    return [];
  }
  const named = text.split(',').map((each) => each.trim());
  const unknown = named.filter((each) => !(stops as readonly string[]).includes(each));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `must be ${NOTHING}, or some of ${stops.join(',')}, got ${unknown.join(',')}.`,
    );
  }
  return named as Stop[];
}

/**
 * Adds what a pipeline stops for as an option.
 *
 * @param stops all that the command knows
 * @param usual what it stops for without the option
 */
export function withFailOn<Stop extends string>(
  command: Command,
  stops: readonly Stop[],
  usual: readonly Stop[],
): Command {
  return command.addOption(
    new Option('--fail-on <what>', `exit with 3 for these; ${stops.join(',')}, or ${NOTHING}`)
      .argParser((text) => stopsOf(stops, text))
      .default(usual, usual.join(',')),
  );
}

/** What reports with two levels can stop for. */
export const LEVEL_STOPS = ['errors', 'warnings'] as const;

/** The option of what such a report stops for, as commander gives it. */
export interface LevelFlags {
  readonly failOn: readonly (typeof LEVEL_STOPS)[number][];
}

/** Whether a pipeline stops for a level. */
export function isStop({ failOn }: LevelFlags, level: 'error' | 'warning' | 'info'): boolean {
  return level !== 'info' && failOn.includes(`${level}s`);
}

/** What `--all` does. */
const ALL = 'print everything; by default, a terminal shows only the first entries of long lists';

/**
 * Adds the format of what a command prints; the first one is the default.
 *
 * @param all what the result leaves out besides
 */
export function withFormat(command: Command, formats: readonly string[], all?: string): Command {
  const formatted = command.addOption(
    new Option('-o, --output <format>', 'print in this format')
      .choices(formats)
      .default(formats[0]),
  );
  return formats.includes('text') ? withScreen(formatted, all) : formatted;
}

/** Adds the options of a result that is printed, or written to a file. */
export function withOutput(command: Command, formats: readonly string[], all?: string): Command {
  return withFormat(command, formats, all).option(
    '--output-file <file>',
    'write the result to this file instead of stdout',
  );
}

/** Adds the options of how a report looks on a terminal. */
export function withScreen(command: Command, all?: string): Command {
  return withColor(command).option('--all', all === undefined ? ALL : `${ALL}, and no ${all}`);
}

/** Adds the option of when colors are printed. */
export function withColor(command: Command): Command {
  return command.addOption(
    new Option('--color <when>', 'print colors; auto: on a terminal, unless NO_COLOR is set')
      .choices(COLOR_CHOICES)
      .default('auto'),
  );
}

/**
 * Prints a result, or writes it to the file that the user named, and prints its name. Both are shown to people, so what
 * names contain does nothing to a terminal or page.
 */
export function emit(
  result: string | readonly Block[],
  { outputFile, ...screen }: Pick<OutputFlags, 'outputFile'> & ScreenFlags,
): void {
  if (typeof result !== 'string' && outputFile === undefined) {
    printBlocks(result, screen);
    return;
  }
  const whole = (typeof result === 'string' ? result : render(result, PLAIN)).replace(/\n$/, '');
  if (outputFile === undefined) {
    print(whole);
  } else {
    writeFileSync(outputFile, `${printable(whole)}\n`);
    print(`wrote ${outputFile}`);
  }
}
