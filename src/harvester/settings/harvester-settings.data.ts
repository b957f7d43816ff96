import { ADDRESS_FAMILY } from './catalogue/addresses.check';
import { BACKUP_FAMILY } from './catalogue/backup-target.check';
import { CERTIFICATE_FAMILY } from './catalogue/certificates.check';
import { NETWORK_FAMILY } from './catalogue/network.check';
import { REGISTRATION_FAMILY } from './catalogue/registration.check';
import { REGISTRY_AND_PROXY_FAMILY } from './catalogue/registry-and-proxy.check';
import { STORAGE_FAMILY } from './catalogue/storage.check';
import { SUPPORT_BUNDLE_FAMILY, SYSTEM_FAMILY } from './catalogue/system.check';
import { UPGRADE_FAMILY } from './catalogue/upgrade.check';
import { VIRTUAL_MACHINE_FAMILY } from './catalogue/virtual-machines.check';
import {SettingEntry} from './entry/setting-entry.check';
import { SettingContext } from './entry/setting.facts';
import { HarvesterVersion } from '../version/harvester-version';

/** The settings by name, with the types of their values. */
export const ENTRIES = {
  ...REGISTRATION_FAMILY,
  ...NETWORK_FAMILY,
  ...ADDRESS_FAMILY,
  ...BACKUP_FAMILY,
  ...STORAGE_FAMILY,
  ...REGISTRY_AND_PROXY_FAMILY,
  ...CERTIFICATE_FAMILY,
  ...SUPPORT_BUNDLE_FAMILY,
  ...UPGRADE_FAMILY,
  ...VIRTUAL_MACHINE_FAMILY,
  ...SYSTEM_FAMILY,
};

/** A setting that this library knows. */
export type SettingName = keyof typeof ENTRIES;

/** The value that the factory of a setting takes. */
export type SettingValue<N extends SettingName> = typeof ENTRIES[N] extends SettingEntry<infer V> ? V : never;

/** Every setting of Harvester 1.1.3 to 1.9, by name. */
export const HARVESTER_SETTINGS: ReadonlyMap<string, SettingEntry<never>> = new Map(
  Object.entries<SettingEntry<never>>(ENTRIES).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The settings whose value names a ClusterNetwork. */
export const NETWORK_SETTINGS: readonly string[] = Object.keys(NETWORK_FAMILY).sort();

/** The text that the factory of a setting writes. */
export function printHarvesterSetting<N extends SettingName>(name: N, value: SettingValue<N>, version: () => string): string {
  const printed = (ENTRIES[name] as SettingEntry<SettingValue<N>>).print!(value, () => contextOf(version()));
  return typeof printed === 'string' ? printed : JSON.stringify(printed);
}

/** The context of a Harvester of some version. */
export function contextOf(version: string): SettingContext {
  const harvester = HarvesterVersion.parse(version);
  return { harvesterVersion: harvester.toString(), atLeast: (text) => harvester.isAtLeast(text) };
}
