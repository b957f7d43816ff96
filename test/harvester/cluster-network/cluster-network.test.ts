import { Construct } from 'constructs';
import { Ordering } from '../../../src/core/construct/edge';
import { LabelOperator } from '../../../src/harvester/affinity/vm-affinity';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import {
  HostAddresses,
  HostNetworkConfig,
} from '../../../src/harvester/cluster-network/host-network-config';
import { BondMode, VlanConfig } from '../../../src/harvester/cluster-network/vlan-config';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNode } from '../../../src/harvester/node/node';
import { newApp, newHarvester } from '../../support/programs';
import { written } from '../../support/written';

const nodeOf = (dc1: HarvesterChart) => HarvesterNode.fromName(dc1, 'node', { name: 'n1' });

test('writes a cluster network with its uplinks', () => {
  const dc1 = newHarvester(newApp());
  const storage = new ClusterNetwork(dc1, 'storage', {
    description: 'for tenants',
    labels: { a: 'b' },
  });
  const uplink = new VlanConfig(dc1, 'up', {
    clusterNetwork: storage,
    nics: ['enp2s0', 'enp3s0'],
    bondMode: BondMode.LACP,
    bondMiimon: 50,
    mtu: 9000,
    txQueueLength: 1000,
    nodeSelector: { zone: 'a' },
    description: 'rack a',
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'network.harvesterhci.io/v1beta1',
      kind: 'ClusterNetwork',
      metadata: {
        name: 'storage',
        labels: { a: 'b' },
        annotations: { 'field.cattle.io/description': 'for tenants' },
      },
    },
    {
      apiVersion: 'network.harvesterhci.io/v1beta1',
      kind: 'VlanConfig',
      metadata: {
        name: 'up',
        labels: { 'network.harvesterhci.io/clusternetwork': 'storage' },
        annotations: { 'field.cattle.io/description': 'rack a' },
      },
      spec: {
        description: 'rack a',
        clusterNetwork: 'storage',
        nodeSelector: { zone: 'a' },
        uplink: {
          nics: ['enp2s0', 'enp3s0'],
          linkAttributes: { mtu: 9000, txQLen: 1000 },
          bondOptions: { mode: '802.3ad', miimon: 50 },
        },
      },
    },
  ]);
  expect(
    Ordering.of(uplink)
      ._declared()
      .map(({ to, type }) => [to.node.id, type]),
  ).toEqual([['storage', 'applied']]);
});

test('omits the props that are not set', () => {
  const dc1 = newHarvester(newApp());
  new VlanConfig(dc1, 'up', {
    clusterNetwork: ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' }),
    nics: ['enp2s0'],
  });
  expect(dc1.toJson()[0].spec).toEqual({
    clusterNetwork: 'storage',
    uplink: { nics: ['enp2s0'], bondOptions: { mode: 'active-backup' } },
  });
});

test('refuses invalid names, MTUs and uplinks', () => {
  const dc1 = newHarvester(newApp());
  expect(() => new ClusterNetwork(dc1, 'thirteen-char')).toThrow(
    '[dc1/thirteen-char] name: must have at most 12 characters, got "thirteen-char"',
  );
  expect(() => new ClusterNetwork(dc1, 'mgmt')).toThrow(
    '[dc1/mgmt] name: cannot be created, got "mgmt": every Harvester has this cluster network. Fix: use ClusterNetwork.mgmt',
  );
  expect(() => ClusterNetwork.fromName(dc1, 'there', { name: 'thirteen-char' })).toThrow(
    '[dc1/there] name: must have at most 12 characters, got "thirteen-char": the name of the bridge thirteen-char-br may have 15 (the server: "the length of the clusterNetwork name thirteen-char is more than 12"). Fix: choose a shorter name',
  );
  expect(
    () =>
      new VlanConfig(dc1, 'a', {
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        nics: ['x'],
        mtu: 9001,
        bondMiimon: -2,
      }),
  ).toThrow(
    /clusterNetwork: cannot have a VlanConfig, got "mgmt"[^]*\n\[dc1\/a\] mtu: must be 576 to 9000, got 9001[^]*\n\[dc1\/a\] bondMiimon: must be -1 or more, got -2/,
  );
  expect(
    () =>
      new VlanConfig(dc1, 'c', {
        clusterNetwork: ClusterNetwork.fromName(dc1, 'prod-network', { name: 'prod' }),
        nics: ['x'],
        bondMiimon: 1.5,
      }),
  ).toThrow('[dc1/c] bondMiimon: must be a whole number, got a number with a fraction');
  expect(
    () =>
      new VlanConfig(dc1, 'b', {
        clusterNetwork: ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' }),
        nics: [],
        mtu: 100,
      }),
  ).toThrow(
    /\[dc1\/b\] nics: must contain an interface.*\n\[dc1\/b\] mtu: must be 576 to 9000, got 100/,
  );
});

test('writes a host network that waits for its uplinks', () => {
  const dc1 = newHarvester(newApp(), '1.8.2');
  const early = new HostNetworkConfig(dc1, 'hosts', {
    clusterNetwork: ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' }),
    vlan: 20,
    addresses: HostAddresses.fixed([{ node: nodeOf(dc1), address: '10.1.0.11/24' }]),
    nodeSelector: { zone: 'a' },
  });
  new VlanConfig(dc1, 'up', { clusterNetwork: new ClusterNetwork(dc1, 'storage'), nics: ['a'] });
  new HostNetworkConfig(dc1, 'underlay', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 21,
    underlay: true,
  });
  expect(
    dc1
      .toJson()
      .filter(({ kind }) => kind === 'HostNetworkConfig')
      .map(({ spec }) => spec),
  ).toEqual([
    {
      clusterNetwork: 'storage',
      vlanID: 20,
      mode: 'static',
      ips: { n1: '10.1.0.11/24' },
      nodeSelector: { matchLabels: { zone: 'a' } },
    },
    { clusterNetwork: 'mgmt', vlanID: 21, mode: 'dhcp', underlay: true },
  ]);
  // Harvester asks for uplinks that are ready
  expect(
    Ordering.of(early)
      ._declared()
      .map(({ to, type }) => [to.node.id, type]),
  ).toEqual([
    ['storage', 'applied'],
    ['up', 'ready'],
  ]);
});

test('refuses invalid host networks', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(
    () => new HostNetworkConfig(dc1, 'a', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 5 }),
  ).toThrow('[dc1/a] HostNetworkConfig needs Harvester 1.8.0 or later, got 1.7.2');
  const dc2 = newHarvester(app, '1.8.2', 'dc2');
  expect(
    () =>
      new HostNetworkConfig(dc2, 'a', {
        clusterNetwork: ClusterNetwork.fromName(dc2, 'production-network', { name: 'production' }),
        vlan: 100,
      }),
  ).toThrow(
    '[dc2/a] vlan: cannot be used, got 100: the name of the interface production-br.100 may have at most 15 characters',
  );
  expect(
    () =>
      new HostNetworkConfig(dc2, 'b', {
        clusterNetwork: ClusterNetwork.mgmt(dc2),
        vlan: 5,
        addresses: HostAddresses.fixed([]),
      }),
  ).toThrow('[dc2/b] addresses: must be set for the mode static');
  expect(
    () =>
      new HostNetworkConfig(dc2, 'c', {
        clusterNetwork: ClusterNetwork.mgmt(dc2),
        vlan: 5,
        addresses: HostAddresses.fixed([{ node: nodeOf(dc2), address: '10.0.0.1' }]),
      }),
  ).toThrow('addresses[n1]: must be a CIDR, got "10.0.0.1"');
});

test('refuses a cluster network and a node of another Harvester, and a node twice', () => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app, '1.8.2'), newHarvester(app, '1.8.2', 'dc2')];
  const address = '10.1.0.11/24';
  const [node, other] = [nodeOf(dc1), nodeOf(dc2)];
  expect(
    () =>
      new VlanConfig(dc1, 'up', {
        clusterNetwork: new ClusterNetwork(dc2, 'storage'),
        nics: ['a'],
      }),
  ).toThrow(
    '[dc1/up] clusterNetwork: must be on the same Harvester, dc1, got "storage": it is on dc2. Fix: use one on dc1',
  );
  expect(
    () =>
      new HostNetworkConfig(dc1, 'hosts', {
        clusterNetwork: ClusterNetwork.mgmt(dc2),
        vlan: 5,
        addresses: HostAddresses.fixed([
          { node: other, address },
          { node, address: '10.1.0.12/24' },
        ]),
      }),
  ).toThrow(
    new RegExp(
      [
        'clusterNetwork: must be on the same Harvester, dc1, got "mgmt"',
        'addresses\\[0\\].node: must be on the same Harvester, dc1, got "n1"',
        'addresses\\[1\\].node: must be unique, got "n1"',
      ].join('[^]*'),
    ),
  );
});

test('has one cluster network mgmt on each Harvester, which writes nothing', () => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app), newHarvester(app, '1.7.2', 'dc2')];
  const mgmt = ClusterNetwork.mgmt(new Construct(dc1, 'inner'));
  expect(mgmt).toBe(ClusterNetwork.mgmt(dc1));
  expect(mgmt).not.toBe(ClusterNetwork.mgmt(dc2));
  expect([mgmt.name, mgmt.harvester]).toEqual(['mgmt', dc1]);
  expect(written(app)).toEqual({});
  new ClusterNetwork(newHarvester(app, '1.7.2', 'dc3'), 'ClusterNetwork-mgmt', { name: 'a' });
  expect(() => ClusterNetwork.mgmt(app.node.findChild('dc3') as HarvesterChart)).toThrow(
    '[dc3] ClusterNetwork-mgmt: cannot be the ID of another construct',
  );
});

test('refers to existing uplinks and host networks', () => {
  const dc1 = newHarvester(newApp());
  expect(VlanConfig.fromName(dc1, 'a', { name: 'up' })).toMatchObject({
    name: 'up',
    harvester: dc1,
  });
  expect(HostNetworkConfig.fromName(dc1, 'b', { name: 'hosts' })).toMatchObject({
    name: 'hosts',
    harvester: dc1,
  });
  expect(dc1.toJson()).toEqual([]);
});

test('writes the MAC address of a bond as the bytes that the controller reads', () => {
  const dc1 = newHarvester(newApp());
  const props = {
    clusterNetwork: ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' }),
    nics: ['enp2s0'],
  };
  new VlanConfig(dc1, 'up', { ...props, macAddress: '52:54:00:12:34:56' });
  expect(dc1.toJson()[0].spec.uplink.linkAttributes).toEqual({ hardwareAddr: 'UlQAEjRW' });
  expect(() => new VlanConfig(dc1, 'other', { ...props, macAddress: '52-54' })).toThrow(
    '[dc1/other] macAddress: must be a MAC address, got "52-54"',
  );
});

test('selects the nodes of a host network by labels and by requirements', () => {
  const dc2 = newHarvester(newApp(), '1.8.2', 'dc2');
  new HostNetworkConfig(dc2, 'hosts', {
    clusterNetwork: ClusterNetwork.mgmt(dc2),
    vlan: 21,
    nodeSelector: { rack: 'a' },
    nodeRequirements: [
      { key: 'zone', values: ['1', '2'] },
      { key: 'gpu', operator: LabelOperator.DOES_NOT_EXIST },
    ],
  });
  expect(dc2.toJson()[0].spec.nodeSelector).toEqual({
    matchLabels: { rack: 'a' },
    matchExpressions: [
      { key: 'zone', operator: 'In', values: ['1', '2'] },
      { key: 'gpu', operator: 'DoesNotExist' },
    ],
  });
  expect(
    () =>
      new HostNetworkConfig(dc2, 'bad', {
        clusterNetwork: ClusterNetwork.mgmt(dc2),
        vlan: 22,
        nodeRequirements: [{ key: 'zone', operator: LabelOperator.GREATER_THAN, values: ['1'] }],
      }),
  ).toThrow('nodeRequirements');
});
