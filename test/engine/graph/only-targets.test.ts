import { apply, destroy, plan } from '../../../src/commands';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import * as bind from '../../../src/engine/auth/bind-targets';
import { appOf } from '../../../src/engine/fields/apply-set';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { configMap, newApp, newRancher } from '../../support/programs';
import { tempFolder } from '../../support/temp';
import { fake } from '../run/_running';

let clusters: { [target: string]: FakeCluster };

beforeEach(() => {
  clusters = { rancher: fake('uid-of-rancher'), dc1: fake('uid-of-dc1') };
  jest.spyOn(bind, 'bindTargets').mockImplementation(async (targets, { needed, optional } = {}) => {
    const chosen = targets
      .filter((target) => needed?.(target) ?? true)
      .filter((target) => clusters[target.name] !== undefined || optional?.(target) !== true);
    const missing = chosen.filter(({ name }) => clusters[name] === undefined);
    if (missing.length > 0) {
      throw new Error(`target ${missing[0]!.name}: has no context`);
    }
    return {
      targets: fakeTargets(
        Object.fromEntries(chosen.map(({ name }) => [name, clusters[name]!])),
        Object.fromEntries(chosen.map((target) => [target.name, target])),
      ),
      close: () => undefined,
    };
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** A Rancher, and the Harvester that it imports, whose registration waits for the Rancher. */
function output(...names: string[]): string {
  const outdir = tempFolder();
  const app: HarvesterApp = newApp({ outdir });
  const rancher = newRancher(app);
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
  new HarvesterImport(rancher, 'import', { harvester: dc1 });
  for (const name of names) {
    configMap(dc1, name, { x: '1' });
  }
  app.synth();
  return outdir;
}

const inventoryOf = async (target: string): Promise<string[]> => {
  const stored = await readInventory(clusters[target]!, appOf(), {
    target: {
      name: target,
      kind: target === 'dc1' ? 'harvester' : 'rancher',
      version: '',
    } as never,
  });
  return (stored?.entries ?? []).map(({ kind, name }) => `${kind} ${name}`).sort();
};

const liveMap = (name: string): unknown => clusters.dc1!.live('v1', 'ConfigMap', name, 'default');

test('a plan needs no context for the others, and reports what it leaves out', async () => {
  delete clusters.rancher;
  const warnings: string[] = [];
  const onWarning = (where: string, message: string): unknown =>
    warnings.push(`${where}: ${message}`);
  const folder = output('a');
  await expect(plan(folder, {})).rejects.toThrow('target rancher: has no context');
  const { plan: made } = await plan(folder, { target: ['dc1'], preflight: false, onWarning });
  expect(made.steps.map(({ id, action }) => `${action} ${id}`)).toEqual([
    'create dc1//ConfigMap/default/a',
  ]);
  expect(made.problems ?? []).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/^rancher: is left out with \d objects?, since --target names others$/),
    expect.stringMatching(
      /^dc1: Setting cluster-registration-url is left out: it needs .* on rancher$/,
    ),
  ]);
  await expect(plan(folder, { target: ['dc2'] })).rejects.toThrow(
    '--target: must be a target of the program, got dc2. Fix: set it to one of dc1, rancher',
  );
});

test('an apply writes the chosen target alone, and prunes nothing', async () => {
  const run = { preflight: false } as const;
  const rancher = clusters.rancher!;
  delete clusters.rancher;
  await apply(output('a', 'b'), { ...run, target: ['dc1'] });
  expect([liveMap('a'), liveMap('b')].map((each) => each !== undefined)).toEqual([true, true]);
  expect(await inventoryOf('dc1')).toEqual(['ConfigMap a', 'ConfigMap b']);

  // what is no longer declared remains, also in the inventory, until all targets are applied
  clusters.rancher = rancher;
  const folder = output('b', 'c');
  const { plan: made } = await plan(folder, { ...run, target: ['dc1'] });
  expect(made.steps.filter(({ action }) => action === 'prune')).toEqual([]);
  await apply(folder, { ...run, target: ['dc1'] });
  expect(liveMap('a')).toBeDefined();
  expect(await inventoryOf('dc1')).toEqual(['ConfigMap a', 'ConfigMap b', 'ConfigMap c']);
  expect(await inventoryOf('rancher')).toEqual([]);
});

test('the inventory keeps what a run leaves out', async () => {
  const run = { preflight: false, timeoutMs: 1 } as const;
  const folder = output('a');
  // nothing answers for the products, so that the registration waits in vain
  await apply(folder, run);
  const [before, onRancher] = [await inventoryOf('dc1'), await inventoryOf('rancher')];
  expect(before).toContain('Setting cluster-registration-url');
  const events: string[] = [];
  const { plan: made } = await plan(folder, { preflight: false, target: ['dc1'] });
  expect(made.steps.map(({ id }) => id)).toEqual(['dc1//ConfigMap/default/a']);
  await apply(folder, {
    ...run,
    target: ['dc1'],
    onEvent: (event) => {
      if (event.type === 'warning') {
        events.push(event.message);
      }
    },
  });
  expect(await inventoryOf('dc1')).toEqual(before);
  expect(await inventoryOf('rancher')).toEqual(onRancher);
  expect(events.filter((text) => text.includes('no longer declared'))).toEqual([]);
});

test('a destroy of one target needs no context for the others, and leaves their inventories alone', async () => {
  const run = { preflight: false, acceptEmpty: true } as const;
  const folder = output('a', 'b');
  const rancher = clusters.rancher!;
  delete clusters.rancher;
  expect((await apply(folder, { ...run, target: ['dc1'] })).failed).toEqual([]);
  expect(liveMap('a')).toBeDefined();
  const warnings: string[] = [];
  const onWarning = (where: string, message: string): unknown =>
    warnings.push(`${where}: ${message}`);
  await expect(destroy(folder, { preflight: false })).rejects.toThrow(
    'target rancher: has no context',
  );
  const summary = await destroy(folder, { preflight: false, target: 'dc1', onWarning });
  expect(summary.failed).toEqual([]);
  expect([liveMap('a'), liveMap('b')]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([
    'rancher: has no context: what needs dc1 there is neither deleted nor looked at. Fix: to delete it first, set --context rancher=<context>',
  ]);
  clusters.rancher = rancher;
  expect(rancher.calls).toEqual([]);
});
