import { ImmutableField } from '../../core/kind/description/immutable-fields';
import { REFUSED } from '../../core/kind/description/refusals';
import { sharedValues, uniqueText, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import {
  MINUTE,
  READY,
  Readiness,
  conditionOf,
  failing,
  conditionText,
  waiting,
} from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest, annotationsOf, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { escapeRegExp } from '../../core/text/values';
import { HARVESTER_KIND } from '../harvester-object.kind';

/**
 * Annotation of an image: the StorageClass that its own is derived from.
 * @see harvester/harvester:pkg/util/constants.go AnnotationStorageClassName
 */
export const ANNOTATION_IMAGE_STORAGE_CLASS = 'harvesterhci.io/storageClassName';

/**
 * Label of an image: the content of its file, `raw_qcow2` or `iso`.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js
 */
export const LABEL_IMAGE_TYPE = 'harvesterhci.io/image-type';

/**
 * Label of an image: its operating system, for the UI.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js
 */
export const LABEL_OS_TYPE = 'harvesterhci.io/os-type';

/**
 * Label of an image that the server writes: its displayName.
 * @see harvester/harvester:pkg/util/constants.go LabelImageDisplayName
 */
export const LABEL_IMAGE_DISPLAY_NAME = 'harvesterhci.io/imageDisplayName';

/** Annotation of an image: the local file that `apply` uploads. Harvester does not read it. */
export const ANNOTATION_UPLOAD_FILE = 'cdk8s-harvester/upload-file';

/**
 * The reason of an image whose upload failed.
 * @see harvester/harvester:pkg/image/common/operator.go uploadFailReason
 */
const UPLOAD_FAILED = 'UploadFailed';

/**
 * The StorageClass of an image before Harvester 1.8.
 * @see harvester/harvester:pkg/util/storageclass.go GetImageStorageClassName
 */
export const imageClassByName = (image: string): string => `longhorn-${image}`;

/** The content of an image's file by its URL, as the UI derives it. */
export function imageTypeByUrl(url: unknown): 'iso' | 'raw_qcow2' | undefined {
  if (typeof url !== 'string' || isLate(url)) {
    return undefined;
  }
  const ending = /\.([a-z0-9]+)$/i.exec(url.split(/[?#]/)[0]!)?.[1]?.toLowerCase();
  if (ending === 'iso') {
    return 'iso';
  }
  return ending && ['qcow', 'qcow2', 'raw', 'img'].includes(ending) ? 'raw_qcow2' : undefined;
}

const isExport = (image: Manifest): boolean =>
  valueAt(image, 'spec', 'sourceType') === 'export-from-volume';

// the server does not distinguish an empty text from none
function fixed(field: string): ImmutableField {
  return {
    path: `spec.${field}`,
    compared: (value) => (value === '' ? undefined : value),
    says: `${field} cannot be modified`,
  };
}

const isDownload = (image: Manifest): boolean =>
  valueAt(image, 'spec', 'sourceType') === 'download';

const RECREATE =
  'make the URL reachable from Harvester, then run apply with --recreate-failed-images, which deletes and creates the image again if nothing uses it; ' +
  'Harvester does not try again by itself';

/** What to do after a failed upload. */
const UPLOAD_AGAIN =
  'run apply with --recreate-failed-images, which deletes the image, creates it again, and uploads its file, if nothing uses it';

/** The import of an image that Harvester has given up; undefined while it may still succeed. */
export function givenUp(live: Manifest): 'download' | 'upload' | undefined {
  if (isDownload(live)) {
    return conditionOf(live, GIVEN_UP)?.status === 'True' ? 'download' : undefined;
  }
  const imported = conditionOf(live, 'Imported');
  return imported?.status === 'False' &&
    imported.reason === UPLOAD_FAILED &&
    uploadFileOf(live) !== undefined
    ? 'upload'
    : undefined;
}

/** The local file that `apply` uploads for an image. */
export function uploadFileOf(image: Manifest): string | undefined {
  return valueAt(image, 'spec', 'sourceType') === 'upload'
    ? filledText(annotationsOf(image)[ANNOTATION_UPLOAD_FILE])
    : undefined;
}

/** The kinds whose objects may use an image, on its Harvester and on Rancher. */
export const IMAGE_USERS = {
  harvester: [
    ['kubevirt.io/v1', 'VirtualMachine'],
    [API_VERSIONS.CORE, 'PersistentVolumeClaim'],
    ['cdi.kubevirt.io/v1beta1', 'DataVolume'],
    [API_VERSIONS.HARVESTER, 'VirtualMachineTemplateVersion'],
    [API_VERSIONS.HARVESTER, 'VirtualMachineImage'],
  ],
  rancher: [['rke-machine-config.cattle.io/v1', 'HarvesterConfig']],
} as const;

/** Whether an object names an image, or the StorageClass of its volumes, anywhere. */
export function usesImage(object: Manifest, image: Manifest): boolean {
  const { namespace = 'default', name } = image.metadata;
  const storageClass =
    filledText(valueAt(image, 'status', 'storageClassName')) ?? imageClassByName(name);
  const source = valueAt(object, 'spec', 'securityParameters');
  if (
    valueAt(source, 'sourceImageName') === name &&
    valueAt(source, 'sourceImageNamespace') === namespace
  ) {
    return true;
  }
  const names = [`${namespace}/${name}`, storageClass].map(escapeRegExp).join('|');
  const said = JSON.stringify({
    ...object,
    status: undefined,
    metadata: { ...object.metadata, managedFields: undefined },
  });
  return new RegExp(`(^|[^a-z0-9.-])(${names})($|[^a-z0-9.-])`).test(said);
}

/** What Harvester writes into an image, also in place of values of the program. */
const WRITTEN_BY_OTHERS: readonly string[] = [
  'spec.backend',
  'spec.retry',
  'spec.checksum',
  'spec.pvcName',
  'spec.pvcNamespace',
  'spec.storageClassParameters',
  'spec.targetStorageClassName',
  'spec.url',
  `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`,
  `metadata.labels[${LABEL_IMAGE_DISPLAY_NAME}]`,
  'metadata.ownerReferences',
];

/**
 * Harvester's VirtualMachineImage.
 * @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/image.go; seen on Harvester 1.7.2
 */
export const VM_IMAGE_DESCRIPTION: KindDescription = {
  ...HARVESTER_KIND,
  kind: 'VirtualMachineImage',
  part: { noun: 'image', order: 140 },
  rank: 30,
  deletion: deletes('Harvester refuses it while volumes, templates or backups use it'),
  // a clone waits for its original
  stage: (image) => ({
    stage: 'images',
    part: image.metadata.namespace,
    isAlone: valueAt(image, 'spec', 'sourceType') === 'clone',
  }),
  immutable: [
    {
      id: 'image/update',
      what: 'displayName, source, URL, volume, StorageClass with its parameters, and encryption of an image are immutable',
      source:
        'harvester/harvester:pkg/image/common/validator.go; pkg/image/backingimage/validate.go; seen on Harvester 1.7.2',
      fields: [
        ...['displayName', 'sourceType', 'url', 'securityParameters'].map((field) => fixed(field)),
        {
          ...fixed('targetStorageClassName'),
          addable: true,
          omitted: 'keeps',
          says: 'storageClassName cannot be modified',
        },
        ...['pvcName', 'pvcNamespace'].map((field) => ({ ...fixed(field), when: isExport })),
        {
          path: 'spec.storageClassParameters',
          keys: {},
          omitted: 'keeps',
          when: (now, before) =>
            [now, before].every((image) =>
              isRecord(valueAt(image, 'spec', 'storageClassParameters')),
            ),
          fix: 'remove it, or set the current value',
          says: 'storageClassParameters of the VM Image cannot be modified',
        },
        {
          path: `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`,
          compared: filledText,
          addable: true,
          // the mutator writes it again, from spec.targetStorageClassName; seen on 1.8.2
          omitted: 'keeps',
          says: 'storageClassName cannot be modified',
        },
      ],
      fix: 'create an image with a different name, and switch its users to that one',
    },
  ],
  namedBy: { fields: { 'harvesterhci.io/imageId': 'namespace/name' } },
  writtenByOthers: WRITTEN_BY_OTHERS,
  rewritten: WRITTEN_BY_OTHERS,
  // @see harvester/harvester:pkg/webhook/resources/virtualmachineimage/validator.go: A resource
  // with the same name exists
  unique: {
    what: 'displayName',
    shared: (a, b) =>
      a.metadata.namespace === b.metadata.namespace
        ? sharedValues((image) => uniqueText(valueAt(image, 'spec', 'displayName')))(a, b)
        : [],
    stays: () => 'disks are created from it',
    fix: 'give the new image another displayName, or keep the previous one in the program',
  },
  // Harvester 1.8 names the StorageClasses of new images by their UID; existing images keep theirs
  lateFix: (name, before) =>
    JSON.stringify(before).includes(imageClassByName(name))
      ? `set volumeStorageClass of the image ${name} to HarvesterStorageClass.fromName(…, { name: '${imageClassByName(name)}' }): it keeps the class that it has`
      : undefined,
  passing: [
    {
      status: [...REFUSED, 404],
      words:
        /storageclasses\.storage\.k8s\.io "([^"]+)" not found|no default storageClass found for backingImage/,
      missing: ([, name]) => ({ kind: kindKey('storage.k8s.io', 'StorageClass'), name }),
      source: 'seen on Harvester 1.7.2',
    },
  ],
  ready: { judge: imageReadiness, timeoutMs: 60 * MINUTE, hint: imageHint },
  health: {
    healthy: whenTrue('Imported'),
    failed: { any: [whenTrue('RetryLimitExceeded'), whenTrue('BackingImageMissing')] },
    slow: true,
  },
  holds: [
    // a download is downloaded again
    { holds: 'data', what: 'the image', searchedOn: ON_HARVESTER, when: isDownload },
    { holds: 'data', what: 'the image', asks: true },
  ],
};

/**
 * The condition of an image that Harvester has given up after too many failed tries.
 * @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/image.go
 */
const GIVEN_UP = 'RetryLimitExceeded';

/**
 * Why an image is not there after a while. @see harvester/harvester:pkg/image/backingimage:
 * Longhorn downloads an image, or takes its file, in a pod on a node
 */
function imageHint(image: Manifest): string {
  if (!isDownload(image)) {
    return IMPORT_HINT;
  }
  return (
    'Usual causes: the nodes cannot reach its url, or Longhorn does not run the pod that downloads it. Fix: check the url, the Setting http-proxy, and the pods ' +
    'backing-image-… in longhorn-system; an image with another url needs another name'
  );
}

/** Why an image is not made of a file or a volume after a while. */
export const IMPORT_HINT =
  'Usual cause: Longhorn does not run the pod that takes the file or the volume. Fix: check the pods backing-image-… in longhorn-system, and the space on the disks';

function imageReadiness(live: Manifest): Readiness {
  const [retries, missing, imported] = [GIVEN_UP, 'BackingImageMissing', 'Imported'].map((type) =>
    conditionOf(live, type),
  );
  if (retries?.status === 'True') {
    return {
      state: 'failed',
      why: conditionText(retries),
      ...(isDownload(live) ? { fix: RECREATE } : {}),
    };
  }
  if (missing?.status === 'True') {
    return { state: 'failed', why: conditionText(missing) };
  }
  if (givenUp(live) === 'upload') {
    return { state: 'failed', why: conditionText(imported!), fix: UPLOAD_AGAIN };
  }
  if (imported?.status === 'True') {
    return READY;
  }
  // seen on Harvester 1.7.2: each try that failed leaves its words here
  if (retries?.status === 'False' && retries.message) {
    return failing(conditionText(retries));
  }
  const progress = valueAt(live, 'status', 'progress');
  if (imported?.status === 'False' && imported.message) {
    return failing(conditionText(imported));
  }
  const conditions = ['Initialized', 'Imported'].flatMap((type) => {
    const condition = conditionOf(live, type);
    return condition && condition.status !== 'True' ? [conditionText(condition)] : [];
  });
  const done = typeof progress === 'number' ? `, ${progress} %` : '';
  return waiting([`is being imported${done}`, ...conditions].join('; '));
}
