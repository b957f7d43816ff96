import { setMaxListeners } from 'events';
import { readFileSync } from 'fs';
import { join } from 'path';

/** Nothing to say, or warnings alone. */
export const EXIT_NOTHING = 0;

/** Errors were found, or machines would be lost or may be. */
export const EXIT_ERRORS = 1;

/** The command could not run: wrong options, files that are not there. */
export const EXIT_COULD_NOT_RUN = 2;

/** Ctrl-C, as shells count it. */
export const EXIT_INTERRUPTED = 130;

/** Of the package that this command line is part of. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version;
}

/** Runs what writes nothing: one interrupt ends it, with the exit code that shells know. */
export async function interruptible(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  // one for each request that is under way
  setMaxListeners(0, controller.signal);
  const stop = (): void => { controller.abort(new Error('interrupted')); };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await run(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) { throw error; }
    process.stderr.write('interrupted; nothing was written\n');
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
