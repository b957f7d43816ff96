import { Product, ProductVersion } from '../../core/version/product-version';

/**
 * A version of the Harvester node driver, e.g. `1.0.6`. The version of Rancher determines which one runs: see
 * `SupportMatrix.nodeDriver`.
 *
 * @see https://github.com/harvester/docker-machine-driver-harvester/releases
 */
export class NodeDriverVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.0.6`
   */
  public static parse(version: string): NodeDriverVersion {
    return new NodeDriverVersion(version);
  }

  private constructor(version: string) {
    super(Product.NODE_DRIVER, version);
  }
}
