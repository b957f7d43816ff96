import { spawn } from 'child_process';
import { mkdtempSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

const made: string[] = [];

// after the tests of the file that made them, while the next ones run: a disk may take a
// millisecond for each file
afterAll(() => {
  if (made.length > 0) {
    spawn('rm', ['-rf', ...made.splice(0)], { detached: true, stdio: 'ignore' }).unref();
  }
});

/** A new folder that is gone when the tests of this file are done. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdk8s-harvester-'));
  made.push(folder);
  return folder;
}
