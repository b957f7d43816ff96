import { IMAGE_SOURCE } from './vm-image.check';
import {
  ANNOTATION_IMAGE_STORAGE_CLASS,
  LABEL_IMAGE_TYPE,
  LABEL_OS_TYPE,
  imageClassByName,
  imageTypeByUrl,
  uploadFileOf,
} from './vm-image.kind';
import { ofChart } from '../../core/draft/chart-namespace';
import {
  Draft,
  DraftProps,
  DraftValue,
  FoundObject,
  ObjectName,
  enumValue,
  Inverse,
  Surroundings,
  mapAt,
  nameOf,
  numberAt,
  refer,
  referOn,
  textAt,
  unless,
} from '../../core/draft/draft';
import { Manifest, annotationsOf, isFromServer, labelsOf } from '../../core/manifest/manifest';
import { FeatureGates } from '../../core/version/feature-gates';
import {
  isListedOnly,
  listedDescriptionProp,
  namespacedProps,
  osTypeProp,
} from '../harvester-object.adopt';
import {
  STORAGE_CLASS_KIND,
  VM_IMAGE,
  VOLUME_KIND,
  claimsIn,
  imageProp,
} from '../machine/disk.adopt';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';
import { ANNOTATION_IMAGE_ID } from '../virtual-machine/machine-manifest.facts';
import { isDefaultClassOf } from '../volume/volume.adopt';

const CDI = 'cdi';

/** From a VirtualMachineImage to the construct. */
export const VM_IMAGE_INVERSE: Inverse = {
  kinds: [VM_IMAGE],
  drafts: (object, around) => draftOf(object, around) ?? [],
  // @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/image.go; pkg/util/storageclass.go
  // GetImageDefaultStorageClassParameters
  defaults: {
    'spec.retry': 3,
    'spec.backend': 'backingimage',
    'spec.storageClassParameters.migratable': 'true',
    'spec.storageClassParameters.numberOfReplicas': '3',
    'spec.storageClassParameters.staleReplicaTimeout': '30',
  },
  existing: (object, around) => ({
    type: 'VmImage',
    method: 'fromName',
    props: {
      namespace: unless(object.namespace, ofChart(around.cluster(object.target).chartNamespace)),
      name: object.name,
      volumeStorageClass: foundClass(object, around),
    },
  }),
};

/** The StorageClasses that Harvester makes for images. */
export const IMAGE_CLASS_INVERSE: Inverse = {
  kinds: [STORAGE_CLASS_KIND],
  existing: ({ target, name }, around) => {
    const image = around
      .cluster(target)
      .objects.find(
        ({ manifest }) =>
          manifest.kind === 'VirtualMachineImage' && !isCdi(manifest) && classOf(manifest) === name,
      );
    return (
      image && {
        type: 'HarvesterStorageClass',
        method: 'fromName',
        id: `${idOf(image.manifest)}-volumes`,
        props: { name },
      }
    );
  },
};

/** The names that Harvester's UI generates for images. */
const GENERATED = /^image-[a-z0-9]{5}$/;

/** The ID of an image: the name that the UI shows, where that of the object is generated. */
function idOf(manifest: Manifest): string {
  const { name } = manifest.metadata;
  const shown = textAt(manifest, 'spec', 'displayName');
  const id = shown === undefined ? '' : idOfShown(shown);
  return GENERATED.test(name) && id !== '' ? id : name;
}

function idOfShown(name: string): string {
  const stem = name.replace(/\.(?:img|iso|qcow2|raw)$/i, '').toLowerCase();
  return stem.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

function draftOf(object: FoundObject, around: Surroundings): Draft | undefined {
  const { manifest } = object;
  const { name } = manifest.metadata;
  const id = idOf(manifest);
  const text = (...path: string[]): string | undefined => textAt(manifest, 'spec', ...path);
  const draft = (method: string, props: DraftProps): Draft => ({
    type: 'VmImage',
    method,
    id,
    isNamedById: id === name,
    props: { ...(id === name ? {} : { name }), ...commonProps(object, around), ...props },
    declares: [object],
  });
  const backend = { backend: enumValue('VmImageBackend', unless(text('backend'), 'backingimage')) };
  switch (text('sourceType')) {
    case IMAGE_SOURCE.DOWNLOAD:
      return draft('download', {
        url: text('url'),
        checksum: text('checksum'),
        retries: unless(numberAt(manifest, 'spec', 'retry'), 3),
        ...backend,
      });
    case IMAGE_SOURCE.UPLOAD:
      return draft('upload', {
        file: uploadFileOf(manifest),
        checksum: text('checksum'),
        ...backend,
      });
    case IMAGE_SOURCE.EXPORT:
      return draft('exportOf', {
        volume: refer(object, VOLUME_KIND, text('pvcName') ?? '', text('pvcNamespace')),
        ...backend,
      });
    case IMAGE_SOURCE.CLONE:
      return draft('clone', {
        source: imageProp(
          object,
          `${text('securityParameters', 'sourceImageNamespace')}/${text('securityParameters', 'sourceImageName')}`,
        ),
        operation: enumValue('ImageCryptoOperation', text('securityParameters', 'cryptoOperation')),
      });
    default:
      return undefined;
  }
}

function commonProps(object: FoundObject, around: Surroundings): DraftProps {
  const { manifest } = object;
  const labels = labelsOf(manifest);
  return {
    ...namespacedProps(object),
    ...listedDescriptionProp(object),
    displayName: unless(textAt(manifest, 'spec', 'displayName'), manifest.metadata.name),
    storageClass: storageClassProp(object, around),
    volumeStorageClass: isCdi(manifest) ? undefined : foundClass(nameOf(object), around),
    imageType: enumValue(
      'VmImageType',
      unless(
        typeOf(labels),
        imageTypeByUrl(textAt(manifest, 'spec', 'url') ?? uploadFileOf(manifest)) ?? '',
      ),
    ),
    osType: osTypeProp(labels[LABEL_OS_TYPE]),
    storageClassParameters: parametersOf(manifest),
    adopted:
      isListedOnly(manifest) || hasClassInFieldOnly(manifest) ? { asWritten: true } : undefined,
  };
}

/**
 * The type in the label; none where the label has another text, which a program keeps among its
 * labels.
 */
function typeOf(labels: { readonly [key: string]: unknown }): string {
  const label = labels[LABEL_IMAGE_TYPE];
  return label === 'iso' || label === 'raw_qcow2' ? label : '';
}

/** Harvester fills in those of the class: only a file has those that someone chose. */
function parametersOf(manifest: Manifest): DraftValue {
  return isFromServer(manifest) ? undefined : mapAt(manifest, 'spec', 'storageClassParameters');
}

/** Harvester writes its default class to images without one. */
function storageClassProp(object: FoundObject, around: Surroundings): DraftValue {
  const { target, manifest } = object;
  const name = isCdi(manifest)
    ? textAt(manifest, 'spec', 'targetStorageClassName')
    : annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS];
  if (typeof name !== 'string' || name === '') {
    return undefined;
  }
  return isDefaultClassOf(target, name, around)
    ? undefined
    : refer(object, STORAGE_CLASS_KIND, name);
}

/**
 * The class of the volumes of an image, that of the image itself or of a volume from it, where the
 * name of the image does not give it.
 */
function foundClass({ target, namespace, name }: ObjectName, around: Surroundings): DraftValue {
  const [group, kind] = VM_IMAGE.split('/');
  const image = around.find({ target, group, kind, namespace, name });
  const claims = around
    .cluster(target)
    .objects.flatMap((each) => [each.manifest, ...claimsIn(each).values()] as Manifest[]);
  const claim = claims.find(
    (each) =>
      textAt(each, 'metadata', 'annotations', ANNOTATION_IMAGE_ID) === `${namespace}/${name}`,
  );
  const found =
    (image && classOf(image.manifest)) ?? (claim && textAt(claim, 'spec', 'storageClassName'));
  const { version } = around.cluster(target);
  const isByName =
    version !== undefined &&
    !FeatureGates.of(HarvesterGate.IMAGE_CLASS_BY_UID).supports(HarvesterVersion.parse(version));
  return found === undefined || (isByName && found === imageClassByName(name))
    ? undefined
    : referOn(target, STORAGE_CLASS_KIND, found);
}

function classOf(manifest: Manifest): string | undefined {
  return textAt(manifest, 'status', 'storageClassName');
}

/** Whether the class of an image of CDI is in its field alone: Harvester's UI writes an annotation too. */
function hasClassInFieldOnly(manifest: Manifest): boolean {
  return (
    isCdi(manifest) &&
    textAt(manifest, 'spec', 'targetStorageClassName') !== undefined &&
    annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS] === undefined
  );
}

function isCdi(manifest: Manifest): boolean {
  return textAt(manifest, 'spec', 'backend') === CDI;
}
