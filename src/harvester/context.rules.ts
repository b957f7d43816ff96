import { SettingContext } from './settings/setting-entry.check';
import { HarvesterVersion } from './version/harvester-version';
import { Manifest, isRecord } from '../core/manifest/manifest';
import { GROUPS } from '../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../core/rule/rule';
import { FeatureGates } from '../core/version/feature-gates';
import { GateId } from '../core/version/gate-id';
import { KubernetesVersion } from '../guest/kubernetes/kubernetes-version';

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

/** What to say where the Harvester of a target lacks a feature; undefined where it has it or its version is not known. */
export function harvesterLacks(target: JudgedTarget, gate: GateId): string | undefined {
  const version = harvesterVersionOf(target);
  // a manifest is no chart, and what lint knows of versions comes from its options
  return version && FeatureGates.of(gate).problem(version, '')?.replace('; the chart names ', '; this is ');
}

/** The spec of a manifest; empty where what stands there is no map. */
export function specOf(manifest: Manifest): { readonly [field: string]: unknown } {
  return isRecord(manifest.spec) ? manifest.spec : {};
}

/** Whether a manifest was read from a server, which adds to what was written. */
export function isFromServer({ metadata }: Manifest): boolean {
  return metadata.uid !== undefined || metadata.resourceVersion !== undefined;
}

/** The names of the objects of a kind beside an object. */
export function namesBeside(object: JudgedObject, world: World, group: string, kind: string): string[] {
  return world.beside(object, group, kind).map(({ manifest }) => manifest.metadata.name);
}

/** A few names for a message. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/**
 * What is made of all objects of a kind on one target, once for a world: rules that compare each with all stay linear. What is live already comes
 * before what is judged, so that of two that exclude each other the new one is told.
 */
export function perTarget<T>(group: string, kind: string, make: (objects: readonly JudgedObject[]) => T): (object: JudgedObject, world: World) => T {
  const made = new WeakMap<World, Map<string, T>>();
  return (object, world) => {
    let targets = made.get(world);
    if (!targets) { made.set(world, targets = new Map()); }
    const { name } = object.target;
    if (!targets.has(name)) {
      const judged = new Set(world.judged);
      const objects = world.beside(object, group, kind);
      targets.set(name, make([...objects.filter((other) => !judged.has(other)), ...objects.filter((other) => judged.has(other))]));
    }
    return targets.get(name)!;
  };
}

/** Whether the Harvester of a target has a feature; undefined where its version is not known. */
export function harvesterHas(target: JudgedTarget | undefined, gate: GateId): boolean | undefined {
  const version = target && harvesterVersionOf(target);
  return version && FeatureGates.of(gate).supports(version);
}

/** What to say where RKE2 of a target lacks a feature; undefined where it has it, is not RKE2, or its version is not known. */
export function rke2Lacks({ kubernetesVersion }: JudgedTarget, gate: GateId): string | undefined {
  const version = kubernetesVersion === undefined ? undefined : parsed(kubernetesVersion);
  if (version?.distribution !== 'rke2') { return undefined; }
  return FeatureGates.of(gate).problem(version, '')?.replace('; the chart names ', '; this is ');
}

function parsed(version: string): KubernetesVersion | undefined {
  try {
    return KubernetesVersion.parse(version);
  } catch {
    // a version that can not be read is said where it is given
    return undefined;
  }
}
