import { JudgedObject, World } from './rule';
import { kindKey } from '../manifest/manifest';
import { grouped } from '../text/values';

/** The objects of a kind by values that rules look up. */
interface Index {
  /** `<target> <namespace>` of each that is known. */
  readonly namespaces: ReadonlySet<string>;
  /** By name, on all targets and in all namespaces. */
  readonly byName: ReadonlyMap<string, readonly JudgedObject[]>;
}

// computed once a world and kind, so that rules over many objects remain linear
const indexes = new WeakMap<World, Map<string, Index>>();

function indexOf(world: World, group: string, kind: string): Index {
  const ofWorld = indexes.get(world) ?? new Map<string, Index>();
  indexes.set(world, ofWorld);
  const key = kindKey(group, kind);
  const known = ofWorld.get(key);
  if (known) { return known; }
  const objects = world.ofKind(group, kind);
  const index = {
    namespaces: new Set(objects.map(({ manifest, target }) => `${target.name} ${manifest.metadata.namespace ?? ''}`)),
    byName: grouped(objects, ({ manifest }) => manifest.metadata.name),
  };
  ofWorld.set(key, index);
  return index;
}

/** Whether any object of a kind is known in a namespace on the target of another one: otherwise a missing one proves nothing. */
export function knowsAny(world: World, beside: JudgedObject, group: string, kind: string, namespace: string | undefined): boolean {
  return indexOf(world, group, kind).namespaces.has(`${beside.target.name} ${namespace ?? ''}`);
}

/** Kinds from which another tool makes a Secret of the same name. */
const SECRET_MAKERS = [['bitnami.com', 'SealedSecret'], ['external-secrets.io', 'ExternalSecret']] as const;

/** Whether a Secret looks forgotten: others of its namespace are known, it is not, and no tool makes it. */
export function isSecretMissing(world: World, beside: JudgedObject, namespace: string | undefined, name: string): boolean {
  if (world.knows(beside, '', 'Secret', namespace, name) || !knowsAny(world, beside, '', 'Secret', namespace)) { return false; }
  return SECRET_MAKERS.every(([group, kind]) => !world.find(beside, group, kind, namespace, name));
}

/** The objects of a kind with a name, on all targets and in all namespaces. */
export function named(world: World, group: string, kind: string, name: string): readonly JudgedObject[] {
  return indexOf(world, group, kind).byName.get(name) ?? [];
}
