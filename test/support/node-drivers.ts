import { ProductVersion, versionParser } from '../../src/core/version/product-version';
import { NODE_DRIVER_PRODUCT } from '../../src/guest/version/guest-gates.data';

/**
 * The first Rancher with each node driver, up to the next one of the list.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go at every release tag to 2.15
 */
export const NODE_DRIVERS: readonly (readonly [rancher: string, driver: string])[] = [
  ['2.6.3', '0.3.4'],
  ['2.6.5', '0.4.0'],
  ['2.6.7', '0.5.0'],
  ['2.6.11', '0.6.2'],
  ['2.7.0', '0.5.0'],
  ['2.7.2', '0.6.3'],
  ['2.7.5', '0.6.5'],
  ['2.7.11', '0.6.7'],
  ['2.8.0', '0.6.5'],
  ['2.8.3', '0.6.7'],
  ['2.8.12', '0.7.1'],
  ['2.8.13', '0.7.2'],
  ['2.9.0', '0.6.7'],
  ['2.9.3', '0.7.0'],
  ['2.9.6', '0.7.1'],
  ['2.9.7', '0.7.2'],
  ['2.10.0', '0.7.0'],
  ['2.10.2', '0.7.1'],
  ['2.10.3', '0.7.2'],
  ['2.11.0', '1.0.2'],
  ['2.12.0', '1.0.3'],
  ['2.13.0', '1.0.4'],
  ['2.14.0', '1.0.6'],
];

/**
 * A version of the Harvester node driver, e.g. `1.0.6`. The version of Rancher determines which one
 * runs.
 *
 * @see https://github.com/harvester/docker-machine-driver-harvester/releases
 */
export class NodeDriverVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.0.6`
   */
  public static readonly parse = versionParser((version) => new NodeDriverVersion(version));

  private constructor(version: string) {
    super(NODE_DRIVER_PRODUCT, version);
  }
}
