import { writeFileSync } from 'fs';
import { Command, Help, Option } from 'commander';
import { failedSynthesis } from '../../core/app/failed/failed-synthesis';
import { TARGET_KINDS } from '../../core/output/assembly';
import { plainText, printable } from '../../core/text/plain-text';
import { Block, PLAIN, render } from '../../core/text/screen';
import { COLOR_CHOICES, ScreenFlags } from '../../core/text/terminal';
import { IGNORE_FILE } from '../../engine/files/ignored-paths';
import { ReadOptions } from '../../engine/read/find-files';
import { TargetOptions } from '../../engine/read/read-input';
import { print, printBlocks, printError } from '../process';

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
  readonly out?: string;
}

/** Adds the output folder of a synthesis as the argument of a command. */
export function withOutputFolder(command: Command): Command {
  return withFailedSynthesis(
    command.argument('[path]', 'output folder of a synthesis, with its assembly.json', 'dist'),
  );
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

/**
 * Lets a command warn where the paths of its argument are outputs that are older than their
 * programs.
 */
export function withFailedSynthesis(command: Command): Command {
  return command.hook('preAction', ({ processedArgs }) => {
    for (const path of processedArgs.flat() as string[]) {
      const failed = failedSynthesis(path);
      if (!failed) {
        continue;
      }
      const errors = `${failed.errors} ${failed.errors === 1 ? 'error' : 'errors'}`;
      printError(
        plainText(
          `warning: ${path} is older than the program: the last synthesis failed at ${failed.time} with ${errors}`,
        ),
      );
    }
  });
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
  readonly target?: TargetOptions['target'];
  readonly harvesterVersion?: string;
  readonly world: readonly string[];
}

/** Adds the kind of manifests without an assembly as an option. */
export function withTarget(command: Command): Command {
  return command.addOption(
    new Option(
      '--target <kind>',
      'treat manifests without an assembly as objects of this kind of cluster',
    ).choices(TARGET_KINDS),
  );
}

/** Adds the version of Harvester that manifests are judged by as an option. */
export function withHarvesterVersion(command: Command): Command {
  return command.option(
    '--harvester-version <version>',
    'judge by this version of Harvester, e.g. 1.7.2',
  );
}

/** What `--all` does. */
const ALL = 'print all entries of long lists; a terminal shows the first ones';

/**
 * Adds the format of what a command prints; the first one is the default.
 *
 * @param all what `--all` does in addition
 */
export function withFormat(command: Command, formats: readonly string[], all?: string): Command {
  const formatted = command.addOption(
    new Option('--output <format>', 'print the result in this format')
      .choices(formats)
      .default(formats[0]),
  );
  return formats.includes('text') ? withScreen(formatted, all) : formatted;
}

/** Adds the options of a result that is printed, or written to a file. */
export function withOutput(command: Command, formats: readonly string[], all?: string): Command {
  return withFormat(command, formats, all).option(
    '--out <file>',
    'write the result to this file instead of stdout',
  );
}

/** Adds the options of how a report looks on a terminal. */
export function withScreen(command: Command, all?: string): Command {
  return withColor(command).option('--all', all === undefined ? ALL : `${all}, and ${ALL}`);
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
  { out, ...screen }: Pick<OutputFlags, 'out'> & ScreenFlags,
): void {
  if (typeof result !== 'string' && out === undefined) {
    printBlocks(result, screen);
    return;
  }
  const whole = (typeof result === 'string' ? result : render(result, PLAIN)).replace(/\n$/, '');
  if (out === undefined) {
    print(whole);
  } else {
    writeFileSync(out, `${printable(whole)}\n`);
    print(`wrote ${out}`);
  }
}
