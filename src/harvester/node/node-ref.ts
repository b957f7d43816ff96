import type { IHarvesterResource } from '../harvester-resource-ref';

/** A node of a Harvester cluster, i.e. a machine on which Harvester is installed. */
export interface IHarvesterNode extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly nodeId: string;
}
