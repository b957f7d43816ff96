/**
 * What constructs must know to print a value in the form of a version. The checks of values know more, and are loaded only when a value is checked.
 */

/** The first version that reads JSON here. @see harvester/harvester:pkg/settings/settings_helper.go GetClusterRegistrationURLSetting (CVE-2025-71261) */
export const REGISTRATION_JSON_SINCE = '1.7.2';

/** The version that knows vmMigrationTimeout. @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md */
export const MIGRATION_TIMEOUT_SINCE = '1.7.0';

/** The version that knows nodeUpgradeOption and logReadyTimeout. @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md */
export const NODE_UPGRADE_SINCE = '1.7.0';

/** The value as this version of Harvester reads it: JSON where it can, the plain URL before. */
export function printRegistration(url: string, insecureSkipTlsVerify: boolean, json: boolean): string {
  return json ? JSON.stringify({ url, insecureSkipTLSVerify: insecureSkipTlsVerify }) : url;
}
