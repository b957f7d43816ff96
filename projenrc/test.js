// Runs the unit tests with the linter and the type check next to them, which each have work for one
// core: `node projenrc/test.js [argument of jest…]`. Both report when all is done, in one piece;
// all run to their end, whatever fails. In CI, all tests run, those with very many cases run all of
// them (test/support/cases.ts), and the formatting and the linter are checked. Elsewhere, the files
// below are left out, and the types alone are checked.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { tasks } = require('../.projen/tasks.json');
const { jest } = require('../package.json');

const ROOT = path.join(__dirname, '..');
const REPORT = path.join(ROOT, 'test-reports', 'junit.xml');
/**
 * Files and folders of tests that take half of the time of all: they walk whole platforms and
 * projects, start many processes, or compile the library, and other tests look at the same parts
 * one by one. Each folder of tests keeps some, except that of whole projects (corpus).
 */
const LEFT_TO_CI = [
  'test/adopt/bodies/newer-fields.test.ts',
  'test/adopt/complete.test.ts',
  'test/adopt/corpus/',
  'test/adopt/examples.test.ts',
  'test/adopt/guest-inverses.test.ts',
  'test/adopt/hostile.test.ts',
  'test/adopt/machine-inverses.test.ts',
  'test/adopt/network-inverses.test.ts',
  'test/adopt/rancher-inverses.test.ts',
  'test/adopt/setting-inverses.test.ts',
  'test/adopt/unknown-fields.test.ts',
  'test/adopt/update/rounds.test.ts',
  'test/api/api.test.ts',
  'test/api/changes.test.ts',
  'test/api/checks.test.ts',
  'test/api/python.test.ts',
  'test/cdk8s-cli.test.ts',
  'test/cli/command/output/hash-password.test.ts',
  'test/cli/command/output/review.test.ts',
  'test/cli/lost-output.test.ts',
  'test/core/construct/uncaught.test.ts',
  'test/core/kubernetes/verdicts.test.ts',
  'test/docs-shell.test.ts',
  'test/docs.test.ts',
  'test/engine/auth/kubeconfig.test.ts',
  'test/live/judge/verdicts.test.ts',
  'test/props/writes.test.ts',
  'test/report/explain/terraform-arguments.test.ts',
  'test/report/review/review.test.ts',
  'test/teams/other-teams.test.ts',
  'test/teams/programs.test.ts',
];

/**
 * The workers of jest get them, too. Most objects of a test live shortly, and the code of the
 * library is needed again by the next test file.
 */
const NODE_FLAGS = ['--max-semi-space-size=64', '--no-flush-bytecode'];

/** So many of the slowest test files are listed. */
const MOST_SLOW = 10;

/**
 * Runs a command; resolves to what it printed, unless it printed by itself, and whether it
 * succeeded.
 */
function run(command, args, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        output.push(data);
      });
    }
    child.once('error', (error) => {
      resolve({ output: `${command}: ${error.message}\n`, isDone: false });
    });
    child.once('close', (code) => {
      resolve({ output: Buffer.concat(output), isDone: code === 0 });
    });
  });
}

/** The slowest test files of the last report, a line each. */
function slowestFiles() {
  const suites = readFileSync(REPORT, 'utf8').matchAll(
    /<testsuite name="([^"]*)"[^>]* time="([\d.]+)"/g,
  );
  return [...suites]
    .map(([, file, seconds]) => ({ seconds: Number(seconds), file }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, MOST_SLOW)
    .map(({ seconds, file }) => `${seconds.toFixed(1).padStart(6)} s  ${file}\n`)
    .join('');
}

/** The arguments of jest that leave these files out, unless others are chosen. */
function leftOut() {
  const missing = LEFT_TO_CI.filter((file) => !existsSync(path.join(ROOT, file)));
  if (missing.length > 0) {
    throw new Error(
      `projenrc/test.js: LEFT_TO_CI lists ${missing.join(', ')}, which does not exist. Fix: correct the list`,
    );
  }
  // the option replaces what package.json has
  const { testPathIgnorePatterns } = jest;
  const files = LEFT_TO_CI.map((file) => `<rootDir>/${file}`);
  return ['--testPathIgnorePatterns', ...testPathIgnorePatterns, ...files];
}

async function main(args) {
  const isWhole = Boolean(process.env.CI);
  const chosen = isWhole || args.length > 0 ? args : leftOut();
  const task = isWhole ? tasks.check : tasks.typecheck;
  const [checks, tests] = await Promise.all([
    run('sh', ['-c', task.steps[0].exec], ['ignore', 'pipe', 'pipe']),
    run(
      process.execPath,
      [...NODE_FLAGS, require.resolve('jest/bin/jest'), '--ci', ...chosen],
      'inherit',
    ),
  ]);
  process.stdout.write(checks.output);
  if (args.length === 0) {
    process.stdout.write(`the slowest test files:\n${slowestFiles()}`);
  }
  if (!isWhole) {
    process.stdout.write(
      `left to \`npx projen test:all\` and CI: all cases of tests with very many, how time grows with the size of an input, the formatting, ESLint, and these tests:\n${LEFT_TO_CI.map((file) => `  ${file}\n`).join('')}`,
    );
  }
  process.exitCode = checks.isDone && tests.isDone ? 0 : 1;
}

void main(process.argv.slice(2));
