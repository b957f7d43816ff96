import { Command } from 'commander';
import { DIFF_FORMATS, DiffFormat, diff, isSame, printDiff } from '../../../report/review/diff';
import {
  emit,
  OutputFlags,
  readingOf,
  withFailedSynthesis,
  withOutput,
  withReading,
  WorldFlags,
} from '../../option/output-options';
import { EXIT } from '../../terminal/process';

/** `diff`: what differs between two outputs, offline. */
export function diffCommand(): Command {
  const command = withReading(withFailedSynthesis(new Command('diff')))
    .description(
      'compare two outputs without a repository or a cluster: objects and fields that differ, who gains or loses access, what is lost, and what waits',
    )
    .argument('<base>', 'the previous output, or a folder of manifests')
    .argument('<head>', 'the new output, or a folder of manifests');
  return withOutput(command, DIFF_FORMATS).action(
    (base: string, head: string, flags: WorldFlags & OutputFlags<DiffFormat>) => {
      const found = diff(base, head, readingOf(flags));
      emit(printDiff(found, flags.output), flags);
      process.exitCode = isSame(found) ? EXIT.DONE : EXIT.CHANGES;
    },
  );
}
