import { ApiObject } from 'cdk8s';
import { Ordering } from '../../../src/core/construct/edge';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VlanConfig } from '../../../src/harvester/cluster-network/vlan-config';
import {
  OverlayNetwork,
  VmNetwork,
  VmNetworkRoute,
} from '../../../src/harvester/network/vm-network';
import { newApp, newHarvester } from '../../support/programs';

const configs = (chart: { toJson(): { kind: string; spec: { config: string } }[] }) =>
  chart
    .toJson()
    .filter(({ kind }) => kind === 'NetworkAttachmentDefinition')
    .map(({ spec }) => spec.config);

test('writes a VLAN network byte for byte as the UI does', () => {
  const dc1 = newHarvester(newApp());
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
    description: 'production',
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: {
        name: 'prod',
        namespace: 'default',
        labels: {
          'network.harvesterhci.io/clusternetwork': 'mgmt',
          'network.harvesterhci.io/type': 'L2VlanNetwork',
          'network.harvesterhci.io/vlan-id': '100',
        },
        annotations: { 'field.cattle.io/description': 'production' },
      },
      spec: {
        config:
          '{"cniVersion":"0.3.1","name":"prod","type":"bridge","bridge":"mgmt-br","promiscMode":true,"vlan":100,"ipam":{}}',
      },
    },
  ]);
  expect(network.networkId).toBe('default/prod');
  expect(kindOf<KindDescription>(ApiObject.of(network))!.rewritten).toContain('spec.config');
});

test('writes untagged networks, trunks and overlays', () => {
  const dc1 = newHarvester(newApp());
  new VmNetwork(dc1, 'plain', { clusterNetwork: ClusterNetwork.mgmt(dc1) });
  new VmNetwork(dc1, 'trunk', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    trunk: [{ first: 100, last: 200 }, { first: 300 }],
  });
  const overlay = new OverlayNetwork(dc1, 'overlay');
  expect(configs(dc1 as never)).toEqual([
    '{"cniVersion":"0.3.1","name":"plain","type":"bridge","bridge":"mgmt-br","promiscMode":true,"ipam":{}}',
    '{"cniVersion":"0.3.1","name":"trunk","type":"bridge","bridge":"mgmt-br","promiscMode":true,"vlan":0,"ipam":{},"vlanTrunk":[{"minID":100,"maxID":200},{"minID":300,"maxID":300}]}',
    '{"cniVersion":"0.3.1","name":"overlay","type":"kube-ovn","provider":"overlay.default.ovn","server_socket":"/run/openvswitch/kube-ovn-daemon.sock"}',
  ]);
  expect(
    dc1.toJson().map(({ metadata }) => metadata.labels['network.harvesterhci.io/type']),
  ).toEqual(['UntaggedNetwork', 'L2VlanTrunkNetwork', 'OverlayNetwork']);
  expect(overlay.provider).toBe('overlay.default.ovn');
});

test('writes routes', () => {
  const dc1 = newHarvester(newApp());
  new VmNetwork(dc1, 'a', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 5,
    route: VmNetworkRoute.auto(),
  });
  new VmNetwork(dc1, 'b', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 6,
    route: VmNetworkRoute.auto({ dhcpServer: '10.0.0.2' }),
  });
  new VmNetwork(dc1, 'c', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 7,
    route: VmNetworkRoute.manual('10.0.0.0/24', '10.0.0.1'),
  });
  expect(
    dc1.toJson().map(({ metadata }) => metadata.annotations['network.harvesterhci.io/route']),
  ).toEqual([
    '{"mode":"auto"}',
    '{"mode":"auto","serverIPAddr":"10.0.0.2"}',
    '{"mode":"manual","cidr":"10.0.0.0/24","gateway":"10.0.0.1"}',
  ]);
});

test('has the MTU of the uplinks and waits for them, declared in any order', () => {
  const dc1 = newHarvester(newApp());
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' }),
    vlan: 5,
  });
  const storage = new ClusterNetwork(dc1, 'storage');
  new VlanConfig(dc1, 'up', { clusterNetwork: storage, nics: ['a'], mtu: 9000 });
  new VmNetwork(dc1, 'own', { clusterNetwork: storage, vlan: 6, mtu: 1400 });
  expect(
    configs(dc1 as never).map((config) => (JSON.parse(config) as { mtu: number }).mtu),
  ).toEqual([9000, 1400]);
  expect(configs(dc1 as never)[0]).toMatch(/"ipam":\{\},"mtu":9000\}$/);
  expect(
    Ordering.of(network)
      ._declared()
      .map(({ to, type }) => [to.node.id, type]),
  ).toEqual([
    ['storage', 'applied'],
    ['up', 'applied'],
  ]);
});

test('omits the default MTU of the uplinks', () => {
  const dc1 = newHarvester(newApp());
  const storage = ClusterNetwork.fromName(dc1, 'storage-network', { name: 'storage' });
  new VlanConfig(dc1, 'up', { clusterNetwork: storage, nics: ['a'], mtu: 1500 });
  new VmNetwork(dc1, 'prod', { clusterNetwork: storage, vlan: 5 });
  expect(configs(dc1 as never)[0]).not.toContain('mtu');
});

test('refuses invalid networks, with the names of props', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(
    () => new VmNetwork(dc1, 'a', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 4095 }),
  ).toThrow(
    '[dc1/a] vlan: must be 1 to 4094, got 4095 (the server: "vlan 4095 is out of range [0 .. 4094]"). Fix: set a VLAN ID, or remove vlan for an untagged network',
  );
  expect(
    () =>
      new VmNetwork(dc1, 'b', {
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        vlan: 5,
        trunk: [{ first: 9, last: 8 }],
        route: VmNetworkRoute.auto(),
      }),
  ).toThrow(
    /route: cannot be combined[^]*vlan: cannot be combined with a trunk, got 5[^]*trunk\[0\]\.last: must be at least minID, 9, got 8/,
  );
  expect(
    () => new VmNetwork(dc1, 'c', { clusterNetwork: ClusterNetwork.mgmt(dc1), trunk: [] }),
  ).toThrow('trunk: must contain a VLAN');
  expect(
    () => new VmNetwork(dc1, 'd', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 0 }),
  ).toThrow('vlan: must be 1 to 4094, got 0');
  expect(
    () => new VmNetwork(dc1, 'e', { clusterNetwork: ClusterNetwork.mgmt(dc1), mtu: 100 }),
  ).toThrow('mtu: must be 576 to 9000, got 100');
  expect(
    () =>
      new VmNetwork(dc1, 'f', {
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        vlan: 5,
        route: VmNetworkRoute.manual('10.0.0.0', 'x'),
      }),
  ).toThrow(
    /route\.cidr: must be a CIDR, got "10\.0\.0\.0"[^]*route\.gateway: must be an IP address, got "x"/,
  );
  expect(
    () =>
      new VmNetwork(dc1, 'other', {
        clusterNetwork: ClusterNetwork.mgmt(newHarvester(app, '1.7.2', 'dc2')),
      }),
  ).toThrow(
    '[dc1/other] clusterNetwork: must be on the same Harvester, dc1, got "mgmt": it is on dc2. Fix: use one on dc1',
  );
  const old = newHarvester(app, '1.5.2', 'old');
  expect(
    () =>
      new VmNetwork(old, 'g', { clusterNetwork: ClusterNetwork.mgmt(old), trunk: [{ first: 5 }] }),
  ).toThrow(
    '[old/g] trunk: a network of several VLANs (L2VlanTrunkNetwork) needs Harvester 1.7.0 or later, got 1.5.2',
  );
  expect(() => new OverlayNetwork(old, 'h')).toThrow(
    '[old/h] an overlay network (add-on kubeovn-operator) needs Harvester 1.6.0 or later',
  );
});

test('refers to an existing object', () => {
  const dc1 = newHarvester(newApp());
  expect(VmNetwork.fromName(dc1, 'a', { name: 'prod', namespace: 'nets' }).networkId).toBe(
    'nets/prod',
  );
  expect(VmNetwork.fromName(dc1, 'b', { name: 'prod' }).networkId).toBe('default/prod');
  expect(dc1.toJson()).toEqual([]);
  expect(() => VmNetwork.fromName(dc1, 'c', { name: 'nets/prod' })).toThrow(
    '[dc1/c] name: must be a valid object name, got "nets/prod"',
  );
});
