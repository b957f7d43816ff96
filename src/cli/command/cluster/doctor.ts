import { styleText } from 'util';
import { Command, Option } from 'commander';
import { Redactor } from '../../../core/secret/redactor';
import { appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { DOCTOR_FORMATS, DoctorFormat, PaintLevel, doctorJson, doctorText, examine } from '../../../report/doctor/doctor';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';
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
      const program = loadAssembly(dist);
      const app = appOf(flags.app);
      // another version is a finding here, not a reason to look away
      const binding = await bindByFlags(program.assembly.targets, { ...flags, allowVersionSkew: true });
      try {
        await interruptible(async (signal) => {
          const examination = await examine(program, binding.targets, { app, drift: flags.drift, acceptNewCluster: flags.acceptNewCluster, signal });
          const text = flags.format === 'json' ? doctorJson(examination) : `${doctorText(examination, paint())}\n`;
          process.stdout.write(Redactor.of(program.manifests.values()).scrub(text));
          process.exitCode = examination.diagnoses.some(({ level }) => level === 'error') ? EXIT_ERRORS : EXIT_NOTHING;
        });
      } finally {
        binding.close();
      }
    });
}

function paint(): PaintLevel | undefined {
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return colours ? (level, text) => styleText(STYLES[level], text) : undefined;
}
