import { SettingContext } from './settings/setting-entry.check';
import { HarvesterVersion } from './version/harvester-version';
import { Manifest, isRecord } from '../core/manifest/manifest';
import { GROUPS } from '../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../core/rule/rule';
import { byText } from '../core/text/values';
import { GateId } from '../core/version/gate';
import { lacksFeature } from '../core/version/target-features';

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
  return typeof value === 'string' ? value : undefined;
}

/** The Setting of a name on the target of an object, declared or live. */
function settingBeside(object: JudgedObject, world: World, name: string): JudgedObject | undefined {
  return world.find(object, GROUPS.HARVESTER, 'Setting', undefined, name);
}

/** The future value of another Setting: its own, otherwise its default, if known. */
export function valueBeside(object: JudgedObject, world: World, name: string): string | undefined {
  const manifest = settingBeside(object, world, name)?.manifest;
  return manifest && (valueOf(manifest) || (typeof manifest.default === 'string' ? manifest.default : valueOf(manifest)));
}

/** The version of Harvester on a target, if known. */
export function harvesterVersionOf({ harvesterVersion }: JudgedTarget): HarvesterVersion | undefined {
  return harvesterVersion === undefined ? undefined : parsedHarvester(harvesterVersion);
}

const parsedHarvester = byText((version): HarvesterVersion | undefined => {
  try {
    return HarvesterVersion.parse(version);
  } catch {
    // reported at the version itself
    return undefined;
  }
});

/** The spec of a manifest. Empty if it is not a map. */
export function specOf(manifest: Manifest): { readonly [field: string]: unknown } {
  return isRecord(manifest.spec) ? manifest.spec : {};
}

/** The names of the objects of a kind on the target of an object. */
export function namesBeside(object: JudgedObject, world: World, group: string, kind: string): string[] {
  return world.beside(object, group, kind).map(({ manifest }) => manifest.metadata.name);
}

/** The first few names, for a message. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/**
 * Computes a value from all objects of a kind on one target, once per world, so that rules that compare each with all remain linear. Live objects
 * come before declared ones, so that of two that exclude each other the new one is reported.
 */
export function perTarget<T>(group: string, kind: string, make: (objects: readonly JudgedObject[]) => T): (object: Pick<JudgedObject, 'target'>, world: World) => T {
  const made = new WeakMap<World, Map<string, T>>();
  return (object, world) => {
    let targets = made.get(world);
    if (!targets) { made.set(world, targets = new Map()); }
    const { name } = object.target;
    if (!targets.has(name)) {
      const objects = world.beside(object, group, kind);
      targets.set(name, make([...objects.filter((other) => !world.isJudged(other)), ...objects.filter((other) => world.isJudged(other))]));
    }
    return targets.get(name)!;
  };
}

/** The message on a feature that RKE2 of a target lacks. Undefined if it has it, is not RKE2, or its version is not known. */
export function rke2Lacks(target: JudgedTarget, gate: GateId): string | undefined {
  return target.kubernetesVersion?.includes('+rke2r') ? lacksFeature(target, gate) : undefined;
}
