import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { INamespace } from '../model/namespace';
import { ICloudCredential, IHarvesterImport, TokenSource } from '../rancher';

/**
 * Properties of a custom cluster.
 */
export interface CustomClusterProps extends ProvisionedClusterProps {
  /** The imported Harvester that the machines run on. @default - the machines are elsewhere: no cloud provider of Harvester */
  readonly harvester?: IHarvesterImport;
  /** The namespace of the machines on that Harvester. @default - not known: no cloud provider of Harvester */
  readonly namespace?: INamespace;
  /** A cloud credential that Rancher's UI shows the cluster with; nothing is done with it. @default - none */
  readonly credential?: ICloudCredential;
  /**
   * Where the token comes from that nodes register with. With TokenSource.value the registration command is known at synthesis: that nodes join with
   * it was read in Rancher's source, and seen only as far as the endpoint answering (UNCONFIRMED).
   * @default TokenSource.rancherDefault()
   */
  readonly token?: TokenSource;
}
