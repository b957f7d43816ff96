import { MachinePool } from './machine-pool';
import { byText } from '../../core/text/values';

/** The props by the fields of a HarvesterConfig and of an entry of machinePools that hold them. */
export const POOL_PROPS: { readonly [field: string]: string } = {
  'autoscalingMaxSize': 'autoscaling.max',
  'autoscalingMinSize': 'autoscaling.min',
  'controlPlaneRole': 'roles.controlPlane',
  'cpuCount': 'cpus',
  'diskInfo': 'disks',
  'diskInfo.disks': 'disks',
  'enableEfi': 'efi',
  'enableSecureBoot': 'secureBoot',
  'enableTpm': 'tpm',
  'etcdRole': 'roles.etcd',
  'machineOS': 'machineOs',
  'machinePools': 'pools',
  'memorySize': 'memory',
  'networkInfo': 'networks',
  'networkInfo.interfaces': 'networks',
  'reservedMemorySize': 'reservedMemory',
  'vgpuInfo': 'vgpus',
  'vgpuInfo.vGPURequests': 'vgpus',
  'workerRole': 'roles.worker',
};

/** Fields of a HarvesterConfig with the name of their prop, or whose names are in no message. */
const OTHERS: { readonly [field: string]: string } = {
  cpuModel: 'cpuModel',
  cpuPinning: 'cpuPinning',
  isolateEmulatorThread: 'isolateEmulatorThread',
  networkData: 'networkData',
  sshPassword: 'sshPassword',
  sshPort: 'sshPort',
  sshUser: 'sshUser',
  userData: 'cloudInit',
  vmAffinity: 'affinity',
};

/** Fields of an entry of machinePools whose props have other names. */
const OF_ENTRY: { readonly [field: string]: string } = {
  autoscalingMaxSize: 'autoscaling.max',
  autoscalingMinSize: 'autoscaling.min',
  cloudCredentialSecretName: 'credential',
  controlPlaneRole: 'roles.controlPlane',
  etcdRole: 'roles.etcd',
  labels: 'nodeLabels',
  machineConfigRef: 'machineConfigName',
  machineOS: 'machineOs',
  workerRole: 'roles.worker',
};

/** The props of a pool that the fields of its HarvesterConfig are from. */
export function machineConfigProps({ name, nics }: MachinePool): {
  readonly [field: string]: string;
} {
  return nics ? propsWithNics(name) : propsWithNetworks(name);
}

const propsWithNetworks = byText((name) => propsOfConfig(name, {}));
const propsWithNics = byText((name) =>
  propsOfConfig(name, { 'networkInfo': 'nics', 'networkInfo.interfaces': 'nics' }),
);

function propsOfConfig(
  name: string,
  own: { readonly [field: string]: string },
): { readonly [field: string]: string } {
  const props = Object.entries({ ...POOL_PROPS, ...OTHERS, ...own });
  return {
    ...Object.fromEntries(props.map(([field, prop]) => [field, `pools[${name}].${prop}`])),
    vmNamespace: 'vmNamespace',
  };
}

const POOLS = 'spec.rkeConfig.machinePools';

/**
 * The props that the entries of the pools of a Cluster are from. @param names of the pools of the
 * program, one for each entry
 */
export function machinePoolsProps(names: readonly string[]): { readonly [field: string]: string } {
  return propsOfEntries(JSON.stringify(names));
}

// the clusters of a program often have pools of the same names
const propsOfEntries = byText((list) => {
  const names = JSON.parse(list) as readonly string[];
  return Object.fromEntries([
    ...names.flatMap((name, index) => [
      ...Object.entries(OF_ENTRY).map(([field, prop]) => [
        `${POOLS}[${index}].${field}`,
        `pools[${name}].${prop}`,
      ]),
      [`${POOLS}[${index}]`, `pools[${name}]`],
    ]),
    [POOLS, 'pools'],
  ]) as { readonly [field: string]: string };
});
