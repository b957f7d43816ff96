import { TargetKind } from '../../core/app/target';
import { Draft, FoundObject, enumValue } from '../../core/draft/draft';
import { Inverse, Surroundings, booleanAt, textAt, unless } from '../../core/draft/inverse';
import { annotationsOf } from '../../core/manifest/manifest';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/storage.kind';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS, CSI_PARAMETER, HOST_VOLUME_FILESYSTEM } from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { harvesterOfTarget, isInGuest, itemsOf, onHarvester } from '../guest-target.adopt';

const STORAGE_CLASS = 'storage.k8s.io/StorageClass';

/** From a StorageClass of the CSI driver in a guest cluster to the construct. */
export const GUEST_STORAGE_CLASS_INVERSE: Inverse = {
  kinds: [STORAGE_CLASS],
  drafts: (object, around) => (isInGuest(object, around) && textAt(object.manifest, 'provisioner') === CSI_PROVISIONER ? storageClass(object, around) : []),
  existing: ({ target, name }, around) => (around.cluster(target).kind === TargetKind.GUEST
    ? { type: 'GuestStorageClass', method: 'fromName', props: { name } } : undefined),
};

function storageClass(object: FoundObject, around: Surroundings): Draft {
  const { manifest, target } = object;
  const props = {
    hostStorageClass: onHarvester(harvesterOfTarget(target, around), STORAGE_CLASS, textAt(manifest, 'parameters', CSI_PARAMETER.HOST_STORAGE_CLASS)),
    hostFilesystem: textAt(manifest, 'parameters', CSI_PARAMETER.HOST_VOLUME_MODE) === HOST_VOLUME_FILESYSTEM || undefined,
    isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS] === 'true' || undefined,
    reclaimPolicy: enumValue('ReclaimPolicy', unless(textAt(manifest, 'reclaimPolicy'), 'Delete')),
    volumeBindingMode: enumValue('VolumeBindingMode', unless(textAt(manifest, 'volumeBindingMode'), 'Immediate')),
    allowVolumeExpansion: unless(booleanAt(manifest, 'allowVolumeExpansion'), true),
    mountOptions: itemsOf(manifest.mountOptions),
  };
  return { type: 'GuestStorageClass', id: manifest.metadata.name, props, declares: [object] };
}

/** From a VolumeSnapshotClass of the CSI driver in a guest cluster to the construct. */
export const GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE: Inverse = {
  kinds: ['snapshot.storage.k8s.io/VolumeSnapshotClass'],
  drafts: (object, around) => {
    const { manifest } = object;
    if (!isInGuest(object, around) || textAt(manifest, 'driver') !== CSI_PROVISIONER) { return []; }
    const props = {
      backup: textAt(manifest, 'parameters', 'type') === 'backup' || undefined,
      isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_SNAPSHOT_CLASS] === 'true' || undefined,
      deletionPolicy: enumValue('ReclaimPolicy', unless(textAt(manifest, 'deletionPolicy'), 'Delete')),
    };
    return { type: 'GuestVolumeSnapshotClass', id: manifest.metadata.name, props, declares: [object] };
  },
  existing: ({ target, name }, around) => (around.cluster(target).kind === TargetKind.GUEST
    ? { type: 'GuestVolumeSnapshotClass', method: 'fromName', props: { name } } : undefined),
};
