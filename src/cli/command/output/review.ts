import { Command, InvalidArgumentError, Option } from 'commander';
import { optionsOf } from '../../../engine/known-options';
import { REVIEW_FORMATS, ReviewFormat, printReview } from '../../../report/review/render-review';
import { ReviewOptions, STOPS, Stop, review } from '../../../report/review/review';
import {
  emit,
  OutputFlags,
  repeatable,
  withOutput,
  withReading,
} from '../../option/output-options';
import { EXIT, interruptible } from '../../process';

interface ReviewFlags extends OutputFlags<ReviewFormat>, Omit<ReviewOptions, 'failOn' | 'signal'> {
  readonly committed: readonly string[];
  readonly failOn: readonly Stop[];
}

/** Stops for nothing. */
const NOTHING = 'nothing';

function stopsIn(text: string): Stop[] {
  if (text === NOTHING) {
    return [];
  }
  const named = text.split(',').map((each) => each.trim());
  const unknown = named.filter((each) => !(STOPS as readonly string[]).includes(each));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `must be ${NOTHING}, or some of ${STOPS.join(',')}, got ${unknown.join(',')}.`,
    );
  }
  return named as Stop[];
}

/** `review`: what a change of a program does, for those who review it. */
export function reviewCommand(): Command {
  const command = withReading(new Command('review'))
    .description(
      'review a change of a program: synthesize it and its base without secrets, and report findings, lost machines, what does not fit, and whether the committed output is current',
    )
    .argument('[path]', 'folder of the program, in the work tree of a Git repository', '.')
    .requiredOption(
      '--base <ref>',
      'compare with the last commit that the change has in common with this branch or commit, e.g. origin/main',
    )
    .option('--exact-base', 'compare with the commit of --base itself')
    .addOption(
      repeatable(
        '--committed <path>',
        'compare the committed output, or the manifests, at this path in the folder of the program, and synthesize nothing',
      ),
    )
    .option(
      '--synth <command>',
      'synthesize both sides with this command; default: app in cdk8s.yaml, otherwise the script synth in package.json',
    )
    .option(
      '--install <command>',
      'install the packages of the base with this command; default: those of the change, or npm ci where the base needs others',
    )
    .addOption(
      new Option('--fail-on <what>', `exit with 3 for these, or for ${NOTHING}: ${STOPS.join(',')}`)
        .argParser(stopsIn)
        .default(
          STOPS.filter((stop) => stop !== 'warnings'),
          'errors,losses,unfit,stale',
        ),
    );
  return withOutput(command, REVIEW_FORMATS).action(async (path: string, flags: ReviewFlags) =>
    interruptible(async (signal) => {
      const committed = flags.committed.length > 0 ? flags.committed : undefined;
      const found = await review(path, { ...optionsOf('review', flags), committed, signal });
      emit(printReview(found, flags.output), flags);
      return found.failures.length > 0
        ? EXIT.FAILED
        : found.stops.length > 0
          ? EXIT.FOUND
          : EXIT.DONE;
    }),
  );
}
