import { adopted, foundHarvester } from './_found';
import { testInverses } from './_inverses';
import { Manifest } from '../../src/core/manifest/manifest';

const VALUES = 'Harvester writes values itself: those of the program and those of Harvester look the same';

testInverses(['ClusterNetwork', 'HarvesterNamespace', 'IpPool', 'VmNetwork', 'OverlayNetwork', 'VlanConfig', 'HostNetworkConfig', 'VmLoadBalancer', 'Addon', 'BundledAddon', 'HarvesterNode', 'NodeCloudInit',
  'HostStorageClass', 'OverlayVpc', 'OverlaySubnet'], {
  'BundledAddon: replaceValues': VALUES,
  'BundledAddon.monitoring: replaceValues': VALUES,
  'BundledAddon.logging: replaceValues': VALUES,
  'BundledAddon.pciDevices: replaceValues': VALUES,
  'BundledAddon.vmImport: replaceValues': VALUES,
  'BundledAddon.kubeOvn: replaceValues': VALUES,
  'BundledAddon.nvidiaDriver: replaceValues': VALUES,
  'VmNetwork: mtu': 'an MTU of 0 is written as none',
});

test('keeps the file of a CloudInit that someone wrote by hand', () => {
  // as the documentation of Harvester has it
  const contents = 'stages:\n  network:\n    - authorized_keys:\n        rancher:\n          - ssh-rsa AAAA\n';
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
