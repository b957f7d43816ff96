import { ApiObject } from 'cdk8s';
import { notesOf } from '../../../src/core/construct/object-notes';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { Addon, BundledAddon } from '../../../src/harvester/addon/addon';
import { newApp, newHarvester } from '../../support/programs';

test('writes whether a bundled add-on is enabled, and its values if set', () => {
  const dc1 = newHarvester(newApp());
  const logging = BundledAddon.logging(dc1, 'logging');
  BundledAddon.monitoring(dc1, 'monitoring', {
    enabled: false,
    replaceValues: { prometheus: { prometheusSpec: { retention: '10d' } } },
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Addon',
      metadata: { name: 'rancher-logging', namespace: 'cattle-logging-system' },
      spec: { enabled: true },
    },
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Addon',
      metadata: { name: 'rancher-monitoring', namespace: 'cattle-monitoring-system' },
      spec: {
        enabled: false,
        valuesContent: 'prometheus:\n  prometheusSpec:\n    retention: 10d\n',
      },
    },
  ]);
  expect(
    kindOf<KindDescription>(ApiObject.of(logging))!.deletions![
      notesOf(ApiObject.of(logging)).deletion!
    ],
  ).toMatchObject({ policy: 'keep', reason: expect.stringContaining('set enabled to false') });
});

test('has a factory for each add-on of its Harvester', () => {
  const dc1 = newHarvester(newApp());
  const names = [
    BundledAddon.pciDevices,
    BundledAddon.vmImport,
    BundledAddon.kubeOvn,
    BundledAddon.nvidiaDriver,
  ].map((make, index) => make(dc1, `a${index}`).name);
  expect(names).toEqual([
    'pcidevices-controller',
    'vm-import-controller',
    'kubeovn-operator',
    'nvidia-driver-toolkit',
  ]);
});

test('refuses names and versions without such an add-on', () => {
  const app = newApp();
  expect(() => new BundledAddon(newHarvester(app), 'a', { name: 'rancher-vcluster' })).toThrow(
    '[dc1/a] name: must be one of vm-import-controller, pcidevices-controller, rancher-monitoring, rancher-logging, harvester-seeder, nvidia-driver-toolkit, kubeovn-operator, descheduler, got "rancher-vcluster"',
  );
  expect(() => BundledAddon.kubeOvn(newHarvester(app, '1.5.2', 'old'), 'a')).toThrow(
    '[old/a] name: needs Harvester 1.6.0 or later, got 1.5.2',
  );
});

test('writes an add-on of the user completely', () => {
  const dc1 = newHarvester(newApp());
  new Addon(dc1, 'rancher-vcluster', {
    repository: 'https://charts.loft.sh',
    chart: 'vcluster',
    version: 'v0.30.0',
    enabled: false,
    experimental: true,
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Addon',
      metadata: {
        name: 'rancher-vcluster',
        namespace: 'default',
        labels: { 'addon.harvesterhci.io/experimental': 'true' },
      },
      spec: {
        repo: 'https://charts.loft.sh',
        chart: 'vcluster',
        version: 'v0.30.0',
        enabled: false,
        valuesContent: '',
      },
    },
  ]);
  expect(() => new Addon(dc1, 'b', { repository: '', chart: 'a', version: '' })).toThrow(
    '[dc1/b] repository: cannot be empty. Fix: set repository, chart and version\n[dc1/b] version: cannot be empty. Fix: set repository, chart and version',
  );
});

test('adds labels and annotations of the program', () => {
  const dc1 = newHarvester(newApp());
  const more = {
    labels: { 'team': 'ops', 'addon.harvesterhci.io/experimental': 'false' },
    annotations: { note: 'x' },
  };
  BundledAddon.logging(dc1, 'logging', more);
  new Addon(dc1, 'mine', {
    repository: 'https://charts.example.com',
    chart: 'a',
    version: '1',
    experimental: true,
    description: 'ours',
    ...more,
  });
  expect(
    dc1.toJson().map(({ metadata: { labels, annotations } }) => ({ labels, annotations })),
  ).toEqual([
    more,
    {
      labels: { 'team': 'ops', 'addon.harvesterhci.io/experimental': 'true' },
      annotations: { 'note': 'x', 'field.cattle.io/description': 'ours' },
    },
  ]);
});

test('refers to an existing add-on', () => {
  const dc1 = newHarvester(newApp());
  expect(Addon.fromName(dc1, 'a', { name: 'mine', namespace: 'tools' })).toMatchObject({
    name: 'mine',
    namespace: 'tools',
    harvester: dc1,
  });
  expect(dc1.toJson()).toEqual([]);
});

test('merges values that parts of a program add', () => {
  const dc1 = newHarvester(newApp());
  const addon = new Addon(dc1, 'web', {
    repository: 'https://charts.example.com',
    chart: 'web',
    version: '1.0.0',
    values: { service: { port: 80 }, list: [1] },
  });
  addon.addValues({ service: { type: 'ClusterIP' }, replicas: 2 });
  addon.addValues({ replicas: 2 });
  const bundled = BundledAddon.monitoring(dc1, 'monitoring');
  bundled.addValues({ grafana: { enabled: false } });
  expect(dc1.toJson().map(({ spec }) => spec.valuesContent)).toEqual([
    'service:\n  port: 80\n  type: ClusterIP\nlist:\n  - 1\nreplicas: 2\n',
    'grafana:\n  enabled: false\n',
  ]);
});

test('refuses two values for one key, with both places', () => {
  const dc1 = newHarvester(newApp());
  const addon = BundledAddon.monitoring(dc1, 'monitoring', {
    replaceValues: { retention: '10d', list: [1] },
  });
  addon.addValues({ grafana: { enabled: false } });
  expect(() => addon.addValues({ retention: '5d', list: [2], grafana: 'no' })).toThrow(
    /^\[dc1\/monitoring\] values\.retention: has another value already[^]*values\.list: has another value already[^]*values\.grafana: has another value already/,
  );
  expect(() => addon.addValues({ grafana: { enabled: true } })).toThrow(
    'values.grafana.enabled: has another value already',
  );
  expect(() => addon.addValues({ function: () => 1 })).toThrow('values.function: must be');
});
