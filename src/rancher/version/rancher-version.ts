import { RANCHER_PRODUCT } from './rancher-product';
import { ProductVersion } from '../../core/version/product-version';

/**
 * A version of Rancher, such as `2.13.8`.
 *
 * @see https://github.com/rancher/rancher/releases
 */
export class RancherVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers and perhaps a pre-release, with or without a leading v: `2.13.8`, `v2.13.8`, `2.14.0-rc1`
   */
  public static parse(version: string): RancherVersion {
    return new RancherVersion(version);
  }

  private constructor(version: string) {
    super(RANCHER_PRODUCT, version);
  }

  /** The tag of the release and of its images, e.g. `v2.13.8`. */
  public get tag(): string {
    return `v${this.toString()}`;
  }
}
