import { readFileSync } from 'fs';
import { join } from 'path';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { configMap, newApp, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

const ID = 'rancher//ConfigMap/default/a';

const live = (data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  data,
});

/**
 * An output folder with one object of which another field manager has a field, and the file of a
 * plan.
 */
function program(): { folder: string; cluster: FakeCluster; file: string } {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  configMap(newRancher(app), 'a', { x: '1', y: '1' });
  app.synth();
  const cluster = new FakeCluster();
  cluster.seed(live({ x: '2' }), 'kubectl', 'Apply');
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: cluster }),
    close: () => {},
  }));
  return { folder, cluster, file: join(tempFolder(), 'plan.json') };
}

const dataOf = (cluster: FakeCluster) => cluster.live('v1', 'ConfigMap', 'a', 'default').data;

afterEach(() => {
  jest.restoreAllMocks();
});

test('takes a field by the option that a plan prints next to its conflict', async () => {
  const { folder, cluster } = program();
  const refused = await runCli('plan', folder);
  expect(refused).toMatchObject({
    exitCode: 3,
    stdout: expect.not.stringContaining('is taken from'),
  });
  const [, id] = /--force-conflicts '([^']+)'/.exec(refused.stdout)!;
  expect(id).toBe(ID);
  const planned = await runCli('plan', folder, '--force-conflicts', id);
  expect(planned).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('! .data.x is taken from kubectl\n'),
  });
  expect(planned.stdout).toContain('plan: 1 to update\n');
  expect(dataOf(cluster)).toEqual({ x: '2' });
});

test('a saved plan remembers it, and its apply needs no option', async () => {
  const { folder, cluster, file } = program();
  await runCli('plan', folder, '--force-conflicts', ID, '--write-plan', file);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    forceConflicts: [ID],
    steps: [{ conflicts: [], forces: [{ manager: 'kubectl', field: '.data.x' }] }],
  });
  expect((await runCli('apply', folder, '--plan', file)).exitCode).toBe(0);
  expect(dataOf(cluster)).toEqual({ x: '1', y: '1' });
  // and once more, with the option added
  expect((await runCli('apply', folder, '--plan', file, '--force-conflicts', ID)).exitCode).toBe(0);
});

test('an apply of a plan that takes nothing refuses the option', async () => {
  const { folder, cluster, file } = program();
  await runCli('plan', folder, '--write-plan', file);
  expect(await runCli('apply', folder, '--plan', file, '--force-conflicts', ID)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      `the plan takes no fields of ${ID} from other field managers. Fix: make a new plan with --force-conflicts '${ID}', and apply it without the option`,
    ),
  });
  expect(dataOf(cluster)).toEqual({ x: '2' });
});

test('leaves a field alone that the plan did not name, or that another manager owns', async () => {
  const { folder, cluster, file } = program();
  await runCli('plan', folder, '--force-conflicts', ID, '--write-plan', file);
  cluster.seed(live({ y: '2' }), 'kubectl', 'Apply');
  expect(await runCli('apply', folder, '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('nothing was written'),
  });
  cluster.objects.clear();
  cluster.seed(live({ x: '2' }), 'helm', 'Apply');
  expect(await runCli('apply', folder, '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      `${ID}: has other field managers now, which the plan does not name: helm`,
    ),
  });
  expect(dataOf(cluster)).toEqual({ x: '2' });
});

test('a plan refuses ids that the program does not have', async () => {
  const { folder } = program();
  expect(await runCli('plan', folder, '--force-conflicts', 'x')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      `--force-conflicts: must be the ID of an object, got x. Fix: use the IDs that plan prints next to conflicts and refusals, e.g. ${ID}`,
    ),
  });
});

test('a plan of another app is refused by that word', async () => {
  const { folder, file } = program();
  await runCli('plan', folder, '--app', 'shop', '--write-plan', file);
  expect(await runCli('apply', folder, '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr:
      'cdk8s-harvester: --app: must be shop, for which the plan was made, got default. Fix: set --app shop, or make a new plan with --app default\n',
  });
});

test('a plan without its output folder names the option', async () => {
  const { folder, file } = program();
  await runCli('plan', folder, '--write-plan', file);
  const dist = join(tempFolder(), 'dist');
  expect(await runCli('apply', dist, '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr: `cdk8s-harvester: ${join(dist, 'assembly.json')}: does not exist; applying a plan requires the output folder that it was made from. Fix: give the folder, as in apply <folder> --plan <file>\n`,
  });
});
