import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

const made: string[] = [];

// after the tests of the file that made them
afterAll(() => {
  for (const folder of made.splice(0)) { rmSync(folder, { recursive: true, force: true }); }
});

/** A new folder that is gone when the tests of this file are done. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdk8s-harvester-'));
  made.push(folder);
  return folder;
}
