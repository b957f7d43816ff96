import { FeatureGate } from './feature-gate';
import { GateId } from './gate-id';
import { Product } from './product-version';

// the rows are the larger part of this folder, and a program that is only loaded asks for none
// eslint-disable-next-line @typescript-eslint/no-require-imports
const gates = () => (require('./all-gates') as typeof import('./all-gates')).ALL_GATES;
// eslint-disable-next-line @typescript-eslint/no-require-imports
const settingGates = () => (require('./all-setting-gates') as typeof import('./all-setting-gates')).ALL_SETTING_GATES;

/**
 * The features that depend on the version of a product, as data with sources.
 */
export class FeatureGates {
  /**
   * The gate of a feature. The `what` of the gate describes it.
   *
   * @param id e.g. `GateId.MANAGEMENT_CLUSTER_NAME`
   */
  public static of(id: GateId): FeatureGate {
    const gate = gates().get(id);
    if (!gate) {
      throw new Error(`feature gate: got ${JSON.stringify(id)}, expected an id of GateId such as "${GateId.MANAGEMENT_CLUSTER_NAME}"`);
    }
    return gate;
  }

  /**
   * The gate of a Harvester setting, or nothing when no version of Harvester that we know has a setting of that name.
   *
   * @param name the name of the Setting, e.g. `ntp-servers`
   */
  public static harvesterSetting(name: string): FeatureGate | undefined {
    return settingGates().get(name);
  }

  /** Every gate, the settings of Harvester too. */
  public static all(): FeatureGate[] {
    return [...gates().values(), ...settingGates().values()];
  }

  /** The gates that the version of one product decides. */
  public static ofProduct(product: Product): FeatureGate[] {
    return FeatureGates.all().filter((gate) => gate.product === product);
  }

  private constructor() {}
}
