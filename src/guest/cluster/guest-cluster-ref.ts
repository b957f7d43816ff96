import { Chart } from 'cdk8s';
import { IManagedCluster } from '../../rancher/cluster/managed-cluster';

/**
 * A guest cluster that Rancher provisions: on machines of its node driver, or a custom cluster.
 */
export interface IGuestCluster extends IManagedCluster {
  /** The name of the provisioning Cluster, which the cloud provider, VM labels and scopes of IP pools use. */
  readonly name: string;
  /** The Fleet workspace of the cluster: the namespace of its provisioning Cluster. */
  readonly fleetWorkspace: string;
  /** The Kubernetes version with the release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetesVersion: string;
  /** The target chart: constructs in it go to the guest cluster. */
  readonly chart: Chart;
  /**
   * The kubeconfig of the cluster through Rancher, with the permissions of its owner, as a sensitive late value: key `value` of the Secret that Rancher
   * creates once the cluster is ready. Its server is Rancher's `internal-server-url`, if that is set, otherwise `server-url`.
   */
  readonly kubeconfig: string;
}
