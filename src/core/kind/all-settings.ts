import { HARVESTER_SETTINGS } from '../../harvester/settings/harvester-settings.data';
import type { SettingEntry } from '../../harvester/settings/setting-entry.check';

/** The description of a Harvester setting; undefined for a name that this library does not know. */
export function harvesterSetting(name: string): SettingEntry<never> | undefined {
  return HARVESTER_SETTINGS.get(name);
}
