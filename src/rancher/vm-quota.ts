import { Size } from 'cdk8s';
import { Quota } from './quota';
import { problemText } from '../model/problem';
import { DEFAULT_OVERHEAD_RATIO, vmCpuLimit, vmMemoryLimit } from '../model/tenancy/vm-overhead';

/**
 * Virtual machines of one size, as a quota sees them.
 */
export interface VmQuotaItem {
  /** The virtual CPUs of each. */
  readonly cpus: number;
  /** The memory of each, as it is configured on Harvester. */
  readonly memory: Size;
  /** The volumes of each together. @default - the quota does not limit storage */
  readonly storage?: Size;
  /** How many there are. @default 1 */
  readonly count?: number;
}

/**
 * What the overhead of virtual machines depends on.
 */
export interface VmQuotaOptions {
  /**
   * The Harvester setting additional-guest-memory-overhead-ratio: 0, or 1 to 10.
   * @default 1.5, as Harvester
   */
  readonly overheadRatio?: number;
  /**
   * The memory overcommit of the Harvester setting overcommit-config, in percent, 100 or more.
   * @default 150, as Harvester
   */
  readonly memoryOvercommit?: number;
}

const MIB = 1024 ** 2;

/**
 * Quotas that virtual machines fit in.
 */
export class VmQuota {
  /**
   * The CPU, memory and storage that machines need of a quota: each takes its own memory, KubeVirt's overhead times the ratio of the Harvester
   * setting, and a console log of 60 MB and 0.015 CPUs. A quota of 24 GiB does not fit a machine of 24 GiB. Rounded up to whole MiB.
   *
   * Gives what was measured on Harvester 1.7.0; earlier versions take up to 100 MiB less for each. UNCONFIRMED for other versions and for machines
   * with passed-through devices, a TPM, pinned CPUs or on arm64, which take more. Live migration needs nothing on top: Harvester raises the quota
   * while it lasts.
   *
   * @param machines all that run in the namespace or project at the same time
   */
  public static forVirtualMachines(machines: VmQuotaItem[], options: VmQuotaOptions = {}): Quota {
    check(machines, options);
    const { overheadRatio: ratio = DEFAULT_OVERHEAD_RATIO, memoryOvercommit: overcommit } = options;
    let [millis, memory, storage] = [0, 0, 0];
    for (const { cpus, memory: size, storage: volumes, count = 1 } of machines) {
      const vm = { cpus, memory: size.toKibibytes() * 1024, ratio, overcommit };
      millis += Math.round(vmCpuLimit(vm) * 1000) * count;
      memory += vmMemoryLimit(vm) * count;
      storage += (volumes?.toKibibytes() ?? 0) * count;
    }
    return {
      limitsCpu: cpu().millis(millis),
      limitsMemory: Size.mebibytes(Math.ceil(memory / MIB)),
      requestsStorage: storage > 0 ? Size.kibibytes(storage) : undefined,
    };
  }

  private constructor() {}
}

// it loads slowly, and who needs no quota needs none of it
function cpu(): typeof import('cdk8s-plus-28').Cpu {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require('cdk8s-plus-28') as typeof import('cdk8s-plus-28')).Cpu;
}

function check(machines: VmQuotaItem[], { overheadRatio: ratio, memoryOvercommit: overcommit }: VmQuotaOptions): void {
  const problems = [
    ...(machines.length > 0 ? [] : [{ path: 'machines', message: 'is empty', fix: 'name one machine or more' }]),
    ...machines.flatMap(({ cpus, count = 1 }, index) => [['cpus', cpus] as const, ['count', count] as const]
      .filter(([, value]) => !Number.isInteger(value) || value < 1)
      .map(([key, value]) => ({ path: `machines[${index}].${key}`, value, message: 'is no number of them', fix: 'give 1 or more' }))),
    ...(ratio === undefined || ratio === 0 || (ratio >= 1 && ratio <= 10) ? [] : [{
      path: 'overheadRatio', value: ratio, message: 'is no ratio that Harvester takes', fix: 'give 0, or 1 to 10',
    }]),
    ...(overcommit === undefined || overcommit >= 100 ? [] : [{
      path: 'memoryOvercommit', value: overcommit, message: 'is no overcommit that Harvester takes', fix: 'give 100 or more',
    }]),
  ];
  if (problems.length > 0) { throw new Error(problems.map((problem) => `VmQuota.forVirtualMachines: ${problemText(problem)}`).join('\n')); }
}
