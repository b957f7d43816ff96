import { LEAST_FIXED, MIB, podAmounts, VmSize } from './vm-pod.check';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { defined, quantityOf } from '../../core/text/values';
import { MACHINE_DEFAULTS } from '../../guest/cluster/cluster.kind';
import { MachineFields, isSet, textOf } from '../../guest/machine-config/machine-config.check';
import { machineVolumes } from '../../guest/machine-config/machine-json.check';
import { claimsOf, instanceOf } from '../virtual-machine/volume-claims.check';

/** Amounts of resources, by the keys of Rancher's quotas and `virtualMachines`. */
export interface Amounts { readonly [resource: string]: number }

/** The amounts that a machine takes of a quota. */
export interface Demand {
  /** With the least overhead that the settings of its Harvester allow. */
  readonly least: Amounts;
  /** With the settings that are declared, and defaults for others. */
  readonly needs: Amounts;
}

/** The settings of a Harvester that the overhead of machines depends on; undefined for those that are not known. */
export interface OverheadSettings {
  readonly ratio?: number;
  readonly overcommit?: number;
  readonly cpuOvercommit?: number;
  /** The defaults of its version. */
  readonly defaults: { readonly ratio: number; readonly cpuOvercommit: number; readonly fixed: number };
}

/** The key of the number of virtual machines, running or not, which Rancher's quotas limit by `extended`. */
export const VIRTUAL_MACHINES = 'virtualMachines';

/** The demand of volumes. */
export function volumeDemand(volumes: number, bytes: number): Demand {
  const amounts = { persistentVolumeClaims: volumes, requestsStorage: bytes };
  return { least: amounts, needs: amounts };
}

/** The demand of a machine of the node driver, by its machine configuration. */
export function configDemand(config: MachineFields, settings: OverheadSettings): Demand {
  const numberOf = (field: string): number => Number(textOf(config, field) ?? (isSet(config, field) ? NaN : MACHINE_DEFAULTS[field]));
  const { volumes, gibibytes, hotplug } = machineVolumes(config);
  return machineOf({
    cpus: numberOf('cpuCount'),
    memory: numberOf('memorySize') * 1024 * MIB,
    ...(config.cpuPinning === true ? { pinning: config.isolateEmulatorThread === true ? 'cpus and emulator' : 'cpus' } : {}),
    tpm: config.enableTpm === true,
    devices: isSet(config, 'vgpuInfo'),
    hotplug,
  }, settings, volumes, gibibytes * 1024 * MIB);
}

/**
 * The demand of a VirtualMachine.
 *
 * @param isCounted whether a volume is counted elsewhere
 */
export function machineDemand(machine: Manifest, settings: OverheadSettings, isCounted: (claim: string) => boolean): Demand {
  const instance = instanceOf(machine);
  const claims = claimsOf(machine).filter(({ name }) => !isCounted(name));
  const bytes = claims.reduce((sum, { size }) => sum + (quantityOf(size) ?? 0), 0);
  if (isStopped(machine)) { return machineOf(undefined, settings, claims.length, bytes); }
  const domain = instance.domain;
  const limit = (resource: string): number => quantityOf(valueAt(domain, 'resources', 'limits', resource)) ?? NaN;
  const cpu = valueAt(domain, 'cpu');
  const devices = valueAt(domain, 'devices');
  return machineOf({
    cpus: limit('cpu'),
    memory: limit('memory'),
    ...(valueAt(cpu, 'dedicatedCpuPlacement') === true ? { pinning: valueAt(cpu, 'isolateEmulatorThread') === true ? 'cpus and emulator' : 'cpus' } : {}),
    tpm: isRecord(valueAt(devices, 'tpm')),
    devices: hasDevices(machine),
    hotplug: Array.isArray(instance.volumes) && instance.volumes.some((volume) => valueAt(volume, 'persistentVolumeClaim', 'hotpluggable') === true),
    consoleLog: valueAt(devices, 'autoattachSerialConsole') !== false && valueAt(devices, 'logSerialConsole') !== false,
  }, settings, claims.length, bytes);
}

/** Whether a VirtualMachine has passed-through devices or virtual GPUs, so that it cannot migrate. */
export function hasDevices(machine: Manifest): boolean {
  const devices = valueAt(instanceOf(machine), 'domain', 'devices');
  return ['hostDevices', 'gpus'].some((field) => { const list = valueAt(devices, field); return Array.isArray(list) && list.length > 0; });
}

/** Whether a VirtualMachine does not run unless a user starts it. */
export function isStopped({ spec }: Manifest): boolean {
  const [strategy, isRunning] = [valueAt(spec, 'runStrategy'), valueAt(spec, 'running')];
  return strategy === 'Halted' || strategy === 'Manual' || isRunning === false;
}

const DEMANDS = new WeakMap<OverheadSettings, Map<string, Demand>>();

/** The demand of a machine and its volumes, computed once for machines of the same size. */
function machineOf(size: VmSize | undefined, settings: OverheadSettings, volumes: number, bytes: number): Demand {
  const known = DEMANDS.get(settings) ?? new Map<string, Demand>();
  DEMANDS.set(settings, known);
  const key = size ? `${size.cpus} ${size.memory} ${size.pinning} ${size.tpm} ${size.devices} ${size.consoleLog} ${size.hotplug} ${volumes} ${bytes}` : `${volumes} ${bytes}`;
  let demand = known.get(key);
  if (!demand) {
    const all = { [VIRTUAL_MACHINES]: 1, persistentVolumeClaims: volumes, requestsStorage: bytes };
    demand = size ? withPod(size, settings, all) : { least: all, needs: all };
    known.set(key, demand);
  }
  return demand;
}

// an amount that is not known, or late, is none
function withPod(size: VmSize, { ratio, overcommit, cpuOvercommit, defaults }: OverheadSettings, all: Amounts): Demand {
  const known = { ...size, cpus: size.cpus || 0, memory: size.memory || 0 };
  const declared = defined({ ratio, overcommit, cpuOvercommit });
  const needs = podAmounts({ ...known, ...defaults, ...declared });
  const least = podAmounts({ ...known, hotplug: false, ratio: 0, overcommit: Infinity, cpuOvercommit: Infinity, ...declared, fixed: LEAST_FIXED });
  return { least: { ...least, pods: 1, ...all }, needs: { ...needs, pods: size.hotplug ? 2 : 1, ...all } };
}
