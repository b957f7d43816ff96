import './registry/register';
export { AdoptedCloudProvider } from './guest/cloud-provider/bundled-provider';
export { AdoptedCloudConfig, CloudConfigCompat } from './guest/cloud-provider/cloud-config-secret';
export { AdoptedProvisionedCluster } from './guest/cluster/provisioned-cluster-props';
export { AdoptedMachinePool } from './guest/machine-pool/machine-pool';
export { AdoptedDeviceClaim } from './harvester/device/device-claim';
export { AdoptedObject } from './harvester/harvester-resource';
export {
  AdoptedVirtualMachine,
  VmCreator,
} from './harvester/virtual-machine/props/virtual-machine-props';
export { AdoptedManagedCluster } from './rancher/cluster/managed-cluster';
export { AdoptedProject } from './rancher/project/tenant-project';
