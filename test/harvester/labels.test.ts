import { SecretValue } from '../../src/core/value/secret-value';
import { Ipam } from '../../src/guest/balancer/service-address';
import { Addon } from '../../src/harvester/addon/addon';
import { CloudInit } from '../../src/harvester/cloud-init/cloud-init';
import { CloudInitTemplate } from '../../src/harvester/cloud-init/cloud-init-secret';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { HostNetworkConfig } from '../../src/harvester/cluster-network/host-network-config';
import { VlanConfig } from '../../src/harvester/cluster-network/vlan-config';
import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { VmImage } from '../../src/harvester/image/vm-image';
import { IpPool } from '../../src/harvester/ip-pool/ip-pool';
import { KeyPair } from '../../src/harvester/key-pair/key-pair';
import { VmLoadBalancer } from '../../src/harvester/load-balancer/vm-load-balancer';
import { OverlayNetwork, VmNetwork } from '../../src/harvester/network/vm-network';
import { NodeCloudInit } from '../../src/harvester/node/node';
import { HarvesterStorageClass } from '../../src/harvester/storage/harvester-storage-class';
import { VolumeEncryption } from '../../src/harvester/storage/volume-encryption';
import { newApp, newHarvester } from '../support/programs';

const labels = { 'tag.harvesterhci.io/team': 'shop' };
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';

const KINDS: readonly (readonly [what: string, make: (dc1: HarvesterChart) => void])[] = [
  [
    'VmImage',
    (dc1) => {
      VmImage.download(dc1, 'a', { url: 'https://images.example.com/a.img', labels });
    },
  ],
  [
    'KeyPair',
    (dc1) => {
      new KeyPair(dc1, 'a', { publicKey: KEY, labels });
    },
  ],
  [
    'ClusterNetwork',
    (dc1) => {
      new ClusterNetwork(dc1, 'a', { labels });
    },
  ],
  [
    'VlanConfig',
    (dc1) => {
      new VlanConfig(dc1, 'a', {
        clusterNetwork: ClusterNetwork.fromName(dc1, 'prod-network', { name: 'prod' }),
        nics: ['eno2'],
        labels,
      });
    },
  ],
  [
    'VmNetwork',
    (dc1) => {
      new VmNetwork(dc1, 'a', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 5, labels });
    },
  ],
  [
    'OverlayNetwork',
    (dc1) => {
      new OverlayNetwork(dc1, 'a', { labels });
    },
  ],
  [
    'HostNetworkConfig',
    (dc1) => {
      new HostNetworkConfig(dc1, 'a', {
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        vlan: 5,
        labels,
      });
    },
  ],
  [
    'HarvesterStorageClass',
    (dc1) => {
      new HarvesterStorageClass(dc1, 'a', { labels });
    },
  ],
  [
    'VolumeEncryption',
    (dc1) => {
      new VolumeEncryption(dc1, 'a', { passphrase: SecretValue.unsafePlainText('x'), labels });
    },
  ],
  [
    'IpPool',
    (dc1) => {
      new IpPool(dc1, 'a', { ranges: [{ subnet: '10.0.0.0/24' }], labels });
    },
  ],
  [
    'VmLoadBalancer',
    (dc1) => {
      new VmLoadBalancer(dc1, 'a', {
        ipam: Ipam.dhcp(),
        listeners: [{ port: 80 }],
        backendSelector: { app: ['web'] },
        labels,
      });
    },
  ],
  [
    'Addon',
    (dc1) => {
      new Addon(dc1, 'a', {
        repository: 'https://charts.example.com',
        chart: 'a',
        version: '1',
        labels,
      });
    },
  ],
  [
    'CloudInitTemplate',
    (dc1) => {
      CloudInitTemplate.user(dc1, 'a', CloudInit.of(), { labels });
    },
  ],
  [
    'NodeCloudInit',
    (dc1) => {
      new NodeCloudInit(dc1, 'a', { stages: {}, labels });
    },
  ],
];

test.each(KINDS)('writes the labels of the program and of Harvester on %s', (_, make) => {
  const dc1 = newHarvester(newApp(), '1.8.2');
  make(dc1);
  expect(dc1.toJson()[0].metadata.labels).toMatchObject(labels);
});

test('does not overwrite a label of Harvester', () => {
  const dc1 = newHarvester(newApp(), '1.8.2');
  new VlanConfig(dc1, 'a', {
    clusterNetwork: ClusterNetwork.fromName(dc1, 'prod-network', { name: 'prod' }),
    nics: ['eno2'],
    labels: { 'network.harvesterhci.io/clusternetwork': 'other' },
  });
  expect(dc1.toJson()[0].metadata.labels).toEqual({
    'network.harvesterhci.io/clusternetwork': 'prod',
  });
});

test('writes the description of a KeyPair', () => {
  const dc1 = newHarvester(newApp());
  new KeyPair(dc1, 'ana', { publicKey: KEY, description: 'laptop' });
  expect(dc1.toJson()[0].metadata.annotations).toEqual({ 'field.cattle.io/description': 'laptop' });
});
