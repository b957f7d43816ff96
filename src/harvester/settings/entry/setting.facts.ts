import { Manifest } from '../../../core/manifest/manifest';
import { GROUPS } from '../../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../../core/rule/rule';
import { anyText } from '../../../core/text/plain-text';
import { harvesterVersionOf } from '../../version/harvester-version';

/**
 * Annotation on a Harvester Setting: the digest of the value that was acted on last.
 * @see harvester/harvester:pkg/controller/master/setting/handler.go
 */
export const ANNOTATION_SETTING_HASH = 'harvesterhci.io/hash';

/** The Harvester that a setting is for. */
export interface SettingContext {
  /** Version of Harvester, e.g. `1.7.2`; undefined where it is not known. */
  readonly harvesterVersion?: string;
  /** Whether Harvester is of this version or later; undefined where its version is not known. */
  readonly atLeast: (version: string) => boolean | undefined;
  /** The value that the server has, where that is known. */
  readonly before?: string;
}

/** The kinds that the rules on Harvester's settings judge. */
export const SETTING_KINDS = ['harvesterhci.io/Setting'];

/** The input of a setting's check about the Harvester of an object. */
export function settingContext(target: JudgedTarget, before?: Manifest): SettingContext {
  const version = harvesterVersionOf(target);
  return {
    harvesterVersion: target.harvesterVersion,
    atLeast: (text) => version?.isAtLeast(text),
    ...(before === undefined ? {} : { before: valueOf(before) ?? '' }),
  };
}

/** The value of a Setting. Undefined if it has none, or one that is not a string. */
export function valueOf({ value }: Manifest): string | undefined {
  return anyText(value);
}

/** Whether an object is one of some Settings. */
export function isSetting(...names: readonly string[]): (object: JudgedObject) => boolean {
  return ({ manifest }) => names.includes(manifest.metadata.name);
}

/** The Setting of a name on the target of an object, declared or live. */
function settingBeside(object: JudgedObject, world: World, name: string): JudgedObject | undefined {
  return world.find(object, GROUPS.HARVESTER, 'Setting', undefined, name);
}

/**
 * The future value of another Setting: its own, otherwise its default, if known. A server omits
 * both where they are empty.
 */
export function valueBeside(object: JudgedObject, world: World, name: string): string | undefined {
  const beside = settingBeside(object, world, name);
  if (!beside) {
    return undefined;
  }
  const { manifest } = beside;
  const live = world.beforeOf(beside);
  const own = valueOf(manifest) ?? (live && valueOf(live));
  const builtIn = [manifest.default, live?.default].find((text) => typeof text === 'string') as
    string | undefined;
  return own || (builtIn ?? own ?? (world.exists(beside) ? '' : undefined));
}
