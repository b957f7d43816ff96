import { Distribution } from './_distribution';
import { k3sDistribution } from './_k3s';
import { rke2Distribution } from './_rke2';
import { K3sOptions } from './k3s-options';
import { Rke2Options } from './rke2-options';

/**
 * The Kubernetes of a guest cluster: a distribution, its release and how it is configured.
 *
 * What is given here stands in `machineGlobalConfig` and `chartValues` of the provisioning Cluster. A change there is rolled out node by node,
 * no virtual machine is replaced.
 *
 * @see https://docs.rke2.io/reference/server_config
 * @see https://docs.k3s.io/cli/server
 */
export class Kubernetes {
  /**
   * RKE2.
   *
   * @param version a release with its distribution, e.g. `v1.33.6+rke2r1`
   * @param options how it is configured
   */
  public static rke2(version: string, options: Rke2Options = {}): Kubernetes {
    return new Kubernetes(version, rke2Distribution(options));
  }

  /**
   * K3s.
   *
   * @param version a release with its distribution, e.g. `v1.33.6+k3s1`
   * @param options how it is configured
   */
  public static k3s(version: string, options: K3sOptions = {}): Kubernetes {
    return new Kubernetes(version, k3sDistribution(options));
  }

  private constructor(
    /** The release as it was given. */
    public readonly version: string,
    /** @internal */
    public readonly _distribution: Distribution,
  ) {}
}
