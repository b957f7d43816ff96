import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct } from 'constructs';
import { IHarvesterVolume } from './volume-ref';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, collectProblems } from '../../core/problem/problem';
import { defined } from '../../core/text/values';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { IVmImage } from '../image/vm-image';
import { IHarvesterStorageClass, awaitStorage } from '../storage/harvester-storage-class';
import { VolumeAccessMode, VolumeMode } from '../storage/storage.data';
import {
  ANNOTATION_IMAGE_ID,
  ANNOTATION_VOLUME_FOR_VM,
} from '../virtual-machine/machine-manifest.facts';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'PersistentVolumeClaim' };

/** Whole MiB as a Kubernetes quantity, in Gi where that is a whole number too. */
export function quantityText(size: Size): string {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** Checks a size that Harvester accepts in whole MiB. */
export function checkSize(path: string, size: Size): Problem[] {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (Number.isInteger(mebibytes) && mebibytes >= 1) {
    return [];
  }
  return [
    {
      path,
      value: size.asString(),
      message: 'must be a whole number of MiB, at least 1',
      fix: `use Size.mebibytes(${Math.max(1, Math.ceil(mebibytes))})`,
    },
  ];
}

/** Properties of a volume. */
export interface HarvesterVolumeProps extends NamespacedHarvesterResourceProps {
  /** The size, in whole MiB. It can grow, but not shrink. */
  readonly size: Size;
  /**
   * The image that the volume is created from, of the backend `backingimage`: volumes of other
   * images exist only as disks of VMs. Immutable.
   * @default - an empty volume
   */
  readonly image?: IVmImage;
  /**
   * The StorageClass. Cannot be combined with image, which has its own. Immutable.
   * @default - the default class of the Harvester
   */
  readonly storageClass?: IHarvesterStorageClass;
  /**
   * How many nodes can use the volume at a time. Immutable.
   * @default VolumeAccessMode.READ_WRITE_MANY
   */
  readonly accessMode?: VolumeAccessMode;
  /** The form of the volume. Immutable. @default VolumeMode.BLOCK */
  readonly volumeMode?: VolumeMode;
}

/**
 * The PersistentVolumeClaim of a volume on a Harvester that does not depend on the life of a
 * virtual machine, see `Disk.volume`.
 *
 * The VM that uses it must be in its namespace. Deleting the volume deletes its data. Harvester
 * refuses to delete it while a VM uses it.
 *
 * @see https://docs.harvesterhci.io/latest/volume/index
 * @example
 * new HarvesterVolume(dc1, 'orders-data', { size: Size.gibibytes(500) });
 */
export class HarvesterVolume extends NamespacedHarvesterResource implements IHarvesterVolume {
  /** A reference to an existing volume. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IHarvesterVolume {
    return new ExistingVolume(scope, id, 'HarvesterVolume.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: HarvesterVolumeProps) {
    super(scope, id, props);
    const { image, storageClass } = props;
    if (image) {
      requireSameHarvester(this, 'image', image.imageId, image.harvester, this.harvester);
    }
    if (storageClass) {
      requireSameHarvester(
        this,
        'storageClass',
        storageClass.name,
        storageClass.harvester,
        this.harvester,
      );
    }
    collectProblems(this, [...checkSize('size', props.size), ...checkStorage(props)]);
    awaitStorage(this, this.harvester, image, storageClass);
    const isFileSystem = props.volumeMode === VolumeMode.FILESYSTEM;
    this._write({
      ...KIND,
      // as the UI does: a block volume needs no file system that CDI fills
      metadata: {
        annotations: defined({
          [ANNOTATION_IMAGE_ID]: image?.imageId,
          [ANNOTATION_VOLUME_FOR_VM]: isFileSystem ? 'true' : undefined,
        }),
      },
      spec: {
        accessModes: [props.accessMode ?? VolumeAccessMode.READ_WRITE_MANY],
        resources: { requests: { storage: quantityText(props.size) } },
        volumeMode: props.volumeMode ?? VolumeMode.BLOCK,
        storageClassName: image?.storageClassName ?? storageClass?.name,
      },
    });
  }

  public get volumeId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

function checkStorage({ image, storageClass }: HarvesterVolumeProps): Problem[] {
  if (!image || !storageClass) {
    return [];
  }
  return [
    {
      path: 'storageClass',
      value: storageClass.name,
      message: 'cannot be combined with image, which has its own class',
      fix: 'remove image or storageClass',
    },
  ];
}

class ExistingVolume extends ExistingNamespacedHarvesterResource implements IHarvesterVolume {
  public get volumeId(): string {
    return `${this.namespace}/${this.name}`;
  }
}
