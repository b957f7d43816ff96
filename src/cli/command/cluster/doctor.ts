import { styleText } from 'util';
import { Command, Option } from 'commander';
import { doctor } from '../../../engine';
import { DOCTOR_FORMATS, DoctorFormat, PaintLevel, doctorJson, doctorText } from '../../../report/doctor/doctor';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT_ERRORS, EXIT_NOTHING, interruptible } from '../../process';

interface DoctorFlags extends TargetFlags {
  readonly app: string;
  readonly format: DoctorFormat;
  /** False for `--no-drift`. */
  readonly drift: boolean;
}

const STYLES = { error: 'red', warning: 'yellow', info: 'gray' } as const;

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('look at the live clusters for what is wrong or soon will be; nothing is written to them')
    .argument('[dist]', 'the output folder with its assembly.json', 'dist');
  withAppOption(command)
    .option('--no-drift', 'do not compare the live objects with the program')
    .addOption(new Option('--format <format>', 'how it is printed').choices([...DOCTOR_FORMATS]).default('text'));
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 no errors, 1 errors, 2 could not run, 130 interrupted. Credentials are never printed.')
    .action(async (dist: string, flags: DoctorFlags) => {
      await interruptible(async (signal) => {
        const { result, scrub } = await doctor(dist, { ...bindOptionsOf(flags), app: flags.app, drift: flags.drift, signal });
        process.stdout.write(scrub(flags.format === 'json' ? doctorJson(result) : `${doctorText(result, paint())}\n`));
        process.exitCode = result.diagnoses.some(({ level }) => level === 'error') ? EXIT_ERRORS : EXIT_NOTHING;
      });
    });
}

function paint(): PaintLevel | undefined {
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return colours ? (level, text) => styleText(STYLES[level], text) : undefined;
}
