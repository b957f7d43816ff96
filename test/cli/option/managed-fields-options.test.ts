import { writeFileSync } from 'fs';
import { join } from 'path';
import * as bind from '../../../src/engine/auth/bind-targets';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { configMap, newApp, newRancher } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

/** An output folder with one object, which kubectl wrote to the cluster before. */
function program(): { folder: string; cluster: FakeCluster } {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  configMap(newRancher(app), 'a', { x: '1' });
  app.synth();
  const cluster = new FakeCluster();
  cluster.seed(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { x: '2', y: '2' },
    },
    'kubectl',
    'Apply',
  );
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: cluster }),
    close: () => {},
  }));
  return { folder, cluster };
}

const data = (cluster: FakeCluster): unknown =>
  cluster.live('v1', 'ConfigMap', 'a', 'default').data;

afterEach(() => {
  jest.restoreAllMocks();
});

test('names the option that adopts fields in plan and apply, and adopts them with it', async () => {
  const { folder, cluster } = program();
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(
      ".data.x is owned by kubectl\n    Fix: remove it from the program, or take it with --force-conflicts 'rancher//ConfigMap/default/a', or --take-fields-from kubectl to adopt it",
    ),
  });
  const planned = await runCli(
    'plan',
    folder,
    '--take-fields-from',
    'helm',
    '--take-fields-from',
    'kubectl',
  );
  expect(planned).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('~ ConfigMap default/a  (adopted from kubectl)'),
  });
  expect(planned.stdout).toContain('- data.y: "2"');
  expect(data(cluster)).toEqual({ x: '2', y: '2' });
  const applied = await runCli('apply', '--take-fields-from', 'kubectl', folder);
  expect(applied).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('a: adopted from kubectl\n'),
  });
  expect(data(cluster)).toEqual({ x: '1' });
  expect((await runCli('plan', folder, '--take-fields-from', 'kubectl')).exitCode).toBe(0);
});

test('a saved plan holds what it was made with, and an apply of it needs no option', async () => {
  const { folder, cluster } = program();
  const file = join(tempFolder(), 'plan.json');
  const { stdout } = await runCli(
    'plan',
    folder,
    '--take-fields-from',
    'kubectl',
    '--migrate-managed-fields',
    '--output',
    'json',
    '--write-plan',
    file,
  );
  expect(JSON.parse(stdout)).toMatchObject({
    takeFieldsFrom: ['kubectl'],
    migrateManagedFields: true,
    steps: [{ takesOver: ['kubectl'] }],
  });
  expect(
    (await runCli('apply', folder, '--plan', file, '--take-fields-from', 'helm')).stderr,
  ).toContain('the plan adopts nothing from helm. Fix: make a new plan');
  expect((await runCli('apply', folder, '--plan', file)).exitCode).toBe(0);
  expect(data(cluster)).toEqual({ x: '1' });
});

test('leaves these options out of a plan that does not use them', async () => {
  const { folder } = program();
  const plan = JSON.parse((await runCli('plan', folder, '--output', 'json')).stdout);
  expect(Object.keys(plan)).toEqual([
    'schemaVersion',
    'assembly',
    'app',
    'targets',
    'steps',
    'rolls',
  ]);
  expect(Object.keys(plan.steps[0])).not.toEqual(expect.arrayContaining(['takesOver']));
});

test('refuses names that cannot be meant', async () => {
  const { folder } = program();
  expect(await runCli('plan', folder, '--take-fields-from', 'cdk8s-harvester')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('must be another field manager than that of this app'),
  });
  expect(await runCli('apply', folder, '--take-fields-from', '')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--take-fields-from: must be the name of a field manager'),
  });
  const file = join(tempFolder(), 'plan.json');
  writeFileSync(
    file,
    JSON.stringify({
      schemaVersion: '3',
      assembly: 'a',
      targets: [],
      steps: [],
      rolls: [],
      takeFieldsFrom: 'kubectl',
    }),
  );
  expect((await runCli('apply', folder, '--plan', file)).stderr).toContain(
    'is not a complete plan',
  );
});
