import { MachinePool } from './machine-pool';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { INamespace } from '../model/namespace';
import { ICloudCredential, IHarvesterImport } from '../rancher';

/**
 * Properties of a guest cluster on machines of the node driver.
 */
export interface GuestClusterProps extends ProvisionedClusterProps {
  /** The imported Harvester that the machines run on. Its target must be a HarvesterChart of the program. */
  readonly harvester: IHarvesterImport;
  /** The namespace of the machines on that Harvester. */
  readonly namespace: INamespace;
  /** The pools of machines; together they have each role. */
  readonly pools: MachinePool[];
  /**
   * What Rancher's node driver logs in to the Harvester with. It may never go before the cluster: without it the machines can not be removed.
   * @default - a service account on the Harvester that all guest clusters of this Harvester share
   */
  readonly credential?: ICloudCredential;
  /** At what length host names are cut, 10 to 63, where a pool says nothing of its own. Rancher 2.7.5 and later. @default - Rancher's own, 63 */
  readonly hostnameLengthLimit?: number;
}
