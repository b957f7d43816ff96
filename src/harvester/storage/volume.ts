import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct } from 'constructs';
import { IHostStorageClass, useDefaultClass } from './host-storage-class';
import { VolumeAccessMode, VolumeMode } from './storage.data';
import { IVolume } from './volume-ref';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { EdgeType, Edges } from '../../core/late/edge';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { DiskBus } from '../../guest/machine-pool/machine-pool';
import { requireSameHarvester } from '../harvester-object';
import { ExistingNamespacedHarvesterResource, NamespacedHarvesterResource, NamespacedHarvesterResourceProps } from '../harvester-resource';
import { IVmImage } from '../image/vm-image';
import { ANNOTATION_IMAGE_ID, ANNOTATION_VOLUME_FOR_VM } from '../virtual-machine/machine-manifest.check';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'PersistentVolumeClaim' };

/** Whole MiB as a Kubernetes quantity, in Gi where that is a whole number too. */
export function quantity(size: Size): string {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** Checks a size that Harvester accepts in whole MiB. */
export function checkSize(path: string, size: Size): Problem[] {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (Number.isInteger(mebibytes) && mebibytes >= 1) { return []; }
  return [{
    path,
    value: size.asString(),
    message: 'must be a whole number of MiB, at least 1',
    fix: `use Size.mebibytes(${Math.max(1, Math.ceil(mebibytes))})`,
  }];
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

/** Options of a disk of a virtual machine. */
export interface VmDiskOptions {
  /** The name of the disk: an RFC 1123 label, unique within the VM. @default - `disk-<index>`, from 0 */
  readonly name?: string;
  /** The bus. A CD-ROM cannot use virtio. @default - VIRTIO; SATA for a CD-ROM; SCSI for a hot-pluggable disk */
  readonly bus?: DiskBus;
  /** The position in the boot order of the VM's devices, from 1. Unique within the VM. @default - the position in the list of disks */
  readonly bootOrder?: number;
  /** Whether the disk can be detached while the VM runs. @default false */
  readonly hotPluggable?: boolean;
  /** Whether the host caches the disk. @default - KubeVirt decides */
  readonly cache?: DiskCache;
}

/** Options of a disk whose volume is created for the VM. */
export interface VmVolumeDiskOptions extends VmDiskOptions {
  /** The name of the PersistentVolumeClaim. An existing one is used unchanged. @default - `<VM>-<disk>` */
  readonly volumeName?: string;
  /** How many nodes can use the volume at a time. @default VolumeAccessMode.READ_WRITE_MANY */
  readonly accessMode?: VolumeAccessMode;
  /** The form of the volume. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
  /** Whether the volume and its data are deleted with the VM. @default false */
  readonly deleteWithMachine?: boolean;
}

/** Options of an empty disk. */
export interface VmEmptyDiskOptions extends VmVolumeDiskOptions {
  /** The StorageClass of the volume. @default - the default class of the Harvester */
  readonly storageClass?: IHostStorageClass;
}

/**
 * A disk of a virtual machine.
 *
 * Harvester creates the volumes of images and empty disks from the annotation `harvesterhci.io/volumeClaimTemplates` of the VM, each once. An existing
 * volume is used unchanged, also if the disk has a different image. It is kept when the VM is deleted, unless `deleteWithMachine` is set.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 */
export class VmDisk {
  /**
   * A disk that is created as a copy of an image.
   *
   * @param image the image, on the same Harvester; the volume gets its StorageClass
   * @param size the size of the volume, at least the virtual size of the image
   */
  public static image(image: IVmImage, size: Size, options: VmVolumeDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, { size, image, options });
  }

  /**
   * An empty disk.
   *
   * @param size the size of the volume
   */
  public static empty(size: Size, options: VmEmptyDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, { size, storageClass: options.storageClass, options });
  }

  /**
   * A declared or existing volume with its data. Only one VM can use it.
   *
   * @param volume the volume, in the namespace of the VM
   */
  public static volume(volume: IVolume, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, undefined, volume);
  }

  /**
   * A disk from a container image, pulled at each start. Data that the VM writes is lost when it stops.
   *
   * @param containerImage the image, e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static container(containerImage: string, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(false, options, undefined, undefined, containerImage);
  }

  /**
   * A CD-ROM with an image, e.g. an installer's ISO.
   *
   * @param image the image, on the same Harvester
   * @param size the size of the volume, at least that of the image
   */
  public static cdRom(image: IVmImage, size: Size, options: VmVolumeDiskOptions = {}): VmDisk {
    return new VmDisk(true, options, { size, image, options });
  }

  /**
   * A CD-ROM from a container image, e.g. with drivers for Windows.
   *
   * @param containerImage the image, e.g. `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`
   */
  public static containerCdRom(containerImage: string, options: VmDiskOptions = {}): VmDisk {
    return new VmDisk(true, options, undefined, undefined, containerImage);
  }

  private constructor(
    /** @internal */ public readonly _cdRom: boolean,
    /** @internal */ public readonly _options: VmDiskOptions,
    /** @internal */ public readonly _claim?: VmClaim,
    /** @internal */ public readonly _volume?: IVolume,
    /** @internal */ public readonly _container?: string,
  ) {}

  /** @internal */
  public get _bus(): DiskBus {
    if (this._cdRom) { return this._options.bus ?? DiskBus.SATA; }
    return this._options.bus ?? (this._options.hotPluggable ? DiskBus.SCSI : DiskBus.VIRTIO);
  }
}

/** The source of a disk's volume. */
interface VmClaim {
  readonly size: Size;
  readonly image?: IVmImage;
  readonly storageClass?: IHostStorageClass;
  readonly options: VmVolumeDiskOptions;
}

/** Properties of a volume. */
export interface VolumeProps extends NamespacedHarvesterResourceProps {
  /** The size, in whole MiB. It can grow, but not shrink. */
  readonly size: Size;
  /**
   * The image that the volume is created from, of the backend `backingimage`: volumes of other images exist only as disks of VMs. Immutable.
   * @default - an empty volume
   */
  readonly image?: IVmImage;
  /** The StorageClass. Cannot be combined with image, which has its own. Immutable. @default - the default class of the Harvester */
  readonly storageClass?: IHostStorageClass;
  /** How many nodes can use the volume at a time. Immutable. @default VolumeAccessMode.READ_WRITE_MANY */
  readonly accessMode?: VolumeAccessMode;
  /** The form of the volume. Immutable. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
}

/**
 * The PersistentVolumeClaim of a volume on a Harvester that does not depend on the life of a virtual machine, see `VmDisk.volume`.
 *
 * The VM that uses it must be in its namespace. Deleting the volume deletes its data. Harvester refuses to delete it while a VM uses it.
 *
 * @see https://docs.harvesterhci.io/latest/volume/index
 * @example
 * new Volume(dc1, 'orders-data', { size: Size.gibibytes(500) });
 */
export class Volume extends NamespacedHarvesterResource implements IVolume {
  /**
   * A reference to an existing volume.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   */
  public static fromName(scope: Construct, id: string, options: ExistingNamespacedResourceOptions): IVolume {
    return new ExistingNamespacedHarvesterResource(scope, id, 'Volume.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: VolumeProps) {
    super(scope, id, props);
    const { image, storageClass } = props;
    if (image) { requireSameHarvester(this, 'image', image.imageId, image.harvester, this.harvester); }
    if (storageClass) { requireSameHarvester(this, 'storageClass', storageClass.name, storageClass.harvester, this.harvester); }
    failOnErrors(this, [
      ...checkSize('size', props.size),
      ...(image && storageClass ? [{
        path: 'storageClass',
        value: storageClass.name,
        message: 'cannot be combined with image, which has its own class',
        fix: 'remove image or storageClass',
      }] : []),
    ]);
    this.waitFor(image, storageClass);
    this._write({
      ...KIND,
      metadata: { annotations: { ...(image ? { [ANNOTATION_IMAGE_ID]: image.imageId } : {}), [ANNOTATION_VOLUME_FOR_VM]: 'true' } },
      spec: {
        accessModes: [props.accessMode ?? VolumeAccessMode.READ_WRITE_MANY],
        resources: { requests: { storage: quantity(props.size) } },
        volumeMode: props.volumeMode ?? VolumeMode.BLOCK,
        storageClassName: image?.storageClassName ?? storageClass?.name,
      },
    }, {
      deletion: { policy: 'delete', reason: 'its data is lost; Harvester refuses it while a virtual machine uses it' },
      othersWrite: [
        'metadata.annotations', 'metadata.finalizers', 'spec.volumeName', 'spec.storageClassName', 'spec.dataSource', 'spec.dataSourceRef', 'status',
      ],
    });
  }

  private waitFor(image: IVmImage | undefined, storageClass: IHostStorageClass | undefined): void {
    if (image) {
      Edges.of(this)._add(image, EdgeType.READY);
    } else if (storageClass) {
      Edges.of(this)._add(storageClass, EdgeType.APPLIED);
    } else {
      useDefaultClass(this.harvester, this);
    }
  }
}
