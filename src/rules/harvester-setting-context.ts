import { JudgedObject, JudgedTarget } from './rule';
import { World } from './world';
import { SettingContext } from '../model/harvester-settings/entry';
import { Manifest } from '../model/manifest';
import { GROUPS } from '../model/names';
import { HarvesterVersion } from '../versions/harvester-version';

/** The kinds that the rules on Harvester's settings judge. */
export const SETTING_KINDS = ['harvesterhci.io/Setting'];

/** What a check of the model needs to know of the Harvester that an object is for. */
export function settingContext(target: JudgedTarget, before?: Manifest): SettingContext {
  const version = harvesterVersionOf(target);
  return {
    harvesterVersion: target.harvesterVersion,
    atLeast: (text) => version?.isAtLeast(text),
    ...(before === undefined ? {} : { before: valueOf(before) ?? '' }),
  };
}

/** The value of a Setting; undefined where it has none, or one that is no text. */
export function valueOf({ value }: Manifest): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The Setting of a name beside an object, judged or live. */
export function settingBeside(object: JudgedObject, world: World, name: string): JudgedObject | undefined {
  return world.find(object, GROUPS.HARVESTER, 'Setting', undefined, name);
}

/** The value of another Setting as it will be: its own, or else its default where that is known. */
export function valueBeside(object: JudgedObject, world: World, name: string): string | undefined {
  const manifest = settingBeside(object, world, name)?.manifest;
  return manifest && (valueOf(manifest) || (typeof manifest.default === 'string' ? manifest.default : valueOf(manifest)));
}

/** The version of Harvester on a target, as far as it is known. */
export function harvesterVersionOf({ harvesterVersion }: JudgedTarget): HarvesterVersion | undefined {
  if (harvesterVersion === undefined) { return undefined; }
  try {
    return HarvesterVersion.parse(harvesterVersion);
  } catch {
    // a version that can not be read is said where it is given
    return undefined;
  }
}
