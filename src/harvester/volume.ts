import { ApiObject, Size } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { useDefaultClass } from './_default-class';
import { failUnlessSameHarvester, objectName, objectNamespace } from './_object-name';
import { checkSize, quantity } from './_quantity';
import { IHostStorageClass } from './host-storage-class';
import { VolumeAccessMode, VolumeMode } from './vm-disk';
import { IVmImage } from './vm-image';
import { EdgeType, Edges } from '../late';
import { failOnErrors } from '../model/errors';
import { DEFAULT_NAMESPACE } from '../model/infrastructure-names';
import { know } from '../model/known-objects';
import { ANNOTATION_DESCRIPTION } from '../model/labels';
import { API_VERSIONS } from '../model/names';
import { INamespace } from '../model/namespace';
import { note } from '../model/object-notes';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { ANNOTATION_IMAGE_ID, ANNOTATION_VOLUME_FOR_VM } from '../model/virtual-machine/names';

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
