import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { CHECKS } from '../../../src/report/doctor/doctor';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const DIST = join(__dirname, '..', '..', '..', 'examples', 'quickstart', 'dist');

/** A kubeconfig without contexts. */
function emptyKubeconfig(): string {
  const file = join(tempFolder(), 'kubeconfig');
  writeFileSync(file, 'apiVersion: v1\nkind: Config\n', { mode: 0o600 });
  return file;
}

test.each(['doctor', 'status'])(
  'cannot run %s without a context, and prints how to give one',
  async (command) => {
    const { exitCode, stderr, stdout } = await runCli(
      command,
      DIST,
      '--kubeconfig',
      emptyKubeconfig(),
    );
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('--context rancher=<context>');
  },
);

test.each(['doctor', 'status', 'rbac'])(
  '%s of a folder without an assembly could not run',
  async (command) => {
    const folder = tempFolder();
    expect(await runCli(command, folder)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(folder),
    });
  },
);

test.each(['doctor', 'status', 'rbac'])('%s refuses a bad name of an app', async (command) => {
  expect(await runCli(command, DIST, '--app', 'Not An App')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('got "Not An App"'),
  });
});

test('the docs name every check, and no other', () => {
  const page = readFileSync(
    join(__dirname, '..', '..', '..', 'docs', 'status-and-doctor', 'checks.md'),
    'utf8',
  );
  const named = page
    .split('\n')
    .filter((line) => /^\| `[a-z-]+\/[a-z-]+`/.test(line))
    .flatMap((line) => [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  const others = [
    'setting/differs',
    'drift/changed',
    'drift/missing',
    'target/unreachable',
    'target/not-seen',
    'target/other-cluster',
    'target/removed',
  ];
  expect(named.sort()).toEqual([...CHECKS.map(({ id }) => id), ...others].sort());
});

test('checks have ids of their own, and say where they are known from', () => {
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
  expect(
    CHECKS.filter(({ source, what, needs }) => source === '' || what === '' || needs.length === 0),
  ).toEqual([]);
});
