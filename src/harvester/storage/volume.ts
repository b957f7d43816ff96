import { ApiObject, Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { IHostStorageClass, useDefaultClass } from './host-storage-class';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { DiskBus } from '../../guest/machine-pool/machine-devices';
import { IVmImage } from '../image/vm-image';
import { DEFAULT_NAMESPACE } from '../namespace/namespace.kind';
import { failUnlessSameHarvester, objectName, objectNamespace } from '../object-name';
import { ANNOTATION_IMAGE_ID, ANNOTATION_VOLUME_FOR_VM } from '../virtual-machine/virtual-machine.kind';

/** Whole MiB as a Kubernetes quantity, in Gi where that is a whole number too. */
export function quantity(size: Size): string {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** What is wrong with a size that Harvester takes in whole MiB. */
export function checkSize(path: string, size: Size): Problem[] {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (Number.isInteger(mebibytes) && mebibytes >= 1) { return []; }
  return [{
    path,
    value: size.asString(),
    message: 'is no whole number of MiB from 1',
    fix: `give Size.mebibytes(${Math.max(1, Math.ceil(mebibytes))})`,
  }];
}

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

/**
 * A volume on a Harvester, i.e. a PersistentVolumeClaim: one that the program declares, or one that is there.
 */
export interface IVolume extends IConstruct {
  /** The name of the PersistentVolumeClaim. */
  readonly volumeName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Properties of a volume.
 */
export interface VolumeProps {
  /** How large it is, in whole MiB. It can grow, and not shrink. */
  readonly size: Size;
  /**
   * The image that it begins as, of the backend `backingimage`: volumes of other images are made for the disks of machines only. Create-only.
   * @default - it is empty
   */
  readonly image?: IVmImage;
  /** The StorageClass that it is made of; not with image, which has its own. Create-only. @default - the default class of the Harvester */
  readonly storageClass?: IHostStorageClass;
  /** Who may use it at a time. Create-only. @default VolumeAccessMode.READ_WRITE_MANY */
  readonly accessMode?: VolumeAccessMode;
  /** What it is to who uses it. Create-only. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
  /** The name of the PersistentVolumeClaim. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace, that of the machine that has it. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the PersistentVolumeClaim. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A volume on a Harvester that is not bound to the life of a virtual machine, see `VmDisk.volume`.
 *
 * Deleting it deletes the data on it; Harvester refuses that while a machine has it.
 *
 * @see https://docs.harvesterhci.io/latest/volume/index
 */
export class Volume extends Construct implements IVolume {
  /**
   * A volume that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the PersistentVolumeClaim
   * @param namespace of it; the default is `default`
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string): IVolume {
    return new ExistingVolume(scope, id, name, namespace ?? DEFAULT_NAMESPACE);
  }

  public readonly volumeName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: VolumeProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'Volume');
    this.volumeName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    const { image, storageClass, description } = props;
    failOnErrors(this, [
      ...checkSize('size', props.size),
      ...(image && storageClass ? [{
        path: 'storageClass',
        value: storageClass.storageClassName,
        message: 'does not go with image, which has a class of its own',
        fix: 'leave one of them out',
      }] : []),
    ]);
    this.waitFor(image, storageClass);
    const volume = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: this.volumeName,
        namespace: this.namespace,
        labels: props.labels,
        annotations: {
          ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
          ...(image ? { [ANNOTATION_IMAGE_ID]: image.imageId } : {}),
          [ANNOTATION_VOLUME_FOR_VM]: 'true',
        },
      },
      spec: {
        accessModes: [props.accessMode ?? VolumeAccessMode.READ_WRITE_MANY],
        resources: { requests: { storage: quantity(props.size) } },
        volumeMode: props.volumeMode ?? VolumeMode.BLOCK,
        storageClassName: image?.storageClassName ?? storageClass?.storageClassName,
      },
    });
    note(volume, {
      deletion: { policy: 'delete', reason: 'its data is lost; Harvester refuses it while a virtual machine has it' },
      othersWrite: [
        'metadata.annotations', 'metadata.finalizers', 'spec.volumeName', 'spec.storageClassName', 'spec.dataSource', 'spec.dataSourceRef', 'status',
      ],
    });
  }

  private waitFor(image: IVmImage | undefined, storageClass: IHostStorageClass | undefined): void {
    if (image) {
      failUnlessSameHarvester(this, 'image', image.imageId, image.harvester, this.harvester);
      Edges.of(this)._add(image, EdgeType.READY);
    } else if (storageClass) {
      failUnlessSameHarvester(this, 'storageClass', storageClass.storageClassName, storageClass.harvester, this.harvester);
      Edges.of(this)._add(storageClass, EdgeType.APPLIED);
    } else {
      useDefaultClass(this.harvester, this);
    }
  }
}

class ExistingVolume extends Construct implements IVolume {
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, public readonly volumeName: string, public readonly namespace: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'Volume.fromName');
    objectName(this, volumeName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: API_VERSIONS.CORE, kind: 'PersistentVolumeClaim', namespace, name: volumeName });
  }
}
