import { FeatureGate } from './feature-gate';
import { GUEST_GATES } from './gates-guest';
import { HARVESTER_GATES } from './gates-harvester';
import { KUBERNETES_GATES } from './gates-kubernetes';
import { RANCHER_GATES } from './gates-rancher';
import { SETTING_GATES } from './gates-settings';

/** Every gate by its id. */
export const ALL_GATES: ReadonlyMap<string, FeatureGate> = new Map(
  [...RANCHER_GATES, ...GUEST_GATES, ...HARVESTER_GATES, ...KUBERNETES_GATES, ...SETTING_GATES].map((row) => [row.id, FeatureGate._from(row)]),
);
