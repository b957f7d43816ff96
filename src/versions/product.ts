/**
 * The products whose versions decide what the library writes.
 */
export enum Product {
  /** Rancher, the management server. */
  RANCHER = 'rancher',

  /** Harvester, also sold as SUSE Virtualization. */
  HARVESTER = 'harvester',

  /** The machine driver by which Rancher creates virtual machines on Harvester. */
  NODE_DRIVER = 'node-driver',

  /** Kubernetes of a guest cluster, with the release of its distribution (RKE2 or K3s). */
  KUBERNETES = 'kubernetes',
}
