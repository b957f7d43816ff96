import { setMaxListeners } from 'events';
import { readFileSync } from 'fs';
import { join } from 'path';
import { printable } from '../core/text/plain-text';

/** The exit codes of every command. */
export const EXIT = {
  /** Done, or nothing to do; warnings do not fail. */
  DONE: 0,
  /** Failed: findings, objects that are not ready, wrong options, a file that cannot be read. */
  FAILED: 1,
  /** A plan has changes, as other planners report it. */
  CHANGES: 2,
  /** Ctrl-C, as shells report it. */
  INTERRUPTED: 130,
} as const;

/** The exit codes in the help of every command. */
export const EXIT_CODES_TEXT = '\nExit codes: 0 done or nothing to do, 1 failed or findings, 2 changes pending (plan), 130 interrupted.';

/** The version of the package that this command line is part of. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version;
}

/** Prints lines to stdout: what names of any origin contain does nothing to the terminal. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints lines with colors, of which each field is plain text already. */
export function printPainted(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints lines to stderr, as `print` does. */
export function printError(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Whether stdout is a terminal that shows colors. */
export function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

/** Runs a command that writes nothing: the first interrupt ends it, with the exit code of an interrupted process. */
export async function interruptible(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  // each request in flight adds a listener
  setMaxListeners(0, controller.signal);
  const stop = (): void => { controller.abort(new Error('interrupted')); };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await run(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) { throw error; }
    printError('interrupted; nothing was written');
    process.exitCode = EXIT.INTERRUPTED;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
