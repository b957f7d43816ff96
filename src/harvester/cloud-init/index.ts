export { CloudInit, CloudInitTextOptions } from './cloud-init';
export { CloudInitCommand } from './cloud-init-command';
export { CloudInitFile, CloudInitFileOptions } from './cloud-init-file';
export { CloudInitProps } from './cloud-init-props';
export { CloudInitUser } from './cloud-init-user';
export { GuestAgent, GuestAgentOptions } from './guest-agent';
export {
  NetworkData, NetworkDataV1Config, NetworkDataV2Props, NetworkDevice, NetworkRoute, PhysicalInterface, PhysicalSubnet,
} from './network-data';
