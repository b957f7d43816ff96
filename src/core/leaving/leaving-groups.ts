import { referencesIn } from '../kind/references';
import { holdingOf, isKeptByEngine } from '../kind/retention';
import { lateIdsIn } from '../late/late-text';
import { groupOf, idOf, keyAt, kindKey, leavesOf, Manifest, objectId } from '../manifest/manifest';
import { grouped, remembered } from '../text/values';

/** An object of an output. */
export interface Placed {
  readonly target: string;
  readonly manifest: Manifest;
  readonly construct?: string;
}

/** Objects that are gone, or new, for one reason. */
export interface Belonging<T extends Placed> {
  /** The object that others belong to. */
  readonly head: T;
  readonly objects: readonly T[];
}

/** An object that is gone, and the one that its construct, or a construct like it, writes now. */
export interface Renamed<T extends Placed> {
  readonly before: T;
  readonly now: T;
}

/**
 * Objects by what they belong to: those of one construct that is gone or new as a whole, those in a
 * namespace, and those that refer to each other.
 *
 * @param objects those of one side of a comparison that the other side lacks
 * @param kept those of both sides
 * @param other those that only the other side has
 */
export function belonging<T extends Placed>(
  objects: readonly T[],
  kept: readonly Placed[],
  other: readonly Placed[],
): Belonging<T>[] {
  const uses = usesOf(objects);
  const sets = new DisjointSets(objects.length);
  for (const [from, tos] of uses.entries()) {
    for (const to of tos) {
      sets.join(from, to);
    }
  }
  // a chart whose objects are all others now is not another chart
  const remaining = new Set([
    ...prefixesOf(kept),
    ...other.map(({ construct = '' }) => construct.split('/')[0]!),
  ]);
  const constructs = new Map<string, number>();
  for (const [at, { construct }] of objects.entries()) {
    const whole = construct === undefined ? undefined : wholeOf(construct, remaining);
    if (whole !== undefined) {
      sets.join(
        remembered(constructs, whole, () => at),
        at,
      );
    }
  }
  joinMachineNamespaces(objects, sets);
  const users = objects.map(() => 0);
  for (const tos of uses) {
    for (const to of tos) {
      users[to]! += 1;
    }
  }
  return [...grouped(objects.keys(), (at) => sets.of(at)).values()].map((places) => ({
    head: objects[headOf(places, uses, users, objects)]!,
    objects: places.map((at) => objects[at]!),
  }));
}

/** The ID of the main object of a construct, which has the name of the construct. */
export const MAIN = /\/Resource$/;

/**
 * The main object of a construct rather than a part of it, and one that engines delete rather than
 * one that they keep: the one that uses no other of them, and that most others use; rather one that
 * holds something.
 */
function headOf(
  places: readonly number[],
  uses: readonly ReadonlySet<number>[],
  users: readonly number[],
  objects: readonly Placed[],
): number {
  const owners = new Set(places.flatMap((at) => ownerOf(objects[at]!) ?? []));
  const rank = (at: number): readonly number[] => {
    const { manifest, construct } = objects[at]!;
    return [
      construct === undefined || (MAIN.test(construct) && !isBelow(construct, owners)) ? 0 : 1,
      isKeptByEngine(manifest) ? 1 : 0,
      uses[at]!.size === 0 ? 0 : 1,
      holdingOf(manifest) ? 0 : 1,
      -users[at]!,
    ];
  };
  return places.reduce((best, at) => (isBefore(rank(at), rank(best)) ? at : best));
}

/** The construct whose main object an object is. */
function ownerOf({ construct = '' }: Placed): string | undefined {
  return MAIN.test(construct) ? construct.replace(MAIN, '') : undefined;
}

/**
 * Whether the main object of a construct is below another construct, as what a guest cluster's
 * chart holds is below the cluster.
 */
function isBelow(main: string, owners: ReadonlySet<string>): boolean {
  const path = main.replace(MAIN, '');
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (owners.has(path.slice(0, end))) {
      return true;
    }
  }
  return false;
}

/** Whether an object is a part of the construct of another, or below it. */
export function isPartOf({ construct = '' }: Placed, head: Placed): boolean {
  const owner = ownerOf(head);
  return owner !== undefined && construct.startsWith(`${owner}/`);
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && one[at]! < other[at]!;
}

/**
 * Joins the objects in a namespace that remains to what had its machines there, e.g. the permission
 * to create machines in it.
 */
function joinMachineNamespaces(objects: readonly Placed[], sets: DisjointSets): void {
  const members = grouped(objects.keys(), (at) => sets.of(at));
  const users = new Map<string, Set<number>>();
  for (const [at, { manifest }] of objects.entries()) {
    for (const [text, key] of textsIn(manifest)) {
      if (MACHINE_NAMESPACE.test(key)) {
        remembered(users, text, () => new Set<number>()).add(sets.of(at));
      }
    }
  }
  for (const [at, { manifest }] of objects.entries()) {
    const { namespace } = manifest.metadata;
    const [only, ...others] = namespace === undefined ? [] : (users.get(namespace) ?? []);
    if (only !== undefined && others.length === 0 && members.get(sets.of(at))!.length === 1) {
      sets.join(at, only);
    }
  }
}

const MACHINE_NAMESPACE = /[a-z]Namespace$/;

/** The objects that each object is in, or refers to, by their places. */
function usesOf(objects: readonly Placed[]): readonly ReadonlySet<number>[] {
  const byId = new Map(objects.map(({ target, manifest }, at) => [objectId(target, manifest), at]));
  const byText = new Map<string, number[]>();
  const namespaces = new Map<string, number[]>();
  const parts = new Map<string, number[]>();
  for (const [at, { construct = '' }] of objects.entries()) {
    for (let end = construct.lastIndexOf('/'); end > 0; end = construct.lastIndexOf('/', end - 1)) {
      remembered(parts, partOf(construct.slice(0, end)), () => []).push(at);
    }
  }
  for (const [at, { manifest }] of objects.entries()) {
    const { apiVersion, kind } = manifest;
    const { namespace, name } = manifest.metadata;
    for (const separator of namespace === undefined ? [] : ['/', ':', '-']) {
      remembered(byText, `${namespace}${separator}${name}`, () => []).push(at);
    }
    if (kindKey(groupOf(apiVersion), kind) === NAMESPACE) {
      remembered(namespaces, name, () => []).push(at);
    }
  }
  return objects.map(({ target, manifest }, at) => {
    const found = new Set<number>();
    for (const {
      group,
      kind,
      name,
      namespaces: within = [manifest.metadata.namespace, undefined],
    } of referencesIn(manifest)) {
      for (const namespace of within) {
        add(found, byId.get(idOf(target, group, kind, namespace, name)));
      }
    }
    for (const [text, key] of textsIn(manifest)) {
      for (const other of byText.get(text) ?? []) {
        add(found, other);
      }
      if (key.toLowerCase().endsWith('namespace')) {
        for (const other of namespaces.get(text) ?? []) {
          add(found, other);
        }
      }
    }
    // the ID of a late value begins with the construct whose objects it is read from
    for (const id of lateIdsIn(manifest)) {
      for (const other of parts.get(id.slice(0, id.lastIndexOf('.'))) ?? []) {
        add(found, other);
      }
    }
    found.delete(at);
    return found;
  });
}

/** The path of a construct below a chart, as it is in the IDs of late values. */
function partOf(path: string): string {
  return path.includes('/') ? path.toLowerCase().replaceAll('/', '.') : '';
}

const NAMESPACE = kindKey('', 'Namespace');

function add(found: Set<number>, at: number | undefined): void {
  if (at !== undefined) {
    found.add(at);
  }
}

/** All texts of a manifest, with the keys of their fields. */
function textsIn(manifest: Manifest): [text: string, key: string][] {
  return leavesOf(manifest).flatMap(({ leaf, path }): [string, string][] =>
    typeof leaf === 'string' ? [[leaf, keyAt(path)]] : [],
  );
}

/** The paths of the constructs of objects, and those above them. */
function prefixesOf(objects: readonly Placed[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { construct = '' } of objects) {
    for (
      let end = construct.length;
      end > 0 && !found.has(construct.slice(0, end));
      end = construct.lastIndexOf('/', end - 1)
    ) {
      found.add(construct.slice(0, end));
    }
  }
  return found;
}

/**
 * The topmost construct of a path that has no object on the other side. Undefined if only the
 * object itself is gone or new.
 */
function wholeOf(path: string, kept: ReadonlySet<string>): string | undefined {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    if (!kept.has(path.slice(0, end))) {
      return path.slice(0, end);
    }
  }
  return undefined;
}

/**
 * What is gone and has come under another name: objects of the same kinds, in the same number, on
 * the same targets, at the same place of the program or with the same contents except for their
 * names. A new tenant of the same kinds with other members is another tenant.
 *
 * @returns the pairs of objects whose constructs are alike, by the first of the objects that are gone
 */
export function renames<T extends Placed>(
  gone: readonly Belonging<T>[],
  come: readonly Belonging<T>[],
): ReadonlyMap<Belonging<T>, readonly Renamed<T>[]> {
  const pairing = new Pairing(gone, come);
  pairing.pairByPlace();
  pairing.pairByContent([]);
  // e.g. the schedule of backups of a machine that is renamed
  const renamed = pairing.names();
  if (renamed.length > 0) {
    pairing.pairByContent(renamed);
  }
  return pairing.objects();
}

/** Pairs what is gone with what has come, as far as their constructs are alike. */
class Pairing<T extends Placed> {
  private readonly pairs = new Map<Belonging<T>, Belonging<T>>();
  private readonly taken = new Set<Belonging<T>>();
  private readonly typeOf: TypeOf;
  private readonly byShape: ReadonlyMap<string, Belonging<T>[]>;

  constructor(
    private readonly gone: readonly Belonging<T>[],
    come: readonly Belonging<T>[],
  ) {
    this.typeOf = typesBetween(gone, come);
    this.byShape = grouped(come, (group) => this.shapeOf(group));
  }

  /** Pairs those at the same place of the program. */
  public pairByPlace(): void {
    for (const before of this.gone) {
      const { construct } = before.head;
      if (construct === undefined) {
        continue;
      }
      const now = this.candidates(before).find(({ head }) => head.construct === construct);
      this.pair(before, now);
    }
  }

  /**
   * Pairs those with the same contents.
   *
   * @param names the names that are left out of the contents besides their own
   */
  public pairByContent(names: readonly string[]): void {
    const contents = new Map<Belonging<T>, string>();
    const contentOf = (group: Belonging<T>): string =>
      remembered(contents, group, () => contentsOf(group.objects, names));
    const open = this.gone.filter((before) => !this.pairs.has(before));
    for (const before of open) {
      const others = open.filter(
        (other) =>
          this.shapeOf(other) === this.shapeOf(before) && contentOf(other) === contentOf(before),
      );
      const candidates = this.candidates(before).filter(
        (now) => contentOf(now) === contentOf(before),
      );
      const isOnly = others.length === 1 && candidates.length === 1;
      this.pair(before, isOnly ? candidates[0] : mostAlike(before, candidates));
    }
  }

  /** The names of the pairs, before and now. */
  public names(): readonly string[] {
    return [...this.pairs].flatMap(([before, now]) => [
      ...namesOf(before.objects),
      ...namesOf(now.objects),
    ]);
  }

  /** The pairs of objects, by what is gone. */
  public objects(): ReadonlyMap<Belonging<T>, readonly Renamed<T>[]> {
    return new Map(
      [...this.pairs].map(([before, now]) => [before, pairsOf(before, now, this.typeOf)]),
    );
  }

  private pair(before: Belonging<T>, now: Belonging<T> | undefined): void {
    if (now) {
      this.pairs.set(before, now);
      this.taken.add(now);
    }
  }

  /** What has come with objects of the same kinds and is not yet part of a pair. */
  private candidates(before: Belonging<T>): readonly Belonging<T>[] {
    const alike = this.byShape.get(this.shapeOf(before)) ?? [];
    return alike.filter((now) => !this.taken.has(now));
  }

  /** The kinds of objects, and how many there are of each. */
  private shapeOf({ head, objects }: Belonging<Placed>): string {
    return JSON.stringify([this.typeOf(head), ...objects.map(this.typeOf).sort()]);
  }
}

/** The kind of an object, and its target where both sides have that. */
function typesBetween(
  gone: readonly Belonging<Placed>[],
  come: readonly Belonging<Placed>[],
): TypeOf {
  const [before, now] = [targetsOf(gone), targetsOf(come)];
  return ({ target, manifest }) => {
    // a guest cluster of another name is a target of another name
    const place = before.has(target) && now.has(target) ? target : '';
    return `${place} ${manifest.apiVersion} ${manifest.kind}`;
  };
}

function targetsOf(groups: readonly Belonging<Placed>[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ objects }) => objects.map(({ target }) => target)));
}

/**
 * Of several with the same contents, the one whose name has most words of the previous name, e.g.
 * `app-1` of `web-1`; none where several have as many.
 */
function mostAlike<T extends Placed>(
  { head }: Belonging<T>,
  candidates: readonly Belonging<T>[],
): Belonging<T> | undefined {
  const words = new Set(head.manifest.metadata.name.split('-'));
  const scores = candidates
    .map((now) => ({
      now,
      score: now.head.manifest.metadata.name.split('-').filter((word) => words.has(word)).length,
    }))
    .sort((a, b) => b.score - a.score);
  const [best, next] = scores;
  return best && best.score > 0 && best.score !== next?.score ? best.now : undefined;
}

/** What an object contains, without the names and namespaces of the objects that leave with it. */
function contentWithin(object: Placed, { objects }: Belonging<Placed>): string {
  const namespaces = objects.flatMap(({ manifest }) => manifest.metadata.namespace ?? []);
  return contentsOf([object], [...namesOf(objects), ...namespaces]);
}

function namesOf(objects: readonly Placed[]): ReadonlySet<string> {
  // annotations contain names, e.g. that of a management Cluster
  return new Set(
    objects.flatMap(({ manifest }) => {
      const { name, annotations = {} } = manifest.metadata;
      return [name, ...Object.values(annotations).filter((text) => NAME.test(text))];
    }),
  );
}

/**
 * What objects contain, without their names.
 *
 * @param others other names that are left out
 */
function contentsOf(objects: readonly Placed[], others: readonly string[]): string {
  const names = new Set([...namesOf(objects), ...others]);
  return JSON.stringify(
    objects
      .map(({ manifest }) =>
        JSON.stringify(manifest, (key, value: unknown) => {
          if (FOR_PEOPLE.has(key)) {
            return undefined;
          }
          // a group whose name contains that of the tenant is that of another tenant
          if (typeof value !== 'string' || /principal/i.test(key)) {
            return value;
          }
          return lateIdsIn(value).length > 0
            ? ANY_NAME
            : value.replace(MAC, ANY_NAME).replace(WORD, (word) => withoutName(word, names));
        }),
      )
      .sort(),
  );
}

/** Fields with text for people. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['displayName', 'description']);
const NAME = /^[a-z][a-z0-9-]{5,}$/;
const WORD = /[a-z0-9][a-z0-9.-]*/g;
const ANY_NAME = '*';
/** An address that may be derived from the name of a machine. */
const MAC = /\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/g;

/** A word without the longest name in it, between its ends and hyphens. */
function withoutName(word: string, names: ReadonlySet<string>): string {
  const parts = word.split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    for (let start = 0; start + length <= parts.length; start += 1) {
      if (names.has(parts.slice(start, start + length).join('-'))) {
        return [...parts.slice(0, start), ANY_NAME, ...parts.slice(start + length)].join('-');
      }
    }
  }
  return word;
}

/** The kind and the target of an object. */
type TypeOf = (object: Placed) => string;

/**
 * The head first, then the others: at the same place below a construct, with the names that follow
 * from that of the head, or of which there is one of each kind on both sides.
 *
 * Of several that could be the head, as of all projects of a cluster, each side may have chosen
 * another one: its place decides then, too.
 */
function pairsOf<T extends Placed>(
  before: Belonging<T>,
  now: Belonging<T>,
  typeOf: TypeOf,
): readonly Renamed<T>[] {
  const [byTypeBefore, byType] = [before, now].map(({ objects }) => grouped(objects, typeOf));
  const inPlaceOf = (object: T): T | undefined =>
    onlyOf(
      (byType!.get(typeOf(object)) ?? []).filter(
        ({ construct }) => construct !== undefined && construct === object.construct,
      ),
    );
  const head = inPlaceOf(before.head) ?? now.head;
  const [old, current] = [before.head, head].map(({ manifest }) => manifest.metadata.name);
  const renamed = (text = ''): string => text.replace(old!, current!);
  const others = before.objects.filter((object) => object !== before.head);
  const inPlace = new Map(
    others.flatMap((object) => {
      const found = inPlaceOf(object);
      return found === undefined || found === head ? [] : [[object, found] as const];
    }),
  );
  const taken = new Set<T>([head, ...inPlace.values()]);
  const more = others.flatMap((object): Renamed<T>[] => {
    const type = typeOf(object);
    const same = (byType!.get(type) ?? []).filter((each) => !taken.has(each));
    const { name, namespace } = object.manifest.metadata;
    const named = same.filter(({ manifest }) => manifest.metadata.name === renamed(name));
    const within = named.filter(
      ({ manifest }) => (manifest.metadata.namespace ?? '') === renamed(namespace),
    );
    const isOnly = same.length === 1 && byTypeBefore!.get(type)!.length === 1;
    const found =
      inPlace.get(object) ??
      onlyOf(within) ??
      onlyOf(named) ??
      onlyOf(alikeWithin(object, before, same, now)) ??
      (isOnly ? same[0] : undefined);
    if (!found) {
      return [];
    }
    taken.add(found);
    return [{ before: object, now: found }];
  });
  return [{ before: before.head, now: head }, ...more];
}

/** Those that contain the same as an object, apart from the names that leave with each. */
function alikeWithin<T extends Placed>(
  object: T,
  before: Belonging<T>,
  others: readonly T[],
  now: Belonging<T>,
): readonly T[] {
  const content = contentWithin(object, before);
  return others.filter((each) => contentWithin(each, now) === content);
}

function onlyOf<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Sets of numbers that are joined. */
class DisjointSets {
  private readonly parents: number[];

  constructor(size: number) {
    this.parents = Array.from({ length: size }, (_, at) => at);
  }

  public of(at: number): number {
    let root = at;
    while (this.parents[root] !== root) {
      root = this.parents[root] = this.parents[this.parents[root]!]!;
    }
    return root;
  }

  public join(one: number, other: number): void {
    this.parents[this.of(one)] = this.of(other);
  }
}
