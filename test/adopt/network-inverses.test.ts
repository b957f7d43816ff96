import { adopted, foundHarvester } from './_found';
import { testInverses } from './_inverses';
import { Manifest } from '../../src/core/manifest/manifest';

const VALUES =
  'Harvester writes values itself: those of the program and those of Harvester look the same';

testInverses(
  [
    'ClusterNetwork',
    'HarvesterVolumeSnapshotClass',
    'HarvesterNamespace',
    'IpPool',
    'VmNetwork',
    'OverlayNetwork',
    'VlanConfig',
    'HostNetworkConfig',
    'VmLoadBalancer',
    'Addon',
    'BundledAddon',
    'HarvesterNode',
    'NodeCloudInit',
    'HarvesterStorageClass',
    'OverlayVpc',
    'OverlaySubnet',
  ],
  {
    'BundledAddon: replaceValues': VALUES,
    'BundledAddon.monitoring: replaceValues': VALUES,
    'BundledAddon.logging: replaceValues': VALUES,
    'BundledAddon.pciDevices: replaceValues': VALUES,
    'BundledAddon.vmImport: replaceValues': VALUES,
    'BundledAddon.kubeOvn: replaceValues': VALUES,
    'BundledAddon.nvidiaDriver: replaceValues': VALUES,
    'VmNetwork: mtu': 'an MTU of 0 is written as none',
  },
);

test('keeps the file of a CloudInit that someone wrote by hand', () => {
  // as the documentation of Harvester has it
  const contents =
    'stages:\n  network:\n    - authorized_keys:\n        rancher:\n          - ssh-rsa AAAA\n';
  const live: Manifest = {
    apiVersion: 'node.harvesterhci.io/v1beta1',
    kind: 'CloudInit',
    metadata: { name: 'ssh-access', generation: 1 },
    spec: { matchSelector: {}, filename: '99_ssh.yaml', contents, paused: false },
    status: { conditions: [] },
  };
  const { text, differences } = adopted([foundHarvester('dc1', '1.7.2', [live])]);
  expect(differences).toEqual([]);
  expect(text).toContain("new NodeCloudInit(dc1, 'ssh-access', {\n  contents: `stages:");
  expect(text).not.toContain('addJsonPatch');
});

test('adopts a Subnet as the controller of Kube-OVN completes it', () => {
  const provider = 'apps.default.ovn';
  const config = JSON.stringify({
    cniVersion: '0.3.1',
    name: 'apps',
    type: 'kube-ovn',
    provider,
    server_socket: '/run/openvswitch/kube-ovn-daemon.sock',
  });
  const { text, differences, errors } = adopted([
    foundHarvester('dc1', '1.8.2', [
      {
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: {
          name: 'apps',
          namespace: 'default',
          labels: {
            'network.harvesterhci.io/clusternetwork': 'mgmt',
            'network.harvesterhci.io/type': 'OverlayNetwork',
          },
        },
        spec: { config },
      },
      {
        apiVersion: 'kubeovn.io/v1',
        kind: 'Vpc',
        metadata: { name: 'team-a' },
        spec: {},
        status: { standby: true },
      },
      {
        apiVersion: 'kubeovn.io/v1',
        kind: 'Subnet',
        metadata: { name: 'team-a-apps', finalizers: ['kubeovn.io/kube-ovn-controller'] },
        spec: {
          vpc: 'team-a',
          provider,
          protocol: 'IPv4',
          cidrBlock: '10.20.0.0/24',
          gateway: '10.20.0.1',
          excludeIps: ['10.20.0.1'],
          enableDHCP: true,
          default: false,
          gatewayNode: '',
          gatewayType: 'distributed',
          natOutgoing: false,
          private: false,
          enableLb: true,
        },
        status: { v4usingIPs: 2 },
      },
    ]),
  ]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(text).toMatch(
    /new OverlaySubnet\(dc1, 'team-a-apps', \{\s+network: \w+,\s+vpc: \w+,\s+cidr: '10\.20\.0\.0\/24',/,
  );
  expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
});

describe('peers', () => {
  const vpc = (
    name: string,
    peerings: readonly (readonly [peer: string, own: string])[],
    routes: readonly object[] = [],
  ): Manifest => ({
    apiVersion: 'kubeovn.io/v1',
    kind: 'Vpc',
    metadata: { name },
    spec: {
      staticRoutes: routes,
      vpcPeerings: peerings.map(([remoteVpc, localConnectIP]) => ({ remoteVpc, localConnectIP })),
    },
  });

  test('are connected by the one with the first address, and keep their own routes', () => {
    const { text, differences, errors } = adopted([
      foundHarvester('dc1', '1.8.2', [
        vpc(
          'blue',
          [
            ['red', '169.254.1.1/30'],
            ['green', '169.254.0.2/30'],
          ],
          [{ policy: 'policyDst', cidr: '10.30.0.0/16', nextHopIP: '10.20.0.254' }],
        ),
        vpc('green', [['blue', '169.254.0.1/30']]),
        vpc('red', [['blue', '169.254.1.2/30']]),
      ]),
    ]);
    expect({ differences, errors }).toEqual({ differences: [], errors: [] });
    expect(text).toContain("new OverlayVpc(dc1, 'green').peerWith(blue, '169.254.0.0/30');");
    expect(text).toContain("blue.peerWith(red, '169.254.1.0/30')");
    expect(text).toContain("cidr: '10.30.0.0/16'");
    expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
  });

  test.each<[string, readonly Manifest[]]>([
    [
      'is the only one to name the other',
      [vpc('blue', [['green', '169.254.0.1/30']]), vpc('green', [])],
    ],
    [
      'has another address',
      [vpc('blue', [['green', '169.254.0.5/24']]), vpc('green', [['blue', '169.254.0.6/24']])],
    ],
    [
      'has a peer in a circle',
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
      ].map(([name, next], index, all) =>
        vpc(name, [
          [next, `169.254.${index}.1/30`],
          [all[(index + 2) % 3][0], `169.254.${(index + 2) % 3}.2/30`],
        ]),
      ),
    ],
  ])('are written as they are if one %s', (_, objects) => {
    const { text, differences, errors } = adopted([foundHarvester('dc1', '1.8.2', objects)]);
    expect({ differences, errors }).toEqual({ differences: [], errors: [] });
    expect(text).not.toContain('peerWith');
  });
});
