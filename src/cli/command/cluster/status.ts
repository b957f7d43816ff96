import { Command, Option } from 'commander';
import { status } from '../../../engine';
import { isAllReady, statusText } from '../../../report/doctor/status';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT_ERRORS, EXIT_NOTHING, interruptible } from '../../process';

interface StatusFlags extends TargetFlags {
  readonly app: string;
  readonly format: 'text' | 'json';
  readonly all?: boolean;
}

export function statusCommand(): Command {
  const command = new Command('status')
    .description('tell which objects of the program are on the live clusters, and which of them are ready')
    .argument('[dist]', 'the output folder with its assembly.json', 'dist');
  withAppOption(command)
    .option('--all', 'list ready objects, too')
    .addOption(new Option('--format <format>', 'how it is printed').choices(['text', 'json']).default('text'));
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 everything is ready, 1 something is not, 2 could not run, 130 interrupted.')
    .action(async (dist: string, flags: StatusFlags) => {
      await interruptible(async (signal) => {
        const { result, scrub } = await status(dist, { ...bindOptionsOf(flags), app: flags.app, signal });
        const json = flags.format === 'json' ? JSON.stringify({ schemaVersion: '1', targets: result }, undefined, 2) : undefined;
        process.stdout.write(`${scrub(json ?? statusText(result, flags))}\n`);
        process.exitCode = isAllReady(result) ? EXIT_NOTHING : EXIT_ERRORS;
      });
    });
}
