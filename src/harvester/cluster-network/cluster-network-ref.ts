import type { IHarvesterResource } from '../harvester-resource-ref';

/** A cluster network of a Harvester: declared by the program, or existing. */
export interface IClusterNetwork extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly clusterNetworkId: string;
}
