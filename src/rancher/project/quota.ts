import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { EXTENDED_PREFIX, QuotaLimit, bytesText, cpuText } from './quota.check';
import { Problem, problemText } from '../../core/rule/problem';
import { quantityOf } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { DEFAULT_OVERHEAD_RATIO, MIB, podAmounts } from '../../harvester/resource-quota/vm-pod.check';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/**
 * Quota of a project, or of a namespace in it.
 *
 * On Harvester, virtual machines count toward the CPU and memory limits and the storage. A virtual machine uses more than its own memory: see
 * `VmQuota.forVirtualMachines`.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/resource-quota
 */
export interface Quota {
  /** The CPU that all containers and virtual machines may use together. @default - not limited */
  readonly limitsCpu?: Cpu;
  /** The memory that all containers and virtual machines may use together, with the overhead of the machines. @default - not limited */
  readonly limitsMemory?: Size;
  /** The CPU that they may request together. @default - not limited */
  readonly requestsCpu?: Cpu;
  /** The memory that they may request together. @default - not limited */
  readonly requestsMemory?: Size;
  /** The storage that all volumes may request together. @default - not limited */
  readonly requestsStorage?: Size;
  /** Maximum number of PersistentVolumeClaims. @default - not limited */
  readonly persistentVolumeClaims?: number;
  /** Maximum number of Pods; a running virtual machine is one. @default - not limited */
  readonly pods?: number;
  /** Maximum number of Services. @default - not limited */
  readonly services?: number;
  /** Maximum number of Services of type LoadBalancer. @default - not limited */
  readonly servicesLoadBalancers?: number;
  /** Maximum number of node ports. @default - not limited */
  readonly servicesNodePorts?: number;
  /** Maximum number of ReplicationControllers. @default - not limited */
  readonly replicationControllers?: number;
  /** Maximum number of Secrets. @default - not limited */
  readonly secrets?: number;
  /** Maximum number of ConfigMaps. @default - not limited */
  readonly configMaps?: number;
  /**
   * Other resources by their names in a Kubernetes ResourceQuota, as quantities, e.g. `{ 'requests.nvidia.com/gpu': '2' }`. Rancher 2.14.0
   * and later.
   * @default - not limited
   */
  readonly extended?: { readonly [resource: string]: string };
}

/**
 * Default requests and limits of containers that set none. Requests are at most the limits.
 */
export interface ContainerDefaults {
  /** The CPU request. @default - no request */
  readonly requestsCpu?: Cpu;
  /** The memory request. @default - no request */
  readonly requestsMemory?: Size;
  /** The CPU limit. @default - no limit */
  readonly limitsCpu?: Cpu;
  /** The memory limit. @default - no limit */
  readonly limitsMemory?: Size;
}

/** A quota in Kubernetes quantities, in their canonical text. */
export function quotaLimit(quota: Quota): QuotaLimit {
  const { extended = {}, ...plain } = quota;
  return {
    ...texts(plain as { [key: string]: Cpu | Size | number | undefined }),
    ...Object.fromEntries(Object.entries(extended).map(([resource, amount]) => [`${EXTENDED_PREFIX}${resource}`, amount])),
  };
}

/** Container defaults in Kubernetes quantities. */
export function containerLimit(defaults: ContainerDefaults): QuotaLimit {
  return texts(defaults as { [key: string]: Cpu | Size | undefined });
}

/** Checks that a quota is not empty and that this version of Rancher has its fields. */
export function checkQuota(path: string, quota: Quota | undefined, version: RancherVersion): Problem[] {
  if (!quota) { return []; }
  const gate = quota.extended && FeatureGates.of(RancherGate.PROJECT_QUOTA_EXTENDED)._lack(version);
  return [
    ...(Object.keys(quotaLimit(quota)).length > 0 ? [] : [{ path, message: 'cannot be empty', fix: 'limit a resource, or remove it' }]),
    ...(gate ? [{ path: `${path}.extended`, message: gate, fix: 'remove it' }] : []),
    ...Object.entries(quota).filter(([, value]) => typeof value === 'number' && !Number.isInteger(value)).map(([key, value]) => ({
      path: `${path}.${key}`, value, message: 'must be a whole number', fix: 'set a whole number of 0 or more',
    })),
  ];
}

function texts(amounts: { [key: string]: Cpu | Size | number | undefined }): QuotaLimit {
  return Object.fromEntries(Object.entries(amounts).flatMap(([key, amount]) => (amount === undefined ? [] : [[key, textOf(amount)]])));
}

function textOf(amount: Cpu | Size | number): string {
  if (typeof amount === 'number') { return String(amount); }
  // by their methods, not by class: two copies of a library in one program have two classes
  if ('toKibibytes' in amount) { return bytesText(amount.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024); }
  const cores = quantityOf(amount.amount);
  return cores === undefined ? amount.amount : cpuText(cores);
}

/**
 * Virtual machines of one size, for a quota.
 */
export interface VmQuotaItem {
  /** The virtual CPUs of each. */
  readonly cpus: number;
  /** The memory of each, as it is configured on Harvester. */
  readonly memory: Size;
  /** The volumes of each together. @default - the quota does not limit storage */
  readonly storage?: Size;
  /** The number of virtual machines. @default 1 */
  readonly count?: number;
}

/**
 * Harvester settings that determine the overhead of virtual machines.
 */
export interface VmQuotaOptions {
  /**
   * The Harvester setting additional-guest-memory-overhead-ratio: 0, or 1 to 10.
   * @default 1.5, the default of Harvester
   */
  readonly overheadRatio?: number;
  /**
   * The memory overcommit of the Harvester setting overcommit-config, in percent, 100 or more.
   * @default 150, the default of Harvester
   */
  readonly memoryOvercommit?: number;
}

/**
 * Quotas for virtual machines.
 */
export class VmQuota {
  /**
   * The smallest quota for virtual machines. Each needs its own memory, KubeVirt's overhead times the ratio of the Harvester setting, and a console
   * log of 60 MB and 0.015 CPUs: a machine of 24 GiB does not fit in a quota of 24 GiB. Rounded up to whole MiB.
   *
   * Matches the values measured on Harvester 1.7.0; earlier versions need at most 100 MiB less per machine. Unconfirmed (not verified on a running
   * system) for other versions and for machines with passed-through devices, a TPM, pinned CPUs or on arm64, which need more. Live migration needs
   * no larger quota: Harvester raises it temporarily.
   *
   * @param machines all virtual machines that run in the namespace or project at the same time
   */
  public static forVirtualMachines(machines: VmQuotaItem[], options: VmQuotaOptions = {}): Quota {
    check(machines, options);
    const { overheadRatio: ratio = DEFAULT_OVERHEAD_RATIO, memoryOvercommit: overcommit } = options;
    let [millis, memory, storage] = [0, 0, 0];
    for (const { cpus, memory: size, storage: volumes, count = 1 } of machines) {
      const pod = podAmounts({ cpus, memory: size.toKibibytes() * 1024, ratio, overcommit });
      millis += Math.round(pod.limitsCpu * 1000) * count;
      memory += pod.limitsMemory * count;
      storage += (volumes?.toKibibytes() ?? 0) * count;
    }
    return {
      limitsCpu: Cpu.millis(millis),
      limitsMemory: Size.mebibytes(Math.ceil(memory / MIB)),
      requestsStorage: storage > 0 ? Size.kibibytes(storage) : undefined,
    };
  }

  private constructor() {}
}

function check(machines: VmQuotaItem[], { overheadRatio: ratio, memoryOvercommit: overcommit }: VmQuotaOptions): void {
  const problems = [
    ...(machines.length > 0 ? [] : [{ path: 'machines', message: 'cannot be empty', fix: 'add at least one machine' }]),
    ...machines.flatMap(({ cpus, count = 1 }, index) => [['cpus', cpus] as const, ['count', count] as const]
      .filter(([, value]) => !Number.isInteger(value) || value < 1)
      .map(([key, value]) => ({ path: `machines[${index}].${key}`, value, message: 'must be a whole number of 1 or more', fix: 'set 1 or more' }))),
    ...(ratio === undefined || ratio === 0 || (ratio >= 1 && ratio <= 10) ? [] : [{
      path: 'overheadRatio', value: ratio, message: 'must be 0, or from 1 to 10', fix: 'set the value of the Harvester setting',
    }]),
    ...(overcommit === undefined || overcommit >= 100 ? [] : [{
      path: 'memoryOvercommit', value: overcommit, message: 'must be 100 or more', fix: 'set the value of the Harvester setting',
    }]),
  ];
  if (problems.length > 0) { throw new Error(problems.map((problem) => `VmQuota.forVirtualMachines: ${problemText(problem)}`).join('\n')); }
}
