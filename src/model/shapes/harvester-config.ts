import { each, KindShape, root } from './shape';

/** HarvesterConfig, which Rancher makes from the flags of the node driver: no `spec`, and each number is text. */
export const HARVESTER_CONFIG: KindShape = {
  apiVersion: 'rke-machine-config.cattle.io/v1',
  kind: 'HarvesterConfig',
  shape: root({
    ...each('boolean', 'cpuPinning', 'enableEfi', 'enableSecureBoot', 'enableTpm', 'isolateEmulatorThread'),
    ...each(
      'string', 'cloudConfig', 'clusterId', 'clusterName', 'clusterType', 'cpuCount', 'cpuModel', 'diskBus', 'diskInfo', 'diskSize', 'imageName',
      'keyPairName', 'kubeconfigContent', 'memorySize', 'networkData', 'networkInfo', 'networkModel', 'networkName', 'networkType',
      'reservedMemorySize', 'sshPassword', 'sshPort', 'sshPrivateKeyPath', 'sshUser', 'userData', 'vgpuInfo', 'vmAffinity', 'vmNamespace',
    ),
  }),
};
