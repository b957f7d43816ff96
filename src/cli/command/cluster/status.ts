import { Command } from 'commander';
import { status } from '../../../engine';
import { isAllReady, statusText } from '../../../report/doctor/status';
import { OutputFlags, emit, withOutput, withOutputFolder } from '../../option/output-options';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT, interruptible } from '../../process';

interface StatusFlags extends TargetFlags, OutputFlags<'text' | 'json'> {
  readonly app: string;
  readonly all?: boolean;
}

export function statusCommand(): Command {
  const command = withOutputFolder(new Command('status'))
    .description('report which objects of the program are on the live clusters, and which of them are ready');
  withOutput(withAppOption(command).option('--all', 'also list ready objects'), ['text', 'json']);
  return withTargetOptions(command)
    .action(async (path: string, flags: StatusFlags) => {
      await interruptible(async (signal) => {
        const { result, scrub } = await status(path, { ...bindOptionsOf(flags), app: flags.app, signal });
        const json = flags.output === 'json' ? JSON.stringify({ schemaVersion: '1', targets: result }, undefined, 2) : undefined;
        emit(scrub(json ?? statusText(result, flags)), flags);
        process.exitCode = isAllReady(result) ? EXIT.DONE : EXIT.FAILED;
      });
    });
}
