import { Duration } from 'cdk8s';
import { IVolumeEncryption } from './volume-encryption';
import { CSI_SECRET_PAIRS, LONGHORN, LONGHORN_PROVISIONER, LVM_PROVISIONER, LVM_TOPOLOGY_KEY } from '../model/infrastructure-names';

/**
 * Whether Longhorn keeps a replica on the node of a volume's virtual machine.
 */
export enum DataLocality {
  /** Replicas are where there is room. */
  DISABLED = 'disabled',
  /** One follows the virtual machine. */
  BEST_EFFORT = 'best-effort',
}

/**
 * The engine of Longhorn.
 */
export enum LonghornEngine {
  /** The one that needs nothing. */
  V1 = 'v1',
  /** The one on SPDK, which must be enabled on the Harvester. */
  V2 = 'v2',
}

/**
 * How Longhorn makes volumes.
 */
export interface LonghornStorageProps {
  /** How many copies: 1 to 20, not more than nodes. @default 3 */
  readonly replicas?: number;
  /** After what time a replica that failed is given up; whole minutes. @default Duration.minutes(30) */
  readonly staleReplicaTimeout?: Duration;
  /**
   * Whether volumes move with virtual machines while they run. Volumes that pods of guest clusters share need false.
   * @default true
   */
  readonly migratable?: boolean;
  /** Whether a copy follows the virtual machine. @default - Longhorn's own */
  readonly dataLocality?: DataLocality;
  /** The engine. Create-only. @default - Longhorn's own, v1 */
  readonly engine?: LonghornEngine;
  /** Tags of the disks that may hold copies, all of them. @default - all disks */
  readonly diskSelector?: string[];
  /** Tags of Longhorn's nodes that may hold copies, all of them. @default - all nodes */
  readonly nodeSelector?: string[];
  /** The file system of volumes that are no block devices, e.g. `ext4`, `xfs`. @default - Longhorn's own */
  readonly fsType?: string;
  /** Mount options of volumes that pods share, e.g. `vers=4.2,noresvport,softerr,timeo=600,retrans=5`. Needs `migratable: false`. @default - none */
  readonly nfsOptions?: string;
  /** The key that volumes are encrypted with. @default - not encrypted */
  readonly encryption?: IVolumeEncryption;
  /** Further parameters of Longhorn, as they stand in the StorageClass. @default - none */
  readonly parameters?: { readonly [key: string]: string };
}

/**
 * How volumes lie in a volume group of LVM.
 */
export enum LvmType {
  /** Over all disks of the group; a snapshot takes as much room as its volume. */
  STRIPED = 'striped',
  /** Thin: room is taken as it is written. */
  DM_THIN = 'dm-thin',
}

/**
 * How LVM makes volumes on the disks of one node. Needs the add-on harvester-csi-driver-lvm.
 */
export interface LvmStorageProps {
  /** The node; its virtual machines can not move. */
  readonly node: string;
  /** The name of the volume group. */
  readonly volumeGroup: string;
  /** How volumes lie in it. */
  readonly type: LvmType;
}

/**
 * Labels of nodes that volumes may be on.
 */
export interface StorageTopology {
  /** The label, e.g. `topology.kubernetes.io/zone`. */
  readonly key: string;
  /** Its values. */
  readonly values: string[];
}

/**
 * What makes the volumes of a storage class.
 */
export class StorageDriver {
  /**
   * Longhorn, on all nodes: the storage that Harvester comes with.
   * @param props how it makes them
   */
  public static longhorn(props: LonghornStorageProps = {}): StorageDriver {
    const { encryption, staleReplicaTimeout = Duration.minutes(30) } = props;
    const given: { readonly [key: string]: string | undefined } = {
      [LONGHORN.REPLICAS]: String(props.replicas ?? 3),
      [LONGHORN.STALE_TIMEOUT]: String(staleReplicaTimeout.toMinutes()),
      [LONGHORN.MIGRATABLE]: String(props.migratable ?? true),
      [LONGHORN.DATA_LOCALITY]: props.dataLocality,
      [LONGHORN.DATA_ENGINE]: props.engine,
      [LONGHORN.DISK_SELECTOR]: props.diskSelector?.join(','),
      [LONGHORN.NODE_SELECTOR]: props.nodeSelector?.join(','),
      [LONGHORN.FS_TYPE]: props.fsType,
      [LONGHORN.NFS_OPTIONS]: props.nfsOptions,
      ...(encryption ? { [LONGHORN.ENCRYPTED]: 'true' } : {}),
    };
    const secrets = encryption ? secretParameters(encryption) : {};
    return new StorageDriver(LONGHORN_PROVISIONER, { ...given, ...secrets, ...props.parameters }, undefined, encryption);
  }

  /**
   * LVM, on the disks of one node.
   * @param props where it makes them
   */
  public static lvm(props: LvmStorageProps): StorageDriver {
    return new StorageDriver(LVM_PROVISIONER, { type: props.type, vgName: props.volumeGroup }, { key: LVM_TOPOLOGY_KEY, values: [props.node] });
  }

  /**
   * Another CSI driver that is installed on the Harvester.
   *
   * @param provisioner name of the driver
   * @param parameters of it, as they stand in the StorageClass
   */
  public static csi(provisioner: string, parameters: { [key: string]: string } = {}): StorageDriver {
    return new StorageDriver(provisioner, parameters);
  }

  private constructor(
    /** @internal */
    public readonly _provisioner: string,
    /** @internal */
    public readonly _parameters: { readonly [key: string]: string | undefined },
    /** @internal */
    public readonly _topology?: StorageTopology,
    /** @internal */
    public readonly _encryption?: IVolumeEncryption,
  ) {}
}

function secretParameters({ secretName, namespace: secretNamespace }: IVolumeEncryption): { readonly [key: string]: string } {
  return Object.fromEntries(CSI_SECRET_PAIRS.flatMap(({ name, namespace }) => [[name, secretName], [namespace, secretNamespace]]));
}
