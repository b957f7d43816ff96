import { readFileSync, statSync, writeFileSync } from 'fs';
import { join } from 'path';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { appOf, applySetId } from '../../../../src/engine/fields/apply-set';
import { InventoryEntry, writeInventory } from '../../../../src/engine/inventory/inventory';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { configMap, newApp, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

/** An output folder with one object, and the cluster that it is for. */
function program(): { folder: string; cluster: FakeCluster } {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  configMap(newRancher(app), 'a', { x: '2' });
  app.synth();
  const cluster = new FakeCluster();
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: cluster }),
    close: () => {},
  }));
  return { folder, cluster };
}

afterEach(() => {
  jest.restoreAllMocks();
});

const labels = { 'applyset.kubernetes.io/part-of': applySetId(appOf()) };
const manifest = (x: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', labels },
  data: { x },
});

test('exits with 2 for changes, 0 for none, 3 for what would fail', async () => {
  const { folder, cluster } = program();
  const changes = await runCli('plan', folder);
  expect(changes).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('+ ConfigMap default/a'),
  });
  cluster.seed(manifest('2'), 'cdk8s-harvester', 'Apply');
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('plan: 1 unchanged'),
  });
  cluster.objects.clear();
  cluster.seed(manifest('1'), 'kubectl-edit', 'Apply');
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('.data.x is owned by kubectl-edit'),
  });
  expect(cluster.did('apply')).toEqual([]);
});

test('exits with 1 where no plan can be made, and prints why', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'assembly.json'), '{}');
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('schemaVersion: is missing'),
  });
});

test('prints JSON and Markdown, and saves what apply carries out', async () => {
  const { folder } = program();
  const file = join(tempFolder(), 'plan.json');
  const json = await runCli('plan', folder, '--output', 'json', '--write-plan', file);
  expect(JSON.parse(json.stdout)).toMatchObject({
    schemaVersion: '3',
    steps: [{ action: 'create', target: 'rancher' }],
  });
  expect(readFileSync(file, 'utf8')).toBe(json.stdout);
  expect(statSync(file).mode % 0o1000).toBe(0o600);
  expect((await runCli('plan', folder, '--output', 'markdown')).stdout).toContain(
    '<details>\n<summary>rancher',
  );
});

test('reports that it deletes what an earlier apply of the same app left', async () => {
  const { folder, cluster } = program();
  const old = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'old', namespace: 'default', labels },
  };
  const {
    metadata: { uid },
  } = cluster.seed(old, 'cdk8s-harvester', 'Apply');
  const entry: InventoryEntry = {
    id: 'rancher//ConfigMap/default/old',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'old',
    uid,
    policy: 'delete',
  };
  await writeInventory(cluster, appOf(), { entries: [entry], clusterUids: {} }, '1.0.0');
  expect((await runCli('plan', folder)).stdout).toContain(
    '- ConfigMap default/old  (is no longer declared)',
  );
  expect((await runCli('plan', folder, '--app', 'other')).stdout).not.toContain('default/old');
});
