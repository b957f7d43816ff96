import { Problem } from '../../../../src/core/problem/problem';
import { SettingContext } from '../../../../src/harvester/settings/entry/setting.facts';
import { checkSettingValue } from '../../../../src/harvester/settings/harvester-settings.check';
import { HarvesterVersion } from '../../../../src/harvester/version/harvester-version';

/** The context of a check; without a version nothing is known of Harvester. */
export function contextOf(version?: string, before?: string): SettingContext {
  const harvester = version === undefined ? undefined : HarvesterVersion.parse(version);
  return {
    harvesterVersion: version,
    atLeast: (text) => harvester?.isAtLeast(text),
    ...(before === undefined ? {} : { before }),
  };
}

/** All problems of a value. */
export function check(
  name: string,
  value: string,
  version: string | undefined = '1.8.2',
  before?: string,
): Problem[] {
  return checkSettingValue(name, value, contextOf(version, before));
}

/**
 * The problems as `error path` or `warning path`, the server's words behind an error that has some.
 */
export function outcome(name: string, value: string, version?: string, before?: string): string[] {
  return check(name, value, version, before).map(
    ({ level, path, says }) =>
      `${level ?? 'error'} ${path}${says && level !== 'warning' ? `: ${says}` : ''}`,
  );
}
