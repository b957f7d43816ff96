import { Size } from 'cdk8s';
import { IHostStorageClass } from './host-storage-class';
import { IVmImage } from './vm-image';
import { IVolume } from './volume';
import { DiskBus } from '../guest/disk';

/** Whether the host keeps what a disk reads and writes in its memory. */
export enum DiskCache {
  /** It does not: what is written is on the volume. */
  NONE = 'none',
  /** It does for reading. */
  WRITE_THROUGH = 'writethrough',
  /** It does for both: what is written lately is lost with the host. */
  WRITE_BACK = 'writeback',
}

/** Who may use a volume at a time. */
export enum VolumeAccessMode {
  /** One node: such a machine can not migrate while it runs. */
  READ_WRITE_ONCE = 'ReadWriteOnce',
  /** Several nodes, as live migration needs it. */
  READ_WRITE_MANY = 'ReadWriteMany',
  /** Several nodes, for reading. */
  READ_ONLY_MANY = 'ReadOnlyMany',
}

/** What a volume is to who uses it. */
export enum VolumeMode {
  /** A block device, as disks of machines are. */
  BLOCK = 'Block',
  /** A directory, which holds a file with the disk. */
  FILESYSTEM = 'Filesystem',
}

/**
 * Options of every disk of a virtual machine.
 */
export interface VmDiskOptions {
  /** The name of the disk, an RFC 1123 label, once in a machine. @default - `disk-<place>`, from 0 */
  readonly name?: string;
  /** The bus. A CD-ROM can't be on virtio. @default - VIRTIO, SATA for a CD-ROM, SCSI for a disk that is hot-pluggable */
  readonly bus?: DiskBus;
  /** The place in the order of devices that the machine tries to start from, from 1; once in a machine. @default - its place in the list of disks */
  readonly bootOrder?: number;
  /** Whether the disk can be taken out of the running machine. @default false */
  readonly hotPluggable?: boolean;
  /** Whether the host caches it. @default - as KubeVirt decides */
  readonly cache?: DiskCache;
}

/**
 * Options of a disk whose volume is made for the machine.
 */
export interface VmVolumeDiskOptions extends VmDiskOptions {
  /** The name of the PersistentVolumeClaim; what is there under that name is used as it is. @default - `<machine>-<disk>` */
  readonly volumeName?: string;
  /** Who may use the volume at a time. @default VolumeAccessMode.READ_WRITE_MANY */
  readonly accessMode?: VolumeAccessMode;
  /** What the volume is. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
  /**
   * Whether the volume, with its data, is deleted when the machine is.
   * @default false
   */
  readonly deleteWithMachine?: boolean;
}

/**
 * Options of an empty disk.
 */
export interface VmEmptyDiskOptions extends VmVolumeDiskOptions {
  /** The StorageClass that the volume is made of. @default - the default class of the Harvester */
  readonly storageClass?: IHostStorageClass;
}

/**
 * A disk of a virtual machine.
 *
 * Harvester makes volumes of images and empty ones by the machine's annotation `harvesterhci.io/volumeClaimTemplates`, each once: a volume that is
 * there is taken as it is, whatever image the disk names by now, and stays when the machine is deleted unless `deleteWithMachine` says otherwise.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 */
export class VmDisk {
  /**
   * A disk that starts as a copy of an image.
   *
   * @param image on the same Harvester; its StorageClass is that of the volume
   * @param size of the volume, at least that of the image unpacked
   */
  public static image(image: IVmImage, size: Size, options: VmVolumeDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, { size, image, options });
  }

  /**
   * An empty disk.
   *
   * @param size of the volume
   */
  public static empty(size: Size, options: VmEmptyDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, { size, storageClass: options.storageClass, options });
  }

  /**
   * A volume of its own, with what is on it. One machine may have it.
   *
   * @param volume in the namespace of the machine
   */
  public static volume(volume: IVolume, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, undefined, volume);
  }

  /**
   * A disk from a container image, fetched at each start; what the machine writes is lost when it stops.
   *
   * @param containerImage e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static container(containerImage: string, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, undefined, undefined, containerImage);
  }

  /**
   * A CD-ROM with an image, e.g. an installer's ISO.
   *
   * @param image on the same Harvester
   * @param size of the volume, at least that of the image
   */
  public static cdRom(image: IVmImage, size: Size, options: VmVolumeDiskOptions = {}): VmDisk {
    return new VmDisk(true, options, { size, image, options });
  }

  /**
   * A CD-ROM from a container image, e.g. with drivers for Windows.
   *
   * @param containerImage e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static containerCdRom(containerImage: string, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(true, options, undefined, undefined, containerImage);
  }

  private constructor(
    /** @internal */ public readonly _cdRom: boolean,
    /** @internal */ public readonly _options: VmDiskOptions,
    /** What a volume is made of. @internal */ public readonly _claim?: VmClaim,
    /** @internal */ public readonly _volume?: IVolume,
    /** @internal */ public readonly _container?: string,
  ) {}

  /** @internal */
  public get _bus(): DiskBus {
    if (this._cdRom) { return this._options.bus ?? DiskBus.SATA; }
    return this._options.bus ?? (this._options.hotPluggable ? DiskBus.SCSI : DiskBus.VIRTIO);
  }
}

/** What the volume of a disk is made of. */
export interface VmClaim {
  readonly size: Size;
  readonly image?: IVmImage;
  readonly storageClass?: IHostStorageClass;
  readonly options: VmVolumeDiskOptions;
}
