import { isLate } from '../late-token';
import { Problem } from '../problem';
import { rancherSetting } from './catalogue';

/**
 * What is wrong with the value of a setting, by itself. An empty value means the default and is nearly always right.
 */
export function checkRancherSetting(name: string, value: string): Problem[] {
  const entry = rancherSetting(name);
  if (!entry) { return []; }
  if (entry.readOnly) {
    return [{
      path: 'value',
      message: 'can not be set: Rancher takes it from its installation',
      says: 'setting is read only',
      fix: 'give Rancher its certificate authority in the Secret cattle-system/tls-ca',
    }];
  }
  if (!entry.check || isLate(value) || (value === '' && !entry.judgesEmpty)) { return []; }
  return [...entry.check(value)];
}
