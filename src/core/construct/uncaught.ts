import { isMainThread } from 'worker_threads';
import { Block, line, list, render, toned } from '../text/screen';
import { screenOf } from '../text/terminal';

/** The reports that errors are made from; others are printed line by line. */
const reports = new WeakMap<Error, readonly Block[]>();

/** Gives an error the report that its message is the text of. */
export function withReport(error: Error, blocks: readonly Block[]): Error {
  reports.set(error, blocks);
  return error;
}

/** Fake timers of tests replace the global function. */
const later = setImmediate;

/** Errors that the program may catch, with the frames above their calls. */
const thrown = new Map<unknown, readonly string[]>();

/**
 * Prints an error of the program as commands print theirs, if the program does not catch it: Node
 * would print its own header and footer, and no line would fit the terminal. If the program catches
 * the error, or listens to uncaught exceptions itself, nothing happens.
 *
 * @param frames the program's own frames above the call, which the message does not name
 */
export function printIfUncaught(error: Error, frames: readonly string[]): void {
  // an error of a worker belongs to its parent; bun has no such event
  if (!isMainThread || process.versions.bun !== undefined) {
    return;
  }
  if (thrown.size === 0) {
    process.on('uncaughtException', printUncaught);
    // an error that nothing catches has reached the process at that time
    later(() => {
      thrown.clear();
      process.off('uncaughtException', printUncaught);
    });
  }
  thrown.set(error, frames);
}

/**
 * The listener that Node adds to those of others where a program loads the module `domain`, as
 * ts-node does: it prints nothing, and does not end the process.
 */
const OF_DOMAIN = 'domainUncaughtExceptionClear';

/** Whether the program listens itself: what it does with the error is its own. */
function isHandled(): boolean {
  return process
    .listeners('uncaughtException')
    .some((listener) => listener !== printUncaught && listener.name !== OF_DOMAIN);
}

function printUncaught(error: Error): void {
  if (isHandled()) {
    return;
  }
  const frames = thrown.get(error);
  if (frames === undefined) {
    process.off('uncaughtException', printUncaught);
    // Node ends with another code where a listener throws
    later(() => {
      throw error;
    });
    return;
  }
  const screen = { ...screenOf({}, process.stderr), whole: WHOLE };
  process.exitCode = 1;
  process.stderr.write(`${render(uncaughtBlocks(error, frames), screen)}\n`, () => process.exit(1));
}

/** How a program prints a list whole: it has no options. */
const WHOLE = 'all of them: 2> findings.txt';

function uncaughtBlocks(error: Error, frames: readonly string[]): readonly Block[] {
  const report = reports.get(error);
  if (report) {
    return report;
  }
  const [first, ...others] = error.message.split('\n');
  return [
    line([toned('error', 'error'), `  ${first}`]),
    ...others.map((text) => line(text.trimStart(), text.startsWith(' ') ? 2 : 0)),
    list(
      frames.map((frame) => line(toned('quiet', `at ${frame}`), 2)),
      'callers',
      2,
    ),
  ];
}
