// Runs the unit tests with the linter and the type check next to them, which each have work for one
// core: `node projenrc/test.js [argument of jest…]`. Both report when all is done, in one piece;
// all run to their end, whatever fails. In CI, tests with very many cases run all of them, and the
// formatting and the linter are checked; elsewhere, the types alone (test/support/cases.ts).
'use strict';

const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { tasks } = require('../.projen/tasks.json');

const REPORT = path.join(__dirname, '..', 'test-reports', 'junit.xml');
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

async function main(args) {
  const isWhole = Boolean(process.env.CI);
  const task = isWhole ? tasks.check : tasks.typecheck;
  const [checks, tests] = await Promise.all([
    run('sh', ['-c', task.steps[0].exec], ['ignore', 'pipe', 'pipe']),
    // the workers get the option, too: most objects of a test live shortly
    run(
      process.execPath,
      ['--max-semi-space-size=64', require.resolve('jest/bin/jest'), '--ci', ...args],
      'inherit',
    ),
  ]);
  process.stdout.write(checks.output);
  if (args.length === 0) {
    process.stdout.write(`the slowest test files:\n${slowestFiles()}`);
  }
  if (!isWhole) {
    process.stdout.write(
      'left to `npx projen test:all` and CI: all cases of tests with very many, the formatting, ESLint\n',
    );
  }
  process.exitCode = checks.isDone && tests.isDone ? 0 : 1;
}

void main(process.argv.slice(2));
