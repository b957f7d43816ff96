import { IConstruct } from 'constructs';
import { IHarvesterTarget } from '../model/target';

/**
 * An image of virtual machines on a Harvester: one that the program declares, or one that is there.
 */
export interface IVmImage extends IConstruct {
  /** The name of the VirtualMachineImage object, e.g. `image-abcde`; not what the UI shows. */
  readonly imageName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`, as machine configurations and volumes refer to it. */
  readonly imageId: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}
