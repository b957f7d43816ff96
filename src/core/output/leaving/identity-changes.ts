import { MAIN, Placed } from './leaving-groups';
import { annotationsOf, groupOf, kindKey, objectId, valueAt } from '../../manifest/manifest';
import { GROUPS } from '../../manifest/names';
import { some } from '../../text/plain-text';
import { escapeRegExp, grouped } from '../../text/values';

/** What names many objects, and is another one in the new output. */
export interface IdentityChange {
  readonly what: 'management cluster ID' | 'target';
  readonly from: string;
  readonly to: string;
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
    ({ manifest: { apiVersion, kind } }) => kindKey(groupOf(apiVersion), kind) === CLUSTER,
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
    ...targets.map((each) => ({ what: 'target' as const, ...each })),
    ...ids.map((each) => ({ what: 'management cluster ID' as const, ...each })),
  ];
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

/** The construct of an object that is not named by a hash. */
function placeOf({ target, manifest, construct = '' }: Placed): string | undefined {
  const isNamed = MAIN.test(construct) || manifest.kind === 'Namespace';
  return isNamed ? `${target} ${manifest.kind} ${construct}` : undefined;
}

/** The namespace of an object, or that it is. */
function namespaceOf({ manifest: { apiVersion, kind, metadata } }: Placed): string | undefined {
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
    ({ manifest: { apiVersion, kind, metadata } }) =>
      kindKey(groupOf(apiVersion), kind) === PROJECT && metadata.namespace === namespace,
  );
}

const PROJECT = kindKey(GROUPS.MANAGEMENT, 'Project');
const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');

/** Whether an identity is in a text, as a word or the beginning of one. */
export function namesIdentity({ from }: IdentityChange, text: string): boolean {
  return new RegExp(`(?<![a-z0-9])${escapeRegExp(from)}(?![a-z0-9])`).test(text);
}

/** Whether an object that leaves has its name by an identity that changed. */
export function isNamedBy(
  change: IdentityChange,
  { target, manifest: { metadata } }: Placed,
): boolean {
  return change.what === 'target'
    ? target === change.from
    : [metadata.namespace, metadata.name].some(
        (text) => text !== undefined && namesIdentity(change, text),
      );
}

/** What changed, as the cause of all that follows from it. */
export function identityCause(changes: readonly IdentityChange[]): string {
  return [...grouped(changes, ({ what }) => what)]
    .map(([what, own]) => {
      const names = some(own.map(({ from, to }) => `${from} is ${to} now`));
      return `the ${what}${own.length > 1 ? 's' : ''} changed: ${names}`;
    })
    .join('; ');
}

/** How to keep the identity, to start again, or to accept another one. */
export function identityFix(changes: readonly IdentityChange[]): string {
  const keeps = [...grouped(changes, ({ what }) => what)].map(([what, own]) => KEEPS[what](own));
  return `to keep all objects, ${keeps.join(', and ')}; if nothing of the program is applied yet, delete the output folder and synthesize again`;
}

const KEEPS: {
  readonly [what in IdentityChange['what']]: (changes: readonly IdentityChange[]) => string;
} = {
  'management cluster ID': (changes) =>
    `restore idSalt of the app, or set clusterId of the ${changes.length > 1 ? 'clusters' : 'cluster'} to ${changes.map(({ from }) => `ClusterId.fixed('${from}')`).join(' and ')}`,
  'target': (changes) =>
    `set targetName of ${changes.map(({ from, to }) => `the chart ${to} to '${from}'`).join(' and ')}`,
};
