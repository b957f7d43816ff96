import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { className } from './guest-storage-class';
import { ReclaimPolicy } from '../harvester/storage-class-options';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS } from '../model/cloud-provider-names';
import { failOnErrors } from '../model/errors';
import { CSI_PROVISIONER } from '../model/guest/rancher-names';
import { note } from '../model/object-notes';
import { guestTargetOf, IHarvesterTarget } from '../model/target';
import { FeatureGates, GateId, HarvesterVersion, KubernetesVersion } from '../versions';

/**
 * Properties of a class of volume snapshots in a guest cluster.
 */
export interface GuestVolumeSnapshotClassProps {
  /** The name of the VolumeSnapshotClass; `harvester-snapshot` is the one that the chart of the CSI driver makes. @default - the id of the construct */
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
