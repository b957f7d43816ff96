import { writeFileSync } from 'fs';
import { Command, Option } from 'commander';

/** The options of a command that prints a result, as commander gives them. */
export interface OutputFlags<Format extends string = string> {
  readonly output: Format;
  readonly out?: string;
}

/** Adds the output folder of a synthesis as the argument of a command. */
export function withOutputFolder(command: Command): Command {
  return command.argument('[path]', 'output folder of a synthesis, with its assembly.json', 'dist');
}

/** Adds manifests as the arguments of a command. */
export function withManifests(command: Command): Command {
  return command.argument('[paths...]', 'YAML or JSON files, folders, or output folders of a synthesis', ['dist']);
}

/** Adds the format of what a command prints; the first one is the default. */
export function withFormat(command: Command, formats: readonly string[]): Command {
  return command.addOption(new Option('--output <format>', 'print the result in this format').choices(formats).default(formats[0]));
}

/** Adds the options of a result that is printed, or written to a file. */
export function withOutput(command: Command, formats: readonly string[]): Command {
  return withFormat(command, formats).option('--out <file>', 'write the result to this file instead of stdout');
}

/** Prints a result, or writes it to the file that the user named. */
export function emit(text: string, { out }: Pick<OutputFlags, 'out'>): void {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (out === undefined) { process.stdout.write(whole); } else { writeFileSync(out, whole); }
}
