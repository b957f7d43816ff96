import { HARVESTER_PRODUCT } from './harvester-product';
import { ProductVersion } from '../../core/version/product-version';

/**
 * A version of Harvester, such as `1.7.2`: the value of the Setting `server-version`, with or without its leading v.
 *
 * @see https://github.com/harvester/harvester/releases
 */
export class HarvesterVersion extends ProductVersion {
  /**
   * Parses a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.7.2`, `v1.7.2`, `v1.8.0-dev.1`
   */
  public static parse(version: string): HarvesterVersion {
    return new HarvesterVersion(version);
  }

  private constructor(version: string) {
    super(HARVESTER_PRODUCT, version);
  }

  /** The tag of the release, e.g. `v1.7.2`. */
  public get tag(): string {
    return `v${this.toString()}`;
  }
}
