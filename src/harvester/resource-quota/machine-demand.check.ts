import { Manifest, isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { byObject, defined, quantityOf, remembered } from '../../core/text/values';
import { MACHINE_DEFAULTS } from '../../guest/cluster/cluster.kind';
import {
  MachineFields,
  isSet,
  machineField,
} from '../../guest/machine-config/machine-config.check';
import { machineVolumes } from '../../guest/machine-config/machine-json.facts';
import { claimsOf, instanceOf } from '../virtual-machine/machine-manifest.facts';

/**
 * The size of a virtual machine, and the settings of its Harvester that its overhead depends on.
 */
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
  readonly pinning?: 'cpus' | 'cpus and emulator' | undefined;
  /** Whether it has a TPM. */
  readonly tpm?: boolean;
  /** Whether it has passed-through devices or virtual GPUs. */
  readonly devices?: boolean;
  /** Whether KubeVirt logs its serial console. @default true */
  readonly consoleLog?: boolean;
  /**
   * Whether it has volumes that are attached while it runs, those of a guest cluster too: KubeVirt
   * attaches them by another pod.
   * @default false
   */
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

/**
 * The setting's default.
 * @see harvester/harvester:pkg/settings/settings_helper.go AdditionalGuestMemoryOverheadRatioDefault (1.4.0 and later)
 */
export const DEFAULT_OVERHEAD_RATIO = 1.5;

/**
 * The default memory overcommit in percent.
 * @see harvester/harvester:pkg/settings/settings.go overcommit-config
 */
const DEFAULT_OVERCOMMIT = 150;

/**
 * The default CPU overcommit in percent; 1600 before Harvester 1.8.
 * @see harvester/harvester:pkg/settings/settings.go overcommit-config
 */
const DEFAULT_CPU_OVERCOMMIT = 1000;

/**
 * The overhead in MiB that does not depend on the size: virt-launcher and its helpers, an I/O
 * thread of 8, video memory.
 * @see kubevirt/kubevirt:pkg/virt-controller/services/template.go at the versions that Harvester bundles: 1.3.1, 1.4.1, 1.5.0, 1.6.3, 1.7.0
 */
const FIXED_BY_VERSION: ReadonlyArray<readonly [harvester: string, mebibytes: number]> = [
  ['1.7.0', 260],
  ['1.6.0', 244],
  ['1.5.0', 239],
  ['1.4.0', 234],
];
const FIXED = FIXED_BY_VERSION[0][1];

/** The least of any version, without video memory. */
const LEAST_FIXED = 218;

/** The fixed overhead on a Harvester, by `atLeast` of its version. */
export function fixedOverhead(atLeast: (version: string) => boolean | undefined): number {
  return (FIXED_BY_VERSION.find(([version]) => atLeast(version) !== false) ??
    FIXED_BY_VERSION[FIXED_BY_VERSION.length - 1])[1];
}

const PER_CPU = 8 * MIB;
const TPM = 53 * MIB;
const DEVICES = 1024 * MIB;
const PINNED = 100 * MIB;

// the container guest-console-log in the pod of the machine: @see
// kubevirt/kubevirt:pkg/virt-controller/services/serialconsolelog.go
const CONSOLE_LOG = {
  limitsCpu: 0.015,
  limitsMemory: 60_000_000,
  requestsCpu: 0.005,
  requestsMemory: 35_000_000,
};
const PINNED_LOG = {
  ...CONSOLE_LOG,
  requestsCpu: CONSOLE_LOG.limitsCpu,
  requestsMemory: CONSOLE_LOG.limitsMemory,
};
const NOTHING = { limitsCpu: 0, limitsMemory: 0, requestsCpu: 0, requestsMemory: 0 };

// the pod hp-volume-…: @see kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go
// hotplugContainerLimits, hotplugContainerRequests
const ATTACHMENT_POD = {
  limitsCpu: 0.1,
  limitsMemory: 80_000_000,
  requestsCpu: 0.01,
  requestsMemory: 2_000_000,
};

/**
 * The amounts that the pods of a virtual machine take of a quota: the machine's own, KubeVirt's
 * overhead times the ratio, and its console log.
 *
 * Matches the values measured on Harvester 1.7.0 (2 CPUs, 4 GiB: `limits.memory` 4797464313 at
 * ratio 1.5, 5682461313 at 4.5). Unconfirmed (not verified on a running system) for other versions,
 * requests, passed-through devices, a TPM, pinned CPUs and volumes that are attached later. arm64
 * takes 128 MiB times the ratio more.
 *
 * @see kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go GetMemoryOverhead, WithCPUPinning
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchResourceOvercommit
 */
export function podAmounts(vm: VmSize): PodAmounts {
  const {
    cpus,
    memory,
    ratio = DEFAULT_OVERHEAD_RATIO,
    overcommit = DEFAULT_OVERCOMMIT,
    cpuOvercommit = DEFAULT_CPU_OVERCOMMIT,
    pinning,
  } = vm;
  // Harvester requests whole MiB; KubeVirt counts in thousands of bytes
  const requested =
    pinning || vm.devices ? memory : Math.floor((memory * 100) / overcommit / MIB) * MIB;
  const pageTables = Math.floor((thousands(requested) * 1000) / 512);
  const parts = (vm.tpm ? TPM : 0) + (vm.devices ? DEVICES : 0) + (pinning ? PINNED : 0);
  const plain = pageTables + (vm.fixed ?? FIXED) * MIB + PER_CPU * cpus + parts;
  const overhead =
    plain +
    (ratio > 1 ? Math.floor(Number((thousands(plain) * (ratio - 1)).toFixed(6))) * 1000 : 0);
  const emulator = pinning === 'cpus and emulator' ? 1 : 0;
  const logContainer = pinning ? PINNED_LOG : CONSOLE_LOG;
  const log = vm.consoleLog === false ? NOTHING : logContainer;
  const attachment = vm.hotplug ? ATTACHMENT_POD : NOTHING;
  return {
    limitsCpu: cpus + emulator + log.limitsCpu + attachment.limitsCpu,
    limitsMemory: memory + overhead + log.limitsMemory + attachment.limitsMemory,
    requestsCpu:
      (pinning ? cpus + emulator : Math.floor((cpus * 1000 * 100) / cpuOvercommit) / 1000) +
      log.requestsCpu +
      attachment.requestsCpu,
    requestsMemory: requested + overhead + log.requestsMemory + attachment.requestsMemory,
  };
}

function thousands(bytes: number): number {
  return Math.ceil(bytes / 1000);
}

/** Amounts of resources, by the keys of Rancher's quotas and `virtualMachines`. */
export interface Amounts {
  readonly [resource: string]: number;
}

/** The amounts that a machine takes of a quota. */
export interface Demand {
  /** With the least overhead that the settings of its Harvester allow. */
  readonly least: Amounts;
  /** With the settings that are declared, and defaults for others. */
  readonly needs: Amounts;
}

/**
 * The settings of a Harvester that the overhead of machines depends on; undefined for those that
 * are not known.
 */
export interface OverheadSettings {
  readonly ratio?: number;
  readonly overcommit?: number;
  readonly cpuOvercommit?: number;
  /** The defaults of its version. */
  readonly defaults: {
    readonly ratio: number;
    readonly cpuOvercommit: number;
    readonly fixed: number;
  };
}

/**
 * The key of the number of virtual machines, running or not, which Rancher's quotas limit by
 * `extended`.
 */
export const VIRTUAL_MACHINES = 'virtualMachines';

/** The demand of volumes. */
export function volumeDemand(volumes: number, bytes: number): Demand {
  const amounts = { persistentVolumeClaims: volumes, requestsStorage: bytes };
  return { least: amounts, needs: amounts };
}

/** The pinning of a machine by its two fields, of which the second needs the first. */
function pinningOf(pinsCpus: unknown, isolatesEmulator: unknown): VmSize['pinning'] {
  if (pinsCpus !== true) {
    return undefined;
  }
  return isolatesEmulator === true ? 'cpus and emulator' : 'cpus';
}

/** The demand of a machine of the node driver, by its machine configuration. */
export function configDemand(config: MachineFields, settings: OverheadSettings): Demand {
  const { volumes, gibibytes, hotplug } = machineVolumes(config);
  return machineOf(
    {
      cpus: numberOf(config, 'cpuCount'),
      memory: numberOf(config, 'memorySize') * 1024 * MIB,
      pinning: pinningOf(config.cpuPinning, config.isolateEmulatorThread),
      tpm: config.enableTpm === true,
      devices: isSet(config, 'vgpuInfo'),
      hotplug,
    },
    settings,
    volumes,
    gibibytes * 1024 * MIB,
  );
}

function numberOf(config: MachineFields, field: string): number {
  return Number(
    machineField(config, field) ?? (isSet(config, field) ? NaN : MACHINE_DEFAULTS[field]),
  );
}

/**
 * The demand of a VirtualMachine.
 *
 * @param isCounted whether a volume is counted elsewhere
 */
export function machineDemand(
  machine: Manifest,
  settings: OverheadSettings,
  isCounted: (claim: string) => boolean,
): Demand {
  const instance = instanceOf(machine);
  const claims = claimsOf(machine).filter(({ name }) => !isCounted(name));
  const bytes = claims.reduce((sum, { size }) => sum + (quantityOf(size) ?? 0), 0);
  if (isStopped(machine)) {
    return machineOf(undefined, settings, claims.length, bytes);
  }
  const domain = instance.domain;
  const limit = (resource: string): number =>
    quantityOf(valueAt(domain, 'resources', 'limits', resource)) ?? NaN;
  const cpu = valueAt(domain, 'cpu');
  const devices = valueAt(domain, 'devices');
  return machineOf(
    {
      cpus: limit('cpu'),
      memory: limit('memory'),
      pinning: pinningOf(
        valueAt(cpu, 'dedicatedCpuPlacement'),
        valueAt(cpu, 'isolateEmulatorThread'),
      ),
      tpm: isRecord(valueAt(devices, 'tpm')),
      devices: hasDevices(machine),
      hotplug: itemsAt(instance.volumes).some(
        (volume) => valueAt(volume, 'persistentVolumeClaim', 'hotpluggable') === true,
      ),
      consoleLog:
        valueAt(devices, 'autoattachSerialConsole') !== false &&
        valueAt(devices, 'logSerialConsole') !== false,
    },
    settings,
    claims.length,
    bytes,
  );
}

/**
 * Whether a VirtualMachine has passed-through devices or virtual GPUs, so that it cannot migrate.
 */
export function hasDevices(machine: Manifest): boolean {
  const devices = valueAt(instanceOf(machine), 'domain', 'devices');
  return ['hostDevices', 'gpus'].some((field) => itemsAt(devices, field).length > 0);
}

/** Whether a VirtualMachine does not run unless a user starts it. */
export function isStopped({ spec }: Manifest): boolean {
  const [strategy, isRunning] = [valueAt(spec, 'runStrategy'), valueAt(spec, 'running')];
  return strategy === 'Halted' || strategy === 'Manual' || isRunning === false;
}

const demandsBy = byObject((_settings: OverheadSettings) => new Map<string, Demand>());

/** The demand of a machine and its volumes, computed once for machines of the same size. */
function machineOf(
  size: VmSize | undefined,
  settings: OverheadSettings,
  volumes: number,
  bytes: number,
): Demand {
  const key = [volumes, bytes, ...(size ? Object.values(size) : [])].join(' ');
  return remembered(demandsBy(settings), key, () => {
    const all = { [VIRTUAL_MACHINES]: 1, persistentVolumeClaims: volumes, requestsStorage: bytes };
    return size ? withPod(size, settings, all) : { least: all, needs: all };
  });
}

// an amount that is not known, or late, is none
function withPod(
  size: VmSize,
  { ratio, overcommit, cpuOvercommit, defaults }: OverheadSettings,
  all: Amounts,
): Demand {
  const known = { ...size, cpus: size.cpus || 0, memory: size.memory || 0 };
  const declared = defined({ ratio, overcommit, cpuOvercommit });
  const needs = podAmounts({ ...known, ...defaults, ...declared });
  const least = podAmounts({
    ...known,
    hotplug: false,
    ratio: 0,
    overcommit: Infinity,
    cpuOvercommit: Infinity,
    ...declared,
    fixed: LEAST_FIXED,
  });
  return {
    least: { ...least, pods: 1, ...all },
    needs: { ...needs, pods: size.hotplug ? 2 : 1, ...all },
  };
}
