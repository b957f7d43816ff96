import { ALL_GATES } from './all-gates';
import { ALL_SETTING_GATES } from './all-setting-gates';
import { FeatureGate, GateId } from './feature-gate';

/** The features that depend on the version of a product, as data with sources. */
export class FeatureGates {
  /**
   * The gate of a feature. The `what` of the gate describes it.
   *
   * @param id e.g. `'management-cluster-name'`
   */
  public static of(id: GateId): FeatureGate {
    const gate = ALL_GATES.get(id);
    if (!gate) {
      throw new Error(`feature gate: must be an ID of GateId, got ${JSON.stringify(id)}. Fix: use an ID such as management-cluster-name`);
    }
    return gate;
  }

  /**
   * The gate of a Harvester setting, or nothing when no version of Harvester that we know has a setting of that name.
   *
   * @param name the name of the Setting, e.g. `ntp-servers`
   */
  public static harvesterSetting(name: string): FeatureGate | undefined {
    return ALL_SETTING_GATES.get(name);
  }

  /** Every gate, the settings of Harvester too. */
  public static all(): FeatureGate[] {
    return [...ALL_GATES.values(), ...ALL_SETTING_GATES.values()];
  }

  private constructor() {}
}
