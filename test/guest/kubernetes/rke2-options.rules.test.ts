import { Manifest } from '../../../src/core/manifest/manifest';
import { RKE2_BUNDLED_CHARTS } from '../../../src/guest/kubernetes/rke2.data';
import { guest, machineConfig, told } from '../../support/guest';

const RULES = ['cluster/profile', 'cluster/chart-values', 'cluster/kube-proxy', 'cluster/windows'];

/** The findings of these rules about a Cluster. */
function findings(
  config: object,
  kubernetesVersion = 'v1.33.6+rke2r1',
  ...others: Manifest[]
): string[] {
  return told([guest(config, { kubernetesVersion }), ...others]).filter((line) =>
    RULES.some((rule) => line.includes(` ${rule} `)),
  );
}

const all = (machineGlobalConfig: object, chartValues: object = {}): object => ({
  machineGlobalConfig,
  chartValues,
});

describe('the hardening profile', () => {
  const profile = (name: string, version: string): string[] =>
    findings(all({ profile: name }), version);

  test.each([
    [
      'cis-1.23',
      'v1.30.0+rke2r1',
      'got "cis-1.23": cis (the server: "cis-1.23 profile is deprecated. Please use \'cis\' instead."). Fix: write cis',
    ],
    ['cis-1.23', 'v1.36.1+rke2r1', 'Fix: write cis'],
    ['cis-1.23', 'v1.40.1+rke2r1', 'Fix: write cis'],
    [
      'cis-1.6',
      'v1.25.0+rke2r1',
      'got "cis-1.6": cis-1.23 (the server: "invalid value provided for --profile flag"). Fix: write cis-1.23',
    ],
    ['cis', 'v1.27.6+rke2r1', 'got "cis": cis-1.23'],
    ['cis', 'v1.24.17+rke2r1', 'got "cis": cis-1.5 or cis-1.6'],
    ['etcd', 'v1.33.1+rke2r1', 'got "etcd": cis'],
    ['cis-1.9', 'v1.33.6+rke2r1', 'got "cis-1.9": cis or etcd'],
  ])('refuses %s on %s', (name, version, text) => {
    expect(profile(name, version)).toEqual([expect.stringContaining(text)]);
    expect(profile(name, version)[0]).toContain(
      'error cluster/profile spec.rkeConfig.machineGlobalConfig.profile: must be a profile of this release of RKE2',
    );
  });

  test.each([
    ['cis-1.23', 'v1.25.0+rke2r1'],
    ['cis-1.23', 'v1.29.15+rke2r1'],
    ['cis-1.6', 'v1.24.17+rke2r1'],
    ['cis', 'v1.25.15+rke2r1'],
    ['cis', 'v1.27.7+rke2r1'],
    ['cis', 'v1.33.6+rke2r1'],
    ['etcd', 'v1.33.2+rke2r1'],
    ['cis-2.0', 'v1.37.0+rke2r1'],
    ['cis-1.23', 'v1.33.6+k3s1'],
    ['cis-1.23', 'nonsense'],
  ])('accepts %s on %s', (name, version) => {
    expect(profile(name, version)).toEqual([]);
  });

  test('needs the kernel defaults', () => {
    const config = (value: unknown): object => ({
      machineGlobalConfig: { profile: 'cis' },
      machineSelectorConfig: [{ config: { 'protect-kernel-defaults': value } }],
    });
    expect(findings(config(false))).toEqual([
      'error cluster/profile spec.rkeConfig.machineSelectorConfig[0].config.protect-kernel-defaults: must be true with profile cis, got false ' +
        '(the server: "--protect-kernel-defaults must be true when using --profile=cis"). Fix: write true, or remove it',
    ]);
    expect(findings(config(true))).toEqual([]);
  });
});

describe('values of charts', () => {
  const values = (
    chart: string,
    config: object = { cni: 'cilium' },
    version?: string,
    ...others: Manifest[]
  ): string[] => findings(all(config, { [chart]: { a: 1 } }), version, ...others);

  test.each<[string, object, string | undefined, string]>([
    [
      'rke2-calico',
      { cni: 'cilium' },
      undefined,
      'has no effect: cni is cilium. Fix: remove it, or set cni to calico',
    ],
    ['rke2-multus', { cni: 'cilium' }, undefined, 'has no effect: cni is cilium'],
    ['rke2-cilium', { cni: ['multus', 'canal'] }, undefined, 'has no effect: cni is multus,canal'],
    [
      'rke2-ingress-nginx',
      { 'ingress-controller': 'traefik' },
      undefined,
      'has no effect: ingress-controller is traefik',
    ],
    [
      'rke2-ingress-nginx',
      { disable: ['rke2-ingress-nginx'] },
      undefined,
      'has no effect: the chart is disabled',
    ],
    ['rke2-traefik', {}, 'v1.29.15+rke2r1', 'has no effect: RKE2 bundles this chart since 1.30'],
    [
      'rke2-ingres-nginx',
      {},
      undefined,
      'has no effect: RKE2 bundles no chart of this name. Fix: write rke2-ingress-nginx',
    ],
    [
      'cilium',
      {},
      undefined,
      'has no effect: RKE2 bundles no chart of this name. Fix: write rke2-cilium',
    ],
    [
      'rancher-monitoring',
      {},
      undefined,
      'has no effect: RKE2 bundles no chart of this name. Fix: use one of harvester-cloud-provider, ',
    ],
    [
      'rke2-coredns',
      {},
      'v1.33.6+k3s1',
      'has no effect: K3s bundles only the charts traefik and traefik-crd',
    ],
  ])('reports those of %s with %j', (chart, config, version, text) => {
    expect(values(chart, config, version)).toEqual([
      expect.stringContaining(
        `warning cluster/chart-values spec.rkeConfig.chartValues.${chart}: ${text}`,
      ),
    ]);
  });

  test.each<[string, object, string | undefined]>([
    ['rke2-cilium', { cni: 'cilium' }, undefined],
    ['rke2-cilium', { cni: 'multus,cilium' }, undefined],
    ['rke2-calico', {}, undefined],
    ['rke2-coredns', {}, undefined],
    ['rke2-ingress-nginx', { 'ingress-controller': ['traefik', 'ingress-nginx'] }, undefined],
    ['traefik', {}, 'v1.33.6+k3s1'],
    ['rke2-new', {}, 'v1.37.0+rke2r1'],
    ['harvester-cloud-provider-0.2.11', {}, undefined],
  ])('accepts those of %s with %j', (chart, config, version) => {
    expect(values(chart, config, version)).toEqual([]);
  });

  test('accepts empty values, which the UI writes, and those of charts that other manifests install', () => {
    expect(findings(all({ cni: 'cilium' }, { 'rke2-calico': {} }))).toEqual([]);
    const chart = {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'rancher-monitoring', namespace: 'kube-system' },
      spec: {},
    };
    expect(values('rancher-monitoring', {}, undefined, chart)).toEqual([]);
    expect(
      findings({
        machineGlobalConfig: {},
        chartValues: { other: { a: 1 } },
        additionalManifest:
          'apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: other}\n',
      }),
    ).toEqual([]);
  });

  test('knows no chart twice', () => {
    expect(Object.keys(RKE2_BUNDLED_CHARTS)).toEqual([...Object.keys(RKE2_BUNDLED_CHARTS)].sort());
  });
});

describe('a cluster without kube-proxy', () => {
  const off = { 'disable-kube-proxy': true };

  test.each<[string, object, object, string | undefined, string]>([
    [
      'Cilium as it is',
      { cni: 'cilium' },
      {},
      undefined,
      'must be used together with kubeProxyReplacement (true), k8sServiceHost and k8sServicePort in the values of rke2-cilium',
    ],
    [
      'Cilium that does not replace it',
      { cni: 'cilium' },
      { 'rke2-cilium': { kubeProxyReplacement: false } },
      undefined,
      'kubeProxyReplacement',
    ],
    [
      'Calico as it is',
      { cni: 'calico' },
      {},
      undefined,
      'must be used together with installation.calicoNetwork.linuxDataplane (BPF) in the values of rke2-calico',
    ],
    [
      'Canal',
      { cni: ['multus', 'canal'] },
      {},
      undefined,
      'cannot be set with canal, which does not replace kube-proxy',
    ],
    ['K3s', {}, {}, 'v1.33.6+k3s1', 'cannot be set with Flannel'],
  ])('is reported with %s', (_, config, chartValues, version, text) => {
    expect(findings(all({ ...config, ...off }, chartValues), version)).toEqual([
      expect.stringContaining(text),
    ]);
  });

  test.each<[string, object, object, string | undefined]>([
    [
      'Cilium that replaces it',
      { cni: 'cilium' },
      { 'rke2-cilium': { kubeProxyReplacement: true } },
      undefined,
    ],
    [
      'Calico with eBPF',
      { cni: 'calico' },
      { 'rke2-calico': { installation: { calicoNetwork: { linuxDataplane: 'BPF' } } } },
      undefined,
    ],
    ['no network plugin', { cni: 'none' }, {}, undefined],
    ['an unknown network plugin', {}, {}, undefined],
    ['K3s without Flannel', { 'flannel-backend': 'none' }, {}, 'v1.33.6+k3s1'],
  ])('is accepted with %s', (_, config, chartValues, version) => {
    expect(findings(all({ ...config, ...off }, chartValues), version)).toEqual([]);
  });

  test('is accepted where other manifests or user data configure the replacement', () => {
    const config = all({ cni: 'cilium', ...off });
    const values = {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChartConfig',
      metadata: { name: 'rke2-cilium', namespace: 'kube-system' },
      spec: {},
    };
    expect(findings(config, undefined, values)).toEqual([]);
    expect(
      findings({ ...config, additionalManifest: 'valuesContent: "kubeProxyReplacement: true"' }),
    ).toEqual([]);
    expect(
      findings(
        config,
        undefined,
        machineConfig({
          userData: '#cloud-config\nwrite_files: [{content: "kubeProxyReplacement: true"}]\n',
        }),
      ),
    ).toEqual([]);
  });
});

describe('machines with Windows', () => {
  const windows = (config: object, fields: object = {}, version?: string): string[] =>
    findings(
      {
        machineGlobalConfig: config,
        machinePools: [{ name: 'win', machineOS: 'windows', workerRole: true, ...fields }],
        chartValues: {},
      },
      version,
    );

  test('need Calico or Flannel', () => {
    expect(windows({ cni: 'cilium' })).toEqual([
      expect.stringContaining(
        'machineOS: must be linux with cilium, which does not run on Windows, got "windows". Fix: use calico or flannel',
      ),
    ]);
    expect(windows({ cni: 'calico' })).toEqual([]);
    expect(windows({})).toEqual([]);
  });

  test('need RKE2, and are workers', () => {
    expect(windows({}, {}, 'v1.33.6+k3s1')).toEqual([
      expect.stringContaining('must be linux, got "windows": K3s does not run on Windows'),
    ]);
    expect(windows({}, { etcdRole: true })).toEqual([
      expect.stringContaining(
        'error cluster/windows spec.rkeConfig.machinePools[0].machineOS: must be linux for machines with etcd',
      ),
    ]);
  });
});
