import { checkLabel, checkGate } from './check-references';
import { ANNOTATION_RESERVED_MEMORY } from '../machine-manifest.facts';
import { checkCloudInit } from './check-cloud-init';
import { checkVmDisks } from './check-disks';
import { checkGuestNode } from './check-guest-node';
import { checkDevices } from './check-host-devices';
import { checkNics } from './check-nics';
import { VirtualMachineProps, VmHotplug } from './virtual-machine-props';
import { MachineIdentity } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { Manifest } from '../../../core/manifest/manifest';
import { Problem, checkWholeNumber, propOf } from '../../../core/problem/problem';
import { defined } from '../../../core/text/values';
import { checkMachineProps } from '../../machine/machine-props';
import { HarvesterGate } from '../../version/harvester-version';
import { checkSize } from '../../volume/volume';
import { MachineContext, checkMachine } from '../virtual-machine.check';

/** What the manifest no longer shows: the checks of a VM's props. */
export function checkVirtualMachine(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  return [
    ...checkLabel('name', machine.name),
    ...(props.hostname === undefined ? [] : checkLabel('hostname', props.hostname)),
    ...checkMachineProps(props),
    ...checkSize('memory', props.memory),
    ...(props.hotplug ? checkHotplug(props.hotplug, props, harvester) : checkTopology(props)),
    ...(props.reservedMemory ? checkSize('reservedMemory', props.reservedMemory) : []),
    ...checkGracePeriod(props),
    ...checkRequired(props, 'secureBoot', 'efi'),
    ...checkRequired(props, 'efiPersistent', 'efi'),
    ...checkRequired(props, 'tpmPersistent', 'tpm'),
    ...checkPersistent(props, 'efiPersistent', harvester),
    ...checkPersistent(props, 'tpmPersistent', harvester),
    ...checkVmDisks(machine, props, harvester),
    ...checkNics(props, harvester),
    ...checkCloudInit(machine, props, harvester),
    ...checkAffinity(machine, props, harvester),
    ...checkGuestNode(machine, props, harvester),
    ...checkDevices(props, harvester),
  ];
}

/** The parts of the CPU topology that are set, with their props. */
function topologyOf({ cpuSockets, cpuThreads }: VirtualMachineProps): [string, number][] {
  return Object.entries(defined({ cpuSockets, cpuThreads }));
}

function checkHotplug(
  { maxCpus, maxMemory }: VmHotplug,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const problems = [
    ...checkGate('hotplug', HarvesterGate.CPU_MEMORY_HOTPLUG, harvester, 'remove hotplug'),
    ...checkSize('hotplug.maxMemory', maxMemory),
  ];
  if (!Number.isInteger(maxCpus)) {
    problems.push({
      path: 'hotplug.maxCpus',
      value: maxCpus,
      message: 'must be a whole number',
      fix: 'set maxCpus to cpus or more',
    });
  }
  for (const [path, value] of topologyOf(props)) {
    problems.push({
      path,
      value,
      message: 'cannot be combined with hotplug, where each CPU is a socket',
      fix: `remove ${path}`,
    });
  }
  return problems;
}

function checkTopology(props: VirtualMachineProps): Problem[] {
  const wrong = topologyOf(props).flatMap(([path, value]) =>
    checkWholeNumber(path, value, 1, `set ${path} to 1 or more`),
  );
  if (wrong.length > 0) {
    return wrong;
  }
  const { cpus, cpuSockets = 1, cpuThreads = 1 } = props;
  const times = cpuSockets * cpuThreads;
  if (!Number.isInteger(cpus) || cpus % times === 0) {
    return [];
  }
  return [
    {
      path: 'cpus',
      value: cpus,
      message: `must be a multiple of ${times}, cpuSockets times cpuThreads`,
      fix: 'change cpus, cpuSockets or cpuThreads',
    },
  ];
}

function checkGracePeriod({ terminationGracePeriod }: VirtualMachineProps): Problem[] {
  const seconds = terminationGracePeriod?.toSeconds({ integral: false });
  if (seconds === undefined || Number.isInteger(seconds)) {
    return [];
  }
  return [
    {
      path: 'terminationGracePeriod',
      value: seconds,
      message: 'must be a whole number of seconds',
      fix: 'use Duration.seconds with a whole number',
    },
  ];
}

function checkRequired(
  props: VirtualMachineProps,
  prop: 'secureBoot' | 'efiPersistent' | 'tpmPersistent',
  required: 'efi' | 'tpm',
): Problem[] {
  if (!props[prop] || props[required]) {
    return [];
  }
  return [{ path: prop, message: `requires ${required}`, fix: `set ${required}: true` }];
}

function checkPersistent(
  props: VirtualMachineProps,
  prop: 'efiPersistent' | 'tpmPersistent',
  harvester: IHarvesterTarget,
): readonly Problem[] {
  return props[prop]
    ? checkGate(prop, HarvesterGate.VM_PERSISTENT_STATE, harvester, `remove ${prop}`)
    : [];
}

function checkAffinity(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { affinity, guestCluster } = props;
  const cluster = guestCluster?.name;
  if (!affinity) {
    return [];
  }
  if (affinity._isRelativeTo('pool')) {
    return [
      {
        path: 'affinity',
        message: 'refers to the machines of its pool, but this VM is in no pool',
        fix: 'use VmSelector.labels with labels from instanceLabels',
      },
    ];
  }
  if (cluster === undefined && affinity._isRelativeTo('cluster')) {
    return [
      {
        path: 'affinity',
        message: 'refers to the machines of its cluster, but this VM is not a node of a cluster',
        fix: 'set guestCluster, or use VmSelector.labels',
      },
    ];
  }
  return affinity._check(
    'affinity',
    { vmNamespace: machine.namespace, cluster: cluster ?? '', pool: '' },
    harvester,
  );
}

const INSTANCE = 'spec.template.spec';
const DISKS = `${INSTANCE}.domain.devices.disks`;
const NO_CLOUD = `${INSTANCE}.volumes[].cloudInitNoCloud`;
const CONFIG_DRIVE = `${INSTANCE}.volumes[].cloudInitConfigDrive`;

/** The props of a VM that set fields of other names. */
export const VM_PROPS = {
  [`${DISKS}[].cdrom.bus`]: 'disks[].bus',
  [`${DISKS}[].disk.bus`]: 'disks[].bus',
  [DISKS]: 'disks',
  [`${INSTANCE}.domain.devices.interfaces`]: 'nics',
  [`${INSTANCE}.networks`]: 'nics',
  [`${INSTANCE}.terminationGracePeriodSeconds`]: 'terminationGracePeriod',
  [`${INSTANCE}.domain.cpu.isolateEmulatorThread`]: 'isolateEmulatorThread',
  [`metadata.annotations[${ANNOTATION_RESERVED_MEMORY}]`]: 'reservedMemory',
  [`${NO_CLOUD}.userData`]: 'cloudInit',
  [`${NO_CLOUD}.networkData`]: 'networkData',
  [`${CONFIG_DRIVE}.userData`]: 'cloudInit',
  [`${CONFIG_DRIVE}.networkData`]: 'networkData',
};

/** The checks of a VM's manifest, with the names of props. */
export function checkVmManifest(manifest: Manifest, context: MachineContext): Problem[] {
  return [...checkMachine(manifest, context)].map((problem) => ({
    ...problem,
    path: propOf(problem.path, VM_PROPS) ?? problem.path,
    message: withPropNames(problem.message),
    fix: withPropNames(problem.fix),
  }));
}

function withPropNames(text: string): string {
  return text.replace('dedicatedCpuPlacement', 'cpuPinning');
}
