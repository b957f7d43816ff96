import { IConstruct } from 'constructs';
import { IHarvesterTarget } from '../model/target';

/**
 * A StorageClass of a Harvester: one that the program declares, or one that is there.
 */
export interface IHostStorageClass extends IConstruct {
  /** The name of the StorageClass. */
  readonly storageClassName: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}
