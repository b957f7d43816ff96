import { Manifest } from '../../../src/core/manifest/manifest';
import {
  clusterNetwork,
  findings,
  live,
  network,
  says,
  told,
  vlanConfig,
} from '../../support/infrastructure';

const ROUTE = 'network.harvesterhci.io/route';
const label = (name: string) => `network.harvesterhci.io/${name}`;
const storageNetwork = (config: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'storage-network' },
  value: JSON.stringify(config),
});

test('accepts networks of every type', () => {
  expect(
    told([
      network(
        'a',
        { bridge: 'mgmt-br', vlan: 4094 },
        {
          labels: {
            [label('clusternetwork')]: 'mgmt',
            [label('type')]: 'L2VlanNetwork',
            [label('vlan-id')]: '4094',
          },
        },
      ),
      network('b', { bridge: 'mgmt-br' }),
      network('c', {
        bridge: 'mgmt-br',
        vlan: 0,
        vlanTrunk: [{ minID: 1, maxID: 4094 }, { id: 5 }],
      }),
      network('d', { type: 'kube-ovn', provider: 'd.default.ovn' }),
    ]),
  ).toEqual([]);
});

test('reports every fault that the server refuses, in its words', () => {
  const refused: [object | string, string][] = [
    ['', 'config is empty'],
    ['{', ''],
    [{ bridge: 'mgmt-br', vlan: '100' }, ''],
    [{ bridge: 'mgmt-br', vlan: 4095 }, 'vlan 4095 is out of range [0 .. 4094]'],
    [{ bridge: 'mgmt' }, 'the bridge name mgmt does not include suffix -br'],
    [{ bridge: '-br' }, 'the length of bridge name -br is less than 3'],
    [
      { bridge: 'a-very-long-one-br' },
      "the length of the bridge name a-very-long-one-br can't be more than 15",
    ],
    [
      { bridge: 'mgmt-br', vlan: 5, vlanTrunk: [{ id: 6 }] },
      'vlan can only be 0 when vlanTrunk is set',
    ],
    [
      { bridge: 'mgmt-br', vlanTrunk: [{ minID: 0, maxID: 6 }] },
      'incorrect trunk minID parameter 0',
    ],
    [
      { bridge: 'mgmt-br', vlanTrunk: [{ minID: 7, maxID: 6 }] },
      'minID 7 is greater than maxID 6 in trunk parameter',
    ],
    [
      { bridge: 'mgmt-br', vlanTrunk: [{ minID: 7 }] },
      'minID and maxID should be configured simultaneously, maxID is missing',
    ],
    [{ bridge: 'mgmt-br', vlanTrunk: [{ id: 5000 }] }, 'incorrect trunk id parameter 5000'],
    [{ bridge: 'mgmt-br', vlanTrunk: [{}] }, 'all fields in this VlanTrunk are empty'],
    [
      { type: 'kube-ovn', provider: 'b.default.ovn' },
      'invalid provider name b.default.ovn for nad a default',
    ],
  ];
  for (const [config, words] of refused) {
    expect([config, says([network('a', config)])]).toEqual([config, [words]]);
  }
  expect(
    findings([
      network('a', { bridge: 'mgmt-br' }, { labels: { [label('clusternetwork')]: 'prod' } }),
    ]),
  ).toMatchObject([
    {
      rule: 'network-attachment/config',
      level: 'error',
      value: '"prod"',
      fix: 'set mgmt, or remove the label',
      message: expect.stringContaining('the nad label prod does not match bridge name mgmt'),
    },
  ]);
});

test('warns of labels and names that contradict the config', () => {
  expect(
    told([
      network(
        'a',
        { name: 'b', bridge: 'mgmt-br' },
        { labels: { [label('type')]: 'L2VlanNetwork', [label('vlan-id')]: '5' } },
      ),
    ]),
  ).toEqual([
    `warning network-attachment/config metadata.labels[${label('type')}]`,
    `warning network-attachment/config metadata.labels[${label('vlan-id')}]`,
    'warning network-attachment/config spec.config.name',
  ]);
});

test('warns of a trunk before 1.7 whose VLANs no other network opens', () => {
  const edge = network(
    'edge',
    { bridge: 'uplink-br', vlanTrunk: [{ minID: 3101, maxID: 3102 }] },
    { labels: { [label('type')]: 'UntaggedNetwork' } },
  );
  const [first, second] = [3101, 3102].map((vlan) =>
    network(`v${vlan}`, { bridge: 'uplink-br', vlan }),
  );
  expect(told([edge, first!, second!], { version: '1.6.1' })).toEqual([]);
  expect(told([edge, first!], { version: '1.5.2' })).toEqual([
    'warning network-attachment/config spec.config.vlanTrunk',
  ]);
  expect(told([edge, first!, second!], { version: '1.7.0' })).toEqual([
    `warning network-attachment/config metadata.labels[${label('type')}]`,
  ]);
});

test('refuses overlays that the version lacks', () => {
  const trunk = network('a', { bridge: 'mgmt-br', vlanTrunk: [{ id: 6 }] });
  expect(
    told([network('a', { type: 'kube-ovn', provider: 'a.default.ovn' })], { version: '1.5.2' }),
  ).toEqual(['error network-attachment/config spec.config.type']);
  expect(told([trunk], { version: '' })).toEqual([]);
  const labelled = network(
    'a',
    { type: 'kube-ovn', provider: 'a.default.ovn' },
    { labels: { [label('clusternetwork')]: 'prod' } },
  );
  expect(says([labelled], { version: '1.7.2' })).toEqual([
    'nad with kubeovn type can only be part of mgmt cluster',
  ]);
  expect(told([labelled], { version: '1.8.0' })).toEqual([]);
});

test('ignores Multus on other clusters', () => {
  const foreign = network('a', { type: 'macvlan', master: 'eth0' });
  expect(told([foreign], { kind: 'guest' })).toEqual([]);
  expect(told([foreign])).not.toEqual([]);
});

test('accepts a route that is auto, or manual and complete', () => {
  const routed = (text: string) =>
    network('a', { bridge: 'mgmt-br', vlan: 5 }, { annotations: { [ROUTE]: text } });
  expect(
    told([routed('{"mode":"auto","serverIPAddr":"","connectivity":"true","outdated":true}')]),
  ).toEqual([]);
  expect(says([routed('{"mode":"static"}')])).toEqual(['unknown mode static']);
  expect(says([routed('{"mode":"manual","cidr":"10.0.0.0/0","gateway":"x"}')])).toEqual([
    'the CIDR 10.0.0.0/0 is invalid',
    'the gateway x is invalid',
  ]);
  expect(says([routed('auto')])).toHaveLength(1);
  expect(told([routed('{"mode":"manual","cidr":"10.0.0.0/24","gateway":"10.0.1.1"}')])).toEqual([
    `warning network-attachment/route metadata.annotations[${ROUTE}].gateway`,
  ]);
});

test('requires an existing cluster network, if they are known', () => {
  const lost = network('a', { bridge: 'prod-br' });
  expect(told([lost])).toEqual([]);
  expect(findings([lost, clusterNetwork('tenants')])).toMatchObject([
    {
      level: 'warning',
      path: 'spec.config.bridge',
      value: '"prod"',
      fix: 'declare it, or use one of mgmt, tenants',
      message: expect.stringContaining('clusternetworks.network.harvesterhci.io "prod" not found'),
    },
  ]);
  expect(told([lost, clusterNetwork('tenants')], { version: '1.5.2' })).toEqual([]);
});

test('warns of an MTU other than that of the uplinks', () => {
  const uplink = vlanConfig('up', 'prod', {
    uplink: { nics: ['a'], linkAttributes: { mtu: 9000 } },
  });
  expect(findings([network('a', { bridge: 'prod-br' }), uplink])).toMatchObject([
    { rule: 'network-attachment/mtu', level: 'warning', fix: 'set "mtu":9000' },
  ]);
  expect(told([network('a', { bridge: 'prod-br', mtu: 9000 }), uplink])).toEqual([]);
  expect(told([network('a', { bridge: 'prod-br', mtu: 1500 }), vlanConfig('up', 'prod')])).toEqual(
    [],
  );
  expect(
    told([network('a', { bridge: 'mgmt-br' })], {
      live: [clusterNetwork('mgmt', { [label('uplink-mtu')]: '9000' })],
    }),
  ).toEqual(['warning network-attachment/mtu spec.config.mtu']);
});

test('refuses the exclusive VLAN of the storage network', () => {
  const setting = storageNetwork({
    vlan: 100,
    clusterNetwork: 'mgmt',
    range: '10.0.0.0/24',
    exclusiveVlan: true,
  });
  const taken = network('a', { bridge: 'mgmt-br', vlan: 100 });
  expect(told([taken], { version: '1.9.0', live: [setting] })).toEqual([
    'error network-attachment/storage-vlan spec.config.vlan',
  ]);
  expect(told([taken], { live: [setting] })).toEqual([
    'warning network-attachment/storage-vlan spec.config.vlan',
  ]);
  expect(
    told([network('a', { bridge: 'mgmt-br', vlanTrunk: [{ minID: 90, maxID: 110 }] })], {
      version: '1.9.0',
      live: [setting],
    }),
  ).toEqual(['error network-attachment/storage-vlan spec.config.vlanTrunk']);
  expect(
    told([network('a', { bridge: 'mgmt-br', vlan: 101 })], { version: '1.9.0', live: [setting] }),
  ).toEqual([]);
});

test('refuses a change of type or bridge, and warns of other changes', () => {
  const before = [network('a', { bridge: 'prod-br', vlan: 5 })];
  expect(says([network('a', { bridge: 'dev-br', vlan: 5 })], { before })).toEqual([
    "nad bridge name can't be changed from prod-br to dev-br",
  ]);
  expect(says([network('a', { type: 'kube-ovn', provider: 'a.default.ovn' })], { before })).toEqual(
    ['nad cannot be updated from network type bridge to network type kube-ovn'],
  );
  expect(told([network('a', { bridge: 'dev-br', vlan: 5 })], { before, version: '1.6.0' })).toEqual(
    ['warning network-attachment/update spec.config.bridge'],
  );
  expect(told([network('a', { bridge: 'prod-br', vlan: 6 })], { before })).toEqual([
    'warning network-attachment/update spec.config',
  ]);
  expect(told([network('a', { bridge: 'prod-br', vlan: 5, mtu: 1500 })], { before })).toEqual([]);
  expect(
    told([network('a', { bridge: 'prod-br', vlan: 6 })], { before: before.map(live) }),
  ).toEqual([]);
});

test('refuses to delete a network that a virtual machine uses', () => {
  const machine = (networkName: string): Manifest => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: { template: { spec: { networks: [{ multus: { networkName } }] } } },
  });
  const before = [network('a', { bridge: 'mgmt-br' })];
  expect(says([machine('a')], { before })).toEqual([
    "it's still used by VM(s) web which must remove the related networks and interfaces",
  ]);
  expect(told([machine('other/a')], { before })).toEqual([]);
  const subnet: Manifest = {
    apiVersion: 'kubeovn.io/v1',
    kind: 'Subnet',
    metadata: { name: 's' },
    spec: { provider: 'a.default.ovn' },
  };
  expect(
    says([subnet], { before: [network('a', { type: 'kube-ovn', provider: 'a.default.ovn' })] }),
  ).toEqual(['subnet s is still using the nad a default']);
});

test('refuses a change of the networks of settings, from Harvester 1.9 on', () => {
  const system = (name: string, vlan: number, annotations = {}) =>
    network(name, { bridge: 'prod-br', vlan }, { namespace: 'harvester-system', annotations });
  const change = (name: string, version: string, annotations = {}) =>
    told([system(name, 6, annotations)], {
      before: [system(name, 5, annotations)].map(live),
      version,
    }).filter((line) => line.includes('/update'));
  expect(change('storagenetwork-abc', '1.9.0')).toEqual([
    'error network-attachment/update spec.config',
  ]);
  expect(change('rwx-network-abc', '1.8.2')).toEqual([
    'warning network-attachment/update spec.config',
  ]);
  expect(change('own', '1.9.0', { 'rwx-network.settings.harvesterhci.io': 'true' })).toEqual([
    'error network-attachment/update spec.config',
  ]);
  expect(change('own', '1.9.0')).toEqual([]);
});

const kubeOvn = (enabled: boolean): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Addon',
  metadata: { name: 'kubeovn-operator', namespace: 'kube-system' },
  spec: { enabled },
});

test('warns of an overlay network whose add-on is disabled', () => {
  const overlay = network('d', { type: 'kube-ovn', provider: 'd.default.ovn' });
  const ofRule = (addon: Manifest) =>
    told([overlay, addon]).filter((finding) =>
      finding.includes('network-attachment/overlay-addon'),
    );
  expect(ofRule(kubeOvn(false))).toEqual([
    'warning network-attachment/overlay-addon spec.config.type',
  ]);
  expect(ofRule(kubeOvn(true))).toEqual([]);
});

test('refuses a label of another cluster network, which Harvester corrects where the network exists', () => {
  const wrong = network(
    'a',
    { bridge: 'mgmt-br', vlan: 5 },
    { labels: { [label('clusternetwork')]: 'other' } },
  );
  const path = `network-attachment/config metadata.labels[${label('clusternetwork')}]`;
  const right = network('a', { bridge: 'mgmt-br', vlan: 5 });
  expect(told([wrong])).toContain(`error ${path}`);
  expect(told([wrong], { live: [live(right)] })).toContain(`warning ${path}`);
});
