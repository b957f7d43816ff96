import { spawnSync } from 'child_process';
import { writeFileSync } from 'fs';
import { join } from 'path';
import { loadLibrary, ROOT } from '../../support/source-library';
import { tempFolder } from '../../support/temp';

const LOAD = loadLibrary({
  HarvesterApp: 'core/app/harvester-app',
  HarvesterChart: 'harvester/harvester-chart',
  HarvesterNode: 'harvester/node/node',
  createdByProgram: 'core/construct/program-place',
});

const CHART = `const app = new library.HarvesterApp();
const dc1 = new library.HarvesterChart(app, 'dc1', { version: '1.7.2' });`;
const OBJECT = `const { ApiObject } = require(${JSON.stringify(join(ROOT, 'node_modules', 'cdk8s'))});
new ApiObject(dc1, 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not_A_Name', namespace: 'default' } });`;
const GUARDED = `function create(call) { return library.createdByProgram(create, call); }
const node = () => create(() => new library.HarvesterNode(dc1, 'prod', { name: 'Prod' }));`;

/** What a program prints to standard error, and its exit code. */
function run(text: string, file = 'main.js') {
  const folder = tempFolder();
  writeFileSync(join(folder, file), `${LOAD}\n${text}\n`);
  const { stderr, status } = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_PATH: join(ROOT, 'node_modules') },
  });
  return { stderr, status };
}

const FINDINGS = `synthesis failed, nothing was written
error  object/name  ConfigMap default/Not_A_Name on dc1
`;

test('a failed synthesis prints its findings as lint does, without a header or a stack of Node', () => {
  const { stderr, status } = run(`${CHART}\n${OBJECT}\napp.synth();`);
  expect(status).toBe(1);
  expect(stderr.slice(0, FINDINGS.length)).toBe(FINDINGS);
  expect(stderr).toMatch(/\n1 error, 0 warnings\n$/);
  expect(stderr).not.toMatch(/Node\.js v|Error:|\n {4}at /);
});

test('so does one that an async function awaits', () => {
  const { stderr, status } = run(
    `${CHART}\n${OBJECT}\n(async () => { await Promise.resolve(); app.synth(); })();`,
  );
  expect({ status, title: stderr.slice(0, FINDINGS.length) }).toEqual({
    status: 1,
    title: FINDINGS,
  });
});

test('an error of a construct is printed with its places in the program', () => {
  const { stderr, status } = run(
    `${CHART}\n${GUARDED}\nfunction platform() { node(); }\nplatform();`,
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^error {2}\[dc1\/prod\] name: must be a valid object name, .*\n {2}at main\.js:\d+:\d+\n {2}at platform \(main\.js:\d+:\d+\)\n {2}at main\.js:\d+:\d+\n$/,
  );
});

test('so is one of a program that loads domain, as ts-node does', () => {
  const { stderr, status } = run(`require('domain');\n${CHART}\n${GUARDED}\nnode();`);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error {2}\[dc1\/prod\] name: /);
});

test('an error that the program catches is its own', () => {
  const caught = run(
    `${CHART}\n${OBJECT}\ntry { app.synth(); } catch ({ message }) { console.error('caught', message.split('\\n')[0]); }`,
  );
  expect(caught).toEqual({
    status: 0,
    stderr: 'caught synthesis failed, nothing was written\n',
  });
});

test.each([
  ['long after it', 'setTimeout(fail, 50)'],
  // a timer that is due comes before what the library schedules
  [
    'directly after it',
    'setTimeout(fail, 1); const until = Date.now() + 20; while (Date.now() < until);',
  ],
])('an error %s is printed by Node, which ends with its own code', (_when, text) => {
  const { status, stderr } = run(
    `const fail = () => { throw new Error('own'); };\n${CHART}\n${OBJECT}\ntry { app.synth(); } catch { ${text} }`,
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/Error: own\n {4}at [^]*Node\.js v/);
});

test('a program that listens to uncaught exceptions prints them itself', () => {
  const text = `process.on('uncaughtException', ({ message }) => { console.error('own', message.split('\\n')[0]); process.exit(7); });\n${CHART}\n${OBJECT}\napp.synth();`;
  expect(run(text)).toEqual({
    status: 7,
    stderr: 'own synthesis failed, nothing was written\n',
  });
});
