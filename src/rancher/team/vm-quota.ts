import { Size } from 'cdk8s';
import { Problem, problemText } from '../../core/problem/problem';
import { MachinePool } from '../../guest/machine-pool/machine-pool';
import { expandedPools } from '../../guest/machine-pool/machine-pool-spec';
import { surgeOf } from '../../guest/machine-pool/pool-size.facts';
import {
  DEFAULT_OVERHEAD_RATIO,
  MIB,
  VmSize,
  podAmounts,
} from '../../harvester/resource-quota/machine-demand.check';
import { Cpu } from '../quota/cpu';
import { Quota } from '../quota/quota';

/** Virtual machines of one size, for a quota. */
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

/** Harvester settings that determine the overhead of virtual machines. */
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

/** Options of a quota for the machines of guest clusters. */
export interface MachinePoolQuotaOptions extends VmQuotaOptions {
  /**
   * The volumes that the guest clusters create for their workloads. The quota of storage is then
   * this and the disks of the machines, and each machine has 0.1 CPUs and 80 MB more, for the pod
   * that attaches its volumes.
   * @default - the quota does not limit storage, since guest clusters create volumes in the namespace of their machines
   */
  readonly volumes?: Size;
}

/** Quotas for virtual machines. */
export class VmQuota {
  /**
   * The smallest quota for virtual machines. Each needs its own memory, KubeVirt's overhead times
   * the ratio of the Harvester setting, and a console log of 60 MB and 0.015 CPUs: a machine of 24
   * GiB does not fit in a quota of 24 GiB. Rounded up to whole MiB.
   *
   * Matches the values measured on Harvester 1.7.0; earlier versions need at most 100 MiB less per
   * machine. Unconfirmed (not verified on a running system) for other versions and for machines
   * with passed-through devices, a TPM, pinned CPUs or on arm64, which need more. Live migration
   * needs no larger quota: Harvester raises it temporarily.
   *
   * @param machines all virtual machines that run in the namespace or project at the same time
   */
  public static forVirtualMachines(machines: VmQuotaItem[], options: VmQuotaOptions = {}): Quota {
    failOn('forVirtualMachines', [...checkMachines(machines), ...checkOptions(options)]);
    const storage = machines.reduce(
      (sum, { storage: volumes, count = 1 }) => sum + (volumes?.toKibibytes() ?? 0) * count,
      0,
    );
    return {
      ...sumOf(
        machines.map(({ cpus, memory, count = 1 }) => ({
          size: { cpus, memory: bytesOf(memory) },
          count,
        })),
        options,
      ),
      requestsStorage: storage > 0 ? Size.kibibytes(storage) : undefined,
    };
  }

  /**
   * The smallest quota for the machines of guest clusters, with those that a rolling update of all
   * pools at the same time creates before it deletes others (`rollingUpdate.maxSurge`), and all
   * that the autoscaler may create. Overhead and rounding are those of `forVirtualMachines`.
   *
   * The number of machines is not limited: set `virtualMachines` of the quota.
   *
   * @param pools the pools of all guest clusters with machines in the namespace or project
   */
  public static forMachinePools(
    pools: MachinePool[],
    options: MachinePoolQuotaOptions = {},
  ): Quota {
    const { volumes, ...settings } = options;
    failOn('forMachinePools', [
      ...(pools.length > 0 ? [] : [EMPTY('pools', 'pool')]),
      ...checkOptions(settings),
    ]);
    const sized = expandedPools(pools).map(
      ({ quantity = 1, autoscaling, rollingUpdate, ...pool }) => {
        const most = autoscaling?.max ?? quantity;
        return { pool, count: most + surgeOf(rollingUpdate, most) };
      },
    );
    const disksOf = ({ disks: all }: Pick<MachinePool, 'disks'>): number =>
      all.reduce((sum, { _claim: claim }) => sum + (claim?.size.toKibibytes() ?? 0), 0);
    const disks = sized.reduce((sum, { pool, count }) => sum + disksOf(pool) * count, 0);
    return {
      ...sumOf(
        sized.map(({ pool, count }) => ({
          size: { ...sizeOf(pool), hotplug: volumes !== undefined },
          count,
        })),
        settings,
      ),
      requestsStorage: volumes && Size.kibibytes(disks + volumes.toKibibytes()),
    };
  }

  declare private readonly nominal: true;

  private constructor() {}
}

function sumOf(
  machines: readonly { readonly size: VmSize; readonly count: number }[],
  { overheadRatio: ratio = DEFAULT_OVERHEAD_RATIO, memoryOvercommit: overcommit }: VmQuotaOptions,
): Quota {
  let [millis, memory] = [0, 0];
  for (const { size, count } of machines) {
    const pod = podAmounts({ ...size, ratio, overcommit });
    millis += Math.round(pod.limitsCpu * 1000) * count;
    memory += pod.limitsMemory * count;
  }
  return { limitsCpu: Cpu.millis(millis), limitsMemory: Size.mebibytes(Math.ceil(memory / MIB)) };
}

function sizeOf({
  cpus,
  memory,
  cpuPinning,
  isolateEmulatorThread,
  tpm,
  vgpus,
}: Omit<MachinePool, 'quantity'>): VmSize {
  const pinning = isolateEmulatorThread ? 'cpus and emulator' : 'cpus';
  return {
    cpus,
    memory: bytesOf(memory),
    tpm,
    devices: vgpus !== undefined && vgpus.length > 0,
    ...(cpuPinning ? { pinning } : {}),
  };
}

function bytesOf(size: Size): number {
  return size.toKibibytes() * 1024;
}

const EMPTY = (path: string, what: string): Problem => ({
  path,
  message: `must have at least one ${what}`,
  fix: `add a ${what}`,
});

function checkMachines(machines: readonly VmQuotaItem[]): Problem[] {
  return [
    ...(machines.length > 0 ? [] : [EMPTY('machines', 'machine')]),
    ...machines.flatMap(({ cpus, count = 1 }, index) =>
      [['cpus', cpus] as const, ['count', count] as const]
        .filter(([, value]) => !Number.isInteger(value) || value < 1)
        .map(([key, value]) => ({
          path: `machines[${index}].${key}`,
          value,
          message: 'must be a whole number of 1 or more',
          fix: 'set 1 or more',
        })),
    ),
  ];
}

function checkOptions({
  overheadRatio: ratio,
  memoryOvercommit: overcommit,
}: VmQuotaOptions): Problem[] {
  return [
    ...(ratio === undefined || ratio === 0 || (ratio >= 1 && ratio <= 10)
      ? []
      : [
          {
            path: 'overheadRatio',
            value: ratio,
            message: 'must be 0, or from 1 to 10',
            fix: 'set the value of the Harvester setting',
          },
        ]),
    ...(overcommit === undefined || overcommit >= 100
      ? []
      : [
          {
            path: 'memoryOvercommit',
            value: overcommit,
            message: 'must be 100 or more',
            fix: 'set the value of the Harvester setting',
          },
        ]),
  ];
}

function failOn(method: string, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new Error(
      problems.map((problem) => `VmQuota.${method}: ${problemText(problem)}`).join('\n'),
    );
  }
}
