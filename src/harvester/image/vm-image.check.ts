import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { LABEL_VALUE_FIX, labelValueFault } from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { plainText } from '../../core/text/plain-text';

/** The sources of an image. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/image.go */
export const IMAGE_SOURCE = {
  DOWNLOAD: 'download',
  UPLOAD: 'upload',
  EXPORT: 'export-from-volume',
  RESTORE: 'restore',
  CLONE: 'clone',
} as const;

/** The storage backends of an image. */
const IMAGE_BACKEND = { BACKING_IMAGE: 'backingimage', CDI: 'cdi' } as const;

const SOURCES: readonly unknown[] = Object.values(IMAGE_SOURCE);

/** The features of the image's Harvester. Undefined if its version is not known. */
export interface ImageContext {
  /**
   * Whether Harvester writes displayName to a label, which the API server refuses for a value that
   * is not valid.
   */
  readonly nameIsLabel?: boolean;
  /** Whether the webhook checks that itself. */
  readonly nameIsChecked?: boolean;
  /** The message if the version lacks the backend cdi. */
  readonly lacksCdi?: string;
  /** The message if the version cannot encrypt images. */
  readonly lacksCrypto?: string;
}

/**
 * Checks a new VirtualMachineImage: what Harvester refuses, and what it accepts but cannot import.
 *
 * @param spec of the object
 * @param storageClass value of its annotation harvesterhci.io/storageClassName
 * @see harvester/harvester:pkg/image/common/validator.go; pkg/apis/harvesterhci.io/v1beta1/image.go
 */
export function* checkImage(
  spec: { readonly [field: string]: unknown },
  storageClass: unknown,
  context: ImageContext,
): Iterable<Problem> {
  yield* checkDisplayName(spec.displayName, context);
  yield* checkSource(spec);
  if (spec.sourceType === IMAGE_SOURCE.DOWNLOAD) {
    yield* checkFile(spec.url, spec.backend);
  }
  yield* checkChecksum(spec);
  yield* checkBackend(spec.backend, context);
  const { targetStorageClassName: target } = spec;
  if (
    typeof target === 'string' &&
    typeof storageClass === 'string' &&
    target &&
    storageClass &&
    target !== storageClass &&
    !isLate(target + storageClass)
  ) {
    yield {
      path: 'spec.targetStorageClassName',
      value: target,
      message: `must be ${storageClass}, as in the annotation harvesterhci.io/storageClassName`,
      fix: 'use one StorageClass in both, or remove one of them',
      says: 'storageClassName should keep the consistency',
    };
  }
  if (spec.sourceType === IMAGE_SOURCE.CLONE) {
    yield* checkClone(spec.securityParameters, storageClass, context);
  }
  if (spec.sourceType === IMAGE_SOURCE.EXPORT) {
    yield* checkExport(spec);
  }
}

function* checkDisplayName(
  name: unknown,
  { nameIsLabel, nameIsChecked }: ImageContext,
): Iterable<Problem> {
  const path = 'spec.displayName';
  if (name === undefined || name === null || name === '') {
    yield {
      path,
      message: 'must be set',
      fix: 'set the name that the UI shows',
      says: 'displayName is required',
    };
    return;
  }
  const fault = typeof name === 'string' && !isLate(name) ? labelValueFault(name) : undefined;
  if (fault) {
    const says = nameIsChecked
      ? `displayName is not a valid Kubernetes label value: ${fault}`
      : `metadata.labels: Invalid value: ${JSON.stringify(name)}: ${fault}`;
    yield {
      path,
      value: name,
      level: nameIsLabel ? 'error' : 'warning',
      message: nameIsLabel
        ? 'must be a valid label value, since Harvester writes it to a label'
        : 'must be a valid label value: newer versions of Harvester write it to a label, and refuse others',
      fix: LABEL_VALUE_FIX,
      ...(nameIsLabel ? { says } : {}),
    };
  }
}

function* checkSource({
  sourceType: source,
  url,
}: {
  readonly [field: string]: unknown;
}): Iterable<Problem> {
  if (!SOURCES.includes(source)) {
    return;
  }
  const needsUrl = source === IMAGE_SOURCE.DOWNLOAD || source === IMAGE_SOURCE.RESTORE;
  const missing = url === undefined || url === null || url === '';
  if (needsUrl && missing) {
    yield {
      path: 'spec.url',
      message: `must be set for the source ${plainText(source)}`,
      fix: 'set the URL of the file',
      says: 'url is required',
    };
  } else if (!needsUrl && !missing) {
    yield {
      path: 'spec.url',
      value: url,
      message: `cannot be set for the source ${plainText(source)}`,
      fix: 'remove url',
      says: `url should be empty when image source type is "${plainText(source)}"`,
    };
  } else if (
    source === IMAGE_SOURCE.DOWNLOAD &&
    typeof url === 'string' &&
    !isLate(url) &&
    !/^https?:\/\/[^/?#\s]+/i.test(url)
  ) {
    // the server accepts nearly everything, as Go's url.Parse does, and the download fails
    yield {
      path: 'spec.url',
      value: url,
      level: 'warning',
      message: 'must be an http or https URL: otherwise the image is never imported',
      fix: 'set a URL such as https://example.com/image.qcow2',
    };
  }
}

/**
 * Files that are not disk images: archives, and disks of other hypervisors. CDI decompresses gz and
 * xz, and converts disks.
 */
const NOT_IMAGES = /\.(?:zip|tar|tgz|tar\.(?:gz|xz|bz2|zst)|7z|ova|ovf|html?|sha256(?:sum)?|asc)$/i;
const NOT_BACKING_IMAGES = /\.(?:gz|xz|bz2|zst|vmdk|vdi|vhdx?)$/i;

/**
 * Reports a URL that does not end in the name of an image: qcow2, raw or ISO.
 * @see https://docs.harvesterhci.io/latest/image/upload-image
 */
function* checkFile(url: unknown, backend: unknown): Iterable<Problem> {
  if (typeof url !== 'string' || isLate(url) || !/^https?:\/\/[^/?#\s]+/i.test(url)) {
    return;
  }
  const [file] = url.replace(/^https?:\/\/[^/]+/i, '').split(/[?#]/, 1);
  const isFolder = file === '' || file!.endsWith('/');
  if (
    !isFolder &&
    !NOT_IMAGES.test(file!) &&
    !(NOT_BACKING_IMAGES.test(file!) && backend !== 'cdi')
  ) {
    return;
  }
  yield {
    path: 'spec.url',
    value: url,
    level: 'warning',
    message: isFolder
      ? 'must be the URL of a file'
      : 'must be the URL of an image in the format qcow2, raw or ISO: other files are imported, but do not boot',
    fix: 'set the URL of an image, e.g. https://example.com/noble.qcow2',
  };
}

/**
 * @see harvester/harvester:pkg/image/backingimage/backingimage.go; pkg/image/cdi reads no checksum in v1.5.0 to
 *   v1.9.0-rc6, harvester/harvester#10501
 */
function* checkChecksum({
  checksum,
  backend,
  sourceType,
}: {
  readonly [field: string]: unknown;
}): Iterable<Problem> {
  if (typeof checksum !== 'string' || checksum === '' || isLate(checksum)) {
    return;
  }
  if (backend === IMAGE_BACKEND.CDI) {
    // apply compares the sum of a file that it uploads
    if (sourceType === IMAGE_SOURCE.UPLOAD) {
      return;
    }
    yield {
      path: 'spec.checksum',
      value: checksum,
      level: 'warning',
      message:
        'is not checked by the backend cdi of Harvester 1.9 and earlier: any file is accepted',
      fix: 'verify the file before, or use the default backend',
    };
    return;
  }
  if (/^[0-9a-f]{128}$/i.test(checksum)) {
    return;
  }
  yield {
    path: 'spec.checksum',
    value: checksum,
    level: 'warning',
    message:
      'must be a SHA-512 sum of 128 hexadecimal digits: no file matches it, so the image is never imported',
    fix: 'set the output of sha512sum, or remove it',
  };
}

function* checkBackend(backend: unknown, { lacksCdi }: ImageContext): Iterable<Problem> {
  if (backend === IMAGE_BACKEND.CDI && lacksCdi) {
    yield {
      path: 'spec.backend',
      message: lacksCdi,
      fix: 'remove the backend, or upgrade Harvester',
    };
  }
}

function* checkClone(
  parameters: unknown,
  storageClass: unknown,
  { lacksCrypto }: ImageContext,
): Iterable<Problem> {
  const path = 'spec.securityParameters';
  if (lacksCrypto) {
    yield { path: 'spec.sourceType', message: lacksCrypto, fix: 'upgrade Harvester' };
  }
  if (!isRecord(parameters)) {
    yield {
      path,
      message: 'must be set for the source clone',
      fix: 'set the operation and the source image',
      says: 'sourceParameters is required when image source type is "clone"',
    };
    return;
  }
  for (const [field, name] of [
    ['sourceImageName', 'SourceImageName'],
    ['sourceImageNamespace', 'SourceImageNamespace'],
  ]) {
    if (typeof parameters[field] !== 'string' || parameters[field] === '') {
      yield {
        path: `${path}.${field}`,
        message: 'must be set',
        fix: 'set the name and namespace of the image to clone',
        says: `${name} is required when image source type is "clone"`,
      };
    }
  }
  if (
    parameters.cryptoOperation === 'encrypt' &&
    (typeof storageClass !== 'string' || storageClass === '')
  ) {
    yield {
      path: 'metadata.annotations[harvesterhci.io/storageClassName]',
      message: 'must be set to encrypt an image',
      fix: 'set a StorageClass with the parameter encrypted: "true"',
      says: 'storageClassName is required when using security params',
    };
  }
}

function* checkExport(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const field of ['pvcName', 'pvcNamespace']) {
    if (typeof spec[field] !== 'string' || spec[field] === '') {
      yield {
        path: `spec.${field}`,
        message: 'must be set for the source export-from-volume',
        fix: 'set the name and namespace of the volume',
        says: `${field} is required when image source type is "export-from-volume"`,
      };
    }
  }
}
