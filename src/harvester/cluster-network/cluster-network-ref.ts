import type { IHarvesterResource } from '../harvester-resource';

/** A cluster network of a Harvester: declared by the program, or existing. */
export interface IClusterNetwork extends IHarvesterResource {}
