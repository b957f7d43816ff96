import { Size } from 'cdk8s';
import {
  ANNOTATION_HOTPLUG,
  ANNOTATION_REMOVED_CLAIMS,
  ANNOTATION_RESERVED_MEMORY,
  ANNOTATION_RUN_STRATEGY,
  ANNOTATION_SSH_NAMES,
  ANNOTATION_VOLUME_CLAIMS,
  API_KUBEVIRT,
  BINDING_MANAGED_TAP,
  CLOUD_INIT_VOLUME,
  CREATOR_HARVESTER,
  KIND_VIRTUAL_MACHINE,
  LABEL_MAINTENANCE,
  LABEL_OS,
  LABEL_VM_NAME,
  NIC_MANAGEMENT,
  NIC_PREFIX,
  STATIC_ADDRESS_PREFIX,
  SYSPREP_VOLUME,
  TAG_PREFIX,
  ClaimFields,
  printClaims,
} from '../machine-manifest.facts';
import {
  CloudInitDrive,
  InputBus,
  VirtualMachineProps,
  VmCreator,
  VmEvictionStrategy,
  VmHostDevice,
  VmMaintenanceStrategy,
  VmRunStrategy,
} from './virtual-machine-props';
import { Manifest } from '../../../core/manifest/manifest';
import { filledFields, filledList } from '../../../core/text/values';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../../guest/cluster/cluster.kind';
import { VmAffinity } from '../../affinity/vm-affinity';
import { Disk, DiskBus, DiskPullPolicy } from '../../machine/disk';
import { givenNics } from '../../machine/machine-props';
import { InterfaceModel, Nic } from '../../machine/nic';
import { IVmNetwork } from '../../network/vm-network';
import { VolumeAccessMode, VolumeMode } from '../../storage/storage.data';
import { quantityText } from '../../volume/volume';
import { nicKeys, derivedMac } from '../virtual-machine.check';

/** The identity of a VM. */
export interface MachineIdentity {
  /** The name of the Harvester target. */
  readonly target: string;
  readonly name: string;
  readonly namespace: string;
  /** Whether it is a template: each VM gets MAC addresses and labels of its own. */
  readonly isTemplate?: boolean;
  /** Whether its Harvester keeps virtual GPUs among the host devices. */
  readonly vgpusAreHostDevices?: boolean;
}

/** The names of the Secrets with the VM's cloud-init. */
export interface MachineSecrets {
  readonly userData?: string;
  readonly networkData?: string;
}

/** A disk with the defaults that depend on its position in the VM. */
export interface PlacedDisk {
  readonly disk: Disk;
  readonly name: string;
  readonly bootOrder: number;
  /** The claim of the disk: created for it, or existing. */
  readonly claimName?: string;
}

/** The disks of a VM with their names, positions and claims. */
export function placedDisks(machine: MachineIdentity, disks: readonly Disk[]): PlacedDisk[] {
  return disks.map((disk, index) => {
    const name = disk._options.name ?? `disk-${index}`;
    const made = disk._claim && (disk._claim.options.volumeName ?? `${machine.name}-${name}`);
    return {
      disk,
      name,
      bootOrder: disk._options.bootOrder ?? index + 1,
      claimName: made ?? disk._volume?.name,
    };
  });
}

/** The name of a NIC. */
export function nicName(nic: Nic, index: number): string {
  // the declarations of the package have no internal members
  const { _options, _network } = nic;
  return _options.name ?? (_network ? `${NIC_PREFIX}${index}` : NIC_MANAGEMENT);
}

/**
 * Whether a network is certainly a bridge to a cluster network. Tested by property, not by class:
 * two copies of the library in one program have two classes.
 */
export function isBridged(network: IVmNetwork): boolean {
  return 'clusterNetwork' in network;
}

/** The NICs of a VM. */
export function nicsOf(props: VirtualMachineProps): readonly Nic[] {
  return givenNics(props) ?? [Nic.management()];
}

/** The MAC addresses of the NICs: those of the program, otherwise derived ones. */
export function macAddressesOf(
  { target, namespace, name }: MachineIdentity,
  props: VirtualMachineProps,
): string[] {
  const nics = nicsOf(props);
  const keys = nicKeys(
    nics.map(({ _options, _network }) => ({ name: _options.name, network: _network?.networkId })),
  );
  return nics.map(
    ({ _options }, index) =>
      _options.macAddress?.toLowerCase() ??
      derivedMac({ target, namespace, machine: name, nic: keys[index] }),
  );
}

/** The MAC addresses that are written: none where the server chooses them. */
function writtenMacs(
  machine: MachineIdentity,
  props: VirtualMachineProps,
): readonly (string | undefined)[] {
  return machine.isTemplate || props.adopted?.asWritten
    ? nicsOf(props).map(({ _options }) => _options.macAddress?.toLowerCase())
    : macAddressesOf(machine, props);
}

/**
 * A virtual machine as Harvester's UI writes it, with a MAC address for each NIC.
 *
 * Only the memory limit is written, as by the UI and Terraform: Harvester subtracts what QEMU needs
 * and writes `memory.guest` itself. A value from here would return at each apply, and the VM would
 * be killed for using all of its memory.
 *
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js
 */
export function machineManifest(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  secret: MachineSecrets | undefined,
): Manifest {
  const disks = placedDisks(machine, props.disks);
  return {
    apiVersion: API_KUBEVIRT,
    kind: KIND_VIRTUAL_MACHINE,
    metadata: {
      name: machine.name,
      namespace: machine.namespace,
      labels: labelsOf(props),
      annotations: annotationsOf(props, disks),
    },
    spec: {
      ...runningOf(props),
      template: {
        metadata: instanceMetadata(machine, props),
        spec: instanceSpec(machine, props, disks, secret),
      },
    },
  };
}

function filledMap<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

function instanceMetadata(
  { name, isTemplate }: MachineIdentity,
  props: VirtualMachineProps,
): object | undefined {
  const { adopted = {}, instanceLabels } = props;
  const { asWritten, createdBy } = adopted;
  const annotations = filledMap({ ...props.instanceAnnotations, ...sshNames(props) });
  const labels = {
    ...instanceLabels,
    ...(createdBy === VmCreator.HARVESTER_UI ? {} : creatorLabels(props)),
    ...(isTemplate || asWritten ? {} : { [LABEL_VM_NAME]: name }),
  };
  return asWritten
    ? filledFields({ annotations, labels: filledMap(labels) })
    : { annotations, labels };
}

/** Manifests of earlier times have the field that `runStrategy` replaces. */
function runningOf({ runStrategy = VmRunStrategy.RERUN_ON_FAILURE }: VirtualMachineProps): object {
  return runStrategy === VmRunStrategy.RUNNING ? { running: true } : { runStrategy };
}

/** Only manifests that Harvester's UI did not write lack an empty list. */
function sshNames(props: VirtualMachineProps): object | undefined {
  const { sshKeys = [] } = props;
  const isByHand = props.adopted?.asWritten || creatorOf(props) === VmCreator.NONE;
  if (isByHand && sshKeys.length === 0) {
    return undefined;
  }
  return { [ANNOTATION_SSH_NAMES]: JSON.stringify(sshKeys.map(({ keyPairId }) => keyPairId)) };
}

function instanceSpec(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  disks: readonly PlacedDisk[],
  secrets?: MachineSecrets,
): object {
  const cloudInit = cloudInitSource(props, secrets);
  return {
    domain: {
      cpu: cpuOf(props),
      ...memoryOf(props),
      machine: props.machineType === undefined ? undefined : { type: props.machineType },
      firmware: firmwareOf(props),
      features: featuresOf(props),
      devices: devices(machine, props, disks, cloudInit !== undefined),
    },
    hostname: props.hostname,
    accessCredentials: filledList(props.accessCredentials?.map(({ _rendered }) => _rendered)),
    nodeSelector: props.nodeSelector,
    tolerations: filledList(props.tolerations?.map((each) => ({ ...each }))),
    priorityClassName: props.priorityClassName,
    affinity: affinityOf(machine, props),
    evictionStrategy:
      props.evictionStrategy ??
      (props.adopted?.asWritten ? undefined : VmEvictionStrategy.LIVE_MIGRATE_IF_POSSIBLE),
    terminationGracePeriodSeconds: props.terminationGracePeriod?.toSeconds({ integral: false }),
    networks: nicsOf(props).map((nic, index) => ({
      name: nicName(nic, index),
      ...(nic._network ? { multus: { networkName: nic._network.networkId } } : { pod: {} }),
    })),
    volumes: volumesOf(props, disks, cloudInit),
  };
}

function cpuOf(props: VirtualMachineProps): object {
  return {
    ...topologyOf(props),
    maxSockets: props.hotplug?.maxCpus,
    model: props.cpuModel,
    dedicatedCpuPlacement: props.cpuPinning || undefined,
    isolateEmulatorThread: props.isolateEmulatorThread || undefined,
  };
}

function topologyOf(props: VirtualMachineProps): object {
  const { cpus, hotplug } = props;
  if (hotplug) {
    // only sockets can be added while the VM runs
    return { cores: 1, sockets: cpus, threads: 1 };
  }
  const one = props.adopted?.asWritten ? undefined : 1;
  const { cpuSockets: sockets = one, cpuThreads: threads = one } = props;
  return { cores: cpus / ((sockets ?? 1) * (threads ?? 1)), sockets, threads };
}

function firmwareOf({ efi, secureBoot, efiPersistent }: VirtualMachineProps): object | undefined {
  if (!efi) {
    return undefined;
  }
  return {
    bootloader: {
      efi: { secureBoot: secureBoot ?? false, persistent: efiPersistent || undefined },
    },
  };
}

/** The affinity of the program, or for a node of a guest cluster that of its machines. */
function affinityOf(
  { namespace: vmNamespace }: MachineIdentity,
  { affinity, guestCluster }: VirtualMachineProps,
): unknown {
  const cluster = guestCluster?.name;
  const chosen = affinity ?? (cluster === undefined ? undefined : VmAffinity.of({}));
  return chosen && JSON.parse(chosen._render({ vmNamespace, cluster: cluster ?? '', pool: '' }));
}

function volumesOf(
  props: VirtualMachineProps,
  disks: readonly PlacedDisk[],
  cloudInit: object | undefined,
): readonly object[] {
  const { sysprepSecretName, cloudInitDrive = CloudInitDrive.NO_CLOUD, filesystems = [] } = props;
  const volumes = disks.flatMap(volumeOf);
  if (sysprepSecretName !== undefined) {
    volumes.push({ name: SYSPREP_VOLUME, sysprep: { secret: { name: sysprepSecretName } } });
  }
  if (cloudInit) {
    volumes.push({ name: cloudInitDisk(props), [cloudInitDrive]: cloudInit });
  }
  return [...volumes, ...filesystems.map(({ _name: name, _source }) => ({ name, ..._source }))];
}

/** Memory, limits, and requests: those that the program names, otherwise the limits alone. */
function memoryOf({ cpus, memory, hotplug, resources }: VirtualMachineProps): object {
  if (!resources) {
    return {
      memory: hotplug && { guest: quantityText(memory), maxGuest: quantityText(hotplug.maxMemory) },
      resources: {
        limits: {
          cpu: String(hotplug?.maxCpus ?? cpus),
          memory: quantityText(hotplug?.maxMemory ?? memory),
        },
      },
    };
  }
  const { cpuLimit, memoryLimit, cpuRequest, memoryRequest, guestMemory } = resources;
  const amounts = (cpu: number | undefined, size: Size | undefined): object | undefined =>
    filledFields({
      cpu: cpu === undefined ? undefined : String(cpu),
      memory: size && quantityText(size),
    });
  return {
    memory: guestMemory && { guest: quantityText(guestMemory) },
    resources: filledFields({
      limits: amounts(cpuLimit, memoryLimit),
      requests: amounts(cpuRequest, memoryRequest),
    }),
  };
}

function devices(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  disks: readonly PlacedDisk[],
  hasCloudInit: boolean,
): object {
  const macs = writtenMacs(machine, props);
  const { asWritten } = props.adopted ?? {};
  const { inputs = asWritten ? [] : [{ name: 'tablet' }] } = props;
  return {
    disks: [
      ...disks.map(({ disk, name, bootOrder }) => ({
        name,
        [disk._cdRom ? 'cdrom' : 'disk']: {
          bus: disk._bus ?? (disk._options.hotPluggable ? DiskBus.SCSI : DiskBus.VIRTIO),
        },
        bootOrder: (asWritten ? disk._options.bootOrder : bootOrder) || undefined,
        cache: disk._options.cache,
        shareable: disk._options.shareable || undefined,
      })),
      ...(props.sysprepSecretName === undefined
        ? []
        : [{ name: SYSPREP_VOLUME, cdrom: { bus: DiskBus.SATA } }]),
      ...(hasCloudInit ? [{ name: cloudInitDisk(props), disk: { bus: 'virtio' } }] : []),
    ],
    interfaces: nicsOf(props).map((nic, index) => ({
      name: nicName(nic, index),
      ...bindingOf(nic),
      model: nic._options.model ?? (asWritten ? undefined : InterfaceModel.VIRTIO),
      macAddress: macs[index],
      bootOrder: nic._options.bootOrder,
    })),
    inputs: filledList(
      inputs.map(({ name, bus }) => ({ name, type: 'tablet', bus: bus ?? InputBus.USB })),
    ),
    ...hostDevicesOf(machine, props),
    filesystems: filledList(props.filesystems?.map(({ _name: name }) => ({ name, virtiofs: {} }))),
    tpm: props.tpm ? { persistent: props.tpmPersistent || undefined } : undefined,
  };
}

/** Host devices and virtual GPUs, which are host devices to Harvester 1.8 and later. */
function hostDevicesOf(
  { vgpusAreHostDevices }: MachineIdentity,
  props: VirtualMachineProps,
): object {
  const hostDevices = props.hostDevices?.map(deviceOf) ?? [];
  const vgpus = (props.vgpus ?? []).map(({ _device, _resourceName }) => ({
    name: _device,
    deviceName: _resourceName,
  }));
  return vgpusAreHostDevices
    ? { hostDevices: filledList([...hostDevices, ...vgpus]) }
    : { hostDevices: filledList(hostDevices), gpus: filledList(vgpus) };
}

/** The name and the resource name of a host device. */
export function deviceOf({ claim, name, deviceName }: VmHostDevice): {
  readonly name?: string;
  readonly deviceName?: string;
} {
  return { name: claim?.name ?? name, deviceName: claim?.resourceName ?? deviceName };
}

/** Terraform leaves ACPI to KubeVirt, which enables it. */
function featuresOf(props: VirtualMachineProps): object | undefined {
  const { adopted = {}, secureBoot } = props;
  const { asWritten, createdBy } = adopted;
  const { acpi = !asWritten && createdBy !== VmCreator.TERRAFORM } = props;
  const features = {
    ...(acpi ? { acpi: { enabled: true } } : {}),
    ...(secureBoot ? { smm: { enabled: true } } : {}),
  };
  return Object.keys(features).length > 0 ? features : undefined;
}

function bindingOf({ _network: network, _options }: Nic): object {
  const { managedTap, bridged } = _options;
  if (!network) {
    return bridged ? { bridge: {} } : { masquerade: {} };
  }
  return managedTap ? { binding: { name: BINDING_MANAGED_TAP } } : { bridge: {} };
}

/** The volume of a disk, which an empty CD-ROM drive does not have. */
function volumeOf({ disk, name, claimName }: PlacedDisk): readonly object[] {
  const { _container: image, _pullPolicy: policy, _options } = disk;
  if (image !== undefined) {
    return [
      {
        name,
        containerDisk: {
          image,
          imagePullPolicy: policy === DiskPullPolicy.BY_TAG ? undefined : policy,
        },
      },
    ];
  }
  if (claimName === undefined) {
    return [];
  }
  return [
    {
      name,
      persistentVolumeClaim: { claimName, hotpluggable: _options.hotPluggable || undefined },
    },
  ];
}

/** The name of the disk from which cloud-init reads its data. */
export function cloudInitDisk({ adopted }: VirtualMachineProps): string {
  return adopted?.cloudInitDiskName ?? CLOUD_INIT_VOLUME;
}

function cloudInitSource(
  { cloudInitInline, cloudInit, networkData }: VirtualMachineProps,
  secret: MachineSecrets | undefined,
): object | undefined {
  if (cloudInitInline) {
    return { userData: cloudInit?.toText(), networkData: networkData?.toText() };
  }
  const named = (name: string | undefined): object | undefined =>
    name === undefined ? undefined : { name };
  return (
    secret && { secretRef: named(secret.userData), networkDataSecretRef: named(secret.networkData) }
  );
}

function labelsOf(props: VirtualMachineProps): { readonly [key: string]: string } | undefined {
  const { osType, maintenanceStrategy = VmMaintenanceStrategy.MIGRATE } = props;
  const labels = {
    ...Object.fromEntries(
      Object.entries(props.tags ?? {}).map(([key, value]) => [`${TAG_PREFIX}${key}`, value]),
    ),
    ...creatorLabels(props),
    ...(osType ? { [LABEL_OS]: osType.value } : {}),
    ...(maintenanceStrategy === VmMaintenanceStrategy.MIGRATE
      ? {}
      : { [LABEL_MAINTENANCE]: maintenanceStrategy }),
  };
  return Object.keys(labels).length > 0 ? labels : undefined;
}

/** Who created the VM: a manifest that was written by hand names no one. */
function creatorOf({ adopted = {} }: VirtualMachineProps): VmCreator | undefined {
  const { asWritten, createdBy } = adopted;
  return createdBy ?? (asWritten ? VmCreator.NONE : undefined);
}

function creatorLabels(props: VirtualMachineProps): { readonly [key: string]: string } {
  const { guestCluster } = props;
  const createdBy = creatorOf(props);
  if (guestCluster) {
    return { [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER, [VM_LABEL_GUEST_CLUSTER]: guestCluster.name };
  }
  if (createdBy === VmCreator.NONE) {
    return {};
  }
  return { [VM_LABEL_CREATOR]: createdBy === VmCreator.TERRAFORM ? createdBy : CREATOR_HARVESTER };
}

function annotationsOf(
  props: VirtualMachineProps,
  disks: readonly PlacedDisk[],
): { readonly [key: string]: string } | undefined {
  const { reservedMemory, runStrategy = VmRunStrategy.RERUN_ON_FAILURE } = props;
  const { asWritten } = props.adopted ?? {};
  const claims = disks.flatMap(claimOf);
  // a VM that leaves Halted gets the strategy of this annotation, not that of its spec
  const hasStrategy =
    !asWritten && ![VmRunStrategy.HALTED, VmRunStrategy.RUNNING].includes(runStrategy);
  const removed = disks
    .filter(({ disk }) => disk._claim?.options.deleteWithMachine)
    .map(({ claimName }) => claimName);
  const annotations = {
    ...(asWritten && claims.length === 0
      ? {}
      : { [ANNOTATION_VOLUME_CLAIMS]: printClaims(claims) }),
    ...(props.hotplug ? { [ANNOTATION_HOTPLUG]: 'true' } : {}),
    ...(reservedMemory ? { [ANNOTATION_RESERVED_MEMORY]: quantityText(reservedMemory) } : {}),
    ...Object.fromEntries(
      nicsOf(props).flatMap((nic, index) =>
        nic._options.staticAddress === undefined
          ? []
          : [[`${STATIC_ADDRESS_PREFIX}${nicName(nic, index)}`, nic._options.staticAddress]],
      ),
    ),
    ...(removed.length > 0 ? { [ANNOTATION_REMOVED_CLAIMS]: removed.join(',') } : {}),
    ...(hasStrategy ? { [ANNOTATION_RUN_STRATEGY]: runStrategy } : {}),
  };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

function claimOf({ disk, claimName }: PlacedDisk): ClaimFields[] {
  const { _claim: claim } = disk;
  if (!claim) {
    return [];
  }
  const { image, storageClass, size, options } = claim;
  return [
    {
      name: claimName!,
      imageId: image?.imageId,
      accessMode: options.accessMode ?? VolumeAccessMode.READ_WRITE_MANY,
      storage: quantityText(size),
      volumeMode: options.volumeMode ?? VolumeMode.BLOCK,
      storageClassName: image?.storageClassName ?? storageClass?.name,
    },
  ];
}
