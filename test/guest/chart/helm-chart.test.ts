import { Duration } from 'cdk8s';
import { Ipam } from '../../../src/guest/balancer/service-address';
import {
  HelmChartAddon,
  HelmChartAddonProps,
  HelmChartConfig,
  HelmFailurePolicy,
} from '../../../src/guest/chart/helm-chart';
import { HELM_CHART_RULES } from '../../../src/guest/chart/helm-chart.rules';
import { GuestChart } from '../../../src/guest/guest-chart';
import { GuestNamespace } from '../../../src/guest/guest-namespace';
import { judgeOn } from '../../support/judging';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';
import { assemblyOf } from '../../support/written';

function guest() {
  const app = newApp();
  return { app, chart: new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1' }) };
}

describe('a HelmChart', () => {
  test('has the fields that are given, its values as YAML', () => {
    const { app, chart } = guest();
    new HelmChartAddon(chart, 'cert-manager', {
      repository: 'https://charts.jetstack.io',
      chart: 'cert-manager',
      version: 'v1.19.1',
      targetNamespace: 'cert-manager',
      createNamespace: true,
      values: { crds: { enabled: true }, extraArgs: ['--v=2'] },
    });
    expect(rendered(app)).toEqual({
      'shop/HelmChart/cert-manager': {
        apiVersion: 'helm.cattle.io/v1',
        kind: 'HelmChart',
        metadata: { name: 'cert-manager', namespace: 'kube-system' },
        spec: {
          targetNamespace: 'cert-manager',
          createNamespace: true,
          repo: 'https://charts.jetstack.io',
          chart: 'cert-manager',
          version: 'v1.19.1',
          valuesContent: 'crds:\n  enabled: true\nextraArgs:\n  - --v=2\n',
        },
      },
    });
    expect(assemblyOf(app).objects[0]).toMatchObject({
      deletion: { policy: 'delete', reason: 'uninstalls the release with all its objects' },
    });
  });

  test('has every field there is', () => {
    const { app, chart } = guest();
    new HelmChartAddon(chart, 'addon', {
      name: 'all',
      namespace: GuestNamespace.fromName(chart, 'addons', { name: 'addons' }),
      labels: { app: 'all' },
      chart: 'oci://registry.example.com/all',
      set: { a: 'b' },
      valuesSecrets: [{ name: 's', keys: ['k'], ignoreUpdates: true }],
      failurePolicy: HelmFailurePolicy.ABORT,
      bootstrap: true,
      takeOwnership: true,
      timeout: Duration.minutes(10),
      backOffLimit: 3,
      jobImage: 'klipper',
      caCertificates: 'PEM',
      authSecret: 'auth',
      authPassCredentials: true,
      dockerRegistrySecret: 'docker',
      insecureSkipTlsVerify: true,
    });
    expect(rendered(app)['shop/HelmChart/all']).toMatchObject({
      metadata: { namespace: 'addons', labels: { app: 'all' } },
      spec: {
        chart: 'oci://registry.example.com/all',
        set: { a: 'b' },
        valuesSecrets: [{ name: 's', keys: ['k'], ignoreUpdates: true }],
        failurePolicy: 'abort',
        bootstrap: true,
        takeOwnership: true,
        timeout: '600s',
        backOffLimit: 3,
        jobImage: 'klipper',
        repoCA: 'PEM',
        authSecret: { name: 'auth' },
        authPassCredentials: true,
        dockerRegistrySecret: { name: 'docker' },
        insecureSkipTLSVerify: true,
      },
    });
  });

  test('can be an object for additionalManifests', () => {
    const manifest = HelmChartAddon.manifest({
      name: 'web',
      repository: 'https://charts.example.com',
      chart: 'web',
      values: {},
    });
    expect(manifest).toEqual({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'web', namespace: 'kube-system' },
      spec: { repo: 'https://charts.example.com', chart: 'web' },
    });
    expect(Object.keys(manifest.spec)).toEqual(['repo', 'chart']);
    expect(() => HelmChartAddon.manifest({ name: 'web' })).toThrow(
      'HelmChartAddon.manifest: chart: must be set unless chartContent is. Fix: set either chart or chartContent',
    );
  });

  test.each([
    [
      'no chart',
      'a',
      {},
      'chart: must be set unless chartContent is. Fix: set either chart or chartContent',
    ],
    [
      'two charts',
      'a',
      { chart: 'https://x/y.tgz', chartContent: 'H4s=' },
      'chart: cannot be set together with chartContent',
    ],
    [
      'no repository',
      'a',
      { chart: 'web' },
      'repository: must be set: "web" is not the URL of a chart. Fix: set it to the URL of the repository',
    ],
    [
      'a name that is too long',
      'a'.repeat(54),
      { chart: 'https://x/y.tgz' },
      `name: must be a valid name of a Helm release, got "${'a'.repeat(54)}". Fix: use at most 53 of a-z, 0-9, hyphens and dots`,
    ],
    [
      'half a second',
      'a',
      { chart: 'https://x/y.tgz', timeout: Duration.millis(500) },
      'timeout: must be whole seconds. Fix: round it',
    ],
  ])('refuses %s', (_, id, options, message) => {
    expect(() => new HelmChartAddon(guest().chart, id, options)).toThrow(`[shop/${id}] ${message}`);
  });

  describe('with Services that get an address', () => {
    const monitoring = (more: Partial<HelmChartAddonProps>) => {
      const { app, chart } = guest();
      new HelmChartAddon(chart, 'monitoring', { chart: 'https://x/y.tgz', ...more });
      return rendered(app)['shop/HelmChart/monitoring'].spec.valuesContent;
    };

    test('sets their type and annotations next to other values', () => {
      expect(
        monitoring({
          values: { grafana: { service: { port: 80 }, persistence: { enabled: true } } },
          loadBalancers: [
            { path: 'grafana.service', ipam: Ipam.pool() },
            { path: 'controller.service', ipam: Ipam.dhcp() },
          ],
        }),
      ).toBe(
        [
          'grafana:',
          '  service:',
          '    port: 80',
          '    type: LoadBalancer',
          '    annotations:',
          '      cloudprovider.harvesterhci.io/ipam: pool',
          '  persistence:',
          '    enabled: true',
          'controller:',
          '  service:',
          '    type: LoadBalancer',
          '    annotations:',
          '      cloudprovider.harvesterhci.io/ipam: dhcp',
          '',
        ].join('\n'),
      );
    });

    test.each<[string, Partial<HelmChartAddonProps>, string]>([
      [
        'no path',
        { loadBalancers: [{ path: 'a..b', ipam: Ipam.pool() }] },
        'loadBalancers[0].path: must be keys, joined by dots, got "a..b"',
      ],
      [
        'a type of its own',
        { values: { a: { type: 'ClusterIP' } }, loadBalancers: [{ path: 'a', ipam: Ipam.pool() }] },
        'values.a.type: cannot be set, got "ClusterIP": this construct sets it',
      ],
    ])('refuses %s', (_, more, message) => {
      expect(messageOf(() => monitoring(more))).toContain(message);
    });
  });

  test('exists already where the program refers to it', () => {
    const { app, chart } = guest();
    const dns = HelmChartAddon.fromName(chart, 'dns', { name: 'rke2-coredns' });
    expect([dns.name, dns.namespace, dns.target.targetName]).toEqual([
      'rke2-coredns',
      'kube-system',
      'shop',
    ]);
    expect(rendered(app)).toEqual({});
  });

  test('belongs to a cluster', () => {
    expect(() => new HelmChartAddon(newApp(), 'a', { chart: 'https://x/y.tgz' })).toThrow(
      'HelmChartAddon must be in a target chart',
    );
  });
});

describe('a HelmChartConfig', () => {
  test('gives a bundled chart values', () => {
    const { app, chart } = guest();
    const config = new HelmChartConfig(chart, 'rke2-coredns', {
      values: { replicas: 2 },
      failurePolicy: HelmFailurePolicy.REINSTALL,
    });
    expect([config.name, config.namespace]).toEqual(['rke2-coredns', 'kube-system']);
    expect(rendered(app)['shop/HelmChartConfig/rke2-coredns']).toEqual({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChartConfig',
      metadata: { name: 'rke2-coredns', namespace: 'kube-system' },
      spec: { failurePolicy: 'reinstall', valuesContent: 'replicas: 2\n' },
    });
  });

  test('refuses a name that no chart has', () => {
    expect(
      () => new HelmChartConfig(guest().chart, 'config', { name: 'CoreDNS', values: {} }),
    ).toThrow('[shop/config] name: must be a valid name of a Helm release, got "CoreDNS"');
  });
});

test('installs and configures charts on a Harvester and on the cluster of Rancher', () => {
  const app = newApp();
  const [harvester, rancher] = [newHarvester(app), newRancher(app)];
  new HelmChartAddon(rancher, 'cert-manager', { chart: 'oci://registry.example.com/cert-manager' });
  new HelmChartConfig(harvester, 'rke2-coredns', { values: { nodelocal: { enabled: true } } });
  expect(HelmChartAddon.fromName(harvester, 'existing', { name: 'rke2-coredns' })).toMatchObject({
    namespace: 'kube-system',
    target: harvester,
  });
  expect(rendered(app)).toMatchObject({
    'rancher/HelmChart/cert-manager': {
      metadata: { namespace: 'kube-system' },
      spec: { chart: 'oci://registry.example.com/cert-manager' },
    },
    [`${harvester.targetName}/HelmChartConfig/rke2-coredns`]: {
      spec: { valuesContent: 'nodelocal:\n  enabled: true\n' },
    },
  });
  expect(
    messageOf(
      () =>
        new HelmChartAddon(harvester, 'nginx', {
          chart: 'oci://a/b',
          loadBalancers: [{ path: 'service', ipam: Ipam.pool() }],
        }),
    ),
  ).toContain('loadBalancers: can only be set in a guest cluster');
});

test('warns of values that Harvester writes itself', () => {
  const config = (name: string) => ({
    apiVersion: 'helm.cattle.io/v1',
    kind: 'HelmChartConfig',
    metadata: { name, namespace: 'kube-system' },
    spec: {},
  });
  const found = (name: string, kind: 'guest' | 'harvester') =>
    judgeOn(HELM_CHART_RULES, [config(name)], { kind }).map(({ rule }) => rule);
  expect(found('rke2-ingress-nginx', 'harvester')).toEqual(['helm-chart/values-of-harvester']);
  expect(found('rke2-coredns', 'harvester')).toEqual([]);
  expect(found('rke2-ingress-nginx', 'guest')).toEqual([]);
});
