import { mkdtempSync, readdirSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { attempt } from '../core/text/values';

const PREFIX = 'cdk8s-harvester-test-';

const made: string[] = [];

/** A new folder that is removed when the process ends. Where nothing runs at that time, as in jest, a later process removes it. */
export function testFolder(): string {
  if (made.length === 0) {
    removeLeft();
    process.on('exit', () => { made.forEach(remove); });
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  made.push(folder);
  return folder;
}

/** Removes the folders of processes that have ended. */
function removeLeft(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length).split('-')[0]))) { remove(join(tmpdir(), name)); }
  }
}

function remove(folder: string): void {
  // another user's remains
  attempt(() => rmSync(folder, { recursive: true, force: true }));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
