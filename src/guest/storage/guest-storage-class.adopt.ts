import { TargetKind } from '../../core/construct/target';
import { enumValue, booleanAt, inverseOf, textAt, unless } from '../../core/draft/draft';
import { annotationsOf } from '../../core/manifest/manifest';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/storage.kind';
import {
  ANNOTATION_DEFAULT_SNAPSHOT_CLASS,
  CSI_PARAMETER,
  HOST_VOLUME_FILESYSTEM,
} from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { harvesterOfTarget, itemsOf, onHarvester } from '../guest-target.adopt';

const STORAGE_CLASS = 'storage.k8s.io/StorageClass';

/** From a StorageClass of the CSI driver in a guest cluster to the construct. */
export const GUEST_STORAGE_CLASS_INVERSE = inverseOf(
  'GuestStorageClass',
  STORAGE_CLASS,
  (manifest, { target }, around) => {
    if (textAt(manifest, 'provisioner') !== CSI_PROVISIONER) {
      return undefined;
    }
    return {
      hostStorageClass: onHarvester(
        harvesterOfTarget(target, around),
        STORAGE_CLASS,
        textAt(manifest, 'parameters', CSI_PARAMETER.HOST_STORAGE_CLASS),
      ),
      hostFilesystem:
        textAt(manifest, 'parameters', CSI_PARAMETER.HOST_VOLUME_MODE) === HOST_VOLUME_FILESYSTEM ||
        undefined,
      isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS] === 'true' || undefined,
      reclaimPolicy: enumValue(
        'ReclaimPolicy',
        unless(textAt(manifest, 'reclaimPolicy'), 'Delete'),
      ),
      volumeBindingMode: enumValue(
        'VolumeBindingMode',
        unless(textAt(manifest, 'volumeBindingMode'), 'Immediate'),
      ),
      allowVolumeExpansion: unless(booleanAt(manifest, 'allowVolumeExpansion') ?? false, true),
      mountOptions: itemsOf(manifest.mountOptions),
    };
  },
  {
    on: TargetKind.GUEST,
  },
);

/** From a VolumeSnapshotClass of the CSI driver in a guest cluster to the construct. */
export const GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE = inverseOf(
  'GuestVolumeSnapshotClass',
  'snapshot.storage.k8s.io/VolumeSnapshotClass',
  (manifest) => {
    if (textAt(manifest, 'driver') !== CSI_PROVISIONER) {
      return undefined;
    }
    return {
      backup: textAt(manifest, 'parameters', 'type') === 'backup' || undefined,
      isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_SNAPSHOT_CLASS] === 'true' || undefined,
      deletionPolicy: enumValue(
        'ReclaimPolicy',
        unless(textAt(manifest, 'deletionPolicy'), 'Delete'),
      ),
    };
  },
  {
    on: TargetKind.GUEST,
  },
);
