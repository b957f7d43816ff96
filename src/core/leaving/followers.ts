import { Belonging, MAIN, Placed, Renamed } from './leaving-groups';
import { givesAccess } from '../kind/kinds';
import { peersIn } from '../kind/references';
import { holdingOf } from '../kind/retention';
import { groupOf, idOf, kindKey, Manifest, objectId } from '../manifest/manifest';
import { grouped } from '../text/values';

/** What is gone and what it is now, by its groups. */
export interface PairedGroups<T extends Placed> {
  readonly groups: readonly Belonging<T>[];
  readonly renamed: ReadonlyMap<Belonging<T>, readonly Renamed<T>[]>;
}

/**
 * Groups with the objects that leave only as something else does, and that no place or reference
 * joins to it: a binding whose user or role has another name, and a role that the library wrote for
 * what is gone. Each follows from one of them; what could follow from several is left alone.
 *
 * Then what else has become another object: that of a construct which is where it was, and the
 * binding of a member whose role changed.
 */
export function withFollowers<T extends Placed>(
  { groups, renamed }: PairedGroups<T>,
  come: readonly T[],
): PairedGroups<T> {
  const causes = causesOf(groups);
  if (causes.size === 0) {
    return { groups, renamed: withPlaces(groups, renamed, come) };
  }
  const followers = grouped([...causes.keys()], (group) => causes.get(group)!);
  const pairs = new Map<Belonging<T>, readonly Renamed<T>[]>();
  const joined = groups
    .filter((group) => !causes.has(group))
    .map((group): Belonging<T> => {
      const own = renamed.get(group);
      const more = (followers.get(group) ?? []).flatMap(({ objects }) => objects);
      const all = { ...group, objects: [...group.objects, ...more] };
      if (own !== undefined) {
        pairs.set(all, [...own, ...pairsAfter(more, own, come)]);
      }
      return all;
    });
  return { groups: joined, renamed: withPlaces(joined, pairs, come) };
}

/** The group that each group of a single object follows from. */
function causesOf<T extends Placed>(
  groups: readonly Belonging<T>[],
): ReadonlyMap<Belonging<T>, Belonging<T>> {
  const groupById = new Map(
    groups.flatMap((group) =>
      group.objects.map((object) => [objectId(object.target, object.manifest), group] as const),
    ),
  );
  const named = (object: T): readonly Belonging<T>[] =>
    peersIn(object.manifest).flatMap(({ group, kind, name }) => {
      const other = groupById.get(idOf(object.target, group, kind, undefined, name));
      return other ? [other] : [];
    });
  const users = new Map<Belonging<T>, Set<Belonging<T>>>();
  for (const group of groups) {
    for (const other of group.objects.flatMap(named)) {
      users.set(other, (users.get(other) ?? new Set()).add(group));
    }
  }
  const causes = new Map<Belonging<T>, Belonging<T>>();
  for (const group of groups) {
    const { head, objects } = group;
    if (objects.length > 1) {
      continue;
    }
    const usedBy = isOfLibrary(head) ? (users.get(group) ?? []) : [];
    const candidates = new Set(isBinding(head) ? named(head) : usedBy);
    candidates.delete(group);
    const [only, ...others] = [...candidates];
    if (only !== undefined && others.length === 0) {
      causes.set(group, only);
    }
  }
  // what follows from something that follows itself is not joined
  return new Map([...causes].filter(([, cause]) => !causes.has(cause)));
}

/** Whether an object gives a role to someone, and is nothing else. */
function isBinding({ manifest }: Placed): boolean {
  return givesAccess(manifest) && holdingOf(manifest) === undefined && peersIn(manifest).length > 0;
}

/** Whether the library created the construct below the chart for others, e.g. a role of teams. */
function isOfLibrary({ construct = '' }: Placed): boolean {
  return /^[^/]+\/[A-Z]/.test(construct);
}

/** What followers are now, if all that differs are names which are others now. */
function pairsAfter<T extends Placed>(
  followers: readonly T[],
  own: readonly Renamed<T>[],
  come: readonly T[],
): readonly Renamed<T>[] {
  const names = own.map(({ before, now }) =>
    [before, now].map((each) => each.manifest.metadata.name),
  );
  const renamedText = (text: string): string =>
    names.reduce((all, [from, to]) => all.replaceAll(`${from}"`, `${to}"`), text);
  return followers.flatMap((before) => {
    const content = renamedText(contentOf(before.manifest));
    const [now, ...others] = come.filter(
      (each) => isAtPlaceOf(before, each) && contentOf(each.manifest) === content,
    );
    return now !== undefined && others.length === 0 ? [{ before, now }] : [];
  });
}

/** What an object contains, apart from its name and texts for people. */
function contentOf({ metadata: _, ...content }: Manifest): string {
  return JSON.stringify(content);
}

/** Whether two objects are of one kind, on one target, and in one namespace. */
function isAtPlaceOf(one: Placed, other: Placed): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf({ target, manifest }: Placed): string {
  const { apiVersion, kind, metadata } = manifest;
  return `${target} ${kindKey(groupOf(apiVersion), kind)} ${metadata.namespace ?? ''}`;
}

/** The pairs, with those of groups that have none. */
function withPlaces<T extends Placed>(
  groups: readonly Belonging<T>[],
  renamed: ReadonlyMap<Belonging<T>, readonly Renamed<T>[]>,
  come: readonly T[],
): ReadonlyMap<Belonging<T>, readonly Renamed<T>[]> {
  const taken = new Set([...renamed.values()].flatMap((pairs) => pairs.map(({ now }) => now)));
  const free = come.filter((object) => !taken.has(object));
  const byConstruct = grouped(free, constructKey);
  const open = groups.filter((group) => !renamed.has(group));
  const bindings = grouped(open.flatMap(({ objects }) => objects).filter(isBinding), memberKey);
  const comingBindings = grouped(free.filter(isBinding), memberKey);
  const nowOf = (before: T): T | undefined => {
    if (MAIN.test(before.construct ?? '')) {
      return onlyOf(byConstruct.get(constructKey(before)));
    }
    const key = isBinding(before) ? memberKey(before) : undefined;
    return key !== undefined && bindings.get(key)?.length === 1
      ? onlyOf(comingBindings.get(key))
      : undefined;
  };
  const more = open.flatMap((group): [Belonging<T>, readonly Renamed<T>[]][] => {
    const head = nowOf(group.head);
    const others = group.objects.filter((object) => object !== group.head);
    return head === undefined
      ? []
      : [
          [
            group,
            [group.head, ...others].flatMap((before) => {
              const now = nowOf(before);
              return now === undefined ? [] : [{ before, now }];
            }),
          ],
        ];
  });
  return new Map([...renamed, ...more]);
}

function constructKey({ target, manifest, construct = '' }: Placed): string {
  const { apiVersion, kind } = manifest;
  return `${target} ${kindKey(groupOf(apiVersion), kind)} ${construct}`;
}

/** Who gets a role where: all of a binding but its role. */
function memberKey(object: Placed): string {
  const subject = Object.entries(object.manifest).filter(
    ([field]) => field !== 'metadata' && !/role/i.test(field),
  );
  return `${placeOf(object)} ${JSON.stringify(subject)}`;
}

function onlyOf<T>(found: readonly T[] = []): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}
