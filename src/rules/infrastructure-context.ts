import { harvesterVersionOf } from './harvester-setting-context';
import { JudgedObject, JudgedTarget } from './rule';
import { World } from './world';
import { isRecord, Manifest } from '../model/manifest';
import { FeatureGates } from '../versions/feature-gates';
import { GateId } from '../versions/gate-id';

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
