import { spawnSync } from 'child_process';
import { existsSync, mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { stringify } from 'yaml';
import { filesIn } from './support/programs';
import { ROOT, loadLibrary } from './support/source-library';
import { tempFolder } from './support/temp';

/** Loads the library in a process of cdk8s-cli. */
const LOAD = loadLibrary({
  HarvesterApp: 'core/app/harvester-app',
  HarvesterChart: 'harvester/harvester-chart',
  HarvesterSetting: 'harvester/settings/harvester-setting',
  HarvesterValidation: 'core/app/validation-plugin',
  Suppressions: 'core/program/suppressions',
});

/** Runs `cdk8s synth` on a program. */
function synth(
  program: string,
  config: object = {},
  folder = tempFolder(),
): { folder: string; status: number | null; output: string } {
  writeFileSync(join(folder, 'main.js'), `${LOAD}\n${program}\n`);
  mkdirSync(join(folder, 'plugin'), { recursive: true });
  writeFileSync(join(folder, 'plugin', 'index.js'), `${LOAD}\nmodule.exports = library;\n`);
  writeFileSync(
    join(folder, 'cdk8s.yaml'),
    stringify({ language: 'typescript', app: 'node main.js', ...config }),
  );
  const cdk8s = join(ROOT, 'node_modules', '.bin', 'cdk8s');
  const run = spawnSync(cdk8s, ['synth', '--no-check-upgrade'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_PATH: join(ROOT, 'node_modules') },
  });
  return { folder, status: run.status, output: `${run.stdout}${run.stderr}` };
}

const PROGRAM = `const app = new library.HarvesterApp();
const dc1 = new library.HarvesterChart(app, 'dc1', { version: '1.7.2' });
new library.HarvesterSetting(dc1, 'ntp', { name: 'ntp-servers', value: '{"ntpServers":["0.pool.ntp.org"]}' });
app.synth();`;

/** A program that uses only stock cdk8s. */
const stock = (
  value: string,
): string => `const { ApiObject, App, Chart } = require(${JSON.stringify(join(ROOT, 'node_modules', 'cdk8s'))});
const app = new App();
new ApiObject(new Chart(app, 'c'), 's', { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'cluster-registration-url' }, value: '${value}' });
app.synth();`;

const VALIDATIONS = [
  {
    package: './plugin',
    version: '0.0.0',
    class: 'HarvesterValidation',
    properties: { target: 'harvester', harvesterVersion: '1.7.2' },
  },
];

test('finds the output of a HarvesterApp', () => {
  const { folder, status, output } = synth(PROGRAM, { validations: VALIDATIONS });
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining('dist/dc1/12-setting.harvesterhci.io.yaml'),
  });
  expect(Object.keys(filesIn(join(folder, 'dist')))).toEqual([
    'assembly.json',
    'construct-metadata.json',
    'dc1/12-setting.harvesterhci.io.yaml',
  ]);
});

test('as a validation plugin the rules fail the synthesis of any program', () => {
  const { status, output } = synth(stock('{"uri":"https://rancher.example.com"}'), {
    validations: VALIDATIONS,
  });
  expect(status).toBe(2);
  expect(output).toContain('harvester-setting/cluster-registration-url');
  expect(output).toContain('Construct Path: c/s');
});

test('as a validation plugin the rules leave what a HarvesterApp judged to its program', () => {
  const suppressed = PROGRAM.replace(
    'app.synth();',
    `library.Suppressions.of(dc1).suppress('object/name', 'on purpose');
const { ApiObject } = require(${JSON.stringify(join(ROOT, 'node_modules', 'cdk8s'))});
new ApiObject(dc1, 'odd', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Odd_Name', namespace: 'default' } });
app.synth();`,
  );
  expect(synth(suppressed, { validations: VALIDATIONS })).toMatchObject({ status: 0 });
});

test('as a validation plugin the rules log what they only warn of', () => {
  const { folder, status, output } = synth(
    stock('https://rancher.example.com/v3/import/abcdefghijklmnopqrst_c-m-a.yaml'),
    { validations: VALIDATIONS },
  );
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining('warning harvester-setting/cluster-registration-url'),
  });
  expect(existsSync(join(folder, 'dist', 'c.k8s.yaml'))).toBe(true);
});

test('a failed synthesis prints its findings and the place of the program, and cdk8s-cli has deleted the previous output', () => {
  const { folder } = synth(PROGRAM);
  expect(existsSync(join(folder, 'dist', 'assembly.json'))).toBe(true);
  const { status, output } = synth(
    PROGRAM.replace(
      'app.synth();',
      `new library.HarvesterSetting(dc1, 'twice', { name: 'ntp-servers', value: '' });
app.synth();`,
    ),
    {},
    folder,
  );
  expect(status).toBe(1);
  expect(output).toContain('\nsynthesis failed, nothing was written\nerror  object/duplicate');
  expect(output).toContain('\n1 error, 0 warnings\n');
  expect(output).not.toMatch(/^ +at .*\/src\//m);
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});
