import { Construct } from 'constructs';
import { ReclaimPolicy } from './host-storage-class';
import { GROUP_SNAPSHOT } from './storage.kind';
import { ExistingResourceOptions } from '../../core/app/resource';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS } from '../../guest/cloud-provider/cloud-provider.kind';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
  IHarvesterResource,
} from '../harvester-resource';

const KIND = { apiVersion: `${GROUP_SNAPSHOT}/v1`, kind: 'VolumeSnapshotClass' };

/** A VolumeSnapshotClass of a Harvester: declared by the program, or existing. */
export interface IHostVolumeSnapshotClass extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly volumeSnapshotClassId: string;
}

/** Properties of a class of volume snapshots on a Harvester. */
export interface HostVolumeSnapshotClassProps extends HarvesterResourceProps {
  /**
   * The CSI driver that takes the snapshots, e.g. `driver.longhorn.io`: that of the StorageClass of
   * the volumes.
   */
  readonly driver: string;
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
 * const snapshots = new HostVolumeSnapshotClass(dc1, 'ceph-snapshot', { driver: 'rook-ceph.rbd.csi.ceph.com', parameters: { clusterID: 'rook-ceph' } });
 * HarvesterSetting.csiDriverConfig(dc1, 'snapshots', {
 *   'driver.longhorn.io': { volumeSnapshotClassName: 'longhorn-snapshot', backupVolumeSnapshotClassName: 'longhorn' },
 *   'rook-ceph.rbd.csi.ceph.com': { volumeSnapshotClassName: snapshots.name },
 * });
 */
export class HostVolumeSnapshotClass extends HarvesterResource implements IHostVolumeSnapshotClass {
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
  ): IHostVolumeSnapshotClass {
    return new ExistingHostVolumeSnapshotClass(
      scope,
      id,
      'HostVolumeSnapshotClass.fromName',
      KIND,
      options,
    );
  }

  constructor(scope: Construct, id: string, props: HostVolumeSnapshotClassProps) {
    super(scope, id, props);
    this._write({
      ...KIND,
      metadata: {
        annotations: props.isDefault ? { [ANNOTATION_DEFAULT_SNAPSHOT_CLASS]: 'true' } : undefined,
      },
      driver: props.driver,
      deletionPolicy: props.deletionPolicy ?? ReclaimPolicy.DELETE,
      parameters: props.parameters && { ...props.parameters },
    });
  }

  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}

class ExistingHostVolumeSnapshotClass
  extends ExistingHarvesterResource
  implements IHostVolumeSnapshotClass
{
  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}
