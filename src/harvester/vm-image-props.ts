import { IHostStorageClass } from './host-storage-class';
import { IVmImage } from './vm-image';
import { INamespace } from '../model/namespace';

/**
 * What is in the file of an image.
 */
export enum VmImageType {
  /** A disk with a system on it, raw or qcow2. */
  RAW_QCOW2 = 'raw_qcow2',
  /** A CD, e.g. of an installer. */
  ISO = 'iso',
}

/**
 * What keeps the data of an image.
 */
export enum VmImageBackend {
  /** Longhorn v1. */
  BACKING_IMAGE = 'backingimage',
  /** Every other storage. Harvester 1.5.0 and later. */
  CDI = 'cdi',
}

/**
 * What is done to an image when it is cloned.
 */
export enum ImageCryptoOperation {
  /** The clone is encrypted. */
  ENCRYPT = 'encrypt',
  /** The clone is not encrypted, and its source is. */
  DECRYPT = 'decrypt',
}

/**
 * Properties of every image.
 */
export interface VmImageProps {
  /**
   * What the UI shows: up to 63 letters, digits, hyphens, underscores and dots, once in a namespace. Create-only.
   * @default - the name of the object
   */
  readonly displayName?: string;
  /**
   * The name of the object, which all references use.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** Its namespace; images in `harvester-public` are for all users. @default - `default` */
  readonly namespace?: INamespace;
  /**
   * The StorageClass that the one of the image is made after, or with the backend `cdi` the one that keeps the image. Create-only.
   * @default - the default class of the Harvester
   */
  readonly storageClass?: IHostStorageClass;
  /**
   * The name of the StorageClass of volumes that begin as the image, which Harvester chose when it made the image (`status.storageClassName`). It is
   * written to no field of the image. Before Harvester 1.8 it is `longhorn-<name>`, from 1.8 on `lh-<uid>`; an image keeps its class through
   * upgrades. Set it to `longhorn-<name>` for images that were made before the upgrade to 1.8, so that what uses them stays in the output, and for
   * later images to the live name once it is known.
   * @default - `longhorn-<name>` before Harvester 1.8; from 1.8 on a late value, as only the live image tells
   * @see harvester/harvester:pkg/image/common/operator.go GetStorageClassName
   */
  readonly storageClassName?: string;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** What is in the file; the UI offers an ISO as CD. @default - by the ending of the URL, where it says so */
  readonly imageType?: VmImageType;
  /** The operating system, as the UI knows it, e.g. `ubuntu`, `rocky`, `windows`. @default - none */
  readonly osType?: string;
  /** Further labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * Properties of an image that Harvester downloads.
 */
export interface DownloadedImageProps extends VmImageProps {
  /** Where Harvester gets it, http or https. Create-only: another file needs another image. */
  readonly url: string;
  /** Its SHA-512 sum, 128 hexadecimal digits. @default - not checked */
  readonly checksum?: string;
  /** How often the download is tried again: 0 to 10. @default 3 */
  readonly retries?: number;
  /** What keeps the data. Create-only. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/**
 * Properties of an image whose file is uploaded by hand.
 */
export interface UploadedImageProps extends VmImageProps {
  /** What keeps the data. Create-only. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/**
 * Properties of an image that is made of a volume.
 */
export interface ExportedImageProps extends VmImageProps {
  /** The name of the PersistentVolumeClaim. Create-only. */
  readonly volumeName: string;
  /** Its namespace. Create-only. @default - the namespace of the image */
  readonly volumeNamespace?: string;
  /** What keeps the data. Create-only. @default VmImageBackend.BACKING_IMAGE */
  readonly backend?: VmImageBackend;
}

/**
 * Properties of an image that is encrypted or decrypted from another. Harvester 1.4.0 and later.
 */
export interface ClonedImageProps extends VmImageProps {
  /** The image that is cloned; it must be imported first. Create-only. */
  readonly source: IVmImage;
  /** What is done to it. To encrypt, `storageClass` must be one of encrypted volumes. Create-only. */
  readonly operation: ImageCryptoOperation;
}
