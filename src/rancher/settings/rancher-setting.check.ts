import { RANCHER_SETTINGS } from './rancher-names.data';
import { KNOWN_SETTINGS } from './rancher-setting.data';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { problemsAt } from '../../core/rule/findings';
import { cureOfLack } from '../../core/version/versioned-names';
import { RancherVersion } from '../version/rancher-version';

/** The problems of a value for a setting of a Rancher of some version. */
export function checkRancherSettingText(name: string, value: string, version: string): Problem[] {
  const fix = cureOfLackedSetting(name, RancherVersion.parse(version));
  const lacking: Problem[] = fix
    ? [
        {
          path: 'name',
          value: name,
          message: `cannot be set on Rancher ${version}, which drops it`,
          fix,
        },
      ]
    : [];
  return [...lacking, ...checkRancherSetting(name, value)];
}

/**
 * What to do about a setting that this version lacks; undefined where it has the setting, or no
 * version that is known has.
 */
export function cureOfLackedSetting(name: string, version: RancherVersion): string | undefined {
  const versions = RANCHER_SETTINGS.get(name);
  return versions && cureOfLack(versions, version);
}

/**
 * The problems of the value of a setting. An empty value means the default and is nearly always
 * right.
 */
export function checkRancherSetting(name: string, value: string): Problem[] {
  const entry = KNOWN_SETTINGS.get(name);
  if (!entry) {
    return [];
  }
  if (entry.readOnly) {
    return [
      {
        path: 'value',
        message: 'cannot be set: Rancher reads it from its installation',
        says: 'setting is read only',
        fix: 'give Rancher its certificate authority in the Secret cattle-system/tls-ca',
      },
    ];
  }
  return !entry.check || isLate(value) || (value === '' && !entry.judgesEmpty)
    ? []
    : [...problemsAt('value', entry.check(value), value)];
}
