import { Construct } from 'constructs';
import { IMAGE_SOURCE, ImageContext, checkImage } from './vm-image.check';
import {
  ANNOTATION_IMAGE_STORAGE_CLASS,
  ANNOTATION_UPLOAD_FILE,
  imageClassByName,
  imageTypeByUrl,
  LABEL_IMAGE_TYPE,
  LABEL_OS_TYPE,
} from './vm-image.kind';
import {
  DisplayNameOptions,
  ExistingNamespacedResourceOptions,
  ObjectReference,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { IHarvesterTarget } from '../../core/construct/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, asProps, collectProblems } from '../../core/problem/problem';
import { byDisplayName, LateSource, LateValue, lookUp, Match } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  AdoptedObject,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
  listedProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { OsType } from '../machine/os-type';
import { IHarvesterStorageClass, awaitStorage } from '../storage/harvester-storage-class';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';
import { IHarvesterVolume } from '../volume/volume-ref';

const KIND = { apiVersion: API_VERSIONS.HARVESTER, kind: 'VirtualMachineImage' };

/** The props that set fields of other names. */
const PROPS = {
  'spec.retry': 'retries',
  'spec.pvcName': 'volume',
  'spec.pvcNamespace': 'volume',
  [`metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`]: 'storageClass',
  'spec.securityParameters.cryptoOperation': 'operation',
};

/** The content of an image's file. */
export enum VmImageType {
  /** A disk image, raw or qcow2. */
  RAW_QCOW2 = 'raw_qcow2',
  /** A CD image, e.g. of an installer. */
  ISO = 'iso',
  /** Not recorded: the image has no label for it, as images of Terraform. */
  NONE = '',
}

/** The storage backend of an image. */
export enum VmImageBackend {
  /** Longhorn v1. */
  BACKING_IMAGE = 'backingimage',
  /** Any other storage, by CDI. Harvester 1.5.0 and later. */
  CDI = 'cdi',
}

/** The operation that clones an image. */
export enum ImageCryptoOperation {
  /** Creates an encrypted clone. */
  ENCRYPT = 'encrypt',
  /** Creates a decrypted clone of an encrypted image. */
  DECRYPT = 'decrypt',
}

/** Properties of a VM image from any source. */
export interface VmImageProps extends NamespacedHarvesterResourceProps {
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedObject;
  /**
   * The name that the UI shows: at most 63 letters, digits, hyphens, underscores and dots, unique
   * in the namespace. Immutable.
   * @default - the name of the object
   */
  readonly displayName?: string;
  /**
   * The StorageClass that the one of the image is derived from, or with the backend `cdi` the one
   * that stores the image. Immutable.
   * @default - the default class of the Harvester
   */
  readonly storageClass?: IHarvesterStorageClass;
  /**
   * The StorageClass of volumes that are created from the image, which Harvester names when it
   * creates the image (`status.storageClassName`). It is not written to the image. Before Harvester
   * 1.8 it is `longhorn-<name>`, from 1.8 on `lh-<uid>`. An image keeps its class through upgrades.
   * Refer to `longhorn-<name>` for images from before the upgrade to 1.8, so that the objects that
   * use them remain in the output, and for later images to the live class once it is known.
   * @default - `longhorn-<name>` before Harvester 1.8; from 1.8 on a late value, read from the live image
   * @see harvester/harvester:pkg/image/common/operator.go GetStorageClassName
   */
  readonly volumeStorageClass?: IHarvesterStorageClass;
  /**
   * The parameters of the StorageClass of its volumes, which Harvester makes. Immutable.
   * @default - Harvester copies those of storageClass
   * @see harvester/harvester:pkg/util/storageclass.go GetImageStorageClassParameters
   */
  readonly storageClassParameters?: { readonly [parameter: string]: string };
  /**
   * The content of the file. The UI offers an ISO as a CD.
   * @default - derived from the extension of the URL, if known
   */
  readonly imageType?: VmImageType;
  /** The operating system that the UI shows. @default - not set */
  readonly osType?: OsType;
}

/** Options of a reference to an existing image. */
export interface ExistingVmImageOptions extends ExistingNamespacedResourceOptions {
  /**
   * The StorageClass of volumes that are created from the image. Set it for an image of the backend
   * `cdi`.
   * @default - `longhorn-<name>` before Harvester 1.8; from 1.8 on a late value, read from the live image
   */
  readonly volumeStorageClass?: IHarvesterStorageClass;
}

/** Options of a reference to an existing image by the name that Harvester's UI shows. */
export interface DisplayedVmImageOptions extends DisplayNameOptions {
  /** The name of its namespace. @default - the namespace of the chart, otherwise `default` */
  readonly namespace?: string;
  /**
   * The StorageClass of volumes that are created from the image.
   * @default - a late value, read from the live image
   */
  readonly volumeStorageClass?: IHarvesterStorageClass;
}

/** Properties of an image that Harvester downloads. */
export interface DownloadedImageProps extends VmImageProps {
  /**
   * The http or https URL from which Harvester downloads the file. Immutable: a different file
   * needs a new image.
   */
  readonly url: string;
  /**
   * The SHA-512 sum of the file, 128 hexadecimal digits. The backend `cdi` does not check it.
   * @default - not checked
   */
  readonly checksum?: string;
  /** The number of times that a failed download is retried: 0 to 10. @default 3 */
  readonly retries?: number;
  /** The storage backend. Immutable. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/** Properties of an image whose file is uploaded. */
export interface UploadedImageProps extends VmImageProps {
  /**
   * The path of a local file that `apply` uploads after it created the image, from the working
   * directory of `apply`. It is written to an annotation of the image. A different file needs a new
   * image.
   * @default - someone uploads the file in the UI
   */
  readonly file?: string;
  /**
   * The SHA-512 sum of the file, 128 hexadecimal digits, which `apply` checks before it uploads the
   * file.
   * @default - not checked
   */
  readonly checksum?: string;
  /** The storage backend. Immutable. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/** Properties of an image that is exported from a volume. */
export interface ExportedImageProps extends VmImageProps {
  /** The volume, on the same Harvester. Immutable. */
  readonly volume: IHarvesterVolume;
  /** The storage backend. Immutable. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/** Properties of an image that is an encrypted or decrypted clone. Harvester 1.4.0 and later. */
export interface ClonedImageProps extends VmImageProps {
  /** The image to clone, which must be imported first. Immutable. */
  readonly source: IVmImage;
  /** The operation. To encrypt, `storageClass` must be one of encrypted volumes. Immutable. */
  readonly operation: ImageCryptoOperation;
}

/** A VM image on a Harvester: declared by the program, or existing. */
export interface IVmImage extends INamespacedHarvesterResource {
  /** `<namespace>/<name>`, by which machine configurations and volumes refer to the image. */
  readonly imageId: string;
  /**
   * The StorageClass of volumes that are created from the image. From Harvester 1.8 on a late
   * value, unless the program sets it.
   */
  readonly storageClassName: string;
  /** The content of the file. @default - not known to the program */
  readonly imageType?: VmImageType;
}

/**
 * The VirtualMachineImage: an image from which virtual machines on a Harvester boot.
 *
 * An image is immutable except for its labels: a different file or storage needs a new image.
 * Harvester refuses to delete an image while volumes, templates or backups use it.
 *
 * @see https://docs.harvesterhci.io/latest/image/upload-image
 * @example
 * VmImage.download(dc1, 'noble', { url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img' });
 */
export class VmImage extends NamespacedHarvesterResource implements IVmImage {
  /** An image that Harvester downloads. */
  public static download(scope: Construct, id: string, props: DownloadedImageProps): VmImage {
    const { url, checksum, retries: retry } = props;
    return new VmImage(
      scope,
      id,
      props,
      { sourceType: IMAGE_SOURCE.DOWNLOAD, url, checksum, retry },
      props.backend,
    );
  }

  /**
   * An image whose file `apply` uploads, if `file` is set, or someone in the UI. Until then it is
   * not ready: a GitOps engine never completes it.
   */
  public static upload(scope: Construct, id: string, props: UploadedImageProps = {}): VmImage {
    const { file, checksum } = props;
    const imageType = props.imageType ?? (imageTypeByUrl(file) as VmImageType | undefined);
    return new VmImage(
      scope,
      id,
      { ...props, imageType },
      { sourceType: IMAGE_SOURCE.UPLOAD, checksum },
      props.backend,
      { file },
    );
  }

  /** An image that is exported from a volume once. Later changes of the volume have no effect. */
  public static exportOf(scope: Construct, id: string, props: ExportedImageProps): VmImage {
    const { volume } = props;
    return new VmImage(
      scope,
      id,
      props,
      {
        sourceType: IMAGE_SOURCE.EXPORT,
        pvcName: volume.name,
        pvcNamespace: volume.namespace,
      },
      props.backend,
      { volume },
    );
  }

  /**
   * An image that is an encrypted or decrypted clone of another. Harvester refuses it until its
   * source is imported.
   */
  public static clone(scope: Construct, id: string, props: ClonedImageProps): VmImage {
    const { source, operation } = props;
    return new VmImage(
      scope,
      id,
      { imageType: source.imageType, ...props },
      {
        sourceType: IMAGE_SOURCE.CLONE,
        securityParameters: {
          cryptoOperation: operation,
          sourceImageName: source.name,
          sourceImageNamespace: source.namespace,
        },
      },
      undefined,
      { source },
    );
  }

  /**
   * A reference to an existing image. Its name, e.g. `image-abcde`, is in the YAML that the UI
   * shows, not in the list of images.
   */
  public static fromName(scope: Construct, id: string, options: ExistingVmImageOptions): IVmImage {
    return new ExistingImage(scope, id, 'VmImage.fromName', options);
  }

  /**
   * A reference to an existing image by the name that Harvester's UI shows.
   *
   * Its name, e.g. `image-abcde`, and the StorageClass of its volumes are late values: virtual
   * machines and machine pools that use the image wait for them. `apply` needs permission to list
   * the images of the namespace.
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayedVmImageOptions,
  ): IVmImage {
    const { displayName, ...others } = options;
    return new ExistingImage(scope, id, 'VmImage.fromDisplayName', {
      ...others,
      match: byDisplayName(displayName),
    });
  }

  public readonly imageType?: VmImageType;
  /** The name that the UI shows. */
  public readonly displayName: string;
  private readonly cdi: boolean;
  private readonly classOfVolumes?: string;

  private constructor(
    scope: Construct,
    id: string,
    props: VmImageProps,
    source: { readonly [field: string]: unknown },
    backend?: VmImageBackend,
    from: ImageOrigin = {},
  ) {
    super(scope, id, listedProps(props));
    const { storageClass, volumeStorageClass } = props;
    this.displayName = props.displayName ?? this.name;
    this.imageType = props.imageType ?? (imageTypeByUrl(source.url) as VmImageType | undefined);
    this.cdi = backend === VmImageBackend.CDI;
    const target = this.cdi ? storageClass?.name : undefined;
    this.classOfVolumes = volumeStorageClass?.name ?? target;
    const spec = {
      backend,
      description: props.description,
      displayName: this.displayName,
      ...source,
      targetStorageClassName: target,
      storageClassParameters: props.storageClassParameters,
    };
    const { source: sourceImage, volume } = from;
    for (const [prop, object] of Object.entries({
      storageClass,
      volumeStorageClass,
      source: sourceImage,
      volume,
    })) {
      if (object) {
        requireSameHarvester(this, prop, object.name, object.harvester, this.harvester);
      }
    }
    const problems = checkImage(spec, storageClass?.name, contextOf(this.harvester));
    collectProblems(this, [
      ...checkClassOfVolumes(this, volumeStorageClass?.name, target, this.cdi),
      ...asProps(problems, PROPS),
    ]);
    if (sourceImage) {
      Ordering.of(this)._add(sourceImage, OrderingType.READY);
    }
    if (volume) {
      Ordering.of(this)._add(volume, OrderingType.APPLIED);
    }
    awaitStorage(this, this.harvester, undefined, storageClass);
    const metadata = {
      labels: imageLabels(this.imageType, props.osType),
      annotations: imageAnnotations(props, this.cdi, from.file),
    };
    this._write({ ...KIND, metadata, spec }, { props: PROPS });
  }

  public get imageId(): string {
    return `${this.namespace}/${this.name}`;
  }

  public get storageClassName(): string {
    return this.classOfVolumes ?? imageClass(this, !this.cdi);
  }
}

function imageLabels(
  imageType: VmImageType | undefined,
  osType: OsType | undefined,
): { readonly [label: string]: string } {
  return {
    ...(imageType ? { [LABEL_IMAGE_TYPE]: imageType } : {}),
    ...(osType ? { [LABEL_OS_TYPE]: osType.value } : {}),
  };
}

/** @param file the local file that is uploaded */
function imageAnnotations(
  { storageClass, adopted }: VmImageProps,
  cdi: boolean,
  file: string | undefined,
): { readonly [annotation: string]: string } {
  // CDI reads the field
  const hasAnnotation = storageClass !== undefined && !(adopted?.asWritten && cdi);
  return {
    ...(hasAnnotation ? { [ANNOTATION_IMAGE_STORAGE_CLASS]: storageClass.name } : {}),
    ...(file === undefined ? {} : { [ANNOTATION_UPLOAD_FILE]: file }),
  };
}

/** The object of the program that an image is made from. */
interface ImageOrigin {
  readonly source?: IVmImage;
  readonly volume?: IHarvesterVolume;
  /** The local file. */
  readonly file?: string;
}

class ExistingImage extends ExistingNamespacedHarvesterResource implements IVmImage {
  public readonly imageType?: VmImageType;
  private readonly classOfVolumes?: string;
  private readonly match?: Match;

  constructor(scope: Construct, id: string, method: string, reference: ImageReference) {
    super(scope, id, method, KIND, reference);
    this.classOfVolumes = reference.volumeStorageClass?.name;
    this.match = reference.match;
  }

  public get imageId(): string {
    return `${this.namespace}/${this.name}`;
  }

  public get storageClassName(): string {
    return (
      this.classOfVolumes ??
      (this.match
        ? lookUp(
            this,
            { id: CLASS_ID, path: CLASS_PATH },
            { target: this.harvester, ...KIND, namespace: this.namespace },
            this.match,
          )
        : imageClass(this, true))
    );
  }
}

/** How the program refers to an image that it does not declare. */
type ImageReference = ObjectReference &
  Pick<ExistingVmImageOptions, 'namespace' | 'volumeStorageClass'>;

/**
 * The ID of the late value with the StorageClass of an image, and the field of the image that names
 * it.
 */
const [CLASS_ID, CLASS_PATH] = ['StorageClassName', 'status.storageClassName'];

/**
 * Checks the name that the program sets for the StorageClass of an image: any other class contains
 * no image.
 */
function checkClassOfVolumes(
  image: IVmImage,
  given: string | undefined,
  target: string | undefined,
  cdi: boolean,
): Problem[] {
  if (given === undefined) {
    return [];
  }
  const problem = (message: string, fix: string): Problem[] => [
    { path: 'volumeStorageClass', value: given, message, fix },
  ];
  if (cdi) {
    return target === undefined || given === target
      ? []
      : problem(`must be the storageClass of the image, ${target}`, 'remove volumeStorageClass');
  }
  const byName = imageClassByName(image.name);
  if (given === byName || (classIsByUid(image) && /^lh-[a-z0-9-]+$/.test(given))) {
    return [];
  }
  return classIsByUid(image)
    ? problem(
        `must be ${byName} for an image from before Harvester 1.8, and lh-<uid> for later ones`,
        'refer to the class that the live image shows in status.storageClassName',
      )
    : problem(
        `must be ${byName}, the name that Harvester before 1.8 derives from that of the image`,
        'remove volumeStorageClass',
      );
}

// known at synthesis as long as Harvester derives it from the name
function imageClass(image: IVmImage, longhorn: boolean): string {
  const { harvester: target, namespace, name, imageId } = image;
  if (longhorn && !classIsByUid(image)) {
    return imageClassByName(name);
  }
  return LateValue._once(image, CLASS_ID, {
    description: `StorageClass of the image ${imageId}`,
    source: LateSource.field(CLASS_PATH, { target, ...KIND, namespace, name }),
  }).token;
}

function classIsByUid({ harvester }: IVmImage): boolean {
  const { version } = harvester;
  return FeatureGates.of(HarvesterGate.IMAGE_CLASS_BY_UID).supports(
    HarvesterVersion.parse(version),
  );
}

function contextOf({ version }: IHarvesterTarget): ImageContext {
  const harvester = HarvesterVersion.parse(version);
  return {
    nameIsLabel: FeatureGates.of(HarvesterGate.IMAGE_DISPLAY_NAME_LABEL).supports(harvester),
    nameIsChecked: FeatureGates.of(HarvesterGate.IMAGE_NAME_IS_LABEL).supports(harvester),
    lacksCdi: FeatureGates.of(HarvesterGate.IMAGE_BACKEND_CDI)._lack(harvester),
    lacksCrypto: FeatureGates.of(HarvesterGate.IMAGE_CRYPTO)._lack(harvester),
  };
}
