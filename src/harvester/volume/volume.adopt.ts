import { TargetKind } from '../../core/construct/target';
import {
  DraftValue,
  FoundObject,
  Inverse,
  Surroundings,
  call,
  enumValue,
  refer,
  sizeCall,
  textAt,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { annotationsOf, valueAt } from '../../core/manifest/manifest';
import { quantityOf } from '../../core/text/values';
import { namespacedProps } from '../harvester-object.adopt';
import { VmImageBackend } from '../image/vm-image';
import {
  STORAGE_CLASS_KIND,
  VM_IMAGE,
  VOLUME_KIND,
  imageProp,
  volumeForm,
} from '../machine/disk.adopt';
import { ANNOTATION_DEFAULT_CLASS } from '../storage/storage.kind';
import { ANNOTATION_IMAGE_ID } from '../virtual-machine/machine-manifest.facts';

/**
 * Prefixes of annotations by which CDI and Longhorn keep their state.
 * @see kubevirt/containerized-data-importer:pkg/controller/common/util.go
 */
const SERVERS = ['cdi.kubevirt.io/', 'longhorn.io/'];

/** From a PersistentVolumeClaim of a Harvester to the construct. VMs declare their own. */
export const VOLUME_INVERSE: Inverse = {
  kinds: [VOLUME_KIND],
  on: TargetKind.HARVESTER,
  // @see kubernetes/kubernetes:pkg/apis/core/v1/defaults.go SetDefaults_PersistentVolumeClaimSpec
  defaults: { 'spec.volumeMode': 'Filesystem' },
  drafts: (object, around) => {
    const { manifest } = object;
    const named = annotationsOf(manifest)[ANNOTATION_IMAGE_ID];
    const isImage = typeof named === 'string' && named !== '';
    // the construct gives a volume the class of its image
    const image = isImage && hasClassOfImage(object, named, around) ? named : undefined;
    const props = {
      ...namespacedProps(object),
      size: wholeSizeOf(textAt(manifest, 'spec', 'resources', 'requests', 'storage')),
      image: image === undefined ? undefined : imageProp(object, image),
      storageClass: image === undefined ? storageClassProp(object, around) : undefined,
      ...volumeForm(manifest),
      volumeMode: enumValue(
        'VolumeMode',
        unless(valueAt(manifest, 'spec', 'volumeMode') ?? 'Filesystem', 'Block'),
      ),
    };
    const keys = Object.keys(annotationsOf(manifest)).filter((key) =>
      SERVERS.some((prefix) => key.startsWith(prefix)),
    );
    return declare(object, 'HarvesterVolume', props, {
      serverOwns: keys.map((key) => `metadata.annotations[${key}]`),
    });
  },
  existing: byName('HarvesterVolume'),
};

/** A size as the construct takes it, in whole MiB: a JSON patch keeps another one as it is written. */
function wholeSizeOf(text: string | undefined): DraftValue {
  const bytes = Number(quantityOf(text));
  return Number.isFinite(bytes) && bytes % MEBIBYTE !== 0
    ? call('Size', 'mebibytes', Math.ceil(bytes / MEBIBYTE))
    : sizeCall(text);
}

const MEBIBYTE = 2 ** 20;

/**
 * Whether a volume has the class of its image, which the construct writes: that in the status of the
 * image, or in the field of one of CDI. One that is not known is not in the field of another image.
 */
function hasClassOfImage(object: FoundObject, image: string, around: Surroundings): boolean {
  const [namespace, name] = image.split('/');
  const [group, kind] = VM_IMAGE.split('/');
  const found = around.find({ target: object.target, group, kind, namespace, name });
  if (!found) {
    return true;
  }
  const own = textAt(object.manifest, 'spec', 'storageClassName');
  const inField = textAt(found.manifest, 'spec', 'targetStorageClassName');
  const isOfCdi = textAt(found.manifest, 'spec', 'backend') === VmImageBackend.CDI;
  const known =
    textAt(found.manifest, 'status', 'storageClassName') ?? (isOfCdi ? inField : undefined);
  return known === undefined ? inField === undefined || own !== inField : own === known;
}

/** Harvester writes its default class to volumes without one. */
function storageClassProp(object: FoundObject, around: Surroundings): DraftValue {
  const name = textAt(object.manifest, 'spec', 'storageClassName');
  return name === undefined || isDefaultClassOf(object.target, name, around)
    ? undefined
    : refer(object, STORAGE_CLASS_KIND, name);
}

/** Whether a StorageClass is the default one of its Harvester. */
export function isDefaultClassOf(target: string, name: string, around: Surroundings): boolean {
  const [group, kind] = STORAGE_CLASS_KIND.split('/');
  const found = around.find({ target, group, kind, name });
  return found !== undefined && annotationsOf(found.manifest)[ANNOTATION_DEFAULT_CLASS] === 'true';
}
