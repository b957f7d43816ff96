import { Chart } from 'cdk8s';
import { IManagedCluster } from '../../rancher/cluster/managed-cluster';

/**
 * A guest cluster that Rancher provisions: on machines of its node driver, or a custom one.
 */
export interface IGuestCluster extends IManagedCluster {
  /** The name of the provisioning Cluster. The cloud provider, VM labels and scopes of IP pools know the cluster by it. */
  readonly name: string;
  /** The Fleet workspace of the cluster: the namespace of its provisioning Cluster. */
  readonly fleetWorkspace: string;
  /** The version of Kubernetes with the release of its distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetesVersion: string;
  /** A target chart: what lies below it goes to the guest cluster. */
  readonly chart: Chart;
}
