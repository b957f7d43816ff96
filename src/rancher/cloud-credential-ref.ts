import { IConstruct } from 'constructs';
import { IRancherTarget } from '../model/target';

/**
 * A cloud credential of a Rancher: what its Harvester node driver logs in to a Harvester with.
 */
export interface ICloudCredential extends IConstruct {
  /**
   * The name as `cloudCredentialSecretName` takes it: `cattle-global-data:<name>`, or the bare name of a Secret in the namespace of the Cluster.
   */
  readonly credentialName: string;
  /** The Rancher that holds it. */
  readonly rancher: IRancherTarget;
}
