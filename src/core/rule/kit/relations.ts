import { Found } from '../findings';
import { FactCheck, Fact } from './fact';
import { text } from './values';
import { isLate } from '../../late/late-token';
import { GateId } from '../../version/feature-gate';
import { FeatureGates } from '../../version/feature-gates';
import { lacksFeature } from '../../version/target-features';
import { JudgedObject, World } from '../rule';
import { twinsBy } from '../world-lookup';

/** A kind by its group and name. */
export type KindName = readonly [group: string, kind: string];

/**
 * The other object of a kind on a target that has a key: the live one, or the first one of the
 * program.
 */
export function twinOf(
  [group, kind]: KindName,
  keysOf: (object: JudgedObject) => ReadonlyArray<string | undefined>,
): (object: JudgedObject, key: string | undefined, world: World) => JudgedObject | undefined {
  const onTarget = ({ target }: JudgedObject, key: string | undefined): string =>
    `${target.name} ${key}`;
  const isKnown = (key: string | undefined): boolean =>
    key !== undefined && key !== '' && !isLate(key);
  const twins = twinsBy(group, kind, (object) =>
    keysOf(object)
      .filter(isKnown)
      .map((key) => onTarget(object, key)),
  );
  return (object, key, world) =>
    isKnown(key) ? twins(world).get(onTarget(object, key))?.of(object) : undefined;
}

/** The judge of a value that only one object of a kind may have on a target. */
export function unique(
  kind: KindName,
  keyOf: (object: JudgedObject) => string | undefined,
  problem: (other: JudgedObject, object: JudgedObject) => Found,
): NonNullable<Fact['judge']> {
  const twin = twinOf(kind, (object) => [keyOf(object)]);
  return (object, world) => {
    const other = twin(object, keyOf(object), world);
    return other && problem(other, object);
  };
}

/**
 * The level of what is wrong with the name of an object: an error where all objects of its kind are
 * known; undefined if the object is known.
 */
export function levelIfMissing(
  object: JudgedObject,
  world: World,
  [group, kind]: KindName,
  namespace: string | undefined,
  name: string,
): 'error' | 'warning' | undefined {
  return world.knows(object, group, kind, namespace, name)
    ? undefined
    : errorIf(world.isListed(object, group, kind, namespace));
}

/** What a reference asks. */
interface Reference {
  /** Where the object is. @default - the kind is cluster-scoped */
  readonly namespace?: (object: JudgedObject) => string | undefined;
  /** Names that every server has. @default - none */
  readonly builtIn?: readonly string[];
  /**
   * Whether it finds nothing without any object of the kind: then none of them are known.
   * @default false
   */
  readonly ifAny?: true;
  readonly problem: Found | ((name: string, object: JudgedObject) => Found);
}

/**
 * The check that the object which a text names exists: an error where all objects of the kind are
 * known, otherwise a warning.
 */
export function refersTo(
  [group, kind]: KindName,
  { namespace, builtIn = [], ifAny, problem }: Reference,
): FactCheck {
  return text((_, name, object, world) => {
    if (builtIn.includes(name)) {
      return undefined;
    }
    const level = levelIfMissing(object, world, [group, kind], namespace?.(object), name);
    if (!level || (ifAny && world.beside(object, group, kind).length === 0)) {
      return undefined;
    }
    return { level, ...(typeof problem === 'function' ? problem(name, object) : problem) };
  });
}

/** What a deletion does to other objects. */
interface Use {
  /** The kinds of the objects that may use it. */
  readonly by: readonly KindName[];
  readonly uses: (user: JudgedObject, gone: JudgedObject) => unknown;
  readonly problem: (users: readonly JudgedObject[], gone: JudgedObject) => Found;
  /** The problem if no known object uses it. @default - none */
  readonly unused?: Found;
}

/** The judge of a deletion that other objects prevent, or do not survive. */
export function usedBy({ by, uses, problem, unused }: Use): NonNullable<Fact['judgeDeletion']> {
  return (gone, world) => {
    const users = by
      .flatMap(([group, kind]) => world.beside(gone, group, kind))
      .filter((user) => uses(user, gone));
    return users.length > 0 ? problem(users, gone) : unused;
  };
}

/** The check that the version of a target has the feature of a field: others ignore the field. */
export function needs(gate: GateId, { fix, ...more }: Partial<Found> = {}): FactCheck {
  return (path, _, { target }) => {
    const lacks = lacksFeature(target, gate);
    if (!lacks) {
      return undefined;
    }
    const upgrade = `remove it, or upgrade ${FeatureGates.of(gate).product.name}`;
    return { path, message: `has no effect: ${lacks}`, fix: fix ?? upgrade, ...more };
  };
}

/**
 * `error` if something is certain, otherwise `warning`: what a server refuses only in some
 * versions, or only if more is known.
 */
export function errorIf(certain: boolean | undefined): 'error' | 'warning' {
  return certain === true ? 'error' : 'warning';
}
