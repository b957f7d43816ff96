import { RancherVersion } from './rancher-version';
import { JudgedTarget } from '../../core/rule/rule';
import { byText } from '../../core/text/values';

/**
 * The version of Rancher on a target, as far as it is known.
 */
export function rancherVersionOf({ rancherVersion }: JudgedTarget): RancherVersion | undefined {
  return rancherVersion === undefined ? undefined : parsed(rancherVersion);
}

const parsed = byText((version): RancherVersion | undefined => {
  try {
    return RancherVersion.parse(version);
  } catch {
    // rules judge manifests; an invalid version is reported where it is set
    return undefined;
  }
});
