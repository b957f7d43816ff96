import { ADDRESS_FAMILY } from './addresses.check';
import { CERTIFICATE_FAMILY } from './certificates.check';
import { SettingContext, SettingController, SettingEntry, warn } from './entry';
import { NETWORK_FAMILY } from './networks.check';
import { REGISTRATION_SETTINGS } from './registration.check';
import { REGISTRY_AND_PROXY_FAMILY } from './registry-and-proxy.check';
import { BACKUP_FAMILY, STORAGE_FAMILY } from './storage.check';
import { SUPPORT_BUNDLE_FAMILY, SYSTEM_FAMILY } from './system.check';
import { UPGRADE_FAMILY } from './upgrade.check';
import { VIRTUAL_MACHINE_FAMILY } from './virtual-machines.check';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { nearestName } from '../../../core/text/nearest-name';

/** Every setting of Harvester 1.1.3 to 1.9 (not released when this was written), by name. */
export const HARVESTER_SETTINGS: readonly SettingEntry[] = [
  ...REGISTRATION_SETTINGS, ...NETWORK_FAMILY, ...ADDRESS_FAMILY, ...BACKUP_FAMILY, ...STORAGE_FAMILY, ...REGISTRY_AND_PROXY_FAMILY,
  ...CERTIFICATE_FAMILY, ...SUPPORT_BUNDLE_FAMILY, ...UPGRADE_FAMILY, ...VIRTUAL_MACHINE_FAMILY, ...SYSTEM_FAMILY,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME: ReadonlyMap<string, SettingEntry> = new Map(HARVESTER_SETTINGS.map((entry) => [entry.name, entry]));

/** The setting of a name; undefined for one that no Harvester knows. */
export function settingNamed(name: string): SettingEntry | undefined {
  return BY_NAME.get(name);
}

/** The name that was probably meant. */
export function nearestSetting(name: string): string | undefined {
  return nearestName(name, HARVESTER_SETTINGS.map((entry) => entry.name), Math.max(2, name.length / 3));
}

/** All that is wrong with a value, wherever it stands. */
export function checkSettingValue(entry: SettingEntry, value: string, context: SettingContext): Problem[] {
  const resets = value === '' ? resetValueOf(entry.name, context) : '';
  if (resets !== '') {
    return [warn({
      path: 'value', value, message: 'is read as JSON and fails, so the setting keeps what was carried out last', fix: `set ${resets}`, says: 'unexpected end of JSON input',
    })];
  }
  if (value === '' || !entry.check || (isLate(value) && !entry.judgesLate)) { return []; }
  return entry.check(value, context);
}

/** Why a version of Harvester does nothing with a setting; undefined where it has it or its version is not known. */
export function settingLacking({ name, since, until }: SettingEntry, context: SettingContext): Problem | undefined {
  const early = since !== undefined && context.atLeast(since) === false;
  const late = until !== undefined && context.atLeast(until) === true;
  if (!early && !late) { return undefined; }
  return {
    path: 'metadata.name',
    value: name,
    message: `Harvester ${context.harvesterVersion ?? ''} has no setting ${name}, it would be accepted and do nothing`,
    fix: early ? `upgrade Harvester to ${since} or later, or leave it out` : `leave it out, ${until} and later have it no more`,
  };
}

/** The controller that acts on a setting; undefined where this version of Harvester has none. */
export function controllerOf(name: string, context: SettingContext): SettingController | undefined {
  const entry = BY_NAME.get(name);
  return !entry || settingLacking(entry, context) ? undefined : entry.controller;
}

/** The value that takes a setting back to its default: an empty one, but for settings whose controller fails on it. */
export function resetValueOf(name: string, context: SettingContext): string {
  const { value = '', until } = controllerOf(name, context)?.resets ?? {};
  return until !== undefined && context.atLeast(until) !== false ? '' : value;
}
