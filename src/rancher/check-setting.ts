import { Problem } from '../model/problem';
import { rancherSetting } from '../model/rancher-settings/catalogue';
import { checkRancherSetting } from '../model/rancher-settings/check';
import { RancherVersion, Since } from '../versions';

/**
 * What is wrong with giving a setting of a Rancher of some version a value.
 */
export function checkSetting(name: string, value: string, version: string): Problem[] {
  return [...checkVersion(name, version), ...checkRancherSetting(name, value)];
}

function checkVersion(name: string, version: string): Problem[] {
  const since = rancherSetting(name)?.since;
  if (!since || Since.of(...since).includes(RancherVersion.parse(version))) { return []; }
  return [{ path: 'name', value: name, message: `is no setting of Rancher ${version}, which would drop it`, fix: `it needs Rancher ${Since.of(...since)}` }];
}
