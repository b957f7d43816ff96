import { IHostStorageClass } from '../../harvester/storage/host-storage-class';

/**
 * Options of the CSI driver.
 */
export interface CsiDriverOptions {
  /**
   * The storage class of the Harvester that volumes lie in where a storage class of the guest names none. Chart 0.1.20 and later.
   * @default - the default one of the Harvester
   */
  readonly hostStorageClass?: IHostStorageClass;
  /** How many pods of the controller. @default - that of the chart, 3 */
  readonly replicas?: number;
  /** The root directory of the kubelet. @default '/var/lib/kubelet' */
  readonly kubeletRootDirectory?: string;
  /** Values of the chart that have no option here, and values that win over all options. @default - none */
  readonly values?: { readonly [key: string]: any };
  /**
   * The version of the chart. Not for the bundled one of RKE2, which is upgraded with RKE2.
   * @default - the one that was current with the Harvester; on K3s none later than 0.1.24 without `snapshotDefinitions`
   */
  readonly chartVersion?: string;
  /** The URL of the chart's repository. Not for the bundled one of RKE2. @default 'https://charts.harvesterhci.io/' */
  readonly chartRepository?: string;
  /**
   * Whether the definitions of VolumeSnapshotClass and its like are in the guest cluster. Charts 0.1.25 and later are not installed without them;
   * RKE2 brings them along, K3s does not.
   * @default - true with RKE2, false with K3s
   */
  readonly snapshotDefinitions?: boolean;
}

/**
 * The driver by which a guest cluster has volumes of its Harvester.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 */
export class CsiDriver {
  /**
   * The driver: the bundled one with RKE2 and its bundled cloud provider, else by a HelmChart. For that no documentation of Harvester's gives a
   * manifest; the values are taken from the chart (UNCONFIRMED).
   */
  public static install(options: CsiDriverOptions = {}): CsiDriver {
    return new CsiDriver(options);
  }

  /** None. The bundled one of RKE2 is disabled. */
  public static none(): CsiDriver {
    return new CsiDriver(undefined);
  }

  private constructor(
    /** @internal */
    public readonly _options?: CsiDriverOptions,
  ) {}
}
