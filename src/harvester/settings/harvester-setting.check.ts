import { checkSettingValue, resetValueOf, settingLacking, settingNamed } from './catalogue/catalogue';
import { SettingContext } from './catalogue/entry';
import { Problem } from '../../core/rule/problem';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * What is wrong with giving a setting of a Harvester of some version a value.
 */
export function checkSetting(name: string, value: string, version: string): Problem[] {
  const entry = settingNamed(name);
  // a name that is not known may be one of a later release; a rule tells
  if (!entry) { return name === '' ? [{ path: 'name', message: 'is empty', fix: 'give the name of a setting, e.g. log-level' }] : []; }
  const context = contextOf(version);
  const lacking = settingLacking(entry, context);
  if (lacking) { return [{ ...lacking, path: 'name' }]; }
  const readOnly: Problem[] = entry.readOnly ? [{ path: 'name', value: name, message: 'is written by Harvester itself, at every start', fix: 'leave it out' }] : [];
  return [...readOnly, ...checkSettingValue(entry, value, context)];
}

/** The value that takes a setting of a Harvester of some version back to its default. */
export function resetValue(name: string, version: string): string {
  return resetValueOf(name, contextOf(version));
}

function contextOf(version: string): SettingContext {
  const harvester = HarvesterVersion.parse(version);
  return { harvesterVersion: harvester.toString(), atLeast: (text) => harvester.isAtLeast(text) };
}
