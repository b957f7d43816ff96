import { setMaxListeners } from 'events';
import { EXIT_INTERRUPTED } from './exit-codes';

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
