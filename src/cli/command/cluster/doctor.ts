import { styleText } from 'util';
import { Command } from 'commander';
import { doctor } from '../../../engine';
import { DOCTOR_FORMATS, DoctorFormat, PaintLevel, doctorJson, doctorText } from '../../../report/doctor/doctor';
import { OutputFlags, emit, withOutput, withOutputFolder } from '../../option/output-options';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT, hasColors, interruptible } from '../../process';

interface DoctorFlags extends TargetFlags, OutputFlags<DoctorFormat> {
  readonly app: string;
  /** False for `--no-drift`. */
  readonly drift: boolean;
}

const STYLES = { error: 'red', warning: 'yellow', info: 'gray' } as const;

export function doctorCommand(): Command {
  const command = withOutputFolder(new Command('doctor'))
    .description('report problems of the live clusters, present and upcoming; nothing is written to the clusters and no credential is printed');
  withOutput(withAppOption(command).option('--no-drift', 'do not compare the live objects with the program'), DOCTOR_FORMATS);
  return withTargetOptions(command)
    .action(async (path: string, flags: DoctorFlags) => {
      await interruptible(async (signal) => {
        const { result, scrub } = await doctor(path, { ...bindOptionsOf(flags), app: flags.app, drift: flags.drift, signal });
        emit(scrub(flags.output === 'json' ? doctorJson(result) : doctorText(result, flags.out === undefined ? paint() : undefined)), flags);
        process.exitCode = result.diagnoses.some(({ level }) => level === 'error') ? EXIT.FAILED : EXIT.DONE;
      });
    });
}

function paint(): PaintLevel | undefined {
  return hasColors() ? (level, text) => styleText(STYLES[level], text) : undefined;
}
