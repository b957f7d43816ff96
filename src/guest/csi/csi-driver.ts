import { IHarvesterStorageClass } from '../../harvester/storage/harvester-storage-class';

/** Options of the CSI driver. */
export interface CsiDriverOptions {
  /**
   * The storage class on Harvester for volumes whose storage class in the guest cluster names none.
   * Chart 0.1.20 and later.
   * @default - the default storage class of Harvester
   */
  readonly hostStorageClass?: IHarvesterStorageClass;
  /** The number of pods of the controller. @default - the chart's default, 3 */
  readonly replicas?: number;
  /** The root directory of the kubelet. @default '/var/lib/kubelet' */
  readonly kubeletRootDirectory?: string;
  /** Additional values of the chart, which win over all options. @default - no additional values */
  readonly values?: { readonly [key: string]: any };
  /**
   * The version of the chart. Cannot be set for the chart that RKE2 bundles and upgrades.
   * @default - the version that was current with the Harvester version; at most 0.1.24 on K3s without `snapshotDefinitions`
   */
  readonly chartVersion?: string;
  /**
   * The URL of the chart's repository. Cannot be set for the chart that RKE2 bundles.
   * @default 'https://charts.harvesterhci.io/'
   */
  readonly chartRepository?: string;
  /**
   * Whether the definitions of VolumeSnapshotClass and related kinds are in the guest cluster.
   * Charts 0.1.25 and later need them; RKE2 bundles them, K3s does not.
   * @default - true with RKE2, false with K3s
   */
  readonly snapshotDefinitions?: boolean;
}

/**
 * The CSI driver, with which a guest cluster uses volumes of its Harvester cluster.
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 */
export class CsiDriver {
  /**
   * Installs the driver: the bundled one of RKE2 with its bundled cloud provider, otherwise a
   * HelmChart. Harvester's documentation has no manifest for the latter; the values are read from
   * the chart (unconfirmed).
   */
  public static install(options: CsiDriverOptions = {}): CsiDriver {
    return new CsiDriver(options);
  }

  /** Installs no driver, and disables the bundled one of RKE2. */
  public static none(): CsiDriver {
    return new CsiDriver(undefined);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _options?: CsiDriverOptions,
  ) {}
}
