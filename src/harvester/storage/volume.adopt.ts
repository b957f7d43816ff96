import { ANNOTATION_DEFAULT_CLASS } from './storage.kind';
import { TargetKind } from '../../core/app/target';
import {
  DraftValue,
  FoundObject,
  Inverse,
  Surroundings,
  call,
  enumValue,
  refer,
  sizeOf,
  textAt,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { annotationsOf, valueAt } from '../../core/manifest/manifest';
import { quantityOf } from '../../core/text/values';
import { namespacedProps } from '../harvester-object.adopt';
import { STORAGE_CLASS, VOLUME, imageProp, volumeForm } from '../machine/disk.adopt';
import { ANNOTATION_IMAGE_ID } from '../virtual-machine/machine-manifest.facts';

/**
 * Prefixes of annotations by which CDI and Longhorn keep their state.
 * @see kubevirt/containerized-data-importer:pkg/controller/common/util.go
 */
const SERVERS = ['cdi.kubevirt.io/', 'longhorn.io/'];

/** From a PersistentVolumeClaim of a Harvester to the construct. VMs declare their own. */
export const VOLUME_INVERSE: Inverse = {
  kinds: [VOLUME],
  on: TargetKind.HARVESTER,
  // @see kubernetes/kubernetes:pkg/apis/core/v1/defaults.go SetDefaults_PersistentVolumeClaimSpec
  defaults: { 'spec.volumeMode': 'Filesystem' },
  drafts: (object, around) => {
    const { manifest } = object;
    const image = annotationsOf(manifest)[ANNOTATION_IMAGE_ID];
    const props = {
      ...namespacedProps(object),
      size: wholeSizeOf(textAt(manifest, 'spec', 'resources', 'requests', 'storage')),
      image: typeof image === 'string' && image !== '' ? imageProp(object, image) : undefined,
      storageClass:
        typeof image === 'string' && image !== '' ? undefined : storageClassProp(object, around),
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
    : sizeOf(text);
}

const MEBIBYTE = 2 ** 20;

/** Harvester writes its default class to volumes without one. */
function storageClassProp(object: FoundObject, around: Surroundings): DraftValue {
  const name = textAt(object.manifest, 'spec', 'storageClassName');
  return name === undefined || isDefaultClass(object.target, name, around)
    ? undefined
    : refer(object, STORAGE_CLASS, name);
}

/** Whether a StorageClass is the default one of its Harvester. */
export function isDefaultClass(target: string, name: string, around: Surroundings): boolean {
  const [group, kind] = STORAGE_CLASS.split('/');
  const found = around.find({ target, group, kind, name });
  return found !== undefined && annotationsOf(found.manifest)[ANNOTATION_DEFAULT_CLASS] === 'true';
}
