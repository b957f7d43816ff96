import { bundledProvider } from './_cloud-provider';
import { chartProvider } from './_cloud-provider-chart';
import { ClusterContext, ClusterParts } from './_parts';
import { HarvesterCloudProviderOptions } from './cloud-provider-options';
import { KubernetesDistribution } from '../versions';

type Contribute = (options: HarvesterCloudProviderOptions, parts: ClusterParts, context: ClusterContext) => void;

const HARVESTER: Record<KubernetesDistribution, Contribute> = {
  [KubernetesDistribution.RKE2]: bundledProvider,
  [KubernetesDistribution.K3S]: chartProvider,
};

/**
 * What gives a guest cluster load balancers and volumes of the Harvester that its machines run on.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider
 */
export class CloudProvider {
  /**
   * Harvester's: with RKE2 the cloud provider and the CSI driver that it bundles, with K3s a HelmChart.
   *
   * RKE2's are upgraded with RKE2. The one of K3s is upgraded by `chartVersion`.
   */
  public static harvester(options: HarvesterCloudProviderOptions = {}): CloudProvider {
    return new CloudProvider((parts, context) => HARVESTER[context.kubernetesVersion.distribution!](options, parts, context));
  }

  /**
   * Harvester's by a HelmChart, also with RKE2, whose bundled one stays off: for a chart of another version. The CSI driver only with `csi`.
   */
  public static external(options: HarvesterCloudProviderOptions = {}): CloudProvider {
    return new CloudProvider((parts, context) => chartProvider(options, parts, context));
  }

  /**
   * None: Services of type LoadBalancer get no address, and volumes of the Harvester can not be had.
   */
  public static none(): CloudProvider {
    return new CloudProvider(() => undefined);
  }

  private constructor(private readonly contribute: (parts: ClusterParts, context: ClusterContext) => void) {}

  /** @internal */
  public _contribute(parts: ClusterParts, context: ClusterContext): void {
    this.contribute(parts, context);
  }
}
