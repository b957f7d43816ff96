import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ResourceProps } from '../../core/app/resource';
import { IHarvesterTarget, guestTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { note } from '../../core/manifest/object-notes';
import { collectProblems, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IHostStorageClass, ReclaimPolicy, VolumeBindingMode } from '../../harvester/storage/host-storage-class';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/storage.kind';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS, CSI_PARAMETER, HOST_VOLUME_FILESYSTEM } from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { GuestResource } from '../guest-resource';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { Rke2Gate } from '../kubernetes/rke2.data';

/** Properties of a storage class in a guest cluster. */
export interface GuestStorageClassProps extends ResourceProps {
  /** The storage class on Harvester for the volumes. @default - the one of the CSI driver, otherwise the default of Harvester */
  readonly hostStorageClass?: IHostStorageClass;
  /** Whether volumes are file systems on Harvester, for storage without block volumes. @default false */
  readonly hostFilesystem?: boolean;
  /** Whether this is the default class. A cluster has one default class, and the class of the chart is one. @default false */
  readonly isDefault?: boolean;
  /** What happens to a volume when its claim is deleted. @default ReclaimPolicy.DELETE */
  readonly reclaimPolicy?: ReclaimPolicy;
  /** When volumes are bound. @default VolumeBindingMode.IMMEDIATE */
  readonly volumeBindingMode?: VolumeBindingMode;
  /** Whether volumes can be expanded; online with CSI chart 0.1.24 and Harvester 1.6.0 and later. @default true */
  readonly allowVolumeExpansion?: boolean;
  /** The mount options. @default - no options */
  readonly mountOptions?: string[];
}

/**
 * A StorageClass in a guest cluster for volumes on its Harvester cluster, with the CSI driver.
 *
 * Volumes are ReadWriteOnce; ReadWriteMany needs CSI chart 0.1.20, Harvester 1.4.0 and a storage class on Harvester that supports it. A
 * class is immutable except for `isDefault` and `allowVolumeExpansion`: use another name for a changed class.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 * @example
 * new GuestStorageClass(shop.chart, 'retained', { reclaimPolicy: ReclaimPolicy.RETAIN });
 */
export class GuestStorageClass extends GuestResource {
  constructor(scope: Construct, id: string, props: GuestStorageClassProps = {}) {
    super(scope, id, props);
    failOnErrors(this);
    const parameters = {
      ...(props.hostStorageClass ? { [CSI_PARAMETER.HOST_STORAGE_CLASS]: props.hostStorageClass.name } : {}),
      ...(props.hostFilesystem ? { [CSI_PARAMETER.HOST_VOLUME_MODE]: HOST_VOLUME_FILESYSTEM } : {}),
    };
    this._write({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { annotations: props.isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : undefined },
      provisioner: CSI_PROVISIONER,
      parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
      reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
      volumeBindingMode: props.volumeBindingMode ?? VolumeBindingMode.IMMEDIATE,
      allowVolumeExpansion: props.allowVolumeExpansion ?? true,
      mountOptions: props.mountOptions,
    }, { deletion: { policy: 'delete', reason: 'existing volumes are kept, new ones cannot be created' } });
  }
}

/** The name of a class, an RFC 1123 subdomain. Collects what is wrong with it. */
function className(construct: Construct, name: string): string {
  if (!isLate(name) && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
    collectProblems(construct, [{ path: 'name', value: name, message: 'must be an RFC 1123 subdomain', fix: 'use a-z, 0-9, hyphens and dots' }]);
  }
  return name;
}

/** Properties of a class of volume snapshots in a guest cluster. */
export interface GuestVolumeSnapshotClassProps {
  /** The name of the VolumeSnapshotClass; `harvester-snapshot` is the one that the chart of the CSI driver makes. @default - the ID of the construct */
  readonly name?: string;
  /** The Harvester cluster of the guest cluster, whose version is checked. @default - the version is not checked */
  readonly harvester?: IHarvesterTarget;
  /** Whether snapshots are backups, in the backup target of Harvester. Harvester 1.8.0 and CSI chart 0.1.28 and later. @default false */
  readonly backup?: boolean;
  /** Whether this is the default class. @default false */
  readonly isDefault?: boolean;
  /** What happens to the snapshot on Harvester when the VolumeSnapshot is deleted. @default ReclaimPolicy.DELETE */
  readonly deletionPolicy?: ReclaimPolicy;
}

/**
 * A VolumeSnapshotClass in a guest cluster, for the CSI driver. Harvester 1.7.0 and CSI chart 0.1.25 and later; on K3s, install the definitions of
 * snapshots first.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 * @example
 * new GuestVolumeSnapshotClass(shop.chart, 'snapshots', { harvester: dc1 });
 */
export class GuestVolumeSnapshotClass extends Construct {
  /** The name of the VolumeSnapshotClass. */
  public readonly snapshotClassName: string;

  constructor(scope: Construct, id: string, props: GuestVolumeSnapshotClassProps = {}) {
    super(scope, id);
    const { version } = guestTargetOf(this, 'GuestVolumeSnapshotClass');
    this.snapshotClassName = className(this, props.name ?? id);
    const { backup = false, harvester } = props;
    const feature = FeatureGates.of(backup ? HarvesterGate.CSI_BACKUPS : HarvesterGate.CSI_SNAPSHOTS);
    const gate = harvester && feature._lack(HarvesterVersion.parse(harvester.version));
    const kubernetes = KubernetesVersion.parse(version);
    const bundled = FeatureGates.of(Rke2Gate.RKE2_BUNDLED_CHARTS).supports(kubernetes)
      ? FeatureGates.of(backup ? Rke2Gate.RKE2_CSI_BACKUPS : Rke2Gate.RKE2_CSI_SNAPSHOTS)._lack(kubernetes) : undefined;
    failOnErrors(this, [
      ...(gate ? [{ path: 'harvester', message: gate, fix: 'upgrade Harvester first, or remove the class' }] : []),
      // the user's own chart may be newer than the bundled one
      ...(bundled ? [{ path: '', message: bundled, fix: 'use a later release of RKE2', level: 'warning' as const }] : []),
    ]);
    const snapshotClass = new ApiObject(this, 'Resource', {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: this.snapshotClassName, annotations: props.isDefault ? { [ANNOTATION_DEFAULT_SNAPSHOT_CLASS]: 'true' } : undefined },
      driver: CSI_PROVISIONER,
      deletionPolicy: props.deletionPolicy ?? ReclaimPolicy.DELETE,
      parameters: backup ? { type: 'backup' } : undefined,
    });
    note(snapshotClass, { deletion: { policy: 'delete', reason: 'existing snapshots are kept, new ones cannot be created' } });
  }
}
