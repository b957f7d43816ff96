import { IResource, IHarvesterTarget } from '../core/construct/target';

/** An object on a Harvester: declared by the program, or existing. */
export interface IHarvesterResource extends IResource {
  /** The Harvester of the object. */
  readonly harvester: IHarvesterTarget;
}

/** An object in a namespace of a Harvester: declared by the program, or existing. */
export interface INamespacedHarvesterResource extends IHarvesterResource {
  /** The name of its namespace. */
  readonly namespace: string;
}
