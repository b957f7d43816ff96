import { Construct } from 'constructs';
import { ExistingResourceOptions, ResourceProps } from '../../core/app/resource';
import { collectProblems, failOnErrors } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { checkSameHarvester } from '../../harvester/harvester-object';
import {
  IHarvesterStorageClass,
  ReclaimPolicy,
  VolumeBindingMode,
} from '../../harvester/storage/harvester-storage-class';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/storage.kind';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import {
  ANNOTATION_DEFAULT_SNAPSHOT_CLASS,
  CSI_PARAMETER,
  HOST_VOLUME_FILESYSTEM,
} from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { ExistingGuestResource, GuestResource, IGuestResource } from '../guest-resource';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { Rke2Gate } from '../kubernetes/rke2.data';

const STORAGE_CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
const SNAPSHOT_CLASS = { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshotClass' };

/** A StorageClass in a guest cluster: declared by the program, or existing. */
export interface IGuestStorageClass extends IGuestResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly storageClassId: string;
}

/** Properties of a storage class in a guest cluster. */
export interface GuestStorageClassProps extends ResourceProps {
  /**
   * The storage class on Harvester for the volumes.
   * @default - the one of the CSI driver, otherwise the default of Harvester
   */
  readonly hostStorageClass?: IHarvesterStorageClass;
  /**
   * Whether volumes are file systems on Harvester, for storage without block volumes.
   * @default false
   */
  readonly hostFilesystem?: boolean;
  /**
   * Whether this is the default class. A cluster has one default class, and the class of the chart
   * is one.
   * @default false
   */
  readonly isDefault?: boolean;
  /** What happens to a volume when its claim is deleted. @default ReclaimPolicy.DELETE */
  readonly reclaimPolicy?: ReclaimPolicy;
  /** When volumes are bound. @default VolumeBindingMode.IMMEDIATE */
  readonly volumeBindingMode?: VolumeBindingMode;
  /**
   * Whether volumes can be expanded; online with CSI chart 0.1.24 and Harvester 1.6.0 and later.
   * @default true
   */
  readonly allowVolumeExpansion?: boolean;
  /** The mount options. @default - no options */
  readonly mountOptions?: string[];
}

/**
 * A StorageClass in a guest cluster for volumes on its Harvester cluster, with the CSI driver.
 *
 * Volumes are ReadWriteOnce; ReadWriteMany needs CSI chart 0.1.20, Harvester 1.4.0 and a storage
 * class on Harvester that supports it. A class is immutable except for `isDefault` and
 * `allowVolumeExpansion`: use another name for a changed class.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 * @example
 * new GuestStorageClass(shop.chart, 'retained', { reclaimPolicy: ReclaimPolicy.RETAIN });
 */
export class GuestStorageClass extends GuestResource implements IGuestStorageClass {
  /**
   * A reference to an existing class, e.g. `harvester`, which the chart of the CSI driver creates.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IGuestStorageClass {
    return new ExistingGuestStorageClass(
      scope,
      id,
      'GuestStorageClass.fromName',
      STORAGE_CLASS,
      options,
    );
  }

  constructor(scope: Construct, id: string, props: GuestStorageClassProps = {}) {
    super(scope, id, props);
    const { harvester } = this.guest;
    const { hostStorageClass } = props;
    collectProblems(
      this,
      hostStorageClass && harvester
        ? checkSameHarvester(
            'hostStorageClass',
            hostStorageClass.name,
            hostStorageClass.harvester,
            harvester,
          )
        : [],
    );
    const parameters = {
      ...(hostStorageClass ? { [CSI_PARAMETER.HOST_STORAGE_CLASS]: hostStorageClass.name } : {}),
      ...(props.hostFilesystem ? { [CSI_PARAMETER.HOST_VOLUME_MODE]: HOST_VOLUME_FILESYSTEM } : {}),
    };
    this._write(
      {
        ...STORAGE_CLASS,
        metadata: {
          annotations: props.isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : undefined,
        },
        provisioner: CSI_PROVISIONER,
        parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
        reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
        volumeBindingMode: props.volumeBindingMode ?? VolumeBindingMode.IMMEDIATE,
        // as files write it: false means the same as none
        allowVolumeExpansion: (props.allowVolumeExpansion ?? true) || undefined,
        mountOptions: props.mountOptions,
      },
      { deletion: 'guest' },
    );
  }

  public get storageClassId(): string {
    return this.name;
  }
}

class ExistingGuestStorageClass extends ExistingGuestResource implements IGuestStorageClass {
  public get storageClassId(): string {
    return this.name;
  }
}

/** A VolumeSnapshotClass in a guest cluster: declared by the program, or existing. */
export interface IGuestVolumeSnapshotClass extends IGuestResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly volumeSnapshotClassId: string;
}

/** Properties of a class of volume snapshots in a guest cluster. */
export interface GuestVolumeSnapshotClassProps extends ResourceProps {
  /**
   * Whether snapshots are backups, in the backup target of Harvester. Harvester 1.8.0 and CSI chart
   * 0.1.28 and later.
   * @default false
   */
  readonly backup?: boolean;
  /** Whether this is the default class. @default false */
  readonly isDefault?: boolean;
  /**
   * What happens to the snapshot on Harvester when the VolumeSnapshot is deleted.
   * @default ReclaimPolicy.DELETE
   */
  readonly deletionPolicy?: ReclaimPolicy;
}

/**
 * A VolumeSnapshotClass in a guest cluster, for snapshots of volumes of the CSI driver. Harvester
 * 1.7.0 and CSI chart 0.1.25 and later; on K3s, install the definitions of snapshots first.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 * @example
 * new GuestVolumeSnapshotClass(shop.chart, 'snapshots');
 */
export class GuestVolumeSnapshotClass extends GuestResource implements IGuestVolumeSnapshotClass {
  /**
   * A reference to an existing class, e.g. `harvester-snapshot`, which the chart of the CSI driver
   * creates.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IGuestVolumeSnapshotClass {
    return new ExistingGuestVolumeSnapshotClass(
      scope,
      id,
      'GuestVolumeSnapshotClass.fromName',
      SNAPSHOT_CLASS,
      options,
    );
  }

  constructor(scope: Construct, id: string, props: GuestVolumeSnapshotClassProps = {}) {
    super(scope, id, props);
    const { backup = false } = props;
    const { harvester } = this.guest;
    const [ofHarvester, ofRke2] = backup
      ? [HarvesterGate.CSI_BACKUPS, Rke2Gate.RKE2_CSI_BACKUPS]
      : [HarvesterGate.CSI_SNAPSHOTS, Rke2Gate.RKE2_CSI_SNAPSHOTS];
    const version = harvester && HarvesterVersion.parse(harvester.version);
    const kubernetes = KubernetesVersion.parse(this.guest.version);
    const bundled = FeatureGates.of(Rke2Gate.RKE2_BUNDLED_CHARTS).supports(kubernetes)
      ? kubernetes
      : undefined;
    failOnErrors(this, [
      ...FeatureGates.of(ofHarvester)._check(
        '',
        version,
        'upgrade Harvester first, or remove the class',
      ),
      // the user's own chart may be newer than the bundled one
      ...FeatureGates.of(ofRke2)
        ._check('', bundled, 'use a later release of RKE2')
        .map((problem) => ({ ...problem, level: 'warning' as const })),
    ]);
    this._write({
      ...SNAPSHOT_CLASS,
      metadata: {
        annotations: props.isDefault ? { [ANNOTATION_DEFAULT_SNAPSHOT_CLASS]: 'true' } : undefined,
      },
      driver: CSI_PROVISIONER,
      deletionPolicy: props.deletionPolicy ?? ReclaimPolicy.DELETE,
      parameters: backup ? { type: 'backup' } : undefined,
    });
  }

  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}

class ExistingGuestVolumeSnapshotClass
  extends ExistingGuestResource
  implements IGuestVolumeSnapshotClass
{
  public get volumeSnapshotClassId(): string {
    return this.name;
  }
}
