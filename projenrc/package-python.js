// Builds the Python package into a folder: `node projenrc/package-python.js [FOLDER]`, dist/python
// by default. It does what jsii-pacmak does, and finishes the generated module in between.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { finishPackage } = require('./python/finish');

const ROOT = path.join(__dirname, '..');
const PACMAK = path.dirname(require.resolve('jsii-pacmak/package.json'));
/** What jsii-pacmak builds and checks Python packages with. */
const TOOLS = path.join(PACMAK, 'lib', 'targets', 'python', 'requirements-dev.txt');

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`\`${command} ${args.join(' ')}\` fails: ${error?.message ?? 'see above'}`);
  }
}

function generate(work) {
  const args = ['--target', 'python', '--code-only', '--no-npmignore', '--outdir', work, ROOT];
  run(process.execPath, [path.join(PACMAK, 'bin', 'jsii-pacmak'), ...args]);
  const { jsii } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  finishPackage(path.join(work, 'python', 'src', jsii.targets.python.module));
}

function build(work, folder) {
  const environment = path.join(work, 'environment');
  run('python3', ['-m', 'venv', environment]);
  const python = path.join(environment, 'bin', 'python');
  run(python, ['-m', 'pip', 'install', '--quiet', '--no-input', '-r', TOOLS]);
  run(python, ['-m', 'build', '--outdir', folder, path.join(work, 'python')]);
  const packages = fs.readdirSync(folder).map((file) => path.join(folder, file));
  run(python, ['-m', 'twine', 'check', ...packages]);
}

const folder = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist', 'python'));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-python-'));
try {
  generate(work);
  build(work, folder);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  fs.rmSync(work, { recursive: true });
}
