import { Construct, IConstruct } from 'constructs';
import { OrderingType } from '../../core/construct/edge';
import { API_VERSIONS } from '../../core/manifest/names';
import { LateSource, LateValue } from '../../core/value/late-value';
import { SecretValue } from '../../core/value/secret-value';
import { IManagedCluster } from '../../rancher/cluster/managed-cluster';
import { KUBECONFIG_KEY, kubeconfigSecretOf } from '../cluster/cluster.kind';
import { GuestChart } from '../guest-chart';
import { GuestChartOptions, guestChartBelow } from '../guest-chart-factory';

/** A guest cluster that Rancher provisions: on machines of its node driver, or a custom cluster. */
export interface IGuestCluster extends IManagedCluster {
  /** The Fleet workspace of the cluster: the namespace of its provisioning Cluster. */
  readonly fleetWorkspace: string;
  /** The Kubernetes version with the release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetesVersion: string;
  /** The target chart: constructs in it go to the guest cluster. */
  readonly chart: GuestChart;
  /**
   * The kubeconfig of the cluster through Rancher, with the permissions of its owner, a late value:
   * key `value` of the Secret that Rancher creates once the cluster is ready. Its server is
   * Rancher's `internal-server-url`, if that is set, otherwise `server-url`.
   */
  readonly kubeconfig: SecretValue;
}

/** Creates the chart of a guest cluster in the construct that declares the cluster. */
export function makeGuestChart(scope: Construct, props: GuestChartOptions): GuestChart {
  return guestChartBelow(scope, props) as GuestChart;
}

/**
 * The kubeconfig of a guest cluster as a late value, created once below its construct: in a Secret
 * next to its provisioning Cluster, which Rancher creates once the cluster is ready.
 *
 * @param name the name of the provisioning Cluster
 * @param after the object that the Secret appears for; undefined for a cluster that exists already
 */
export function guestKubeconfig(
  cluster: Construct & Pick<IGuestCluster, 'rancher' | 'fleetWorkspace'>,
  name: string,
  after?: IConstruct,
): SecretValue {
  const { rancher: target, fleetWorkspace: namespace } = cluster;
  return SecretValue.fromLate(
    LateValue._once(
      cluster,
      'Kubeconfig',
      {
        description: `kubeconfig of guest cluster ${namespace}/${name}`,
        source: LateSource.secretKey(KUBECONFIG_KEY, {
          target,
          apiVersion: API_VERSIONS.CORE,
          kind: 'Secret',
          namespace,
          name: kubeconfigSecretOf(name),
        }),
      },
      after,
      OrderingType.READY,
    ),
  );
}
