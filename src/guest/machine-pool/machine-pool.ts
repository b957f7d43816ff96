import { Duration, Size } from 'cdk8s';
import { FixedAddresses } from './fixed-addresses';
import { VmAffinity } from './vm-affinity';
import { SecretValue } from '../../core/late/secret-value';
import { TaintEffect } from '../../core/manifest/taint';
import { CloudInit } from '../../harvester/cloud-init/cloud-init';
import { NetworkData } from '../../harvester/cloud-init/network-data';
import { IVmImage } from '../../harvester/image/vm-image';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { IHostStorageClass } from '../../harvester/storage/host-storage-class';
import { HARVESTER_LONGHORN } from '../../harvester/storage/storage.kind';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';
import { VGPU_NVIDIA, VGPU_PLACEHOLDER } from '../machine-config/machine-config.kind';

/** The bus that connects a disk to a virtual machine. */
export enum DiskBus {
  VIRTIO = 'virtio',
  SCSI = 'scsi',
  SATA = 'sata',
}

/** Options of a disk. */
export interface DiskOptions {
  /** The bus. A CD-ROM cannot use virtio. @default - the node driver\'s default, DiskBus.VIRTIO; DiskBus.SATA for a CD-ROM */
  readonly bus?: DiskBus;
  /** The position in the boot order, from 1. @default - the position in the list of disks */
  readonly bootOrder?: number;
  /** Whether the disk can be removed while the machine runs. @default false */
  readonly hotPluggable?: boolean;
}

/** The type of a disk in a machine configuration. */
type DiskKind = 'disk' | 'cd-rom';

/**
 * A disk of the machines of a pool: a volume on the Harvester cluster for each machine. Its size is in whole GiB.
 *
 * @see https://docs.harvesterhci.io/v1.7/rancher/node/rke2-cluster
 */
export class Disk {
  /**
   * A disk with a copy of an image. The first disk of a machine must be one with a cloud image (qcow2 or raw): an ISO holds an installer.
   *
   * @param image on the Harvester cluster that the machines run on
   * @param size of the disk; at least the size of the unpacked image
   */
  public static image(image: IVmImage, size: Size, options: DiskOptions = {}): Disk {
    return new Disk('disk', size, options, image);
  }

  /**
   * An empty disk, for data.
   *
   * @param size of the disk
   * @param storageClass of the volume; `harvester-longhorn`, which every new Harvester cluster has, if it is not set
   */
  public static empty(size: Size, storageClass?: IHostStorageClass, options: DiskOptions = {}): Disk {
    return new Disk('disk', size, options, undefined, storageClass);
  }

  /**
   * A CD-ROM drive with an image, e.g. an ISO with drivers or data.
   *
   * @param image on the Harvester cluster that the machines run on
   * @param size of the volume; at least the size of the image
   */
  public static cdRom(image: IVmImage, size: Size, options: DiskOptions = {}): Disk {
    return new Disk('cd-rom', size, { bus: DiskBus.SATA, ...options }, image);
  }

  private constructor(
    /** @internal */ public readonly _kind: DiskKind,
    /** @internal */ public readonly _size: Size,
    /** @internal */ public readonly _options: DiskOptions,
    /** @internal */ public readonly _image?: IVmImage,
    /** @internal */ public readonly _storageClass?: IHostStorageClass,
  ) {}

  /** @internal */
  public get _storageClassName(): string | undefined {
    return this._image ? undefined : this._storageClass?.name ?? HARVESTER_LONGHORN;
  }
}

/** The model of a network card of a virtual machine. */
export enum InterfaceModel {
  VIRTIO = 'virtio',
  E1000 = 'e1000',
  E1000E = 'e1000e',
  NE2K_PCI = 'ne2k_pci',
  PCNET = 'pcnet',
  RTL8139 = 'rtl8139',
}

/**
 * A network card of the machines of a pool. It is bridged: the only other type, masquerade, works only on the management network, which machines of
 * the node driver cannot use.
 */
export interface MachineNic {
  /** The network, on the Harvester cluster that the machines run on. */
  readonly network: IVmNetwork;
  /** The model of the card. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /** The MAC address, e.g. `52:54:00:12:34:56`; only for a pool of one machine. @default - Harvester chooses one for each machine */
  readonly macAddress?: string;
}

/**
 * A virtual GPU of the machines of a pool. The Harvester cluster needs the add-on pcidevices-controller and enabled vGPU devices of the type.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/vgpusupport
 */
export class VGpu {
  /**
   * An NVIDIA virtual GPU, by the type that Harvester's UI shows.
   *
   * @param typeName e.g. `NVIDIA A2-2Q`; becomes the resource `nvidia.com/NVIDIA_A2-2Q`
   */
  public static nvidia(typeName: string): VGpu {
    return new VGpu(`${VGPU_NVIDIA}${typeName.replace(/ /g, '_')}`);
  }

  /**
   * A virtual GPU, by its resource name.
   *
   * @param deviceName `<vendor>/<type>`, e.g. `nvidia.com/NVIDIA_A2-2Q`
   */
  public static ofDevice(deviceName: string): VGpu {
    return new VGpu(deviceName);
  }

  private constructor(/** @internal */ public readonly _deviceName: string) {}

  /** @internal */
  public _request(): { name: string; deviceName: string } {
    return { name: VGPU_PLACEHOLDER, deviceName: this._deviceName };
  }
}

/** The roles of the nodes of a pool. */
export interface MachineRolesProps {
  /** Whether the nodes run the control plane. @default false */
  readonly controlPlane?: boolean;
  /** Whether the nodes run etcd. Use an odd number of such nodes in all pools together. @default false */
  readonly etcd?: boolean;
  /** Whether the nodes run workloads. @default false */
  readonly worker?: boolean;
}

/** The roles of the nodes of a pool. The pools of a cluster together need every role. */
export class MachineRoles {
  /** Control plane, etcd and workloads, for small clusters. */
  public static readonly ALL = new MachineRoles(true, true, true);
  /** Control plane and etcd. */
  public static readonly CONTROL_PLANE_ETCD = new MachineRoles(true, true, false);
  /** Only the control plane. */
  public static readonly CONTROL_PLANE = new MachineRoles(true, false, false);
  /** Only etcd. */
  public static readonly ETCD = new MachineRoles(false, true, false);
  /** Only workloads. */
  public static readonly WORKER = new MachineRoles(false, false, true);

  /**
   * Any combination of roles.
   *
   * @param roles at least one
   */
  public static of(roles: MachineRolesProps): MachineRoles {
    return new MachineRoles(roles.controlPlane ?? false, roles.etcd ?? false, roles.worker ?? false);
  }

  private constructor(
    /** Whether the nodes run the control plane. */
    public readonly controlPlane: boolean,
    /** Whether the nodes run etcd. */
    public readonly etcd: boolean,
    /** Whether the nodes run workloads. */
    public readonly worker: boolean,
  ) {}
}

/** A taint of the nodes of a pool. */
export interface MachineTaint {
  /** The key, a label name. */
  readonly key: string;
  /** The value. @default - a taint without a value */
  readonly value?: string;
  /** The effect on pods that do not tolerate the taint. */
  readonly effect: TaintEffect;
}

/** The bounds within which the cluster autoscaler sets the number of machines of a pool. */
export interface MachineAutoscaling {
  /** The minimum; at least 1 for pools with control plane or etcd. */
  readonly min: number;
  /** The maximum. */
  readonly max: number;
}

/** How many machines Rancher replaces at a time when the machines of a pool change. */
export interface MachineRollingUpdate {
  /** The number of machines above the quantity: a number or a percentage, e.g. `1` or `25%`. @default - Cluster API's default, 1 */
  readonly maxSurge?: string;
  /** The number of machines below the quantity: a number or a percentage. @default - Cluster API's default, 0 */
  readonly maxUnavailable?: string;
}

/**
 * A machine pool of a guest cluster: equal virtual machines on Harvester, which Rancher creates with its node driver.
 *
 * Creates a HarvesterConfig on Rancher and an entry of `rkeConfig.machinePools`. The node driver creates the virtual machines on Harvester.
 *
 * Rancher replaces all machines of a pool, one after the other, if any field of their HarvesterConfig changes: cpus, memory, disks, networks,
 * user data, affinity, hardware and SSH. Roles are immutable. Quantity, labels, taints, drain and health settings change in place.
 * `cdk8s-harvester explain MachinePool.<prop>` prints what an edit of a prop does.
 *
 * @see https://docs.harvesterhci.io/v1.7/rancher/node/rke2-cluster
 */
export interface MachinePool {
  /** The name: an RFC 1123 label, unique in the cluster, at most 50 characters together with the name of the cluster. A new name creates a new pool. */
  readonly name: string;
  /** The number of machines, 0 or more. Cannot be set together with `autoscaling`. @default 1 */
  readonly quantity?: number;
  /** The roles of the nodes. */
  readonly roles: MachineRoles;

  /** The number of virtual CPUs of a machine. */
  readonly cpus: number;
  /** The memory of a machine, in whole GiB. */
  readonly memory: Size;
  /** The part of the memory that the hypervisor reserves, in whole MiB. Rancher 2.12.0 and later. @default - Harvester's default */
  readonly reservedMemory?: Size;
  /** The disks, in boot order; the first one has a cloud image. */
  readonly disks: Disk[];
  /** The networks, each with a card of the default model; Rancher reads the machine's IPv4 address from the first one. @default - the cards of `nics` */
  readonly networks?: IVmNetwork[];
  /** The network cards in detail, instead of `networks`. @default - one card of the default model for each network */
  readonly nics?: MachineNic[];
  /** The CPU model of the machines, e.g. `host-passthrough`. Rancher 2.14.0 and later. @default - KubeVirt's default, host-model */
  readonly cpuModel?: string;
  /** Whether each virtual CPU has a dedicated core; needs the CPU manager on a Harvester node. Rancher 2.11.0, Harvester 1.4.0 and later. @default false */
  readonly cpuPinning?: boolean;
  /** Whether the emulator thread has a dedicated core; needs cpuPinning. @default false */
  readonly isolateEmulatorThread?: boolean;
  /** Whether machines boot with UEFI. Rancher 2.7.11, 2.8.3, 2.9.0 and later. @default false */
  readonly efi?: boolean;
  /** Whether UEFI boots only signed systems; needs efi. @default false */
  readonly secureBoot?: boolean;
  /** Whether machines have a TPM. Rancher 2.11.0 and later. @default false */
  readonly tpm?: boolean;
  /** The virtual GPUs of each machine. Rancher 2.7.11, 2.8.3, 2.9.0 and later. @default - no virtual GPUs */
  readonly vgpus?: VGpu[];

  /**
   * The user of the image for the shell in Rancher's UI, e.g. `ubuntu`, `opensuse` or `sles`. Provisioning does not need it.
   * @default - the node driver's default, `root`, which cannot log in to most cloud images
   */
  readonly sshUser?: string;
  /** A password for sshUser. The HarvesterConfig contains it in plain text. @default - no password: Rancher creates a key for each machine */
  readonly sshPassword?: SecretValue;
  /** The port of the SSH server of the machines. @default 22 */
  readonly sshPort?: number;
  /**
   * The cloud-init user data of the machines. Set SSH keys here: Rancher's node driver cannot use a Harvester KeyPair.
   * @default - user data that installs qemu-guest-agent, as Rancher's UI does
   */
  readonly cloudInit?: CloudInit;
  /**
   * The fixed addresses of the machines, each of which becomes a pool of its own. Cannot be set together with `networkData` and `autoscaling`.
   * @default - DHCP, or `networkData`
   */
  readonly fixedAddresses?: FixedAddresses;
  /** The cloud-init network data of the machines; static addresses only for pools of one machine. @default - DHCP on all cards */
  readonly networkData?: NetworkData;
  /** The Harvester nodes that the virtual machines run on. @default - different nodes if possible */
  readonly affinity?: VmAffinity;

  /** Labels of the nodes. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
  /** Taints of the nodes. @default - no taints */
  readonly taints?: MachineTaint[];
  /** Labels of the MachineDeployment of Cluster API. @default - no labels */
  readonly machineDeploymentLabels?: { readonly [key: string]: string };
  /** Annotations of the MachineDeployment of Cluster API. @default - no annotations */
  readonly machineDeploymentAnnotations?: { readonly [key: string]: string };

  /** Whether a node is drained before its machine is deleted. @default true */
  readonly drainBeforeDelete?: boolean;
  /** The maximum duration of the drain, in whole seconds; then the machine is deleted in any case. @default - no limit */
  readonly drainBeforeDeleteTimeout?: Duration;
  /** How long a node may be unhealthy before its machine is replaced, in whole seconds; 0 means indefinitely. @default Duration.seconds(0) */
  readonly unhealthyNodeTimeout?: Duration;
  /** How long a new machine may take to become a node before it is replaced. @default - 10 minutes with unhealthyNodeTimeout, otherwise indefinitely */
  readonly nodeStartupTimeout?: Duration;
  /** The number of unhealthy machines above which none is replaced: a number or a percentage. @default - Cluster API's default, 100% */
  readonly maxUnhealthy?: string;
  /** The range of unhealthy machines within which they are replaced, e.g. `[3-5]`. @default - any number of them */
  readonly unhealthyRange?: string;
  /** How many machines are replaced at a time. @default - Cluster API's default, one at a time */
  readonly rollingUpdate?: MachineRollingUpdate;
  /**
   * The maximum length of host names, 10 to 63 characters. Longer names are cut and end in a hash, so that a node and its virtual machine have
   * different names, and the Harvester cloud provider does not find the virtual machine. Rancher 2.7.5 and later.
   * @default 63
   */
  readonly hostnameLengthLimit?: number;
  /** Whether Rancher stops to reconcile the pool. @default false */
  readonly paused?: boolean;
  /** The operating system of the nodes, `linux` or `windows`. @default 'linux' */
  readonly machineOs?: string;
  /** The bounds for the cluster autoscaler, which then sets the quantity. @default - no autoscaling */
  readonly autoscaling?: MachineAutoscaling;
  /** The cloud credential of the pool. @default - the credential of the cluster */
  readonly credential?: ICloudCredential;
  /**
   * The name of the HarvesterConfig. Pools of a cluster with the same name share it; their machines must be equal.
   * @default - `nc-<cluster>-<pool>`
   */
  readonly machineConfigName?: string;
}
