/** A virtual machine, as its quota sees it. */
export interface VmSize {
  /** The virtual CPUs. */
  readonly cpus: number;
  /** The memory in bytes: `limits.memory` of the virtual machine. */
  readonly memory: number;
  /** The Harvester setting additional-guest-memory-overhead-ratio; 0 is none. */
  readonly ratio?: number;
  /** The memory overcommit in percent of the Harvester setting overcommit-config. */
  readonly overcommit?: number;
}

const MIB = 1024 ** 2;

/** The setting's default. @see harvester/harvester:pkg/settings/settings_helper.go AdditionalGuestMemoryOverheadRatioDefault (1.4.0 and later) */
export const DEFAULT_OVERHEAD_RATIO = 1.5;

/** The default memory overcommit in percent. @see harvester/harvester:pkg/settings/settings.go overcommit-config */
const DEFAULT_OVERCOMMIT = 150;

// virt-launcher and its helpers 220, an I/O thread 8, video memory 32
const FIXED = 260 * MIB;
const PER_CPU = 8 * MIB;

// the container guest-console-log beside the machine
const CONSOLE_LOG = { memory: 60_000_000, cpu: 0.015 };

/**
 * The memory in bytes that the pod of a virtual machine takes of its quota (`limits.memory`): that of the machine, KubeVirt's overhead times the
 * ratio, and its console log.
 *
 * Gives the very numbers that were measured on Harvester 1.7.0 (2 CPUs, 4 GiB: 4797464313 at ratio 1.5, 5682461313 at 4.5). Harvester 1.4 takes
 * 100 MiB less or so. For other versions, and for machines with passed-through devices (1 GiB more), a TPM (53 MiB times the ratio), pinned CPUs
 * (100 MiB) or arm64 (128 MiB times the ratio), it is UNCONFIRMED.
 *
 * @see kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go GetMemoryOverhead
 */
export function vmMemoryLimit({ cpus, memory, ratio = DEFAULT_OVERHEAD_RATIO, overcommit = DEFAULT_OVERCOMMIT }: VmSize): number {
  // Harvester requests whole MiB; KubeVirt counts in thousands of bytes
  const requested = Math.floor((memory * 100) / overcommit / MIB) * MIB;
  const pageTables = Math.floor(thousands(requested) * 1000 / 512);
  const overhead = pageTables + FIXED + PER_CPU * cpus;
  const more = ratio > 1 ? Math.floor(Number((thousands(overhead) * (ratio - 1)).toFixed(6))) * 1000 : 0;
  return memory + overhead + more + CONSOLE_LOG.memory;
}

/** The CPU that it takes of its quota (`limits.cpu`). */
export function vmCpuLimit({ cpus }: VmSize): number {
  return cpus + CONSOLE_LOG.cpu;
}

function thousands(bytes: number): number {
  return Math.ceil(bytes / 1000);
}
