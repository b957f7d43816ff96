import './registry/register';
export { CloudConfigCompat } from './guest/cloud-provider/cloud-config-secret';
export { MachineTexts } from './guest/machine-pool/machine-pool';
export { VmCreator } from './harvester/virtual-machine/virtual-machine-props';
