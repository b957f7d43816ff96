import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { LABEL_VALUE_FIX, labelValueFault } from '../../core/text/label';
import { given, plainText } from '../../core/text/plain-text';

/** The ways to get an image. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/image.go */
export const IMAGE_SOURCE = { DOWNLOAD: 'download', UPLOAD: 'upload', EXPORT: 'export-from-volume', RESTORE: 'restore', CLONE: 'clone' } as const;

/** What keeps the data of an image. */
export const IMAGE_BACKEND = { BACKING_IMAGE: 'backingimage', CDI: 'cdi' } as const;

const SOURCES: readonly unknown[] = Object.values(IMAGE_SOURCE);
const BACKENDS: readonly unknown[] = Object.values(IMAGE_BACKEND);
const OPERATIONS: readonly unknown[] = ['encrypt', 'decrypt'];
const MAX_RETRIES = 10;

/** What the Harvester of an image has; undefined where its version is not known. */
export interface ImageContext {
  /** Whether displayName must be the value of a label. */
  readonly nameIsLabel?: boolean;
  /** What to say where it lacks the backend cdi. */
  readonly lacksCdi?: string;
  /** What to say where it can not encrypt images. */
  readonly lacksCrypto?: string;
}

/**
 * What Harvester refuses in a VirtualMachineImage that it shall create, and what it takes and can not carry out.
 *
 * @param spec of the object
 * @param storageClass its annotation harvesterhci.io/storageClassName
 * @see harvester/harvester:pkg/image/common/validator.go; pkg/apis/harvesterhci.io/v1beta1/image.go
 */
export function* checkImage(spec: { readonly [field: string]: unknown }, storageClass: unknown, context: ImageContext): Iterable<Problem> {
  yield* checkDisplayName(spec.displayName, context);
  yield* checkSource(spec);
  yield* checkRetry(spec.retry);
  yield* checkChecksum(spec.checksum);
  yield* checkBackend(spec.backend, context);
  const { targetStorageClassName: target } = spec;
  if (typeof target === 'string' && typeof storageClass === 'string' && target && storageClass && target !== storageClass && !isLate(target + storageClass)) {
    yield {
      path: 'spec.targetStorageClassName',
      value: target,
      message: `is not ${storageClass}, the annotation harvesterhci.io/storageClassName`,
      fix: 'name one StorageClass in both, or leave one of them out',
      says: 'storageClassName should keep the consistency',
    };
  }
  if (spec.sourceType === IMAGE_SOURCE.CLONE) { yield* checkClone(spec.securityParameters, storageClass, context); }
  if (spec.sourceType === IMAGE_SOURCE.EXPORT) { yield* checkExport(spec); }
}

function* checkDisplayName(name: unknown, { nameIsLabel }: ImageContext): Iterable<Problem> {
  const path = 'spec.displayName';
  if (name === undefined || name === null || name === '') {
    yield { path, message: 'is missing', fix: 'give the name that the UI shows', says: 'displayName is required' };
    return;
  }
  const fault = typeof name === 'string' && !isLate(name) ? labelValueFault(name) : undefined;
  if (fault) {
    yield {
      path,
      value: name,
      level: nameIsLabel === true ? 'error' : 'warning',
      message: 'is no value of a label, which Harvester makes of it',
      fix: LABEL_VALUE_FIX,
      says: `displayName is not a valid Kubernetes label value: ${fault}`,
    };
  }
}

function* checkSource({ sourceType: source, url }: { readonly [field: string]: unknown }): Iterable<Problem> {
  if (isLate(source)) { return; }
  if (!SOURCES.includes(source)) {
    yield {
      path: 'spec.sourceType', ...given(source), message: 'is no source of an image', fix: `use ${SOURCES.join(', ')}`, says: `Unsupported value: "${plainText(source)}"`,
    };
    return;
  }
  const needsUrl = source === IMAGE_SOURCE.DOWNLOAD || source === IMAGE_SOURCE.RESTORE;
  const missing = url === undefined || url === null || url === '';
  if (needsUrl && missing) {
    yield { path: 'spec.url', message: `is missing, and the source is ${plainText(source)}`, fix: 'give the address of the file', says: 'url is required' };
  } else if (!needsUrl && !missing) {
    yield {
      path: 'spec.url', value: url, message: `does not go with the source ${plainText(source)}`, fix: 'leave it out', says: `url should be empty when image source type is "${plainText(source)}"`,
    };
  } else if (source === IMAGE_SOURCE.DOWNLOAD && typeof url === 'string' && !isLate(url) && !/^https?:\/\/[^/?#\s]+/i.test(url)) {
    // the server takes what Go's url.Parse takes, nearly everything, and the download fails
    yield { path: 'spec.url', value: url, level: 'warning', message: 'is no http or https address: the image is never imported', fix: 'give an address such as https://example.com/image.qcow2' };
  }
}

function* checkRetry(retry: unknown): Iterable<Problem> {
  // other types are told where all kinds are judged by their definitions
  if (typeof retry !== 'number' || (Number.isInteger(retry) && retry >= 0 && retry <= MAX_RETRIES)) { return; }
  const says = retry > MAX_RETRIES ? `should be less than or equal to ${MAX_RETRIES}` : 'should be greater than or equal to 0';
  yield { path: 'spec.retry', value: retry, message: 'is no number of retries', fix: `use a whole number from 0 to ${MAX_RETRIES}`, says: `spec.retry in body ${says}` };
}

function* checkChecksum(checksum: unknown): Iterable<Problem> {
  if (typeof checksum !== 'string' || checksum === '' || isLate(checksum) || /^[0-9a-f]{128}$/i.test(checksum)) { return; }
  yield {
    path: 'spec.checksum',
    value: checksum,
    level: 'warning',
    message: `has ${checksum.length} characters and is no SHA-512 sum: no file matches it, so the image is never imported`,
    fix: 'give the SHA-512 sum, 128 hexadecimal digits, or leave it out',
  };
}

function* checkBackend(backend: unknown, { lacksCdi }: ImageContext): Iterable<Problem> {
  if (backend === undefined || backend === null || isLate(backend)) { return; }
  if (!BACKENDS.includes(backend)) {
    yield {
      path: 'spec.backend', value: backend, message: 'is no backend', fix: `use ${BACKENDS.join(' or ')}`, says: `Unsupported value: "${plainText(backend)}": supported values: "backingimage", "cdi"`,
    };
  } else if (backend === IMAGE_BACKEND.CDI && lacksCdi) {
    yield { path: 'spec.backend', value: backend, message: lacksCdi, fix: 'leave the backend out, or upgrade Harvester' };
  }
}

function* checkClone(parameters: unknown, storageClass: unknown, { lacksCrypto }: ImageContext): Iterable<Problem> {
  const path = 'spec.securityParameters';
  if (lacksCrypto) { yield { path: 'spec.sourceType', value: IMAGE_SOURCE.CLONE, message: lacksCrypto, fix: 'upgrade Harvester' }; }
  if (!isRecord(parameters)) {
    yield {
      path, message: 'is missing, and the source is clone', fix: 'name the operation and the source image', says: 'sourceParameters is required when image source type is "clone"',
    };
    return;
  }
  const { cryptoOperation: operation } = parameters;
  if (!OPERATIONS.includes(operation) && !isLate(operation)) {
    yield {
      path: `${path}.cryptoOperation`, ...given(operation), message: 'is no operation on an image', fix: 'use encrypt or decrypt', says: 'encryption is required when image source type is "clone"',
    };
  }
  for (const [field, name] of [['sourceImageName', 'SourceImageName'], ['sourceImageNamespace', 'SourceImageNamespace']]) {
    if (typeof parameters[field] !== 'string' || parameters[field] === '') {
      yield {
        path: `${path}.${field}`, message: 'is missing', fix: 'name the image that is cloned', says: `${name} is required when image source type is "clone"`,
      };
    }
  }
  if (operation === 'encrypt' && (typeof storageClass !== 'string' || storageClass === '')) {
    yield {
      path: 'metadata.annotations[harvesterhci.io/storageClassName]',
      message: 'is missing: an image is encrypted as a StorageClass says',
      fix: 'name a StorageClass with the parameter encrypted: "true"',
      says: 'storageClassName is required when using security params',
    };
  }
}

function* checkExport(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const field of ['pvcName', 'pvcNamespace']) {
    if (typeof spec[field] !== 'string' || spec[field] === '') {
      yield {
        path: `spec.${field}`, message: 'is missing, and the source is export-from-volume', fix: 'name the volume', says: `${field} is required when image source type is "export-from-volume"`,
      };
    }
  }
}
