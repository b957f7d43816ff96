import { Writable } from 'stream';

const watched = new WeakSet<Writable>();

/**
 * Lets a command continue when its output cannot be written: the reader may have exited (`| head`), or the disk be full, and a run must
 * finish on the clusters and release its lock.
 *
 * @param stdout the stream to watch, for as long as the process lives: such an error may come after the run
 * @param stderr receives the message, unless it is closed as well
 */
export function surviveLostOutput(stdout: Writable = process.stdout, stderr: Writable = process.stderr): void {
  if (watched.has(stdout)) { return; }
  watched.add(stdout);
  let told = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE' && !told) { stderr.write(`cdk8s-harvester: the output cannot be written: ${message}\n`); }
    told = true;
  });
  stderr.on('error', () => undefined);
}
