import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { IHarvesterTarget, guestTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { note } from '../../core/manifest/object-notes';
import { fail, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { IHostStorageClass } from '../../harvester/storage/host-storage-class';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/host-storage-class.kind';
import { ReclaimPolicy, VolumeBindingMode } from '../../harvester/storage/storage-class-options';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS, CSI_PARAMETER, HOST_VOLUME_FILESYSTEM } from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';

/**
 * Properties of a storage class in a guest cluster.
 */
export interface GuestStorageClassProps {
  /** The name of the StorageClass; `harvester` is the one that the chart of the CSI driver makes. @default - the ID of the construct */
  readonly name?: string;
  /** The storage class of the Harvester that the volumes lie in. @default - that of the CSI driver, else the default one of the Harvester */
  readonly hostStorageClass?: IHostStorageClass;
  /** Whether volumes are file systems on the Harvester, for host storage that has no block volumes. @default false */
  readonly hostFilesystem?: boolean;
  /** Whether claims that name no class get this one. A cluster has one such class, and that of the chart is one. @default false */
  readonly isDefault?: boolean;
  /** @default ReclaimPolicy.DELETE */
  readonly reclaimPolicy?: ReclaimPolicy;
  /** @default VolumeBindingMode.IMMEDIATE */
  readonly volumeBindingMode?: VolumeBindingMode;
  /** Whether volumes can be made larger; online with CSI chart 0.1.24 and Harvester 1.6.0 and later. @default true */
  readonly allowVolumeExpansion?: boolean;
  /** Options of the mount. @default - none */
  readonly mountOptions?: string[];
}

/**
 * A storage class in a guest cluster whose volumes lie on its Harvester, by the CSI driver.
 *
 * ReadWriteOnce volumes always; ReadWriteMany needs CSI chart 0.1.20 and Harvester 1.4.0 or later, and a storage class of the Harvester for it. A
 * class can not be changed, only its default mark and whether volumes can be made larger: give a changed one another name.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 */
export class GuestStorageClass extends Construct {
  /** The name of the StorageClass. */
  public readonly storageClassName: string;

  constructor(scope: Construct, id: string, props: GuestStorageClassProps = {}) {
    super(scope, id);
    guestTargetOf(this, 'GuestStorageClass');
    this.storageClassName = className(this, props.name ?? id);
    const parameters = {
      ...(props.hostStorageClass ? { [CSI_PARAMETER.HOST_STORAGE_CLASS]: props.hostStorageClass.storageClassName } : {}),
      ...(props.hostFilesystem ? { [CSI_PARAMETER.HOST_VOLUME_MODE]: HOST_VOLUME_FILESYSTEM } : {}),
    };
    const storageClass = new ApiObject(this, 'Resource', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: this.storageClassName, annotations: props.isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : undefined },
      provisioner: CSI_PROVISIONER,
      parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
      reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
      volumeBindingMode: props.volumeBindingMode ?? VolumeBindingMode.IMMEDIATE,
      allowVolumeExpansion: props.allowVolumeExpansion ?? true,
      mountOptions: props.mountOptions,
    });
    note(storageClass, { deletion: { policy: 'delete', reason: 'volumes that are there stay, new ones can not be made by it' } });
  }
}

/** The name of a class, an RFC 1123 subdomain. */
export function className(construct: Construct, name: string): string {
  if (!isLate(name) && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
    fail(construct, [{ path: 'name', value: name, message: 'is no name of a class', fix: 'use a-z, 0-9, hyphens and dots' }]);
  }
  return name;
}

/**
 * Properties of a class of volume snapshots in a guest cluster.
 */
export interface GuestVolumeSnapshotClassProps {
  /** The name of the VolumeSnapshotClass; `harvester-snapshot` is the one that the chart of the CSI driver makes. @default - the ID of the construct */
  readonly name?: string;
  /** The Harvester of the guest cluster: its version is checked. @default - not checked */
  readonly harvester?: IHarvesterTarget;
  /**
   * Whether snapshots are backups, which go to the backup target of the Harvester. Harvester 1.8.0 and CSI chart 0.1.28 and later.
   * @default false
   */
  readonly backup?: boolean;
  /** Whether snapshots that name no class get this one. @default false */
  readonly isDefault?: boolean;
  /** What happens to the snapshot on the Harvester when the VolumeSnapshot goes. @default ReclaimPolicy.DELETE */
  readonly deletionPolicy?: ReclaimPolicy;
}

/**
 * A class of volume snapshots in a guest cluster, by the CSI driver. Harvester 1.7.0 and CSI chart 0.1.25 and later; K3s needs the definitions of
 * snapshots to be installed.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 */
export class GuestVolumeSnapshotClass extends Construct {
  /** The name of the VolumeSnapshotClass. */
  public readonly snapshotClassName: string;

  constructor(scope: Construct, id: string, props: GuestVolumeSnapshotClassProps = {}) {
    super(scope, id);
    const { version } = guestTargetOf(this, 'GuestVolumeSnapshotClass');
    this.snapshotClassName = className(this, props.name ?? id);
    const { backup = false, harvester } = props;
    const gate = harvester && FeatureGates.of(backup ? GateId.CSI_BACKUPS : GateId.CSI_SNAPSHOTS).problem(HarvesterVersion.parse(harvester.version));
    const kubernetes = KubernetesVersion.parse(version);
    const bundled = FeatureGates.of(GateId.RKE2_BUNDLED_CHARTS).supports(kubernetes)
      ? FeatureGates.of(backup ? GateId.RKE2_CSI_BACKUPS : GateId.RKE2_CSI_SNAPSHOTS).problem(kubernetes) : undefined;
    failOnErrors(this, [
      ...(gate ? [{ path: 'harvester', message: gate, fix: 'upgrade Harvester first, or leave the class out' }] : []),
      // a chart of one's own may be newer than the bundled one
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
    note(snapshotClass, { deletion: { policy: 'delete', reason: 'snapshots that are there stay, new ones can not be made by it' } });
  }
}
