import { Command } from 'commander';
import { doctor, status } from '../../../commands';
import { withTexts } from '../../../core/text/screen';
import {
  DOCTOR_FORMATS,
  DoctorFormat,
  doctorJson,
  doctorText,
} from '../../../report/doctor/doctor';
import { isAllReady, statusText } from '../../../report/doctor/status';
import {
  emit,
  isStop,
  LEVEL_STOPS,
  LevelFlags,
  OutputFlags,
  withFailOn,
  withOutput,
  withOutputFolder,
} from '../../option/output-options';
import {
  bindOptionsOf,
  TargetFlags,
  withAppOption,
  withTargetOptions,
} from '../../option/run-options';
import { EXIT, interruptible } from '../../terminal/process';

interface DoctorFlags extends TargetFlags, OutputFlags<DoctorFormat>, LevelFlags {
  readonly app: string;
  /** False for `--no-drift`. */
  readonly drift: boolean;
}

export function doctorCommand(): Command {
  const command = withOutputFolder(new Command('doctor')).description(
    'report problems of the live clusters, present and upcoming; nothing is written to the clusters and no credential is printed',
  );
  withAppOption(command).option('--no-drift', 'do not compare the live objects with the program');
  withFailOn(command, LEVEL_STOPS, ['errors']);
  withOutput(command, DOCTOR_FORMATS);
  return withTargetOptions(command).action(async (path: string, flags: DoctorFlags) =>
    interruptible(async (signal) => {
      const { scrub, ...result } = await doctor(path, {
        ...bindOptionsOf(flags),
        app: flags.app,
        drift: flags.drift,
        signal,
      });
      emit(
        flags.output === 'json' ? scrub(doctorJson(result)) : withTexts(doctorText(result), scrub),
        flags,
      );
      return result.diagnoses.some(({ level }) => isStop(flags, level)) ? EXIT.FOUND : EXIT.DONE;
    }),
  );
}

export function statusCommand(): Command {
  const command = withOutputFolder(new Command('status')).description(
    'report which objects of the program are on the live clusters, and which of them are ready',
  );
  withOutput(withAppOption(command), ['text', 'json'], 'ready objects');
  return withTargetOptions(command).action(
    async (
      path: string,
      flags: TargetFlags & OutputFlags<'text' | 'json'> & Pick<DoctorFlags, 'app'>,
    ) =>
      interruptible(async (signal) => {
        const { targets, scrub } = await status(path, {
          ...bindOptionsOf(flags),
          app: flags.app,
          signal,
        });
        const asJson = (): string =>
          scrub(JSON.stringify({ schemaVersion: '1', targets }, undefined, 2));
        emit(
          flags.output === 'json' ? asJson() : withTexts(statusText(targets, flags), scrub),
          flags,
        );
        return isAllReady(targets) ? EXIT.DONE : EXIT.FOUND;
      }),
  );
}
