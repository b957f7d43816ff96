import { Size } from 'cdk8s';
import { IVmImage } from '../../harvester/image/vm-image';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { IHostStorageClass } from '../../harvester/storage/host-storage-class';
import { HARVESTER_LONGHORN } from '../../harvester/storage/host-storage-class.kind';
import { VGPU_NVIDIA, VGPU_PLACEHOLDER } from '../machine-config/machine-config.kind';

/** The bus that connects a disk to a virtual machine. */
export enum DiskBus {
  VIRTIO = 'virtio',
  SCSI = 'scsi',
  SATA = 'sata',
}

/**
 * Options of a disk.
 */
export interface DiskOptions {
  /**
   * The bus. A CD-ROM cannot use virtio.
   * @default - the node driver\'s default, DiskBus.VIRTIO; DiskBus.SATA for a CD-ROM
   */
  readonly bus?: DiskBus;
  /**
   * The position in the boot order, from 1.
   * @default - the position in the list of disks
   */
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
    return this._image ? undefined : this._storageClass?.storageClassName ?? HARVESTER_LONGHORN;
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
