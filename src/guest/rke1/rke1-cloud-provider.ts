import { Construct } from 'constructs';
import { isLate } from '../../core/late/late-token';
import { SecretValue } from '../../core/late/secret-value';
import { failOnErrors, parsed } from '../../core/rule/problem';
import { CloudConfigOptions, CloudConfigSecretProps, cloudConfigAccount } from '../cloud-provider/cloud-config-secret';
import { CLOUD_PROVIDER_EXTERNAL, LEGACY_CLOUD_CONFIG_PATH } from '../cloud-provider/cloud-provider.kind';
import { Fields, NodeFile } from '../cluster/cluster-parts';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { checkUsableKubeconfig } from '../kubeconfig/kubeconfig.check';

/** The parts of an RKE1 cluster for its cloud provider. */
export interface Rke1CloudParts {
  /** cloudProvider of rancherKubernetesEngineConfig. */
  readonly spec?: Fields;
  /** Files that user data writes to every node. */
  readonly files: readonly NodeFile[];
  /** The account on Harvester, if one is created. */
  readonly account?: Construct;
}

type Build = (cluster: Construct, props: CloudConfigSecretProps) => Rke1CloudParts;

/**
 * The cloud provider of an RKE1 cluster: load balancers and volumes of the Harvester cluster that its machines run on.
 *
 * This is only the configuration. RKE1 bundles no charts: install Harvester Cloud Provider and Harvester CSI Driver from the apps of the
 * cluster in Rancher, and set `global.cattle.clusterName: <name>` for the cloud provider, so that its load balancers do not collide with others.
 *
 * @see https://docs.harvesterhci.io/v1.5/rancher/cloud-provider
 */
export class Rke1CloudProvider {
  /**
   * The cloud provider that Rancher's UI calls Harvester (Out-of-tree). RKE1 writes the kubeconfig of an account on Harvester to the
   * nodes, `/etc/kubernetes/cloud-config`. The spec of the management Cluster contains it in plain text: anyone who can read it can use it.
   */
  public static harvester(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      return { spec: harvesterSpec(account.kubeconfig.token), files: [], account };
    });
  }

  /**
   * The same with an existing kubeconfig. The output contains it in plain text.
   *
   * @param kubeconfig as text, for the API of Harvester itself; its context names the namespace of the machines
   */
  public static harvesterFromKubeconfig(kubeconfig: SecretValue): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster) => {
      const text = parsed(cluster, 'cloudProvider', () => kubeconfig._unwrap());
      if (!isLate(text)) { failOnErrors(cluster, checkUsableKubeconfig('cloudProvider', text)); }
      return { spec: harvesterSpec(text), files: [] };
    });
  }

  /**
   * An external cloud provider: the user data of each machine writes the kubeconfig of an account to `/etc/kubernetes/cloud-config`. That
   * RKE1 does not change the file is unconfirmed.
   */
  public static external(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      const file: NodeFile = { path: LEGACY_CLOUD_CONFIG_PATH, content: account.kubeconfig.base64, encoding: 'b64' };
      return { spec: { name: CLOUD_PROVIDER_EXTERNAL }, files: [file], account };
    });
  }

  /** No cloud provider: Services of type LoadBalancer get no address, and volumes of Harvester are not available. */
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
