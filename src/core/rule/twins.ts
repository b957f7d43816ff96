import { JudgedObject, World } from './rule';
import { Manifest } from '../manifest/manifest';
import { byObject } from '../text/values';

/**
 * Objects with the same content, of which one is enough: the first one is accepted, unless one is live already.
 *
 * Keeps two of them, so that many remain linear.
 */
export class Twins {
  private first?: JudgedObject;
  private live?: JudgedObject;

  public add(object: JudgedObject, judged: boolean): void {
    if (judged) { this.first ??= object; } else { this.live ??= object; }
  }

  /** The object that has the identity already: the live one, or the first one of the program. */
  public of(object: JudgedObject): JudgedObject | undefined {
    return [this.live, this.first].find((other) => other && other !== object && !isSame(other.manifest, object.manifest));
  }
}

function isSame(a: Manifest, b: Manifest): boolean {
  return a.metadata.name !== '' && a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}

/** The twins among the objects of a kind, by key and computed once a world: the time for many objects is linear. */
export function twinsBy(group: string, kind: string, keysOf: (object: JudgedObject) => readonly string[]): (world: World) => ReadonlyMap<string, Twins> {
  return byObject((world: World) => {
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
export function onTarget<T>(compute: (object: Pick<JudgedObject, 'target'>, world: World) => T): (object: Pick<JudgedObject, 'target'>, world: World) => T {
  const valuesOf = byObject((_: World) => new Map<string, T>());
  return (object, world) => {
    const values = valuesOf(world);
    const { name } = object.target;
    if (!values.has(name)) { values.set(name, compute(object, world)); }
    return values.get(name)!;
  };
}
