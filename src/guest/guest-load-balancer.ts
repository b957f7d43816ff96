import { IConstruct } from 'constructs';
import { IGuestTarget } from '../model/target';

/**
 * A Service of a guest cluster that has an address of the Harvester's network.
 */
export interface IGuestLoadBalancer extends IConstruct {
  /** The Service, as `<namespace>/<name>`. */
  readonly serviceId: string;
  /** The guest cluster that it lies in. */
  readonly guest: IGuestTarget;
  /** Whether it has the address of another Service. */
  readonly sharesAddress: boolean;
  /** Its address; a late value. */
  readonly address: string;
}
