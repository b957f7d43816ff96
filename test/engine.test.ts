import { writeFileSync } from 'fs';
import { join } from 'path';
import { FakeCluster, fakeTargets } from './support/fake-cluster';
import { configMap, newApp, newRancher } from './support/programs';
import { tempFolder } from './support/temp';
import { RunEvent, apply, destroy, doctor, lint, plan, planMarkdown, planText, readPlan, resolve, status, writePlan } from '../src/engine';
import * as bind from '../src/engine/auth/bind-targets';

let cluster: FakeCluster;
let close: jest.Mock;

beforeEach(() => {
  cluster = new FakeCluster({ paths: { '/api/v1/namespaces/kube-system': { metadata: { uid: 'uid-of-rancher' } } } });
  close = jest.fn();
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({ targets: fakeTargets({ rancher: cluster }), close }));
});

afterEach(() => { jest.restoreAllMocks(); });

function output(...names: string[]): string {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  const rancher = newRancher(app);
  for (const name of names) { configMap(rancher, name, { x: '1' }); }
  app.synth();
  return folder;
}

const isLive = (name: string): boolean => cluster.live('v1', 'ConfigMap', name, 'default') !== undefined;

test('plans, applies, reports and destroys a program with typed results', async () => {
  const folder = output('a', 'b');
  const events: RunEvent[] = [];
  const first = await plan(folder);
  expect([first.outcome, first.plan.steps.map(({ action }) => action)]).toEqual(['changes', ['create', 'create']]);
  expect(isLive('a')).toBe(false);
  expect(await apply(folder, { onEvent: (event) => { events.push(event); } })).toMatchObject({ counts: { created: 2 }, failed: [], pending: [] });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['start', 'node', 'end']));
  expect((await plan(folder)).outcome).toBe('nothing');
  expect((await status(folder)).result).toMatchObject([{ name: 'rancher' }]);
  expect((await doctor(folder, { drift: false })).result.targets).toMatchObject([{ name: 'rancher' }]);
  expect(await destroy(folder)).toMatchObject({ counts: { deleted: 2 } });
  expect(isLive('a')).toBe(false);
  expect(close).toHaveBeenCalledTimes(6);
});

test('applies a saved plan and nothing else', async () => {
  const folder = output('a');
  const file = join(tempFolder(), 'plan.json');
  const { plan: made } = await plan(folder);
  writePlan(file, made);
  expect(planText(made)).toContain('+ ConfigMap default/a');
  expect(planMarkdown(made)).toContain('1 to create');
  expect(await apply(folder, { plan: readPlan(file) })).toMatchObject({ counts: { created: 1 } });
});

test('closes the connections if an apply cannot begin', async () => {
  const folder = output('a');
  await apply(folder);
  await expect(apply(output('other'))).rejects.toThrow('--allow-empty');
  expect(close).toHaveBeenCalledTimes(2);
});

test('lints files by the rules', () => {
  const file = join(tempFolder(), 'setting.yaml');
  writeFileSync(file, 'apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata:\n  name: ntp-servers\nvalue: "no JSON"\n');
  expect(lint([file], { kind: 'harvester', harvesterVersion: '1.7.2' })).toMatchObject([{ level: 'error', file, line: 5 }]);
  expect(() => lint([file], { harvesterVersion: 'seven' })).toThrow('--harvester-version');
});

test('resolves a program without late values to none', async () => {
  expect(await resolve(output('a'))).toEqual({ known: [], failed: [], files: [] });
});
