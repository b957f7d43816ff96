import { KindReferences } from './description/references';
import { kindOf, rankOf } from './kinds';
import { peersIn, referencesIn, refersToNothing } from './references';
import { Manifest, groupOf, objectKey, refKey } from '../manifest/manifest';
import { grouped, lazily } from '../text/values';

/** An object with its place among those of its rank. */
export interface Ordered<T> {
  readonly item: T;
  /** How many others of its rank must be there first, along the longest chain. */
  readonly level: number;
}

/**
 * The order in which one request after the other goes through: objects that others refer to come
 * first among those of a target and a rank. All others keep their place; objects that refer to each
 * other, too.
 *
 * @param after ids of the objects that the program itself orders before one
 */
export function inApplyOrder<T>(
  items: readonly T[],
  about: (item: T) => { readonly id: string; readonly target: string; readonly manifest: Manifest },
  after: (id: string) => readonly string[] = () => NONE,
): Ordered<T>[] {
  const entries = items.map((item): Entry<T> => {
    const { id, target, manifest } = about(item);
    return { item, id, target, manifest };
  });
  const groups = grouped(entries, ({ target, manifest }) => `${target} ${rankOf(manifest)}`);
  const sorted = [...groups.values()].map((group) =>
    group.length < 2 ? group.map(({ item }) => ({ item, level: 0 })) : sortGroup(group, after),
  );
  return sorted.flat();
}

const NONE: readonly string[] = [];

interface Entry<T> {
  readonly item: T;
  readonly id: string;
  readonly target: string;
  readonly manifest: Manifest;
}

function sortGroup<T>(
  group: readonly Entry<T>[],
  after: (id: string) => readonly string[],
): Ordered<T>[] {
  const byKey = lazily(() => new Map(group.map((entry) => [objectKey(entry.manifest), entry])));
  const byId = new Map(group.map((entry) => [entry.id, entry]));
  const [{ manifest: first }] = group;
  const isMixed = group.some(
    ({ manifest }) =>
      manifest.kind !== first.kind || groupOf(manifest.apiVersion) !== groupOf(first.apiVersion),
  );
  // a walk through content takes time, and most ranks are of one kind that refers to others only
  const refers = (manifest: Manifest): boolean =>
    !refersToNothing(manifest) &&
    (isMixed || kindOf<KindReferences>(manifest)?.refers === 'also to its own kind');
  const levels = new Map<Entry<T>, number>();
  const sorted: Ordered<T>[] = [];
  const visit = (entry: Entry<T>): number => {
    const known = levels.get(entry);
    if (known !== undefined) {
      return known;
    }
    // one that waits for itself, by way of others, is as good as any other to begin with
    levels.set(entry, 0);
    let level = 0;
    const need = (other: Entry<T> | undefined): void => {
      if (other !== undefined && other !== entry) {
        level = Math.max(level, visit(other) + 1);
      }
    };
    if (refers(entry.manifest)) {
      for (const referred of referredKeys(entry.manifest)) {
        need(byKey().get(referred));
      }
    }
    for (const id of after(entry.id)) {
      need(byId.get(id));
    }
    levels.set(entry, level);
    sorted.push({ item: entry.item, level });
    return level;
  };
  for (const entry of group) {
    visit(entry);
  }
  return sorted;
}

/**
 * What an object may refer to, as keys: a name without a namespace is looked for in its own
 * namespace, and among objects without one.
 */
function referredKeys(manifest: Manifest): string[] {
  const { namespace } = manifest.metadata;
  const key = (group: string, kind: string, place: string | undefined, name: string): string =>
    refKey({ apiVersion: `${group}/`, kind, namespace: place, name });
  return [
    ...referencesIn(manifest).flatMap(({ group, kind, name, namespaces }) =>
      (namespaces ?? [namespace, undefined]).map((place) => key(group, kind, place, name)),
    ),
    ...peersIn(manifest).map(({ group, kind, name }) => key(group, kind, undefined, name)),
  ];
}
