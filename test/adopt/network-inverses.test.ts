import { testInverses } from './_inverses';

const VALUES = 'Harvester writes values itself: those of the program and those of Harvester look the same';

testInverses(['ClusterNetwork', 'HarvesterNamespace', 'IpPool', 'VmNetwork', 'OverlayNetwork', 'VlanConfig', 'HostNetworkConfig', 'VmLoadBalancer', 'Addon', 'BundledAddon', 'HarvesterNode', 'NodeCloudInit',
  'HostStorageClass'], {
  'BundledAddon: values': VALUES,
  'BundledAddon.monitoring: values': VALUES,
  'BundledAddon.logging: values': VALUES,
  'BundledAddon.pciDevices: values': VALUES,
  'BundledAddon.vmImport: values': VALUES,
  'BundledAddon.kubeOvn: values': VALUES,
  'BundledAddon.nvidiaDriver: values': VALUES,
  'VmNetwork: mtu': 'an MTU of 0 is written as none',
});
