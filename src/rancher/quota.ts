import { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/**
 * How much a project, or a namespace of one, may use. What is left out is not limited.
 *
 * On a Harvester the CPU and memory limits and the storage count for virtual machines; a machine takes more than its own memory, see
 * `VmQuota.forVirtualMachines`.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/resource-quota
 */
export interface Quota {
  /** The CPU that all containers and virtual machines may use together. @default - not limited */
  readonly limitsCpu?: Cpu;
  /** The memory that all containers and virtual machines may use together, with the overhead of the machines. @default - not limited */
  readonly limitsMemory?: Size;
  /** The CPU that they may reserve together. @default - not limited */
  readonly requestsCpu?: Cpu;
  /** The memory that they may reserve together. @default - not limited */
  readonly requestsMemory?: Size;
  /** The storage that volumes may have together. @default - not limited */
  readonly requestsStorage?: Size;
  /** How many volume claims there may be. @default - not limited */
  readonly persistentVolumeClaims?: number;
  /** How many pods there may be; a running virtual machine is one. @default - not limited */
  readonly pods?: number;
  /** How many Services there may be. @default - not limited */
  readonly services?: number;
  /** How many Services of type LoadBalancer there may be. @default - not limited */
  readonly servicesLoadBalancers?: number;
  /** How many node ports there may be. @default - not limited */
  readonly servicesNodePorts?: number;
  /** How many ReplicationControllers there may be. @default - not limited */
  readonly replicationControllers?: number;
  /** How many Secrets there may be. @default - not limited */
  readonly secrets?: number;
  /** How many ConfigMaps there may be. @default - not limited */
  readonly configMaps?: number;
  /**
   * Other resources by the names that Kubernetes' quotas have for them, as quantities, e.g. `{ 'requests.nvidia.com/gpu': '2' }`. Rancher 2.14.0
   * and later.
   * @default - not limited
   */
  readonly extended?: { readonly [resource: string]: string };
}

/**
 * What a container gets that names no requests or limits of its own. Requests must not be larger than limits.
 */
export interface ContainerDefaults {
  /** The CPU that it reserves. @default - none */
  readonly requestsCpu?: Cpu;
  /** The memory that it reserves. @default - none */
  readonly requestsMemory?: Size;
  /** The CPU that it may use. @default - none */
  readonly limitsCpu?: Cpu;
  /** The memory that it may use. @default - none */
  readonly limitsMemory?: Size;
}
