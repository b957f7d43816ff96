import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { failedSynthesis, markFailure } from '../../../src/core/app/failed-synthesis';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { REVIEW_ENV } from '../../../src/core/value/review';
import { HarvesterTesting } from '../../../src/testing/testing';
import { configMap, newApp, newRancher } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const CACHE = join('node_modules', '.cache', 'cdk8s-harvester');

function project(): { readonly root: string; readonly dist: string } {
  const root = tempFolder();
  mkdirSync(join(root, 'node_modules'));
  return { root, dist: join(root, 'infra', 'dist') };
}

const good = (app: HarvesterApp): HarvesterApp => {
  configMap(newRancher(app), 'a');
  return app;
};
const bad = (app: HarvesterApp): HarvesterApp => {
  configMap(newRancher(app), 'Not_A_Name');
  return app;
};

test('a failed synthesis is a warning of the commands that read the output, and stops those that act, until one succeeds', async () => {
  const { root, dist } = project();
  good(newApp({ outdir: dist })).synth();
  expect((await runCli('show', dist)).stderr).toBe('');
  expect(() => bad(newApp({ outdir: dist })).synth()).toThrow('synthesis failed');
  const [file, ...others] = readdirSync(join(root, CACHE));
  expect(others).toEqual([]);
  const { time, errors } = JSON.parse(readFileSync(join(root, CACHE, file), 'utf8')) as {
    time: string;
    errors: number;
  };
  expect(errors).toBeGreaterThan(0);
  const warning = `warning: ${dist} is older than the program: the last synthesis failed at ${time} with ${errors} ${errors === 1 ? 'error' : 'errors'}\n`;
  for (const args of [
    ['show', dist],
    ['lint', dist],
    ['fits', `${dist}/`],
    ['impact', dist, '--before', dist],
  ]) {
    expect((await runCli(...args)).stderr).toBe(warning.replace(dist, args[1]));
  }
  const older = warning.trim().replace('warning: ', '');
  for (const command of ['plan', 'apply']) {
    const stopped = await runCli(command, dist);
    expect(stopped).toMatchObject({ exitCode: 1, stdout: '' });
    expect(stopped.stderr).toContain(
      `${older}. Fix: synthesize again without errors; to use the previous output, set --previous-output\n`,
    );
    expect((await runCli(command, dist, '--previous-output')).stderr).toContain(warning);
  }
  good(newApp({ outdir: dist })).synth();
  expect(readdirSync(join(root, CACHE))).toEqual([]);
  expect((await runCli('show', dist)).stderr).toBe('');
});

test('a failed synthesis of another branch, or for another output, is none of this one', () => {
  const { root, dist } = project();
  const head = join(root, '.git', 'HEAD');
  const main = join(root, 'main.ts');
  mkdirSync(join(root, '.git'));
  const checkOut = (branch: string, program: string): void => {
    writeFileSync(head, `ref: refs/heads/${branch}\n`);
    writeFileSync(main, program);
  };
  const isFailed = (): boolean => failedSynthesis(dist) !== undefined;
  good(newApp({ outdir: dist })).synth();
  checkOut('broken', 'bad');
  markFailure(dist, 1, [main]);
  expect(isFailed()).toBe(true);
  // an edit that is not synthesized yet
  writeFileSync(main, 'better');
  expect(isFailed()).toBe(true);
  checkOut('main', 'good');
  expect(isFailed()).toBe(false);
  // a branch with the same program
  checkOut('other', 'bad');
  expect(isFailed()).toBe(true);
  // another output: its program may have written it
  writeFileSync(join(dist, 'assembly.json'), '{}');
  expect(isFailed()).toBe(false);
});

test('a failed synthesis in a worktree is one of the branch of that worktree', () => {
  const { root, dist } = project();
  const git = tempFolder();
  writeFileSync(join(root, '.git'), `gitdir: ${git}\n`);
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/broken\n');
  markFailure(dist, 1, []);
  expect(failedSynthesis(dist)).toBeDefined();
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  expect(failedSynthesis(dist)).toBeUndefined();
});

test('validate, tests, and reviews leave no mark', () => {
  const { root, dist } = project();
  bad(newApp({ outdir: dist })).validate();
  expect(() => bad(HarvesterTesting.app({ outdir: dist })).synth()).toThrow('synthesis failed');
  process.env[REVIEW_ENV] = join(root, 'review');
  try {
    expect(() => bad(newApp({ outdir: dist })).synth()).toThrow('synthesis failed');
  } finally {
    delete process.env[REVIEW_ENV];
  }
  expect(readdirSync(join(root, 'node_modules'))).toEqual([]);
});

test('a cache that cannot be written, or that others wrote, fails nothing', () => {
  const { root, dist } = project();
  markFailure(dist, 2);
  expect(failedSynthesis(dist)).toEqual({ time: expect.any(String), errors: 2 });
  expect(failedSynthesis(join(root, 'dist'))).toBeUndefined();
  const file = join(root, CACHE, readdirSync(join(root, CACHE))[0]);
  for (const text of [
    'no JSON',
    '{}',
    '{"time":"\\u001b[31mnow","errors":1}',
    JSON.stringify({ time: new Date(0).toISOString(), errors: 1, more: 'x'.repeat(300_000) }),
  ]) {
    writeFileSync(file, text);
    expect(failedSynthesis(dist)).toBeUndefined();
  }
  rmSync(file);
  symlinkSync('/dev/zero', file);
  expect(failedSynthesis(dist)).toBeUndefined();
  rmSync(join(root, 'node_modules', '.cache'), { recursive: true });
  writeFileSync(join(root, 'node_modules', '.cache'), '');
  expect(() => bad(newApp({ outdir: dist })).synth()).toThrow('synthesis failed');
  rmSync(join(root, 'node_modules'), { recursive: true });
  markFailure(dist, 1);
  expect(readdirSync(root)).toEqual([]);
});
