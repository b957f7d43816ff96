import { Construct } from 'constructs';
import { isLate } from '../../core/late/late-token';
import { SecretValue } from '../../core/late/secret-value';
import { failOnErrors, parsed } from '../../core/rule/problem';
import { CloudConfigOptions, CloudConfigSecretProps, cloudConfigAccount } from '../cloud-provider/cloud-config-secret';
import { CLOUD_PROVIDER_EXTERNAL, LEGACY_CLOUD_CONFIG_PATH } from '../cloud-provider/cloud-provider.kind';
import { Fields, NodeFile } from '../cluster/cluster-parts';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { checkUsableKubeconfig } from '../kubeconfig/kubeconfig.check';

/** What a cloud provider adds to an RKE1 cluster. */
export interface Rke1CloudParts {
  /** cloudProvider of rancherKubernetesEngineConfig. */
  readonly spec?: Fields;
  /** Files that user data writes to every node. */
  readonly files: readonly NodeFile[];
  /** The account on the Harvester, where one is made. */
  readonly account?: Construct;
}

type Build = (cluster: Construct, props: CloudConfigSecretProps) => Rke1CloudParts;

/**
 * What gives an RKE1 cluster load balancers and volumes of the Harvester that its machines run on.
 *
 * This is the configuration only. RKE1 brings no charts along: install Harvester Cloud Provider and Harvester CSI Driver from the apps of the
 * cluster in Rancher, and give the cloud provider `global.cattle.clusterName: <name>`, or its load balancers collide with those of other clusters.
 *
 * @see https://docs.harvesterhci.io/v1.5/rancher/cloud-provider
 */
export class Rke1CloudProvider {
  /**
   * Harvester's, as Rancher's UI of the time calls it: Harvester (Out-of-tree). RKE1 writes the kubeconfig of an account on the Harvester to the
   * nodes, `/etc/kubernetes/cloud-config`. Rancher keeps it in the spec of the management Cluster in clear: who may read that can use it.
   */
  public static harvester(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      return { spec: harvesterSpec(account.kubeconfig.token), files: [], account };
    });
  }

  /**
   * The same with a kubeconfig that is there. It stands in the output in clear.
   *
   * @param kubeconfig as text; it leads to the Harvester itself, and its context names the namespace of the machines
   */
  public static harvesterFromKubeconfig(kubeconfig: SecretValue): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster) => {
      const text = parsed(cluster, 'cloudProvider', () => kubeconfig._unwrap());
      if (!isLate(text)) { failOnErrors(cluster, checkUsableKubeconfig('cloudProvider', text)); }
      return { spec: harvesterSpec(text), files: [] };
    });
  }

  /**
   * An external one: the user data of each machine writes the kubeconfig of an account on the Harvester to `/etc/kubernetes/cloud-config`. That
   * RKE1 leaves the file alone was not seen (UNCONFIRMED).
   */
  public static external(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      const file: NodeFile = { path: LEGACY_CLOUD_CONFIG_PATH, content: account.kubeconfig.base64, encoding: 'b64' };
      return { spec: { name: CLOUD_PROVIDER_EXTERNAL }, files: [file], account };
    });
  }

  /** None: Services of type LoadBalancer get no address, and volumes of the Harvester can not be had. */
  public static none(): Rke1CloudProvider {
    return new Rke1CloudProvider(() => ({ files: [] }));
  }

  private constructor(private readonly build: Build) {}

  /** @internal */
  public _build(cluster: Construct, props: CloudConfigSecretProps): Rke1CloudParts {
    return this.build(cluster, props);
  }
}

function harvesterSpec(cloudConfig: string): Fields {
  return { name: PROVIDER_NAME, harvesterCloudProvider: { cloudConfig } };
}
