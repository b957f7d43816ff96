import { Size } from 'cdk8s';
import { IVmImage } from '../image/vm-image';
import { IHarvesterStorageClass } from '../storage/harvester-storage-class';
import { VolumeAccessMode, VolumeMode } from '../storage/storage.data';
import { IHarvesterVolume } from '../volume/volume-ref';

/** The bus that connects a disk to a virtual machine. */
export enum DiskBus {
  /** Paravirtualized: the fastest one. A CD-ROM cannot use it. */
  VIRTIO = 'virtio',
  /** SCSI, which hot-pluggable disks need. */
  SCSI = 'scsi',
  /** SATA, for systems without other drivers. */
  SATA = 'sata',
}

/** Whether the host caches a disk in its memory. */
export enum DiskCache {
  /** No cache: all writes are on the volume. */
  NONE = 'none',
  /** The host caches reads. */
  WRITE_THROUGH = 'writethrough',
  /** The host caches reads and writes: recent writes are lost if the host fails. */
  WRITE_BACK = 'writeback',
}

/** When KubeVirt pulls the container image of a disk. */
export enum DiskPullPolicy {
  /** At each start of the VM. */
  ALWAYS = 'Always',
  /** Only if the node does not have the image. */
  IF_NOT_PRESENT = 'IfNotPresent',
  /** Never: the node must have the image. */
  NEVER = 'Never',
  /**
   * By the tag, since the VM has no policy, as in the UI: ALWAYS for `latest` or no tag, otherwise
   * IF_NOT_PRESENT.
   */
  BY_TAG = 'ByTag',
}

/** Options of an empty CD-ROM drive. */
export interface CdRomDriveOptions {
  /**
   * The name of the disk: an RFC 1123 label, unique within the VM. A MachinePool accepts no other
   * than the default.
   * @default - `disk-<index>`, from 0
   */
  readonly name?: string;
  /**
   * The position in the boot order of the VM's devices, from 1. Unique within the VM. With 0, the
   * VM does not boot from this disk, unless no device has a position; not in a MachinePool.
   * @default - the position in the list of disks
   */
  readonly bootOrder?: number;
}

/** Options of a disk. */
export interface DiskOptions extends CdRomDriveOptions {
  /**
   * The bus. A CD-ROM cannot use virtio.
   * @default - VIRTIO; SATA for a CD-ROM; SCSI for a hot-pluggable disk of a VirtualMachine
   */
  readonly bus?: DiskBus;
  /** Whether the disk can be detached while the VM runs. @default false */
  readonly hotPluggable?: boolean;
  /**
   * Whether the host caches the disk. Cannot be set in a MachinePool.
   * @default - KubeVirt decides
   */
  readonly cache?: DiskCache;
  /**
   * Whether several VMs may have the disk at the same time, e.g. for a database cluster: its file
   * system or the software must allow that. Harvester 1.9.0 and later require a ReadWriteMany block
   * volume that exists and is not of Longhorn, no cache, and another disk to boot from. Cannot be
   * set in a MachinePool.
   * @default false
   */
  readonly shareable?: boolean;
}

/** Options of a disk from a container image. */
export interface ContainerDiskOptions extends DiskOptions {
  /** When the image is pulled. @default DiskPullPolicy.IF_NOT_PRESENT */
  readonly pullPolicy?: DiskPullPolicy;
}

/** Options of a disk whose volume is created for the VM. */
export interface NewDiskOptions extends DiskOptions {
  /**
   * The name of the PersistentVolumeClaim. An existing one is used unchanged. Cannot be set in a
   * MachinePool.
   * @default - `<VM>-<disk>`
   */
  readonly volumeName?: string;
  /**
   * How many nodes can use the volume at a time. In a MachinePool always READ_WRITE_MANY.
   * @default VolumeAccessMode.READ_WRITE_MANY
   */
  readonly accessMode?: VolumeAccessMode;
  /** The form of the volume. In a MachinePool always BLOCK. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
  /**
   * Whether the volume and its data are deleted with the VM. In a MachinePool those of
   * hot-pluggable disks are kept, and all others are deleted.
   * @default - false; in a MachinePool true, unless the disk is hot-pluggable
   */
  readonly deleteWithMachine?: boolean;
}

/** Options of an empty disk. */
export interface EmptyDiskOptions extends NewDiskOptions {
  /**
   * The StorageClass of the volume.
   * @default - the default class of the Harvester; in a MachinePool `harvester-longhorn`, which every new Harvester has
   */
  readonly storageClass?: IHarvesterStorageClass;
}

/** The volume that is created for a disk. */
interface NewVolume {
  readonly size: Size;
  readonly image?: IVmImage;
  readonly storageClass?: IHarvesterStorageClass;
  readonly options: NewDiskOptions;
}

/**
 * A disk of a VirtualMachine, or of each machine of a MachinePool.
 *
 * Harvester creates the volumes of images and empty disks, each once. An existing volume is used
 * unchanged, also if the disk has a different image. The volume of a VirtualMachine is kept when
 * the VM is deleted, unless `deleteWithMachine` is set. The machines of a pool can have disks of
 * images, empty disks, and CD-ROMs of images only, each of whole GiB.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 */
export class Disk {
  /**
   * A disk that is created as a copy of an image. The first disk of the machines of a pool must be
   * one with a cloud image (qcow2 or raw): an ISO holds an installer.
   *
   * @param image the image, on the Harvester of the VM; the volume gets its StorageClass
   * @param size the size of the volume, at least the virtual size of the image
   */
  public static image(image: IVmImage, size: Size, options: NewDiskOptions = {}): Disk {
    return new Disk(false, options, { size, image, options });
  }

  /** An empty disk. */
  public static empty(size: Size, options: EmptyDiskOptions = {}): Disk {
    return new Disk(false, options, { size, storageClass: options.storageClass, options });
  }

  /**
   * A declared or existing volume with its data, for a VirtualMachine. Only one VM can use it.
   *
   * @param volume the volume, in the namespace of the VM
   */
  public static volume(volume: IHarvesterVolume, options: DiskOptions = {}): Disk {
    return new Disk(false, options, undefined, volume);
  }

  /**
   * A disk from a container image, pulled at each start, for a VirtualMachine. Data that the VM
   * writes is lost when it stops.
   *
   * @param containerImage the image, e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static container(containerImage: string, options: ContainerDiskOptions = {}): Disk {
    return new Disk(false, options, undefined, undefined, containerImage, options.pullPolicy);
  }

  /**
   * A CD-ROM with an image, e.g. an installer's ISO.
   *
   * @param image the image, on the Harvester of the VM
   * @param size the size of the volume, at least that of the image
   */
  public static cdRom(image: IVmImage, size: Size, options: NewDiskOptions = {}): Disk {
    return new Disk(true, options, { size, image, options });
  }

  /**
   * A CD-ROM from a container image, e.g. with drivers for Windows, for a VirtualMachine.
   *
   * @param containerImage the image, e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static containerCdRom(containerImage: string, options: ContainerDiskOptions = {}): Disk {
    return new Disk(true, options, undefined, undefined, containerImage, options.pullPolicy);
  }

  /**
   * An empty CD-ROM drive of a VirtualMachine, on SATA: the UI inserts an image while the VM runs.
   * Harvester 1.8.0 and later.
   */
  public static emptyCdRom(options: CdRomDriveOptions = {}): Disk {
    return new Disk(true, options);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _cdRom: boolean,
    /** @internal */ public readonly _options: DiskOptions,
    /** @internal */ public readonly _claim?: NewVolume,
    /** @internal */ public readonly _volume?: IHarvesterVolume,
    /** @internal */ public readonly _container?: string,
    /** @internal */ public readonly _pullPolicy: DiskPullPolicy = DiskPullPolicy.IF_NOT_PRESENT,
  ) {}

  /** The bus: the given one, or that of a CD-ROM, whose default would be virtio. @internal */
  public get _bus(): DiskBus | undefined {
    return this._options.bus ?? (this._cdRom ? DiskBus.SATA : undefined);
  }
}
