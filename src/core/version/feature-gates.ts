import { FeatureGate, GateId, GateRow } from './feature-gate';
import { registered } from '../registry/registered';
import { lazily } from '../text/values';

/** Every gate. */
export const allGates = registered<readonly GateRow[]>('gates');

const byId = lazily(
  (): ReadonlyMap<GateId, FeatureGate> =>
    new Map(allGates().map((row) => [row.id, FeatureGate._from(row)])),
);

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
      throw new Error(
        `feature gate: must be an ID of GateId, got ${JSON.stringify(id)}. Fix: use an ID such as management-cluster-name`,
      );
    }
    return gate;
  }

  private constructor() {}
}
