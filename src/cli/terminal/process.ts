import { setMaxListeners } from 'events';
import { printable } from '../../core/text/plain-text';
import { Block, line, render } from '../../core/text/screen';
import { ScreenFlags, screenOf } from '../../core/text/terminal';

/** The exit codes of every command. */
export const EXIT = {
  /** Done, or nothing to do; warnings do not fail. */
  DONE: 0,
  /**
   * The command failed, or part of its work: wrong options, a file that cannot be read, a cluster
   * that cannot be reached, an object that a server refuses.
   */
  FAILED: 1,
  /** A plan or a comparison has changes, as other planners report it. */
  CHANGES: 2,
  /**
   * The command did its work, and found what it looks for: errors, lost machines, what does not
   * fit, what is not ready.
   */
  FOUND: 3,
  /** Ctrl-C, as shells report it. */
  INTERRUPTED: 130,
} as const;

/** The exit codes in the help of every command. */
export const EXIT_CODES_TEXT =
  'Exit codes: 0 done or nothing found, 1 the command failed, 2 changes pending (plan, diff), 3 found what must stop a pipeline, 130 interrupted.';

/** Prints lines to stdout: what names of any origin contain does nothing to the terminal. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints lines with colors, of which each field is plain text already. */
export function printPainted(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints lines to stderr, as `print` does. A terminal breaks them between words. */
export function printError(text: string): void {
  printErrorBlocks(
    text.split('\n').map((each) => line(each.trimStart(), each.length - each.trimStart().length)),
    { color: 'never' },
  );
}

/** Prints a report to stderr as its screen allows. */
export function printErrorBlocks(blocks: readonly Block[], flags: ScreenFlags = {}): void {
  process.stderr.write(`${render(blocks, screenOf(flags, process.stderr))}\n`);
}

/** Prints a report as its screen allows. */
export function printBlocks(blocks: readonly Block[], flags: ScreenFlags = {}): void {
  printPainted(render(blocks, screenOf(flags)));
}

/** Whether stdout shows colors. */
export function hasColors(flags: ScreenFlags): boolean {
  return screenOf(flags).colors;
}

/**
 * Runs a command that writes nothing, and sets its exit code. The first interrupt ends it, with the
 * exit code of an interrupted process.
 */
export async function interruptible(run: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const controller = new AbortController();
  // each request in flight adds a listener
  setMaxListeners(0, controller.signal);
  const stop = (): void => {
    controller.abort(new Error('interrupted'));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    process.exitCode = await run(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) {
      throw error;
    }
    printError('interrupted; nothing was written');
    process.exitCode = EXIT.INTERRUPTED;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
