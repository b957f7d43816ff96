import { FeatureGate } from './feature-gate';
import { SETTING_GATES } from '../../harvester/settings/harvester-settings.check';

/** The gate of each Harvester setting, by the name of the setting. */
export const ALL_SETTING_GATES: ReadonlyMap<string, FeatureGate> = new Map(SETTING_GATES.map(([name, row]) => [name, FeatureGate._from(row)]));
