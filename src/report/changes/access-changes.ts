import { itemsAt, Manifest, objectId, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { JudgedObject, World } from '../../core/rule/rule';
import { compare } from '../../core/text/values';
import { outputChange } from '../../engine/read/output-change';
import { Input } from '../../engine/read/read-input';
import { whatLeaves } from '../../engine/read/what-leaves';
import { AUTH_CONFIG_KIND } from '../../rancher/auth/auth-config.kind';
import { AccessEntry, Right, accessMatrix } from '../access/access-matrix';
import { levelText, placeText } from '../access/access-text';

/** What a person, group, or ServiceAccount gains and loses at one place. */
export interface AccessChange {
  readonly kind: AccessEntry['who']['kind'];
  /** The name that people know. */
  readonly name: string;
  /** The principal ID, e.g. `okta_group://search`. */
  readonly principal: string;
  /** E.g. `project search on fra`. */
  readonly where: string;
  /** Roles, namespaces, or permissions. */
  readonly gains: readonly string[];
  readonly loses: readonly string[];
}

/** Who gains and who loses access by an edit: people and groups first. */
export function accessChanges(before: Input, after: Input): AccessChange[] {
  const was = accessMatrix(before.objects).entries;
  const is = accessMatrix([...after.objects, ...keptObjects(before, after)]).entries;
  const changes = [
    ...loginChanges(before, after),
    ...pairsOf(was, is).flatMap(([old, now]) => changeOf(old, now)),
  ];
  const isAccount = ({ kind }: AccessChange): number => Number(kind === 'service account');
  return changes.sort(
    (a, b) => isAccount(a) - isAccount(b) || compare(a.name, b.name) || compare(a.where, b.where),
  );
}

/** The objects that leave the output and remain on their clusters: they still give access. */
function keptObjects(before: Input, after: Input): JudgedObject[] {
  const becomes = whatLeaves(outputChange(before, after), before.assemblies);
  return before.objects.filter(
    ({ target, manifest }) => becomes.get(objectId(target.name, manifest))?.fate === 'kept',
  );
}

/** What a subject had and has at a place; one side is undefined where it has nothing. */
type Pair = readonly [was: AccessEntry | undefined, is: AccessEntry | undefined];

/**
 * The entries of both sides about the same place: by its ID, since people keep what they had under
 * another name, and then by its name, since they keep it in a cluster that has another ID.
 */
function pairsOf(was: readonly AccessEntry[], is: readonly AccessEntry[]): Pair[] {
  const same = matched(was, is, idOf);
  const paired = new Set(same.flat());
  const [old, now] = [was, is].map((entries) => entries.filter((entry) => !paired.has(entry)));
  const named = matched(old!, now!, nameOf);
  named.flat().forEach((entry) => paired.add(entry));
  return [
    ...same,
    ...named,
    ...old!.filter((entry) => !paired.has(entry)).map((entry): Pair => [entry, undefined]),
    ...now!.filter((entry) => !paired.has(entry)).map((entry): Pair => [undefined, entry]),
  ];
}

/** The entries of both sides that have the same key. */
function matched(
  was: readonly AccessEntry[],
  is: readonly AccessEntry[],
  keyOf: (entry: AccessEntry) => string,
): (readonly [AccessEntry, AccessEntry])[] {
  const now = new Map(is.map((entry) => [keyOf(entry), entry]));
  return was.flatMap((entry) => {
    const key = keyOf(entry);
    const match = now.get(key);
    now.delete(key);
    return match ? [[entry, match] as const] : [];
  });
}

function idOf({ who, where }: AccessEntry): string {
  const { kind, cluster, project, name, environment } = where;
  // the name of a cluster is only shown; that of a namespace is its ID
  const own = kind === 'cluster' ? undefined : (project ?? name);
  return JSON.stringify([who.kind, who.principal, kind, environment, cluster, own]);
}

function nameOf({ who, where }: AccessEntry): string {
  return JSON.stringify([who.kind, who.principal, placeText(where)]);
}

function changeOf(was: AccessEntry | undefined, is: AccessEntry | undefined): AccessChange[] {
  const { who, where } = (is ?? was)!;
  const [roles, now] = [was, is].map((entry) => rolesOf(entry));
  const [places, nowPlaces] = [was, is].map((entry) => namespacesOf(entry));
  const isSameRole = was !== undefined && is !== undefined && sameTexts(roles!, now!);
  const [rights, nowRights] = isSameRole ? [rightsOf(was.may), rightsOf(is.may)] : [[], []];
  const gains = [
    ...without(now!, roles!),
    ...(was ? without(nowPlaces!, places!) : []),
    ...without(nowRights, rights),
  ];
  const loses = [
    ...without(roles!, now!),
    ...(is ? without(places!, nowPlaces!) : []),
    ...without(rights, nowRights),
  ];
  if (gains.length + loses.length === 0) {
    return [];
  }
  return [
    {
      kind: who.kind,
      name: who.name,
      principal: who.principal,
      where: placeText(where),
      gains,
      loses,
    },
  ];
}

function rolesOf(entry: AccessEntry | undefined): string[] {
  return [...new Set((entry?.roles ?? []).map(({ name }) => name))];
}

function namespacesOf(entry: AccessEntry | undefined): string[] {
  return entry?.where.kind === 'project'
    ? (entry.where.namespaces ?? []).map((name) => `namespace ${name}`)
    : [];
}

function rightsOf(may: readonly Right[]): string[] {
  return may.map((right) => `${right.label}: ${levelText(right)}`);
}

function without(texts: readonly string[], others: readonly string[]): string[] {
  return texts.filter((text) => !others.includes(text));
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return without(one, other).length + without(other, one).length === 0;
}

/** Who may log in by a provider that allows only some. */
function loginChanges(before: Input, after: Input): AccessChange[] {
  const [was, is] = [before, after].map(
    ({ objects }) =>
      new Map(
        new World(objects, [])
          .ofKind(GROUPS.MANAGEMENT, AUTH_CONFIG_KIND)
          .map(({ manifest }) => [objectLabel(manifest), manifest] as const),
      ),
  );
  return [...is!].flatMap(([label, now]) => {
    const old = was!.get(label);
    const [once, today] = [old, now].map((each) => allowed(each));
    const where = `login by ${now.metadata.name}`;
    const changed = (principal: string, part: 'gains' | 'loses'): AccessChange => ({
      kind: /group/i.test(principal.split('://')[0]!) ? 'group' : 'user',
      name: principal.split('://').slice(1).join('://') || principal,
      principal,
      where,
      gains: part === 'gains' ? ['may log in'] : [],
      loses: part === 'loses' ? ['may log in'] : [],
    });
    if (old === undefined) {
      return [];
    }
    return [
      ...without(today!, once!).map((principal) => changed(principal, 'gains')),
      ...without(once!, today!).map((principal) => changed(principal, 'loses')),
    ];
  });
}

function allowed(manifest: Manifest | undefined): string[] {
  return itemsAt(manifest, 'allowedPrincipalIds').filter(
    (item): item is string => typeof item === 'string',
  );
}
