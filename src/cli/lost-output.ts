import { Writable } from 'stream';

const watched = new WeakSet<Writable>();

/**
 * Lets a command go on whose output nobody takes any more: who reads along may go (`| head`), or the disk be full, and what is being done to
 * clusters is to be done to its end, with the lock given back.
 *
 * @param stdout what is watched, for as long as the process lives: such an error may come after all is done
 * @param stderr is told of it, unless it is gone as well
 */
export function surviveLostOutput(stdout: Writable = process.stdout, stderr: Writable = process.stderr): void {
  if (watched.has(stdout)) { return; }
  watched.add(stdout);
  let told = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE' && !told) { stderr.write(`cdk8s-harvester: the output can not be written: ${message}\n`); }
    told = true;
  });
  stderr.on('error', () => undefined);
}
