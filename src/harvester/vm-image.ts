import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { useDefaultClass } from './_default-class';
import { asProps, failUnlessSameHarvester, objectName, objectNamespace } from './_object-name';
import { ClonedImageProps, DownloadedImageProps, ExportedImageProps, UploadedImageProps, VmImageBackend, VmImageProps, VmImageType } from './vm-image-props';
import { EdgeType, Edges, LateSource, LateType, LateValue } from '../late';
import { checkImage, IMAGE_SOURCE } from '../model/checks/vm-image';
import { failOnErrors } from '../model/errors';
import {
  ANNOTATION_IMAGE_STORAGE_CLASS, DEFAULT_NAMESPACE, imageClassByName, LABEL_IMAGE_DISPLAY_NAME, LABEL_IMAGE_TYPE, LABEL_OS_TYPE,
} from '../model/infrastructure-names';
import { know } from '../model/known-objects';
import { descriptionAnnotations } from '../model/labels';
import { isLate } from '../model/late-token';
import { API_VERSIONS } from '../model/names';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';

/**
 * An image of virtual machines on a Harvester: one that the program declares, or one that is there.
 */
export interface IVmImage extends IConstruct {
  /** The name of the VirtualMachineImage object, e.g. `image-abcde`; not what the UI shows. */
  readonly imageName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`, as machine configurations and volumes refer to it. */
  readonly imageId: string;
  /** The StorageClass of volumes that begin as the image. From Harvester 1.8 on a late value, unless the program gives it. */
  readonly storageClassName: string;
  /**
   * What is in the file.
   * @default - not known to the program
   */
  readonly imageType?: VmImageType;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * An image of virtual machines on a Harvester.
 *
 * Nothing of an image can be changed but its labels: another file, or another storage, is another image. Harvester refuses to delete one while
 * volumes, templates or backups use it.
 *
 * @see https://docs.harvesterhci.io/latest/image/upload-image
 */
export class VmImage extends Construct implements IVmImage {
  /**
   * An image that Harvester downloads.
   * @param image what it is
   */
  public static download(scope: Construct, id: string, image: DownloadedImageProps): VmImage {
    const { url, checksum, retries: retry } = image;
    return new VmImage(scope, id, image, { sourceType: IMAGE_SOURCE.DOWNLOAD, url, checksum, retry }, image.backend);
  }

  /**
   * An image whose file somebody uploads: until then it waits. A manifest can not bring the file, so GitOps and apply never complete it.
   * @param image what it is
   */
  public static upload(scope: Construct, id: string, image: UploadedImageProps = {}): VmImage {
    return new VmImage(scope, id, image, { sourceType: IMAGE_SOURCE.UPLOAD }, image.backend);
  }

  /**
   * An image that is made of a volume, once: later changes of the volume do not change it.
   * @param image what it is
   */
  public static fromVolume(scope: Construct, id: string, image: ExportedImageProps): VmImage {
    const pvcNamespace = image.volumeNamespace ?? image.namespace?.namespaceName ?? DEFAULT_NAMESPACE;
    return new VmImage(scope, id, image, { sourceType: IMAGE_SOURCE.EXPORT, pvcName: image.volumeName, pvcNamespace }, image.backend);
  }

  /**
   * An image that is encrypted or decrypted from another. It is refused until its source is imported.
   * @param image what it is
   */
  public static clone(scope: Construct, id: string, image: ClonedImageProps): VmImage {
    const { source, operation } = image;
    const clone = new VmImage(scope, id, { imageType: source.imageType, ...image }, {
      sourceType: IMAGE_SOURCE.CLONE,
      securityParameters: { cryptoOperation: operation, sourceImageName: source.imageName, sourceImageNamespace: source.namespace },
    });
    failUnlessSameHarvester(clone, 'source', source.imageId, source.harvester, clone.harvester);
    Edges.of(clone)._add(source, EdgeType.READY);
    return clone;
  }

  /**
   * An image that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the VirtualMachineImage, e.g. `image-abcde`: the UI shows it in the YAML, not in the list
   * @param namespace of it; the default is `default`
   * @param storageClassName of its volumes. Give it for an image of the backend `cdi`; the default is the name that Harvester makes before 1.8,
   * and a late value on later ones
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string, storageClassName?: string): IVmImage {
    return new ExistingImage(scope, id, name, namespace ?? DEFAULT_NAMESPACE, storageClassName);
  }

  public readonly imageName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;
  public readonly imageType?: VmImageType;
  /** What the UI shows. */
  public readonly displayName: string;
  private readonly cdi: boolean;
  private readonly classOfVolumes?: string;

  private constructor(scope: Construct, id: string, props: VmImageProps, source: { readonly [field: string]: unknown }, backend?: VmImageBackend) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VmImage');
    this.imageName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    this.displayName = props.displayName ?? this.imageName;
    this.imageType = props.imageType ?? typeOf(source.url);
    const storageClass = props.storageClass?.storageClassName;
    this.cdi = backend === VmImageBackend.CDI;
    const target = this.cdi ? storageClass : undefined;
    this.classOfVolumes = props.storageClassName ?? target;
    const spec = { backend, description: props.description, displayName: this.displayName, ...source, targetStorageClassName: target };
    const context = contextOf(this.harvester);
    failOnErrors(this, checkClassOfVolumes(this, props.storageClassName, target, this.cdi));
    failOnErrors(this, asProps(checkImage(spec, storageClass, context), {
      'retry': 'retries',
      'pvcName': 'volumeName',
      'pvcNamespace': 'volumeNamespace',
      'metadata.annotations[harvesterhci.io/storageClassName]': 'storageClass',
      'securityParameters.cryptoOperation': 'operation',
    }));
    if (props.storageClass) {
      failUnlessSameHarvester(this, 'storageClass', props.storageClass.storageClassName, props.storageClass.harvester, this.harvester);
      Edges.of(this)._add(props.storageClass, EdgeType.APPLIED);
    } else {
      useDefaultClass(this.harvester, this);
    }
    this.write(props, spec, storageClass);
  }

  public get imageId(): string {
    return `${this.namespace}/${this.imageName}`;
  }

  public get storageClassName(): string {
    return this.classOfVolumes ?? imageClass(this, !this.cdi);
  }

  private write(props: VmImageProps, spec: { readonly [field: string]: unknown }, storageClass: string | undefined): void {
    const image = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'VirtualMachineImage',
      metadata: {
        name: this.imageName,
        namespace: this.namespace,
        labels: {
          ...props.labels,
          ...(this.imageType ? { [LABEL_IMAGE_TYPE]: this.imageType } : {}),
          ...(props.osType === undefined ? {} : { [LABEL_OS_TYPE]: props.osType }),
        },
        annotations: {
          // forms of the UI read the annotation, lists the field too
          ...descriptionAnnotations(props.description),
          ...(storageClass === undefined ? {} : { [ANNOTATION_IMAGE_STORAGE_CLASS]: storageClass }),
        },
      },
      spec,
    });
    note(image, {
      deletion: { policy: 'delete', reason: 'Harvester refuses it while volumes, templates or backups use it' },
      othersWrite: [
        'spec.backend', 'spec.retry', 'spec.checksum', 'spec.pvcName', 'spec.pvcNamespace', 'spec.storageClassParameters', 'spec.targetStorageClassName',
        'spec.url', `metadata.labels[${LABEL_IMAGE_DISPLAY_NAME}]`, `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`, 'metadata.finalizers',
        'metadata.ownerReferences', 'status',
      ],
    });
  }
}

class ExistingImage extends Construct implements IVmImage {
  public readonly harvester: IHarvesterTarget;
  public readonly imageType?: VmImageType;

  constructor(
    scope: Construct, id: string, public readonly imageName: string, public readonly namespace: string, private readonly classOfVolumes?: string,
  ) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VmImage.fromName');
    objectName(this, imageName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineImage', namespace, name: imageName });
  }

  public get imageId(): string {
    return `${this.namespace}/${this.imageName}`;
  }

  public get storageClassName(): string {
    return this.classOfVolumes ?? imageClass(this, true);
  }
}

/** What is wrong with the name that the program gives the StorageClass of an image: another one has no image in it. */
function checkClassOfVolumes(image: IVmImage, given: string | undefined, target: string | undefined, cdi: boolean): Problem[] {
  if (given === undefined || isLate(given)) { return []; }
  const problem = (message: string, fix: string): Problem[] => [{ path: 'storageClassName', value: given, message, fix }];
  if (cdi) { return target === undefined || given === target ? [] : problem(`must be the storageClass of the image, ${target}`, 'leave one of both out'); }
  const byName = imageClassByName(image.imageName);
  if (given === byName || (classIsByUid(image) && /^lh-[a-z0-9-]+$/.test(given))) { return []; }
  return classIsByUid(image)
    ? problem(`must be ${byName} for an image that was made before Harvester 1.8, and lh-<uid> for later ones`, 'set what the live image shows in status.storageClassName')
    : problem(`must be ${byName}: Harvester before 1.8 makes the name of that of the image`, 'leave it out');
}

// known at synthesis as long as Harvester makes it of the name
function imageClass(image: IVmImage & Construct, longhorn: boolean): string {
  if (longhorn && !classIsByUid(image)) { return imageClassByName(image.imageName); }
  const id = 'StorageClassName';
  const existing = image.node.tryFindChild(id) as LateValue | undefined;
  return (existing ?? new LateValue(image, id, {
    description: `StorageClass of the image ${image.imageId}`,
    type: LateType.STRING,
    source: LateSource.field({
      target: image.harvester, apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineImage', namespace: image.namespace, name: image.imageName,
    }, 'status.storageClassName'),
  })).token;
}

function classIsByUid({ harvester: { version } }: IVmImage): boolean {
  return FeatureGates.of(GateId.IMAGE_CLASS_BY_UID).supports(HarvesterVersion.parse(version));
}

function contextOf({ version }: IHarvesterTarget): { readonly nameIsLabel: boolean; readonly lacksCdi?: string; readonly lacksCrypto?: string } {
  const harvester = HarvesterVersion.parse(version);
  return {
    nameIsLabel: FeatureGates.of(GateId.IMAGE_NAME_IS_LABEL).supports(harvester),
    lacksCdi: FeatureGates.of(GateId.IMAGE_BACKEND_CDI).problem(harvester, ''),
    lacksCrypto: FeatureGates.of(GateId.IMAGE_CRYPTO).problem(harvester),
  };
}

// as the UI does
function typeOf(url: unknown): VmImageType | undefined {
  if (typeof url !== 'string' || isLate(url)) { return undefined; }
  const ending = /\.([a-z0-9]+)$/i.exec(url.split(/[?#]/)[0]!)?.[1]?.toLowerCase();
  if (ending === 'iso') { return VmImageType.ISO; }
  return ending && ['qcow', 'qcow2', 'raw', 'img'].includes(ending) ? VmImageType.RAW_QCOW2 : undefined;
}
