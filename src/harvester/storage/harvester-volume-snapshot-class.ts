import { Construct } from 'constructs';
import { ReclaimPolicy } from './harvester-storage-class';
import { GROUP_SNAPSHOT } from './storage.kind';
import { ExistingResourceOptions } from '../../core/app/resource';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS } from '../../guest/cloud-provider/cloud-provider.kind';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: `${GROUP_SNAPSHOT}/v1`, kind: 'VolumeSnapshotClass' };

/** A VolumeSnapshotClass of a Harvester: declared by the program, or existing. */
export interface IHarvesterVolumeSnapshotClass extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly volumeSnapshotClassId: string;
}

/** Properties of a class of volume snapshots on a Harvester. */
export interface HarvesterVolumeSnapshotClassProps extends HarvesterResourceProps {
  /**
   * The CSI driver that takes the snapshots, e.g. `driver.longhorn.io`: that of the StorageClass of
   * the volumes.
   */
  readonly provisioner: string;
  /** Parameters of the driver, e.g. `{ type: 'snap' }` of Longhorn. @default - no parameters */
  readonly parameters?: { readonly [key: string]: string };
  /**
   * What happens to the snapshot in the storage when the VolumeSnapshot is deleted.
   * @default ReclaimPolicy.DELETE
   */
  readonly deletionPolicy?: ReclaimPolicy;
  /** Whether this is the default class of its driver. @default false */
  readonly isDefault?: boolean;
}

/**
 * A VolumeSnapshotClass on a Harvester, for storage other than Longhorn: Harvester has
 * `longhorn-snapshot` for snapshots and `longhorn` for backups, and the LVM add-on has its own.
 * Harvester uses it for the volumes of a driver once `HarvesterSetting.csiDriverConfig` names it.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/csidriver
 * @example
 * const snapshots = new HarvesterVolumeSnapshotClass(dc1, 'ceph-snapshot', { provisioner: 'rook-ceph.rbd.csi.ceph.com', parameters: { clusterID: 'rook-ceph' } });
 * HarvesterSetting.csiDriverConfig(dc1, 'snapshots', {
 *   'driver.longhorn.io': { volumeSnapshotClassName: 'longhorn-snapshot', backupVolumeSnapshotClassName: 'longhorn' },
 *   'rook-ceph.rbd.csi.ceph.com': { volumeSnapshotClassName: snapshots.name },
 * });
 */
export class HarvesterVolumeSnapshotClass
  extends HarvesterResource
  implements IHarvesterVolumeSnapshotClass
{
  /**
   * A reference to an existing class, e.g. `longhorn-snapshot`.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IHarvesterVolumeSnapshotClass {
    return new ExistingVolumeSnapshotClass(
      scope,
      id,
      'HarvesterVolumeSnapshotClass.fromName',
      KIND,
      options,
    );
  }

  constructor(scope: Construct, id: string, props: HarvesterVolumeSnapshotClassProps) {
    super(scope, id, props);
    this._write({
      ...KIND,
      metadata: {
        annotations: props.isDefault ? { [ANNOTATION_DEFAULT_SNAPSHOT_CLASS]: 'true' } : undefined,
      },
      driver: props.provisioner,
      deletionPolicy: props.deletionPolicy ?? ReclaimPolicy.DELETE,
      parameters: props.parameters && { ...props.parameters },
    });
  }

  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}

class ExistingVolumeSnapshotClass
  extends ExistingHarvesterResource
  implements IHarvesterVolumeSnapshotClass
{
  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}
