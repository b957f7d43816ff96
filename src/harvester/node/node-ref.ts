import type { IHarvesterResource } from '../harvester-resource';

/** A node of a Harvester cluster, i.e. a machine on which Harvester is installed. */
export interface IHarvesterNode extends IHarvesterResource {}
