import { ANNOTATION_RESERVED_MEMORY, NIC_PREFIX, SYSPREP_VOLUME } from './machine-manifest.facts';
import { VirtualMachineProps, VmHostDevice } from './virtual-machine-props';
import {
  MachineIdentity,
  PlacedDisk,
  cloudInitDisk,
  deviceOf,
  isBridged,
  nicName,
  nicsOf,
  placedDisks,
} from './virtual-machine-spec';
import { checkMachine, MachineContext } from './virtual-machine.check';
import { IHarvesterTarget } from '../../core/construct/target';
import { parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { checkWholeNumber, Problem, propOf } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IGuestCluster } from '../../guest/parts/guest-cluster-ref';
import { nodeNameIn } from '../cloud-init/cloud-init.check';
import { checkPciResourceName } from '../device/device-claim.check';
import { checkSameHarvester } from '../harvester-object';
import { Disk } from '../machine/disk';
import { checkMachineProps } from '../machine/machine-props';
import { Nic } from '../machine/nic';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';
import { checkSize } from '../volume/volume';

const LABEL_FIX = 'use at most 63 of a-z, 0-9 and hyphens, with a letter or digit first and last';

/** What the manifest no longer shows: the checks of a VM's props. */
export function checkVirtualMachine(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const seconds = props.terminationGracePeriod?.toSeconds({ integral: false });
  return [
    ...label('name', machine.name),
    ...(props.hostname === undefined ? [] : label('hostname', props.hostname)),
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
    ...(['secureBoot', 'efiPersistent'] as const).flatMap((prop) => requires(props, prop, 'efi')),
    ...requires(props, 'tpmPersistent', 'tpm'),
    ...(['efiPersistent', 'tpmPersistent'] as const).flatMap((prop) =>
      props[prop]
        ? lacking(prop, HarvesterGate.VM_PERSISTENT_STATE, harvester, `remove ${prop}`)
        : [],
    ),
    ...checkDisks(machine, props, harvester),
    ...checkNics(props, harvester),
    ...checkCloudInit(machine, props, harvester),
    ...checkAffinity(machine, props, harvester),
    ...checkGuest(machine, props, harvester),
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
      ...lacking('hotplug', HarvesterGate.CPU_MEMORY_HOTPLUG, harvester, 'remove hotplug'),
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

function requires(
  props: VirtualMachineProps,
  prop: 'secureBoot' | 'efiPersistent' | 'tpmPersistent',
  other: 'efi' | 'tpm',
): Problem[] {
  return props[prop] && !props[other]
    ? [{ path: prop, message: `requires ${other}`, fix: `set ${other}: true` }]
    : [];
}

/** The problem that the version of the Harvester lacks something. */
function lacking(
  path: string,
  gate: HarvesterGate,
  harvester: IHarvesterTarget,
  fix: string,
): readonly Problem[] {
  return FeatureGates.of(gate)._check(
    path,
    HarvesterVersion.parse(harvester.version),
    `${fix}, or upgrade Harvester`,
  );
}

function checkDisks(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const foreign = props.disks.flatMap((disk, index) =>
    isDisk(disk) ? [] : [foreignDisk(`disks[${index}]`, disk)],
  );
  if (foreign.length > 0) {
    return foreign;
  }
  const disks = placedDisks(machine, props.disks);
  if (disks.length === 0) {
    return [
      {
        path: 'disks',
        message: 'must have at least one disk',
        fix: 'add a disk, e.g. Disk.image(image, Size.gibibytes(40))',
      },
    ];
  }
  const claims = disks.map(({ claimName }) => claimName);
  return disks.flatMap((placed, index) => [
    ...checkDisk(
      `disks[${index}]`,
      placed,
      { machine, taken: [cloudInitDisk(props), SYSPREP_VOLUME] },
      harvester,
    ),
    ...(placed.claimName === undefined || claims.indexOf(placed.claimName) === index
      ? []
      : [
          {
            path: `disks[${index}]`,
            value: placed.claimName,
            message: 'must be unique: another disk has this volume',
            fix: 'use a different volume for each disk',
          },
        ]),
  ]);
}

/** By property, not by class: two copies of the library in one program have two classes. */
export function isDisk(disk: unknown): disk is Disk {
  return isRecord(disk) && '_cdRom' in disk && isRecord(disk._options);
}

/** Only a program in JavaScript gets this far: the compiler of any other language refuses it. */
function foreignDisk(path: string, disk: unknown): Problem {
  return {
    path,
    message: `must be a Disk, got ${foreignType(disk)}`,
    fix: 'use Disk, e.g. Disk.image(image, Size.gibibytes(40))',
  };
}

function foreignType(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'a list' : typeof value;
}

interface DiskPlace {
  readonly machine: MachineIdentity;
  /** The names of disks that the construct adds. */
  readonly taken: readonly string[];
}

function checkDisk(
  path: string,
  { disk, name, claimName }: PlacedDisk,
  { machine, taken }: DiskPlace,
  harvester: IHarvesterTarget,
): Problem[] {
  const { _claim: claim, _volume: volume } = disk;
  return [
    ...label(`${path}.name`, name),
    ...(taken.includes(name)
      ? [
          {
            path: `${path}.name`,
            value: name,
            message: `cannot be used: it is the name of the disk with ${name === SYSPREP_VOLUME ? 'the answer file of Windows' : 'cloud-init'}`,
            fix: 'choose another name',
          },
        ]
      : []),
    ...(claim &&
    claimName !== undefined &&
    !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(claimName)
      ? [
          {
            path: `${path}.volumeName`,
            value: claimName,
            message: 'must be a valid name of a PersistentVolumeClaim',
            fix: 'use a-z, 0-9, hyphens and dots',
          },
        ]
      : []),
    ...(claim ? checkSize(`${path}.size`, claim.size) : []),
    ...elsewhere(path, claim?.image?.imageId, claim?.image?.harvester, harvester),
    ...elsewhere(path, claim?.storageClass?.name, claim?.storageClass?.harvester, harvester),
    ...elsewhere(path, volume?.name, volume?.harvester, harvester),
    ...otherNamespace(path, volume?.name, volume?.namespace, machine),
    ...(['hotPluggable', 'shareable'] as const).flatMap((option) =>
      disk._options[option] && disk._container !== undefined
        ? [
            {
              path: `${path}.${option}`,
              message: 'cannot be set for a container image',
              fix: `remove ${option}`,
            },
          ]
        : [],
    ),
    ...(!claim && !volume && disk._container === undefined
      ? lacking(path, HarvesterGate.EMPTY_CD_ROM, harvester, 'use Disk.cdRom')
      : []),
  ];
}

function checkNics(props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  const prop = props.nics ? 'nics' : 'networks';
  return nicsOf(props).flatMap((nic, index) => [
    ...label(`${prop}[${index}].name`, nicName(nic, index)),
    ...elsewhere(`${prop}[${index}]`, nic._network?.networkId, nic._network?.harvester, harvester),
    ...(nic._options.managedTap
      ? checkManagedTap(`nics[${index}].managedTap`, nic, harvester)
      : []),
    ...checkStaticAddress(`nics[${index}].staticAddress`, nic, harvester),
    ...(nic._options.bridged !== undefined && nic._network
      ? [
          {
            path: `nics[${index}].bridged`,
            message:
              'can be set in the management network only: a NIC in a VM network is always bridged',
            fix: 'remove bridged',
          },
        ]
      : []),
  ]);
}

function checkManagedTap(
  path: string,
  { _network: network }: Nic,
  harvester: IHarvesterTarget,
): readonly Problem[] {
  const fix = 'remove managedTap, or pass an OverlayNetwork to Nic.network';
  if (!network) {
    return [
      { path, value: true, message: 'cannot be set for a NIC in the management network', fix },
    ];
  }
  if (isBridged(network)) {
    return [
      {
        path,
        value: true,
        message: `can be set for overlay networks only: ${network.networkId} is a bridge`,
        fix,
      },
    ];
  }
  return lacking(path, HarvesterGate.NETWORK_OVERLAY, harvester, 'remove managedTap');
}

function checkStaticAddress(
  path: string,
  { _network: network, _options: { staticAddress: value } }: Nic,
  harvester: IHarvesterTarget,
): Problem[] {
  if (value === undefined) {
    return [];
  }
  const fix = 'remove staticAddress, or pass an OverlayNetwork to Nic.network';
  if (!network || isBridged(network)) {
    return [{ path, value, message: 'can be set for overlay networks only', fix }];
  }
  return [
    ...(parseIp(value)
      ? []
      : [
          {
            path,
            value,
            message: 'must be an IP address',
            fix: 'set an address of the Subnet, e.g. 10.20.0.12',
          },
        ]),
    ...lacking(path, HarvesterGate.STATIC_ADDRESSES, harvester, 'remove staticAddress'),
  ];
}

const SECRET_NAME = 'adopted.cloudInitSecretName';
const DISK_NAME = 'adopted.cloudInitDiskName';

function checkCloudInit(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { cloudInitSecret: secret, sshKeys = [] } = props;
  const { cloudInitSecretName, cloudInitDiskName } = props.adopted ?? {};
  const others = [
    ...(['cloudInit', 'networkData'] as const).filter((prop) => props[prop] !== undefined),
    ...(cloudInitSecretName === undefined ? [] : [SECRET_NAME]),
  ];
  return [
    ...(secret && others.length > 0
      ? [
          {
            path: 'cloudInitSecret',
            value: secret.name,
            message: `cannot be combined with ${others.join(', ')}: the Secret would not contain them`,
            fix: `remove cloudInitSecret or ${others.join(', ')}`,
          },
        ]
      : []),
    ...(cloudInitSecretName !== undefined &&
    !secret &&
    !props.cloudInit &&
    !props.networkData &&
    sshKeys.length === 0
      ? [
          {
            path: SECRET_NAME,
            value: cloudInitSecretName,
            message: 'has no effect: the VM has no cloud-init',
            fix: 'set cloudInit, or remove it',
          },
        ]
      : []),
    ...(cloudInitDiskName === undefined ? [] : label(DISK_NAME, cloudInitDiskName)),
    ...(cloudInitDiskName === SYSPREP_VOLUME
      ? [
          {
            path: DISK_NAME,
            value: SYSPREP_VOLUME,
            message: 'cannot be used: it is the name of the disk with the answer file of Windows',
            fix: 'choose another name',
          },
        ]
      : []),
    ...(props.cloudInitInline ? checkInline(props) : []),
    ...(props.networkDataSecret && (props.networkData ?? props.cloudInitInline)
      ? [
          {
            path: 'networkDataSecret',
            value: props.networkDataSecret.name,
            message: 'cannot be combined with networkData and cloudInitInline',
            fix: 'keep one of them',
          },
        ]
      : []),
    ...elsewhere(
      'networkDataSecret',
      props.networkDataSecret?.name,
      props.networkDataSecret?.harvester,
      harvester,
    ),
    ...otherNamespace(
      'networkDataSecret',
      props.networkDataSecret?.name,
      props.networkDataSecret?.namespace,
      machine,
    ),
    ...(props.filesystems?.length
      ? lacking('filesystems', HarvesterGate.VM_FILESYSTEMS, harvester, 'remove filesystems')
      : []),
    ...elsewhere('cloudInitSecret', secret?.name, secret?.harvester, harvester),
    ...otherNamespace('cloudInitSecret', secret?.name, secret?.namespace, machine),
    ...sshKeys.flatMap((key, index) =>
      elsewhere(`sshKeys[${index}]`, key.keyPairId, key.harvester, harvester),
    ),
  ];
}

/** No Secret is written: the program itself adds nothing to the user data. */
function checkInline({
  cloudInit,
  networkData,
  cloudInitSecret,
  adopted,
  sshKeys = [],
}: VirtualMachineProps): Problem[] {
  const path = 'cloudInitInline';
  const named = adopted?.cloudInitSecretName === undefined ? undefined : SECRET_NAME;
  const other = cloudInitSecret ? 'cloudInitSecret' : named;
  if (other) {
    return [
      {
        path,
        message: `cannot be combined with ${other}: the VM then has no Secret`,
        fix: `remove ${other} or cloudInitInline`,
      },
    ];
  }
  if (!cloudInit && !networkData) {
    return [
      {
        path,
        message: 'has no effect: the VM has no cloud-init',
        fix: 'set cloudInit, or remove it',
      },
    ];
  }
  const text = cloudInit?.toText() ?? '';
  return sshKeys.flatMap(({ publicKey, keyPairId }, index) =>
    isLate(publicKey) || text.includes(publicKey.trim())
      ? []
      : [
          {
            path: `sshKeys[${index}]`,
            value: keyPairId,
            message: 'must be in the user data: with cloudInitInline, Harvester only shows the key',
            fix: 'add its public key to sshAuthorizedKeys of cloudInit',
          },
        ],
  );
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

// the cloud provider looks up the VM of a node by the name of the node
function checkGuest(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { guestCluster, hostname } = props;
  if (!guestCluster) {
    return [];
  }
  if (props.adopted?.createdBy !== undefined) {
    return [
      {
        path: 'adopted.createdBy',
        value: props.adopted.createdBy,
        message: 'cannot be combined with guestCluster, which sets the same label',
        fix: 'remove adopted.createdBy',
      },
    ];
  }
  const named = props.cloudInit?._hostnameKey();
  const nodeName = props.cloudInit && nodeNameIn(props.cloudInit.toText());
  const nics = nicsOf(props).map(nicName);
  return [
    ...label('guestCluster', guestCluster.name),
    ...(hostname === undefined || hostname === machine.name
      ? []
      : [
          {
            path: 'hostname',
            value: hostname,
            message: `must be the name of the VM, ${machine.name}, by which the cloud provider looks up the node`,
            fix: 'remove hostname',
          },
        ]),
    ...(named === undefined
      ? []
      : [
          {
            path: 'cloudInit',
            value: named,
            message: 'cannot rename the node: the cloud provider looks it up by the name of the VM',
            fix: `remove ${named}`,
          },
        ]),
    ...(nodeName === undefined || nodeName === machine.name
      ? []
      : [
          {
            path: 'cloudInit',
            value: nodeName,
            message: `must register the node as ${machine.name}, the name of the VM, by which the cloud provider looks it up`,
            fix: `set nodeName to ${machine.name}, or leave it out`,
          },
        ]),
    ...checkPlace(machine, guestCluster, harvester),
    ...(nics.some((name) => /^nic-\d+$/.test(name))
      ? []
      : [
          {
            path: 'nics',
            value: nics,
            message: `must contain a NIC named ${NIC_PREFIX}<number>, by which Harvester finds the address of a node`,
            fix: 'add Nic.network(network)',
          },
        ]),
  ];
}

/** A guest cluster that knows where its machines are; references do not. */
interface Placed {
  readonly _context?: { readonly harvester?: IHarvesterTarget; readonly vmNamespace?: string };
}

// the cloud provider and the CSI driver find machines in one namespace of one Harvester
function checkPlace(
  machine: MachineIdentity,
  guest: IGuestCluster,
  harvester: IHarvesterTarget,
): Problem[] {
  const { harvester: own, vmNamespace } = (guest as Placed)._context ?? {};
  if (own && own !== harvester) {
    return [
      {
        path: 'guestCluster',
        value: guest.name,
        message: `must be a guest cluster on ${harvester.targetName}: its machines are on ${own.targetName}`,
        fix: `create the VM on ${own.targetName}`,
      },
    ];
  }
  return vmNamespace === undefined || vmNamespace === machine.namespace
    ? []
    : [
        {
          path: 'namespace',
          value: machine.namespace,
          message: `must be ${vmNamespace}, the namespace of the machines of ${guest.name}`,
          fix: 'use that namespace',
        },
      ];
}

function checkDevices(
  { hostDevices = [], vgpus = [] }: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  return [
    ...unique(
      hostDevices.map((device) => deviceOf(device).name),
      (index) => `hostDevices[${index}].name`,
    ),
    ...hostDevices.flatMap((device, index) =>
      checkHostDevice(`hostDevices[${index}]`, device, harvester),
    ),
    ...unique(
      vgpus.map(({ _device }) => _device),
      (index) => `vgpus[${index}].device`,
    ),
    ...vgpus.flatMap(({ _device }, index) =>
      _device === undefined
        ? [
            {
              path: `vgpus[${index}].device`,
              message: 'must be set: a VirtualMachine names its devices',
              fix: 'set the name of a VGPUDevice, e.g. node1-00000a004',
            },
          ]
        : [],
    ),
  ];
}

function checkHostDevice(
  path: string,
  device: VmHostDevice,
  harvester: IHarvesterTarget,
): readonly Problem[] {
  const { claim } = device;
  const missing = (['name', 'deviceName'] as const).filter((prop) =>
    claim ? device[prop] !== undefined : device[prop] === undefined,
  );
  return [
    ...missing.map((prop) => ({
      path: `${path}.${prop}`,
      value: device[prop],
      message: claim
        ? 'cannot be set together with claim, which has it'
        : 'must be set without claim',
      fix: claim ? 'remove it' : 'set claim, e.g. a PciDeviceClaim, or name and deviceName',
    })),
    ...(claim ? checkSameHarvester(`${path}.claim`, claim.name, claim.harvester, harvester) : []),
    ...checkPciResourceName(
      claim ? `${path}.claim.resourceName` : `${path}.deviceName`,
      deviceOf(device).deviceName,
    ),
  ];
}

function unique(
  names: readonly (string | undefined)[],
  pathOf: (index: number) => string,
): Problem[] {
  return names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [
          {
            path: pathOf(index),
            value: name,
            message: 'must be unique: another device has this name',
            fix: 'list each device once',
          },
        ],
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

function label(path: string, value: string): Problem[] {
  return RFC1123_LABEL.test(value)
    ? []
    : [{ path, value, message: 'must be an RFC 1123 label', fix: LABEL_FIX }];
}

function elsewhere(
  path: string,
  value: string | undefined,
  given: IHarvesterTarget | undefined,
  harvester: IHarvesterTarget,
): Problem[] {
  return !given || given === harvester
    ? []
    : [
        {
          path,
          value,
          message: `must be on the Harvester of the VM, ${harvester.targetName}: it is on ${given.targetName}`,
          fix: `use one on ${harvester.targetName}`,
        },
      ];
}

function otherNamespace(
  path: string,
  value: string | undefined,
  namespace: string | undefined,
  machine: MachineIdentity,
): Problem[] {
  return namespace === undefined || namespace === machine.namespace
    ? []
    : [
        {
          path,
          value: `${namespace}/${value}`,
          message: `must be in the namespace of the VM, ${machine.namespace}`,
          fix: 'use the same namespace for both',
        },
      ];
}
