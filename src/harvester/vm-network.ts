import { IConstruct } from 'constructs';
import { IHarvesterTarget } from '../model/target';

/**
 * A network of virtual machines on a Harvester, i.e. a NetworkAttachmentDefinition: one that the program declares, or one that is there.
 */
export interface IVmNetwork extends IConstruct {
  /** The name of the NetworkAttachmentDefinition. */
  readonly networkName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`, as machine configurations, IP pools and load balancers refer to it. */
  readonly networkId: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}
