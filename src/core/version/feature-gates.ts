import { FeatureGate, GateId, GateRow } from './feature-gate';
import { registered } from '../kind/registered';
import { lazily } from '../text/values';

/** Every gate, except those of settings. */
export const allGates = registered<readonly GateRow[]>('gates');

/** The gate of each Harvester setting, by the name of the setting. */
export const settingGates = registered<ReadonlyArray<readonly [name: string, gate: GateRow]>>('gates of settings');

const byId = lazily((): ReadonlyMap<GateId, FeatureGate> => new Map(allGates().map((row) => [row.id, FeatureGate._from(row)])));
const bySetting = lazily((): ReadonlyMap<string, FeatureGate> => new Map(settingGates().map(([name, row]) => [name, FeatureGate._from(row)])));

/** The features that depend on the version of a product, as data with sources. */
export class FeatureGates {
  /**
   * The gate of a feature. The `what` of the gate describes it.
   *
   * @param id e.g. `'management-cluster-name'`
   */
  public static of(id: GateId): FeatureGate {
    const gate = byId().get(id);
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
    return bySetting().get(name);
  }

  /** Every gate, the settings of Harvester too. */
  public static all(): FeatureGate[] {
    return [...byId().values(), ...bySetting().values()];
  }

  private constructor() {}
}
