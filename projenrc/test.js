// Runs the unit tests with the linter and the type check next to them, which each have work for one
// core: `node projenrc/test.js [argument of jest…]`. Both report when all is done, in one piece;
// all run to their end, whatever fails.
'use strict';

const { spawn } = require('node:child_process');
const { tasks } = require('../.projen/tasks.json');

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

async function main(args) {
  const [checks, tests] = await Promise.all([
    run('sh', ['-c', tasks.check.steps[0].exec], ['ignore', 'pipe', 'pipe']),
    // the workers get the option, too: most objects of a test live shortly
    run(
      process.execPath,
      ['--max-semi-space-size=64', require.resolve('jest/bin/jest'), '--ci', ...args],
      'inherit',
    ),
  ]);
  process.stdout.write(checks.output);
  process.exitCode = checks.isDone && tests.isDone ? 0 : 1;
}

void main(process.argv.slice(2));
