import { guest, machineConfig, pool, told } from '../../support/guest';

const findings = (machineGlobalConfig: object, kubernetesVersion = 'v1.33.6+rke2r1'): string[] =>
  told([guest({ machineGlobalConfig }, { kubernetesVersion })]).filter((line) =>
    line.includes('cluster/node-config-format'),
  );

test.each<[string, unknown, string]>([
  ['tls-san', ['https://shop.example.com:6443'], 'must be host names and IP addresses'],
  [
    'system-default-registry',
    'https://registry.example.com',
    'must be a host with an optional port, not a URL',
  ],
  ['cluster-domain', 'http://x', 'must be a DNS domain'],
  ['cni', 'weave', 'must be one of none, calico, canal, cilium, flannel'],
  ['cni', ['calico', 'cilium'], 'must be one of none, calico, canal, cilium, flannel'],
  ['cni', 'multus', 'must be one of none, calico, canal, cilium, flannel'],
])('reports %s: %j', (key, value, text) => {
  expect(findings({ [key]: value })).toEqual([
    expect.stringContaining(
      `cluster/node-config-format spec.rkeConfig.machineGlobalConfig.${key}: ${text}`,
    ),
  ]);
});

test.each<[object]>([
  [
    {
      'tls-san': ['shop.example.com', '10.0.0.1', 'fd00::1', '*.example.com'],
      'system-default-registry': 'registry.example.com:5000',
      'cluster-domain': 'cluster.local',
    },
  ],
  [{ cni: 'cilium' }],
  [{ cni: 'multus,canal' }],
  [{ cni: ['multus', 'calico'] }],
  [{ cni: 'none' }],
  [{ 'cni': '', 'system-default-registry': '' }],
  [{ 'cni': 7, 'tls-san': null }],
])('accepts %j', (config) => {
  expect(findings(config)).toEqual([]);
});

test('knows no network plugins of K3s', () => {
  expect(findings({ cni: 'weave' }, 'v1.33.6+k3s1')).toEqual([]);
});

test('reports components of RKE2 without their prefix', () => {
  expect(
    told([guest({ machineGlobalConfig: { disable: ['ingress-nginx'] } })]).filter((line) =>
      line.includes('disabled-component'),
    ),
  ).toEqual([
    expect.stringContaining(
      'must be a component of RKE2, got "ingress-nginx": otherwise it has no effect. Fix: write rke2-ingress-nginx',
    ),
  ]);
});

test('reports too many machines with etcd', () => {
  const etcd = (quantity: number): string[] =>
    told([guest({ machinePools: [pool({ quantity })] }), machineConfig()]).filter((line) =>
      line.includes('pool-roles'),
    );
  expect(etcd(9)).toEqual([
    expect.stringContaining('must have at most 7 machines with etcd, got 9'),
  ]);
  expect(etcd(7)).toEqual([]);
});
