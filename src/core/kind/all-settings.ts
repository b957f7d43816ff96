import type { SettingEntry } from '../../harvester/settings/setting-entry.check';
import { lazily } from '../text/values';

/**
 * The descriptions and checks of Harvester's settings. They are a fifth of the library, and a program may use none, so they are loaded when first
 * used.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const harvesterSettings = lazily(() => require('../../harvester/settings/harvester-settings.check') as typeof import('../../harvester/settings/harvester-settings.check'));

/** The description of a Harvester setting; undefined for a name that this library does not know. */
export function harvesterSetting(name: string): SettingEntry<never> | undefined {
  return harvesterSettings().HARVESTER_SETTINGS.get(name);
}
