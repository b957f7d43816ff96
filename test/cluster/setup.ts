import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { CLUSTERS_ENV, Clusters } from './clusters';
import { removeAtExit } from './daemon';

/** What a build script exits with where this machine cannot have what it builds. */
const UNAVAILABLE = 3;

/** What a build script leaves. */
export interface Build {
  readonly folder: string;
  /** Why this machine cannot have it. */
  readonly unavailable?: string;
}

/** What a build leaves in a folder, or why this machine can't have it. */
export function build(script: string, ...args: string[]): Build {
  const command = [path.join(__dirname, script), ...args];
  const { status, stdout } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0 && status !== UNAVAILABLE) {
    throw new Error(`${[script, ...args].join(' ')} failed: see above`);
  }
  return {
    folder: stdout.trim(),
    ...(status === UNAVAILABLE ? { unavailable: stdout.trim() } : {}),
  };
}

/**
 * The workers that run the tests inherit the environment. The servers, the folder and the file go
 * when this process ends.
 */
export function share(clusters: Clusters): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-clusters-'));
  removeAtExit(folder);
  process.env[CLUSTERS_ENV] = path.join(folder, 'clusters.json');
  fs.writeFileSync(process.env[CLUSTERS_ENV], JSON.stringify(clusters), { mode: 0o600 });
}

/**
 * Tests that did not run must not look like tests that passed: CI has everything they need, so
 * there it is a failure.
 */
export function skip(tests: string, reason: string): void {
  if (/^(1|true)$/.test(process.env.CI ?? '')) {
    throw new Error(`${tests} cannot run, and with CI set they must: ${reason}`);
  }
  const line = '!'.repeat(100);
  console.warn(
    `${line}\n!! ${tests.toUpperCase()} ARE SKIPPED: what they check is not checked\n!! ${reason}\n${line}`,
  );
}
