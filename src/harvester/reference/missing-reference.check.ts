import { valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';
import { named, namesBeside } from '../../core/rule/world-lookup';
import { some } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';
import { GROUP_SNAPSHOT } from '../storage/storage.kind';

/** An image or network of a Harvester that another object refers to. */
interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const displayedIn = byObject((_: World) => new Map<string, Map<string, JudgedObject>>());

/** The objects of a kind by their display name, computed once a world. */
function displayed(world: World, group: string, kind: string): Map<string, JudgedObject> {
  const ofWorld = displayedIn(world);
  const known = ofWorld.get(kind);
  if (known) {
    return known;
  }
  const map = new Map(
    world.ofKind(group, kind).flatMap((object) => {
      const name = valueAt(object.manifest, 'spec', 'displayName');
      if (typeof name === 'string') {
        return [
          [
            `${object.target.name} ${object.manifest.metadata.namespace ?? ''}/${name}`,
            object,
          ] as const,
        ];
      }
      return [];
    }),
  );
  ofWorld.set(kind, map);
  return map;
}

/**
 * What looks like a mistake in a reference to an object that the world does not contain. A
 * Harvester cluster holds more than a program declares, so only a complete list of the objects
 * proves that one is missing.
 *
 * @param onHarvester any object on the Harvester of the reference
 */
export function missingReference(
  onHarvester: Pick<JudgedObject, 'target'>,
  reference: Reference,
  world: World,
): Omit<Problem, 'path'> | undefined {
  const { group, kind, namespace, name } = reference;
  const { target } = onHarvester;
  const shown = displayed(world, group, kind).get(`${target.name} ${namespace}/${name}`);
  if (shown) {
    return {
      level: 'warning',
      message: `must be the name of an object: it is the display name of ${kind} ${shown.manifest.metadata.name}`,
      fix: `write ${namespace}/${shown.manifest.metadata.name}`,
    };
  }
  const elsewhere = named(world, group, kind, name).find(
    (other) => other.target.name === target.name,
  )?.manifest.metadata.namespace;
  const fix =
    elsewhere === undefined ? 'declare it, or correct the name' : `write ${elsewhere}/${name}`;
  const there = elsewhere === undefined ? '' : `: ${name} is in the namespace ${elsewhere}`;
  if (world.isListed(onHarvester, group, kind, namespace)) {
    return { message: `must exist on ${target.name}${there}`, fix };
  }
  if (world.isSaid(target, group, kind, namespace, name)) {
    return undefined;
  }
  // images are often uploaded by hand, networks are not
  const isDeclared = group === GROUP_ATTACHMENT && withNetworks(world).has(onHarvester.target.name);
  if (elsewhere === undefined && !isDeclared) {
    return undefined;
  }
  return {
    level: 'warning',
    message: `does not match any known ${kind} of ${target.name}${there}`,
    fix,
  };
}

/**
 * What is wrong with the name of a VolumeSnapshotClass, if any of a Harvester are known. Only a
 * list of all proves that one is missing.
 */
export function missingSnapshotClass(
  object: JudgedObject,
  name: string,
  world: World,
): Omit<Problem, 'path'> | undefined {
  const known = namesBeside(object, world, GROUP_SNAPSHOT, 'VolumeSnapshotClass');
  const level = levelIfMissing(
    object,
    world,
    [GROUP_SNAPSHOT, 'VolumeSnapshotClass'],
    undefined,
    name,
  );
  if (level && known.length > 0) {
    return {
      value: name,
      level,
      message: 'must be an existing VolumeSnapshotClass',
      fix: `use one of ${some(known)}`,
    };
  }
  return undefined;
}

/** The targets for which the objects under judgement declare a network. */
const withNetworks = byObject(
  (world: World): ReadonlySet<string> =>
    new Set(
      world
        .ofKind(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT)
        .filter((object) => world.isJudged(object))
        .map(({ target }) => target.name),
    ),
);
