import { Manifest } from '../../../src/core/manifest/manifest';
import { guest, machineConfig } from '../../support/guest';
import { judgePlaced } from '../../support/judging';

/** The findings about a Cluster with a configuration, next to objects on its Harvester. */
function findings(
  config: object,
  dc1: readonly Manifest[] = [],
  machines: object = {},
  kubernetesVersion = 'v1.33.6+rke2r1',
): string[] {
  const rancher = [
    guest({ machineGlobalConfig: config }, { kubernetesVersion }),
    machineConfig(machines),
  ];
  return judgePlaced(['cluster/cidrs'], { rancher, dc1 }).map((line) =>
    line.replace(' cluster/cidrs shop', ''),
  );
}

const network = (cidr: string, name = 'prod'): Manifest => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: {
    name,
    namespace: 'default',
    annotations: {
      'network.harvesterhci.io/route': JSON.stringify({ mode: 'manual', cidr, gateway: '' }),
    },
  },
  spec: {},
});
const pool = (subnet: string, guestCluster: string): Manifest => ({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'web' },
  spec: {
    ranges: [{ subnet }],
    selector: { scope: [{ guestCluster, namespace: '*', project: '*' }] },
  },
});

describe('the networks of pods and Services', () => {
  test('are refused if all addresses of pods are those of Services', () => {
    expect(findings({ 'cluster-cidr': '10.42.0.0/16', 'service-cidr': '10.42.0.0/16' })).toEqual([
      'error spec.rkeConfig.machineGlobalConfig.cluster-cidr: must not overlap the network of Services, 10.42.0.0/16, got "10.42.0.0/16". Fix: use another network, or set service-cidr',
    ]);
    expect(findings({ 'service-cidr': '10.40.0.0/13' })).toEqual([
      'error spec.rkeConfig.machineGlobalConfig.service-cidr: must not overlap the network of pods, 10.42.0.0/16, got "10.40.0.0/13". Fix: use another network, or set cluster-cidr',
    ]);
  });

  test('are a warning if they have only some addresses in common', () => {
    expect(findings({ 'cluster-cidr': '10.43.0.0/12' })).toEqual([
      expect.stringContaining(
        'warning spec.rkeConfig.machineGlobalConfig.cluster-cidr: must not overlap',
      ),
    ]);
  });

  test.each<[object]>([
    [{}],
    [{ 'cluster-cidr': '10.42.0.0/16,fd00:42::/56', 'service-cidr': '10.43.0.0/16,fd00:43::/112' }],
    [{ 'cluster-cidr': ['10.60.0.0/16'] }],
    [{ 'cluster-cidr': 'nonsense' }],
  ])('are accepted as %j', (config) => {
    expect(findings(config)).toEqual([]);
  });

  test('are not known of another distribution', () => {
    expect(findings({ 'cluster-cidr': '10.43.0.0/16' }, [], {}, 'v1.33.6')).toEqual([]);
  });

  test('contain the address of DNS', () => {
    expect(findings({ 'service-cidr': '10.100.0.0/16', 'cluster-dns': '10.43.0.10' })).toEqual([
      'error spec.rkeConfig.machineGlobalConfig.cluster-dns: must be an address of the network of Services, 10.100.0.0/16, got "10.43.0.10" ' +
        '(the server: "the provided IP is not in the valid range"). Fix: remove it: the tenth address of that network is the default',
    ]);
    expect(findings({ 'cluster-dns': '10.43.0.53' })).toEqual([]);
    expect(findings({ 'cluster-dns': 'fd00::1' })).toEqual([]);
  });
});

describe('addresses that a cluster must reach', () => {
  test.each<[string, object, readonly Manifest[], object, string]>([
    [
      'the Harvester cluster',
      { 'cluster-cidr': '10.10.0.0/16' },
      [network('192.168.0.0/24')],
      {},
      'addresses of the Harvester cluster dc1, 10.10.0.10, got',
    ],
    [
      'the network of the machines',
      {},
      [network('10.42.8.0/24')],
      {},
      'addresses of the network default/prod, 10.42.8.0/24, got "10.42.0.0/16": machines and pods cannot reach them. Fix: use another network for pods',
    ],
    [
      'a network that contains it',
      {},
      [network('10.0.0.0/8')],
      {},
      'addresses of the network default/prod, 10.0.0.0/8, got "10.42.0.0/16"',
    ],
    [
      'a pool for the cluster',
      {},
      [pool('10.43.7.0/24', 'shop')],
      {},
      'addresses of the IP pool web, 10.43.7.0/24',
    ],
    [
      'a pool for all',
      {},
      [pool('10.43.7.0/24', '*')],
      {},
      'addresses of the IP pool web, 10.43.7.0/24',
    ],
    [
      'fixed addresses',
      {},
      [],
      { networkData: 'version: 2\nethernets: {a: {addresses: [10.42.3.4/24]}}\n' },
      'addresses of the network data of machines, 10.42.3.4, got',
    ],
  ])('are not in the networks of the cluster: %s', (_, config, onHarvester, machines, text) => {
    expect(findings(config, onHarvester, machines)).toContainEqual(
      expect.stringMatching(
        new RegExp(`^warning .*must not contain ${text.replace(/[.*+?()[\]]/g, '\\$&')}`),
      ),
    );
  });

  test('may be those of other networks and pools', () => {
    expect(
      findings({}, [
        network('10.42.8.0/24', 'other'),
        pool('10.43.7.0/24', 'other'),
        network('192.168.0.0/24'),
      ]),
    ).toEqual([]);
    expect(
      findings({}, [], {
        networkData:
          'version: 2\nethernets: {a: {addresses: [192.168.3.4/24], mask: 255.255.255.0}}\n',
      }),
    ).toEqual([]);
  });
});

describe('addresses of both families', () => {
  const DUAL = {
    'cloud-provider-name': 'harvester',
    'cluster-cidr': '10.42.0.0/16,fd00:42::/56',
    'service-cidr': '10.43.0.0/16,fd00:43::/112',
  };
  const told = (config: object, kubernetesVersion: string): string[] =>
    judgePlaced(['cluster/dual-stack-provider'], {
      rancher: [
        guest({ machineGlobalConfig: config, machineSelectorConfig: [] }, { kubernetesVersion }),
        machineConfig({}),
      ],
    });

  test('need a release whose cloud provider reads them', () => {
    for (const version of ['v1.33.6+rke2r1', 'v1.34.9+rke2r1']) {
      expect(told(DUAL, version)).toEqual([
        expect.stringMatching(/^warning cluster\/dual-stack-provider .*get no address/),
      ]);
    }
    for (const version of ['v1.33.13+rke2r2', 'v1.34.10+rke2r1', 'v1.33.6+k3s1']) {
      expect(told(DUAL, version)).toEqual([]);
    }
  });

  test('are accepted without the cloud provider, and one family with it', () => {
    const { 'cloud-provider-name': _, ...without } = DUAL;
    expect(told(without, 'v1.33.6+rke2r1')).toEqual([]);
    expect(told({ ...DUAL, 'cluster-cidr': '10.42.0.0/16' }, 'v1.33.6+rke2r1')).toEqual([]);
  });
});
