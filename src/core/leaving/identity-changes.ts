import { Belonging, MAIN, Placed, Renamed } from './leaving-groups';
import { isLate } from '../late/late-token';
import { annotationsOf, groupOf, idOf, kindKey, objectId, valueAt } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';
import { some } from '../text/plain-text';
import { escapeRegExp, grouped } from '../text/values';

/** What names many objects, and is another one in the new output. */
export interface IdentityChange {
  readonly what: 'management cluster ID' | 'target' | 'namespace';
  readonly from: string;
  readonly to: string;
  /** The target of a namespace. @default - all of them */
  readonly target?: string;
  /**
   * Names that follow from that of a target: of the Cluster by which Rancher knows it, and its ID.
   * @default - none
   */
  readonly follow?: readonly string[];
}

/** Both sides of a comparison. */
interface Both {
  readonly gone: readonly Placed[];
  readonly come: readonly Placed[];
  /** The IDs of all objects of the previous output. */
  readonly existed: ReadonlySet<string>;
  readonly after: readonly Placed[];
}

/**
 * The identities that changed as a whole: all objects of a target, or of a cluster, have other
 * names, as their constructs are where they were.
 */
export function identityChanges({ gone, come, existed, after }: Both): IdentityChange[] {
  if (gone.length === 0 || come.length === 0) {
    return [];
  }
  const before = [...existed];
  const hadTarget = (target: string): boolean => before.some((id) => id.startsWith(`${target}/`));
  const clusters = gone.filter(
    ({ manifest }) => kindKey(groupOf(manifest.apiVersion), manifest.kind) === CLUSTER,
  );
  // a guest cluster that is renamed is the cause of what is in it
  const isGuest = (target: string): boolean =>
    clusters.some(
      ({ manifest }) =>
        manifest.metadata.name === target && valueAt(manifest, 'spec', 'rkeConfig') !== undefined,
    );
  const isOfRenamed = (id: string): boolean =>
    clusters.some(({ manifest }) => Object.values(annotationsOf(manifest)).includes(id));
  const targets = pairsOf(gone, come, keyWithoutTarget, ({ target }) => target).filter(
    ({ from, to }) =>
      !after.some(({ target }) => target === from) && !hadTarget(to) && !isGuest(from),
  );
  const ids = pairsOf(gone, come, placeOf, namespaceOf).filter(
    ({ from, to }) =>
      isOfCluster(from, gone) &&
      !isOfRenamed(from) &&
      !after.some((object) => namespaceOf(object) === from) &&
      !before.some((id) => namespaceIn(id) === to),
  );
  return [
    ...targets.map((each) => ({
      what: 'target' as const,
      ...each,
      follow: clusters
        .filter(({ manifest }) => manifest.metadata.name === each.from)
        .flatMap(({ manifest }) => [each.from, ...Object.values(annotationsOf(manifest))])
        .filter((name): name is string => typeof name === 'string' && NAME.test(name)),
    })),
    ...ids.map((each) => ({ what: 'management cluster ID' as const, ...each })),
    ...(targets.length + ids.length > 0 ? [] : namespaceChanges({ gone, come, existed, after })),
  ];
}

/**
 * The namespaces of which all objects are in another one now: objects of the same constructs have
 * the same kinds and names there.
 */
function namespaceChanges({ gone, come, existed, after }: Both): IdentityChange[] {
  const targets = new Set(gone.map(({ target }) => target));
  // that of a project that is renamed follows from its name
  const ofProjects = new Set(
    gone
      .filter(isProject)
      .map(({ manifest }) => manifest.metadata)
      .map(({ namespace, name }) => `${namespace}-${name}`),
  );
  return [...targets].flatMap((target) => {
    const [before, now] = [gone, come].map((objects) =>
      objects.filter((object) => object.target === target),
    );
    const remaining = new Set(
      after.filter((object) => object.target === target).map((object) => namespaceOf(object)),
    );
    const had = new Set(
      [...existed].filter((id) => id.startsWith(`${target}/`)).map((id) => namespaceIn(id)),
    );
    return pairsOf(
      before!,
      now!,
      keyWithoutNamespace,
      ({ manifest }) => manifest.metadata.namespace,
    )
      .filter(({ from, to }) => !remaining.has(from) && !had.has(to) && !ofProjects.has(from))
      .map((each) => ({ what: 'namespace' as const, target, ...each }));
  });
}

/** What objects at the same place have in common on one side, and on the other. */
function pairsOf(
  gone: readonly Placed[],
  come: readonly Placed[],
  placed: (object: Placed) => string | undefined,
  identity: (object: Placed) => string | undefined,
): { readonly from: string; readonly to: string }[] {
  const now = grouped(come, placed);
  const pairs = new Map<string, Set<string>>();
  for (const object of gone) {
    const [place, from] = [placed(object), identity(object)];
    const [other, ...others] = place === undefined ? [] : (now.get(place) ?? []);
    const to = other && identity(other);
    if (others.length === 0 && from !== undefined && to !== undefined && from !== to) {
      pairs.set(from, (pairs.get(from) ?? new Set()).add(to));
    }
  }
  return [...pairs].flatMap(([from, tos]) => {
    const [to, ...others] = [...tos];
    return to !== undefined && others.length === 0 ? [{ from, to }] : [];
  });
}

function keyWithoutTarget({ manifest }: Placed): string {
  return objectId('', manifest);
}

/** What an object of a construct is in any namespace. Undefined for one that is in none. */
function keyWithoutNamespace({ manifest, construct }: Placed): string | undefined {
  const { apiVersion, kind, metadata } = manifest;
  return metadata.namespace === undefined || construct === undefined || !MAIN.test(construct)
    ? undefined
    : `${kindKey(groupOf(apiVersion), kind)} ${metadata.name} ${construct}`;
}

/** The construct of an object that is not named by a hash. */
function placeOf({ target, manifest, construct = '' }: Placed): string | undefined {
  const isNamed = MAIN.test(construct) || manifest.kind === 'Namespace';
  return isNamed ? `${target} ${manifest.kind} ${construct}` : undefined;
}

/** The namespace of an object, or that it is. */
function namespaceOf({ manifest }: Placed): string | undefined {
  const { apiVersion, kind, metadata } = manifest;
  return kind === 'Namespace' && apiVersion === 'v1' ? metadata.name : metadata.namespace;
}

/** The namespace in the ID of an object, or that it is. */
function namespaceIn(id: string): string | undefined {
  const [, group, kind, namespace, name] = id.split('/');
  return group === '' && kind === 'Namespace' ? name : namespace;
}

/** Whether a namespace of Rancher is that of a cluster: it contains its projects. */
function isOfCluster(namespace: string, objects: readonly Placed[]): boolean {
  return objects.some(
    (object) => isProject(object) && object.manifest.metadata.namespace === namespace,
  );
}

function isProject({ manifest }: Placed): boolean {
  const { apiVersion, kind } = manifest;
  return kindKey(groupOf(apiVersion), kind) === PROJECT;
}

const PROJECT = kindKey(GROUPS.MANAGEMENT, 'Project');
const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');
/** A name, e.g. the management cluster ID in an annotation. */
const NAME = /^[a-z][a-z0-9-]+$/;

/** Whether an identity is in a text, as a word or the beginning of one. */
function namesIdentity({ from }: IdentityChange, text: string): boolean {
  return new RegExp(patternOfName(from)).test(text);
}

/** A pattern of a name as a word, or the beginning of one. */
export function patternOfName(name: string): string {
  return `(?<![a-z0-9])${escapeRegExp(name)}(?![a-z0-9])`;
}

/** Whether an object that leaves has its name by an identity that changed. */
export function isNamedBy(change: IdentityChange, { target, manifest }: Placed): boolean {
  const { metadata } = manifest;
  if (change.what === 'target' && target === change.from) {
    return true;
  }
  if (change.what === 'target') {
    const names = [metadata.namespace, metadata.name].filter((text) => text !== undefined);
    return (change.follow ?? []).some((from) =>
      names.some((text) => new RegExp(patternOfName(from)).test(text)),
    );
  }
  if (change.what === 'namespace') {
    return isInNamespace(change, change.from, { target, manifest });
  }
  return [metadata.namespace, metadata.name].some(
    (text) => text !== undefined && namesIdentity(change, text),
  );
}

/** Whether an object is in the namespace of a change, or is that namespace. */
function isInNamespace(change: IdentityChange, namespace: string, object: Placed): boolean {
  return object.target === change.target && namespaceOf(object) === namespace;
}

/** The objects of namespaces that have other names, and what they are now, by their groups. */
export function inNamespaces<T extends Placed>(
  changes: readonly IdentityChange[],
  groups: readonly Belonging<T>[],
  come: readonly T[],
): [Belonging<T>, readonly Renamed<T>[]][] {
  const namespaces = changes.filter(({ what }) => what === 'namespace');
  const now = new Map(
    namespaces.flatMap((change) =>
      come
        .filter((object) => isInNamespace(change, change.to, object))
        .map((object) => [keyWithin(change, object), object] as const),
    ),
  );
  const nowOf = (object: T): T | undefined => {
    const change = namespaces.find((each) => isInNamespace(each, each.from, object));
    return change && now.get(keyWithin(change, object));
  };
  return groups.flatMap((group): [Belonging<T>, readonly Renamed<T>[]][] => {
    const pairs = group.objects.flatMap((before) => {
      const other = nowOf(before);
      return other ? [{ before, now: other }] : [];
    });
    return pairs.length > 0 ? [[group, pairs]] : [];
  });
}

/** What an object is in a namespace that has another name; that namespace has no name of its own. */
function keyWithin({ target, from }: IdentityChange, { manifest }: Placed): string {
  const { apiVersion, kind, metadata } = manifest;
  const name = metadata.namespace === undefined ? '' : metadata.name;
  return idOf(target ?? '', groupOf(apiVersion), kind, from, name);
}

/** Whether the ID of an object is that of one in a namespace that has another name. */
export function isIdIn({ target, from, to }: IdentityChange, id: string): boolean {
  const namespace = namespaceIn(id);
  return id.startsWith(`${target}/`) && (namespace === from || namespace === to);
}

/** What changed, as the cause of all that follows from it. */
export function identityCause(changes: readonly IdentityChange[]): string {
  return [...grouped(changes, ({ what }) => what)]
    .map(([what, own]) => {
      const names = some(
        own.map(({ from, to, target }) => `${from}${target ? ` on ${target}` : ''} is ${to} now`),
      );
      return `the ${what}${own.length > 1 ? 's' : ''} changed: ${names}`;
    })
    .join('; ');
}

/**
 * How to keep the identity, to start again, or to accept another one.
 *
 * @param hasEngine whether an engine delivers the previous output
 */
export function identityFix(changes: readonly IdentityChange[], hasEngine: boolean): string {
  const keeps = [...grouped(changes, ({ what }) => what)].map(([what, own]) => KEEPS[what](own));
  return [
    `to keep all objects, ${keeps.join(', and ')}`,
    ...sameClusterFix(changes, hasEngine),
    'if nothing of the program is applied yet, delete the output folder and synthesize again',
  ].join('; ');
}

/** What to do where the ID was a late value, and is written now: mostly that of the same cluster. */
function sameClusterFix(changes: readonly IdentityChange[], hasEngine: boolean): string[] {
  const ids = changes.filter(wasLate).map(({ to }) => to);
  if (ids.length === 0) {
    return [];
  }
  const is = ids.length > 1 ? 'are the IDs of the same clusters' : 'is the ID of the same cluster';
  const keep = hasEngine
    ? 'deliver Retention.of(<tenant>).retain() first, then this change: projects remain'
    : 'accept the removals: apply keeps the projects';
  return [`if ${some(ids)} ${is}, ${keep}, and bindings of members get other names`];
}

function wasLate({ what, from }: IdentityChange): boolean {
  return what === 'management cluster ID' && isLate(from);
}

const KEEPS: {
  readonly [what in IdentityChange['what']]: (changes: readonly IdentityChange[]) => string;
} = {
  'management cluster ID': (changes) => {
    const fixed = changes.filter((change) => !wasLate(change));
    const late = changes.filter(wasLate);
    return [
      ...(fixed.length > 0 ? [keepsIds(fixed)] : []),
      ...(late.length > 0
        ? [`find the ${clusterWord(late)} as before, e.g. with fromDisplayName`]
        : []),
    ].join(', and ');
  },
  'target': (changes) =>
    `set targetName of ${changes.map(({ from, to }) => `the chart ${to} to '${from}'`).join(' and ')}`,
  'namespace': (changes) =>
    `name ${changes.map(({ from, to }) => `the namespace ${to} '${from}' again`).join(' and ')}`,
};

function keepsIds(changes: readonly IdentityChange[]): string {
  const ids = changes.map(({ from }) => `ClusterId.fixed('${from}')`).join(' and ');
  return `restore idSalt of the app, or set clusterId of the ${clusterWord(changes)} to ${ids}`;
}

function clusterWord({ length }: readonly IdentityChange[]): string {
  return length > 1 ? 'clusters' : 'cluster';
}
