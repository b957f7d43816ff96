import { Command } from 'commander';
import { optionsOf } from '../../../engine/known-options';
import { REVIEW_FORMATS, ReviewFormat, printReview } from '../../../report/review/render-review';
import { ReviewOptions, STOPS, Stop, reviewProject } from '../../../report/review/review';
import {
  emit,
  OutputFlags,
  repeatable,
  withFailOn,
  withOutput,
  withReading,
} from '../../option/output-options';
import { EXIT, interruptible } from '../../terminal/process';

interface ReviewFlags extends OutputFlags<ReviewFormat>, Omit<ReviewOptions, 'failOn' | 'signal'> {
  readonly committed: readonly string[];
  readonly failOn: readonly Stop[];
}

/** `review`: what a change of a program does, for those who review it. */
export function reviewCommand(): Command {
  const command = withReading(new Command('review'))
    .description(
      'review a change of a program: synthesize it and its base without secrets, and report findings, lost machines, what does not fit, and whether the committed output is current',
    )
    .argument('[program]', 'folder of the program, in the work tree of a Git repository', '.')
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
    );
  const defaultStops = STOPS.filter((stop) => stop !== 'warnings');
  withFailOn(command, STOPS, defaultStops);
  return withOutput(command, REVIEW_FORMATS).action(async (path: string, flags: ReviewFlags) =>
    interruptible(async (signal) => runReview(path, flags, signal)),
  );
}

/** Returns the exit code. */
async function runReview(path: string, flags: ReviewFlags, signal: AbortSignal): Promise<number> {
  const committed = flags.committed.length > 0 ? flags.committed : undefined;
  const review = await reviewProject(path, { ...optionsOf('review', flags), committed, signal });
  emit(printReview(review, flags.output), flags);
  if (review.failures.length > 0) {
    return EXIT.FAILED;
  }
  return review.stops.length > 0 ? EXIT.FOUND : EXIT.DONE;
}
