import { checkLabel, checkGate } from './check-references';
import { ANNOTATION_RESERVED_MEMORY } from '../machine-manifest.facts';
import { checkCloudInit } from './check-cloud-init';
import { checkVmDisks } from './check-disks';
import { checkGuestNode } from './check-guest-node';
import { checkDevices } from './check-host-devices';
import { checkNics } from './check-nics';
import { VirtualMachineProps } from './virtual-machine-props';
import { MachineIdentity } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { Manifest } from '../../../core/manifest/manifest';
import { Problem, checkWholeNumber, propOf } from '../../../core/problem/problem';
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
  const seconds = props.terminationGracePeriod?.toSeconds({ integral: false });
  return [
    ...checkLabel('name', machine.name),
    ...(props.hostname === undefined ? [] : checkLabel('hostname', props.hostname)),
    ...checkMachineProps(props),
    ...checkSize('memory', props.memory),
    ...checkTopology(props, harvester),
    ...(props.reservedMemory ? checkSize('reservedMemory', props.reservedMemory) : []),
    ...(seconds === undefined || Number.isInteger(seconds)
      ? []
      : [
          {
            path: 'terminationGracePeriod',
            value: seconds,
            message: 'must be a whole number of seconds',
            fix: 'use Duration.seconds with a whole number',
          },
        ]),
    ...(['secureBoot', 'efiPersistent'] as const).flatMap((prop) =>
      checkRequired(props, prop, 'efi'),
    ),
    ...checkRequired(props, 'tpmPersistent', 'tpm'),
    ...(['efiPersistent', 'tpmPersistent'] as const).flatMap((prop) =>
      props[prop]
        ? checkGate(prop, HarvesterGate.VM_PERSISTENT_STATE, harvester, `remove ${prop}`)
        : [],
    ),
    ...checkVmDisks(machine, props, harvester),
    ...checkNics(props, harvester),
    ...checkCloudInit(machine, props, harvester),
    ...checkAffinity(machine, props, harvester),
    ...checkGuestNode(machine, props, harvester),
    ...checkDevices(props, harvester),
  ];
}

function checkTopology(
  { cpus, hotplug, cpuSockets, cpuThreads }: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const parts = { cpuSockets, cpuThreads };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  if (hotplug) {
    return [
      ...checkGate('hotplug', HarvesterGate.CPU_MEMORY_HOTPLUG, harvester, 'remove hotplug'),
      ...checkSize('hotplug.maxMemory', hotplug.maxMemory),
      ...(Number.isInteger(hotplug.maxCpus)
        ? []
        : [
            {
              path: 'hotplug.maxCpus',
              value: hotplug.maxCpus,
              message: 'must be a whole number',
              fix: 'set maxCpus to cpus or more',
            },
          ]),
      ...given.map(([path, value]) => ({
        path,
        value,
        message: 'cannot be combined with hotplug, where each CPU is a socket',
        fix: `remove ${path}`,
      })),
    ];
  }
  const wrong = given.flatMap(([path, value]) =>
    checkWholeNumber(path, value, 1, `set ${path} to 1 or more`),
  );
  const times = (cpuSockets ?? 1) * (cpuThreads ?? 1);
  return wrong.length > 0 || !Number.isInteger(cpus) || cpus % times === 0
    ? wrong
    : [
        {
          path: 'cpus',
          value: cpus,
          message: `must be a multiple of ${times}, cpuSockets times cpuThreads`,
          fix: 'change cpus, cpuSockets or cpuThreads',
        },
      ];
}

function checkRequired(
  props: VirtualMachineProps,
  prop: 'secureBoot' | 'efiPersistent' | 'tpmPersistent',
  other: 'efi' | 'tpm',
): Problem[] {
  return props[prop] && !props[other]
    ? [{ path: prop, message: `requires ${other}`, fix: `set ${other}: true` }]
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
const CLOUD_INIT_DRIVES = ['cloudInitNoCloud', 'cloudInitConfigDrive'].map(
  (drive) => `${INSTANCE}.volumes[].${drive}`,
);

/** The props that set fields of other names. */
export const PROPS = {
  [`${DISKS}[].cdrom.bus`]: 'disks[].bus',
  [`${DISKS}[].disk.bus`]: 'disks[].bus',
  [DISKS]: 'disks',
  [`${INSTANCE}.domain.devices.interfaces`]: 'nics',
  [`${INSTANCE}.networks`]: 'nics',
  [`${INSTANCE}.terminationGracePeriodSeconds`]: 'terminationGracePeriod',
  [`${INSTANCE}.domain.cpu.isolateEmulatorThread`]: 'isolateEmulatorThread',
  [`metadata.annotations[${ANNOTATION_RESERVED_MEMORY}]`]: 'reservedMemory',
  ...Object.fromEntries(
    CLOUD_INIT_DRIVES.flatMap((drive) => [
      [`${drive}.userData`, 'cloudInit'],
      [`${drive}.networkData`, 'networkData'],
    ]),
  ),
};

/** The checks of the manifest, with the names of props. */
export function checkManifest(manifest: Manifest, context: MachineContext): Problem[] {
  return [...checkMachine(manifest, context)].map((problem) => ({
    ...problem,
    path: propOf(problem.path, PROPS) ?? problem.path,
    message: inProps(problem.message),
    fix: inProps(problem.fix),
  }));
}

const inProps = (text: string): string => text.replace('dedicatedCpuPlacement', 'cpuPinning');
