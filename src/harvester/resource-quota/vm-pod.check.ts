/** The size of a virtual machine, and the settings of its Harvester that its overhead depends on. */
export interface VmSize {
  /** The CPUs: `limits.cpu` of the virtual machine. */
  readonly cpus: number;
  /** The memory in bytes: `limits.memory` of the virtual machine. */
  readonly memory: number;
  /** The Harvester setting additional-guest-memory-overhead-ratio; 0 is none. */
  readonly ratio?: number;
  /** The memory overcommit in percent of the Harvester setting overcommit-config. */
  readonly overcommit?: number;
  /** The CPU overcommit in percent of the Harvester setting overcommit-config. */
  readonly cpuOvercommit?: number;
  /** Whether each virtual CPU has a dedicated core, and the emulator thread another one. */
  readonly pinning?: 'cpus' | 'cpus and emulator';
  /** Whether it has a TPM. */
  readonly tpm?: boolean;
  /** Whether it has passed-through devices or virtual GPUs. */
  readonly devices?: boolean;
  /** Whether KubeVirt logs its serial console. @default true */
  readonly consoleLog?: boolean;
  /** Whether it has volumes that are attached while it runs, those of a guest cluster too: KubeVirt attaches them by another pod. @default false */
  readonly hotplug?: boolean;
  /** The overhead in MiB that does not depend on its size. @default - that of KubeVirt 1.6 */
  readonly fixed?: number;
}

/** The amounts that the pod of a virtual machine takes of a quota. */
export interface PodAmounts {
  readonly limitsCpu: number;
  readonly limitsMemory: number;
  readonly requestsCpu: number;
  readonly requestsMemory: number;
}

export const MIB = 1024 ** 2;

/** The setting's default. @see harvester/harvester:pkg/settings/settings_helper.go AdditionalGuestMemoryOverheadRatioDefault (1.4.0 and later) */
export const DEFAULT_OVERHEAD_RATIO = 1.5;

/** The default memory overcommit in percent. @see harvester/harvester:pkg/settings/settings.go overcommit-config */
const DEFAULT_OVERCOMMIT = 150;

/** The default CPU overcommit in percent; 1600 before Harvester 1.8. @see harvester/harvester:pkg/settings/settings.go overcommit-config */
const DEFAULT_CPU_OVERCOMMIT = 1000;

/**
 * The overhead in MiB that does not depend on the size: virt-launcher and its helpers, an I/O thread of 8, video memory.
 * @see kubevirt/kubevirt:pkg/virt-controller/services/template.go at the versions that Harvester bundles: 1.3.1, 1.4.1, 1.5.0, 1.6.3, 1.7.0
 */
const FIXED_BY_VERSION: ReadonlyArray<readonly [harvester: string, mebibytes: number]> = [['1.7.0', 260], ['1.6.0', 244], ['1.5.0', 239], ['1.4.0', 234]];
const FIXED = FIXED_BY_VERSION[0][1];

/** The least of any version, without video memory. */
export const LEAST_FIXED = 218;

/** The fixed overhead on a Harvester, by `atLeast` of its version. */
export function fixedOverhead(atLeast: (version: string) => boolean | undefined): number {
  return (FIXED_BY_VERSION.find(([version]) => atLeast(version) !== false) ?? FIXED_BY_VERSION[FIXED_BY_VERSION.length - 1])[1];
}

const PER_CPU = 8 * MIB;
const TPM = 53 * MIB;
const DEVICES = 1024 * MIB;
const PINNED = 100 * MIB;

// the container guest-console-log in the pod of the machine: @see kubevirt/kubevirt:pkg/virt-controller/services/serialconsolelog.go
const CONSOLE_LOG = { limitsCpu: 0.015, limitsMemory: 60_000_000, requestsCpu: 0.005, requestsMemory: 35_000_000 };
const PINNED_LOG = { ...CONSOLE_LOG, requestsCpu: CONSOLE_LOG.limitsCpu, requestsMemory: CONSOLE_LOG.limitsMemory };
const NOTHING = { limitsCpu: 0, limitsMemory: 0, requestsCpu: 0, requestsMemory: 0 };

// the pod hp-volume-…: @see kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go hotplugContainerLimits, hotplugContainerRequests
const ATTACHMENT_POD = { limitsCpu: 0.1, limitsMemory: 80_000_000, requestsCpu: 0.01, requestsMemory: 2_000_000 };

/**
 * The amounts that the pods of a virtual machine take of a quota: the machine's own, KubeVirt's overhead times the ratio, and its console log.
 *
 * Matches the values measured on Harvester 1.7.0 (2 CPUs, 4 GiB: `limits.memory` 4797464313 at ratio 1.5, 5682461313 at 4.5). Unconfirmed (not
 * verified on a running system) for other versions, requests, passed-through devices, a TPM, pinned CPUs and volumes that are attached later. arm64 takes 128 MiB times the ratio more.
 *
 * @see kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go GetMemoryOverhead, WithCPUPinning
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchResourceOvercommit
 */
export function podAmounts(vm: VmSize): PodAmounts {
  const { cpus, memory, ratio = DEFAULT_OVERHEAD_RATIO, overcommit = DEFAULT_OVERCOMMIT, cpuOvercommit = DEFAULT_CPU_OVERCOMMIT, pinning } = vm;
  // Harvester requests whole MiB; KubeVirt counts in thousands of bytes
  const requested = pinning || vm.devices ? memory : Math.floor((memory * 100) / overcommit / MIB) * MIB;
  const pageTables = Math.floor(thousands(requested) * 1000 / 512);
  const parts = (vm.tpm ? TPM : 0) + (vm.devices ? DEVICES : 0) + (pinning ? PINNED : 0);
  const plain = pageTables + (vm.fixed ?? FIXED) * MIB + PER_CPU * cpus + parts;
  const overhead = plain + (ratio > 1 ? Math.floor(Number((thousands(plain) * (ratio - 1)).toFixed(6))) * 1000 : 0);
  const emulator = pinning === 'cpus and emulator' ? 1 : 0;
  const log = vm.consoleLog === false ? NOTHING : pinning ? PINNED_LOG : CONSOLE_LOG;
  const attachment = vm.hotplug ? ATTACHMENT_POD : NOTHING;
  return {
    limitsCpu: cpus + emulator + log.limitsCpu + attachment.limitsCpu,
    limitsMemory: memory + overhead + log.limitsMemory + attachment.limitsMemory,
    requestsCpu: (pinning ? cpus + emulator : Math.floor(cpus * 1000 * 100 / cpuOvercommit) / 1000) + log.requestsCpu + attachment.requestsCpu,
    requestsMemory: requested + overhead + log.requestsMemory + attachment.requestsMemory,
  };
}

function thousands(bytes: number): number {
  return Math.ceil(bytes / 1000);
}
