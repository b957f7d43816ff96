import { ProductVersion, versionParser, knownVersion } from '../../core/version/product-version';
import { Product } from '../../core/version/semver';

/** Harvester, also sold as SUSE Virtualization. */
export const HARVESTER_PRODUCT: Product = { id: 'harvester', name: 'Harvester', what: 'harvester version', example: '1.7.2', distributions: false };

/** Features that depend on the version of Harvester. Each of its settings is one, too: `FeatureGates.harvesterSetting`. */
export enum HarvesterGate {
  REGISTRATION_URL_JSON = 'registration-url-json',
  CLOUD_INIT_RESOURCE = 'cloud-init-resource',
  IMAGE_CLASS_BY_UID = 'image-class-by-uid',
  IMAGE_NAME_IS_LABEL = 'image-name-is-label',
  CPU_MANAGER = 'cpu-manager',
  NODE_AFFINITY = 'node-affinity',
  WORKLOAD_AFFINITY = 'workload-affinity',
  RKE1_GUESTS = 'rke1-guests',
  CLOUD_PROVIDER_V0_2 = 'cloud-provider-v0-2',
  CSI_CLUSTER_ROLE = 'csi-cluster-role',
  CSI_VOLUMES_RWX = 'csi-volumes-rwx',
  CSI_SNAPSHOTS = 'csi-snapshots',
  CSI_BACKUPS = 'csi-backups',
  CSI_MACHINE_PATCH = 'csi-machine-patch',
  IMAGE_BACKEND_CDI = 'image-backend-cdi',
  IMAGE_CRYPTO = 'image-crypto',
  IMAGE_DISPLAY_NAME_LABEL = 'image-display-name-label',
  VOLUME_SHARED = 'volume-shared',
  VOLUME_CLASS_FIXED = 'volume-class-fixed',
  ADDON_DELETION_REFUSED = 'addon-deletion-refused',
  VCLUSTER_GLOBAL_HOSTNAME = 'vcluster-global-hostname',
  STORAGE_ACCESS_MODES_ASKED = 'storage-access-modes-asked',
  VLAN_CONFIG_LABEL_CHECKED = 'vlan-config-label-checked',
  CLUSTER_NETWORK_MUST_EXIST = 'cluster-network-must-exist',
  NETWORK_TRUNK = 'network-trunk',
  NETWORK_OVERLAY = 'network-overlay',
  OVERLAY_BINDING_BY_SUBNET = 'overlay-binding-by-subnet',
  HOST_NETWORK_CONFIG = 'host-network-config',
  STORAGE_VLAN_EXCLUSIVE = 'storage-vlan-exclusive',
  LOAD_BALANCER_NETWORK = 'load-balancer-network',
  LOAD_BALANCER_LOOSE_POOLS = 'load-balancer-loose-pools',
  LOAD_BALANCER_IPAM_FIXED = 'load-balancer-ipam-fixed',
}

/**
 * A version of Harvester, such as `1.7.2`: the value of the Setting `server-version`, with or without its leading v.
 *
 * @see https://github.com/harvester/harvester/releases
 */
export class HarvesterVersion extends ProductVersion {
  /**
   * Parses a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.7.2`, `v1.7.2`, `v1.8.0-dev.1`
   */
  public static readonly parse = versionParser((version) => new HarvesterVersion(version));

  private constructor(version: string) {
    super(HARVESTER_PRODUCT, version);
  }

  /** The tag of the release, e.g. `v1.7.2`. */
  public get tag(): string {
    return `v${this.toString()}`;
  }
}

/** The version of Harvester on a target, if known. */
export function harvesterVersionOf({ harvesterVersion }: { readonly harvesterVersion?: string }): HarvesterVersion | undefined {
  return knownVersion(HarvesterVersion.parse, harvesterVersion);
}
