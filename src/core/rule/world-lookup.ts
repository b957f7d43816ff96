import { JudgedObject, World } from './rule';
import { kindKey } from '../manifest/manifest';
import { byObject, grouped, remembered } from '../text/values';

/** The objects of a kind by values that rules look up. */
interface Index {
  /** `<target> <namespace>` of each that is known. */
  readonly namespaces: ReadonlySet<string>;
  /** By name, on all targets and in all namespaces. */
  readonly byName: ReadonlyMap<string, readonly JudgedObject[]>;
}

// computed once a world and kind, so that rules over many objects remain linear
const indexes = byObject((_world: World) => new Map<string, Index>());

function indexOf(world: World, group: string, kind: string): Index {
  return remembered(indexes(world), kindKey(group, kind), () => {
    const objects = world.ofKind(group, kind);
    return {
      namespaces: new Set(
        objects.map(
          ({ manifest, target }) => `${target.name} ${manifest.metadata.namespace ?? ''}`,
        ),
      ),
      byName: grouped(objects, ({ manifest }) => manifest.metadata.name),
    };
  });
}

/**
 * Whether any object of a core kind is known in a namespace on the target of another one: otherwise
 * a missing one proves nothing.
 */
export function knowsAny(
  world: World,
  beside: JudgedObject,
  kind: string,
  namespace: string | undefined,
): boolean {
  return indexOf(world, '', kind).namespaces.has(`${beside.target.name} ${namespace ?? ''}`);
}

/** Kinds from which another tool makes a Secret of the same name. */
const SECRET_MAKERS = [
  ['bitnami.com', 'SealedSecret'],
  ['external-secrets.io', 'ExternalSecret'],
] as const;

/**
 * Whether a Secret looks forgotten: others of its namespace are known, it is not, and no tool makes
 * it.
 */
export function isSecretMissing(
  world: World,
  beside: JudgedObject,
  namespace: string | undefined,
  name: string,
): boolean {
  if (
    world.knows(beside, '', 'Secret', namespace, name) ||
    !knowsAny(world, beside, 'Secret', namespace)
  ) {
    return false;
  }
  return SECRET_MAKERS.every(([group, kind]) => !world.find(beside, group, kind, namespace, name));
}

/** The objects of a kind with a name, on all targets and in all namespaces. */
export function named(
  world: World,
  group: string,
  kind: string,
  name: string,
): readonly JudgedObject[] {
  return indexOf(world, group, kind).byName.get(name) ?? [];
}

/**
 * Objects with the same content, of which one is enough: the first one is accepted, unless one is
 * live already.
 *
 * Keeps two of them, so that many remain linear.
 */
export class Twins {
  private first?: JudgedObject;
  private live?: JudgedObject;

  public add(object: JudgedObject, judged: boolean): void {
    if (judged) {
      this.first ??= object;
    } else {
      this.live ??= object;
    }
  }

  /** The object that has the identity already: the live one, or the first one of the program. */
  public of(object: JudgedObject): JudgedObject | undefined {
    if (isOther(this.live, object)) {
      return this.live;
    }
    if (isOther(this.first, object)) {
      return this.first;
    }
    return undefined;
  }
}

function isOther(one: JudgedObject | undefined, object: JudgedObject): boolean {
  if (one === undefined || one === object) {
    return false;
  }
  const { name, namespace } = one.manifest.metadata;
  return (
    name === '' ||
    name !== object.manifest.metadata.name ||
    namespace !== object.manifest.metadata.namespace
  );
}

/**
 * The twins among the objects of a kind, by key and computed once a world: the time for many
 * objects is linear.
 */
export function twinsBy(
  group: string,
  kind: string,
  keysOf: (object: JudgedObject) => readonly string[],
) {
  return byObject((world: World): ReadonlyMap<string, Twins> => {
    const index = new Map<string, Twins>();
    for (const object of world.ofKind(group, kind)) {
      for (const key of keysOf(object)) {
        const twins = index.get(key) ?? new Twins();
        index.set(key, twins);
        twins.add(object, world.isJudged(object));
      }
    }
    return index;
  });
}

/** A value of a world and one of its targets, computed once for both. */
export function onTarget<T>(
  compute: (object: Pick<JudgedObject, 'target'>, world: World) => T,
): (object: Pick<JudgedObject, 'target'>, world: World) => T {
  const valuesOf = byObject((_: World) => new Map<string, T>());
  return (object, world) => {
    const values = valuesOf(world);
    const { name } = object.target;
    if (!values.has(name)) {
      values.set(name, compute(object, world));
    }
    return values.get(name)!;
  };
}

/** The names of the objects of a kind on the target of an object. */
export function namesBeside(
  object: JudgedObject,
  world: World,
  group: string,
  kind: string,
): string[] {
  return world.beside(object, group, kind).map(({ manifest }) => manifest.metadata.name);
}

/**
 * Computes a value from all objects of a kind on one target, once per world, so that rules that
 * compare each with all remain linear. Live objects come before declared ones, so that of two that
 * exclude each other the new one is reported.
 */
export function perTarget<T>(
  group: string,
  kind: string,
  make: (objects: readonly JudgedObject[]) => T,
): (object: Pick<JudgedObject, 'target'>, world: World) => T {
  return onTarget((object, world) => {
    const objects = world.beside(object, group, kind);
    return make([
      ...objects.filter((other) => !world.isJudged(other)),
      ...objects.filter((other) => world.isJudged(other)),
    ]);
  });
}
