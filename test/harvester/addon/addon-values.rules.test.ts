import { Manifest } from '../../../src/core/manifest/manifest';
import { BundledAddon, BundledAddonOptions } from '../../../src/harvester/addon/addon';
import { ADDON_RULES } from '../../../src/harvester/addon/addon.rules';
import { judgeOn } from '../../support/judging';
import { newApp, newHarvester } from '../../support/programs';

const addon = (valuesContent: string | undefined, metadata: object = {}): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Addon',
  metadata: { name: 'rancher-monitoring', namespace: 'cattle-monitoring-system', ...metadata },
  spec: { enabled: true, ...(valuesContent === undefined ? {} : { valuesContent }) },
});
const of = (judged: Manifest, ...live: Manifest[]) =>
  judgeOn(
    ADDON_RULES.filter(({ id }) => id === 'addon/values-replaced'),
    [judged],
    { kind: 'harvester', live },
  ).map(({ level, path, message, fix }) => `${level} ${path}: ${message}. Fix: ${fix}`);

test('warns that values replace those of Harvester', () => {
  expect(of(addon('grafana: {}'))).toEqual([
    'warning spec.valuesContent: replaces all values that Harvester set for this add-on. ' +
      'Fix: copy those that you keep from kubectl get addons.harvesterhci.io rancher-monitoring -n cattle-monitoring-system -o yaml, ' +
      'and pass the live object to lint with --world, or suppress this',
  ]);
  expect([
    of(addon(undefined)),
    of(addon('')),
    of(addon('grafana: {}', { name: 'mine', namespace: 'default' })),
  ]).toEqual([[], [], []]);
});

test('lists the values that the live add-on has, and the new ones lack', () => {
  const live = addon('prometheus: {a: 1}\ngrafana: {b: 2}\nalertmanager: {}\n', { uid: 'a' });
  expect(of(addon('grafana: {}'), live)).toEqual([
    expect.stringContaining(
      'warning spec.valuesContent: lacks values that the add-on has: prometheus, alertmanager. Fix: copy',
    ),
  ]);
  expect(of(addon('prometheus: {}\ngrafana: {}\nalertmanager: {}\nmore: 1\n'), live)).toEqual([]);
  expect(of(addon('grafana: {}'), addon(undefined, { uid: 'a' }))).toEqual([]);
});

test('warns at synthesis, of the prop', () => {
  const rulesOf = (options: BundledAddonOptions) => {
    const app = newApp();
    BundledAddon.monitoring(newHarvester(app), 'monitoring', options);
    app.synth();
    return app.findings.map(({ level, rule, prop }) => `${level} ${rule} ${prop}`);
  };
  expect(rulesOf({ replaceValues: { grafana: { enabled: false } } })).toEqual([
    'warning addon/values-replaced replaceValues',
  ]);
  expect(rulesOf({})).toEqual([]);
});
