import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'fs';
import { join } from 'path';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { readAssembly } from '../../../../src/engine/read/load-assembly';
import { SmallProgram } from '../../../engine/graph/_assemblies';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';
import { writeAssembly } from '../../../support/written';

const TOKEN = 'canary-5x7q2hv9w4';

/** An output with a Secret on Rancher that waits for a token of the Harvester. */
function output(): string {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .late(
      'dc1.token',
      {
        resolver: 'secret-key',
        target: 'dc1',
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: 'default',
        name: 'source',
        path: 'token',
      },
      { type: 'token' },
    )
    .late('dc1.vip', {
      resolver: 'field',
      target: 'dc1',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'vip',
      path: 'data.ip',
    });
  program.object('rancher', 'v1', 'Secret', 'default/credential', {
    stringData: { token: '${late:dc1.token}', ip: '${late:dc1.vip}' },
  });
  const folder = tempFolder();
  writeAssembly(folder, program.assembly);
  return folder;
}

describe('resolve', () => {
  let harvester: FakeCluster;
  let asked: string[];
  let close: jest.Mock;

  beforeEach(() => {
    harvester = new FakeCluster();
    harvester.seed({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'source', namespace: 'default' },
      data: { token: Buffer.from(TOKEN).toString('base64') },
    });
    harvester.seed({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'vip', namespace: 'default' },
      data: { ip: '10.10.0.10' },
    });
    close = jest.fn();
    jest.spyOn(bind, 'bindTargets').mockImplementation(async (targets) => {
      asked = targets.map(({ name }) => name);
      return { targets: fakeTargets({ dc1: harvester }), close };
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('prints what is known, and shows no credential', async () => {
    const { stdout, stderr, exitCode } = await runCli('resolve', output());
    expect({ stderr, exitCode, asked }).toEqual({ stderr: '', exitCode: 0, asked: ['dc1'] });
    expect(stdout).toMatch(
      /^dc1\.token {2}the dc1\.token {2}<sha256:[0-9a-f]{8}>\ndc1\.vip {2}the dc1\.vip {2}10\.10\.0\.10\nread 2 late values; nothing was written\n$/,
    );
    expect(close).toHaveBeenCalledTimes(1);
    expect(harvester.did('apply')).toEqual([]);
  });

  test('writes the values into a private file', async () => {
    const file = join(tempFolder(), 'late.json');
    const { stdout, exitCode } = await runCli('resolve', output(), '--write-values', file);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`\n${file}\nread 2 late values; wrote 1 file\n$`));
    expect(stdout).not.toContain(TOKEN);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      schemaVersion: '1',
      values: { 'dc1.token': TOKEN, 'dc1.vip': '10.10.0.10' },
    });
    expect(statSync(file).mode % 0o1000).toBe(0o600);
  });

  test('writes completed manifests', async () => {
    const folder = join(tempFolder(), 'completed');
    const { stdout, exitCode } = await runCli('resolve', output(), '--write-manifests', folder);
    const file = join(folder, 'rancher/15-secret.default.credential.yaml');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${file}\n`);
    expect(stdout).not.toContain(TOKEN);
    expect(readFileSync(file, 'utf8')).toContain(TOKEN);
  });

  test('writes nothing where a value is not known, and prints which and why', async () => {
    harvester.objects.clear();
    const folder = tempFolder();
    const { stderr, exitCode } = await runCli(
      'resolve',
      output(),
      '--timeout',
      '0',
      '--write-values',
      join(folder, 'late.json'),
      '--write-manifests',
      join(folder, 'm'),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'late value "the dc1.token" (app/dc1.token): not known after 0 s; read from key "token" of Secret default/source on dc1 (context dc1)',
    );
    expect(stderr).toContain('2 of 2 late values are not known; nothing was written\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('reports that nothing waits for a late value', async () => {
    const folder = tempFolder();
    writeAssembly(folder, new SmallProgram().target('dc1', 'harvester').assembly);
    expect(await runCli('resolve', folder)).toMatchObject({
      exitCode: 0,
      stdout: 'no object of this program waits for a late value\n',
      stderr: '',
    });
  });

  test('refuses a file that leads elsewhere before it asks any cluster', async () => {
    const folder = tempFolder();
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'late.json'));
    const { stderr, exitCode } = await runCli(
      'resolve',
      output(),
      '--write-values',
      join(folder, 'late.json'),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('must not be a symbolic link');
    expect(harvester.calls).toEqual([]);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  test.each(['ten', '-1', '', 'Infinity'])('refuses a timeout of "%s"', async (timeout) => {
    const { stderr, exitCode } = await runCli('resolve', output(), `--timeout=${timeout}`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('--timeout: must be a number of seconds');
  });

  test('refuses an output without its files', async () => {
    const folder = output();
    const { objects, ...assembly } = readAssembly(folder);
    const added = {
      id: 'dc1//ConfigMap/default/x',
      target: 'dc1',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'x',
      construct: 'dc1/x',
      file: 'dc1/x.yaml',
    };
    writeAssembly(folder, { ...assembly, objects: [...objects, added] });
    expect((await runCli('resolve', folder)).stderr).toContain('dc1/x.yaml: ENOENT');
    mkdirSync(join(folder, 'dc1'));
    writeFileSync(
      join(folder, 'dc1/x.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n',
    );
    expect((await runCli('resolve', folder)).stderr).toContain(
      'names objects that are not in their files: dc1//ConfigMap/default/x in dc1/x.yaml (dc1/x)',
    );
  });
});
