import { createHash } from 'crypto';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { LiveObject } from '../cluster/cluster';
import { ownedBy } from '../fields/owned-fields';

/** What the objects of one program are kept apart by from those of others on the same clusters. */
export interface App {
  readonly id: string;
  /** Who has the fields that it writes. */
  readonly fieldManager: string;
  /** The ConfigMap of its inventory on every target, and its lock on one of them. */
  readonly parent: { readonly namespace: string; readonly name: string };
  /** Where earlier versions kept the inventory: tenants of a Harvester may write there, so it is no more than a hint. */
  readonly formerParent: { readonly namespace: string; readonly name: string };
}

/** The app of programs that name none. */
export const DEFAULT_APP = 'default';

/** On every cluster, and no tenant gets it: whoever writes the inventory chooses what the next apply looks at. */
export const OWN_NAMESPACE = 'kube-system';

const FORMER_NAMESPACE = 'default';

/** The name of the parent stays a label of RFC 1123, the name of the manager below its limit of 128. */
const APP_ID = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * The app of a name. Two programs that write to the same cluster must have two names, or each would take for its own what the other wrote.
 */
export function appOf(id: string = DEFAULT_APP): App {
  if (!APP_ID.test(id)) {
    throw new Error(`--app: got ${JSON.stringify(id)}, expected at most 40 lower-case letters, digits and dashes, e.g. platform`);
  }
  const name = `cdk8s-harvester-${id}`;
  return {
    id,
    fieldManager: id === DEFAULT_APP ? 'cdk8s-harvester' : `cdk8s-harvester.${id}`,
    parent: { namespace: OWN_NAMESPACE, name },
    formerParent: { namespace: FORMER_NAMESPACE, name },
  };
}

/** The app that a field manager is of; undefined for managers that are none of ours. */
export function appOfManager(manager: string): App | undefined {
  const [, id = DEFAULT_APP] = /^cdk8s-harvester(?:\.(.+))?$/.exec(manager) ?? [undefined, ''];
  return APP_ID.test(id) ? appOf(id) : undefined;
}

/**
 * The labels and annotations of an ApplySet (KEP-3659), by which other tools see what belongs together.
 *
 * @see kubernetes/kubernetes:staging/src/k8s.io/kubectl/pkg/cmd/apply/applyset.go
 */
export const APPLY_SET = {
  /** Label on the parent. */
  ID: 'applyset.kubernetes.io/id',
  /** Annotation on the parent: `<tool>/<version>`. */
  TOOLING: 'applyset.kubernetes.io/tooling',
  /** Annotation on the parent: `Kind.group`, sorted, separated by commas. */
  KINDS: 'applyset.kubernetes.io/contains-group-kinds',
  /** Annotation on the parent: namespaces but its own, sorted, separated by commas. */
  NAMESPACES: 'applyset.kubernetes.io/additional-namespaces',
  /** Label on the members. */
  PART_OF: 'applyset.kubernetes.io/part-of',
} as const;

/** The name of this tool in its parents; what stands before the last slash. */
export const TOOL = 'cdk8s-harvester';

/** The id of the set whose parent is a ConfigMap. */
export function applySetId({ parent }: Pick<App, 'parent'>): string {
  return idOf(parent);
}

/** Whether a set is the one of an app: members keep the label that an earlier version gave them until they are written again. */
export function isSetOf(set: string, app: App): boolean {
  return set === applySetId(app) || set === idOf(app.formerParent);
}

/** Selects the members of an app. */
export function memberSelector(app: App): string {
  return `${APPLY_SET.PART_OF} in (${applySetId(app)},${idOf(app.formerParent)})`;
}

/** Whether a label still names the set as an earlier version did: no reason to write the object. */
export function isFormerLabel(path: readonly unknown[], live: unknown, fieldManager: string): boolean {
  const app = path.length === 3 && path[0] === 'metadata' && path[1] === 'labels' && path[2] === APPLY_SET.PART_OF ? appOfManager(fieldManager) : undefined;
  return app !== undefined && live === idOf(app.formerParent);
}

function idOf({ name, namespace }: App['parent']): string {
  return `applyset-${createHash('sha256').update(`${name}.${namespace}.ConfigMap.`).digest('base64url')}-v1`;
}

/** Whether an object is a member: those that are only taken back or left alone are never to be found by the label. */
export function isMember({ deletion }: Pick<AssemblyObject, 'deletion'>): boolean {
  return (deletion?.policy ?? 'delete') === 'delete';
}

/** What to do about an object that two programs declare. */
export const TAKE_OUT = 'take it out of one of the programs; where the other one is gone for good, take the label away';

/** Whose member an object is, where it is another set's: by its name, where that is an app of this tool. */
export function otherSetOf({ metadata: { labels = {}, managedFields = [] } }: LiveObject, fieldManager: string): string | undefined {
  const [set, own] = [labels[APPLY_SET.PART_OF], appOfManager(fieldManager)];
  if (set === undefined || (own && isSetOf(set, own))) { return undefined; }
  const other = managedFields.map(({ manager }) => appOfManager(manager)).find((app) => app && isSetOf(set, app));
  return `${other ? `app ${other.id}` : 'another app'} (its label ${APPLY_SET.PART_OF} is ${set})`;
}

/**
 * Annotation on a Setting whose value its controller rewrites and then owns: it stays ours, so that the Setting is still known as one that this app set.
 */
export const ANNOTATION_APP = 'cdk8s-harvester/app';

/** What an apply adds to a manifest: the label of its members, and the annotation of Settings whose value others rewrite. */
export function asMember(app: App): (object: AssemblyObject, manifest: Manifest) => Manifest {
  const id = applySetId(app);
  return (object, manifest) => {
    const { metadata } = manifest;
    const set = metadata.labels?.[APPLY_SET.PART_OF];
    if (set !== undefined) { throw new Error(`${object.id}: its manifest has the label ${APPLY_SET.PART_OF} already (${set}), which only an apply sets; take it out of the program`); }
    if (isMember(object)) { return { ...manifest, metadata: { ...metadata, labels: { ...metadata.labels, [APPLY_SET.PART_OF]: id } } }; }
    const { deletion, othersWrite = [] } = object;
    return deletion?.policy === 'reset' && othersWrite.includes('value')
      ? { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION_APP]: app.id } } } : manifest;
  };
}

/** What the parent says of its members. */
export function contentsOf(
  members: readonly { readonly apiVersion: string; readonly kind: string; readonly namespace?: string }[], app: App,
): { readonly kinds: string; readonly namespaces: string } {
  const sorted = (texts: readonly string[]): string => [...new Set(texts)].sort(compare).join(',');
  return {
    kinds: sorted(members.map(({ apiVersion, kind }) => (groupOf(apiVersion) === '' ? kind : `${kind}.${groupOf(apiVersion)}`))),
    namespaces: sorted(members.flatMap(({ namespace }) => (namespace && namespace !== app.parent.namespace ? [namespace] : []))),
  };
}

/**
 * What a live object lacks of the marks of a member: the label of the app, and fields of its field manager. Undefined where it carries both.
 *
 * Only servers write these marks, on requests of those who may write the object. An inventory is a list of names, and whoever edits it could name anything.
 */
export function missingMark(live: LiveObject, fieldManager: string): string | undefined {
  const app = appOfManager(fieldManager);
  const set = live.metadata.labels?.[APPLY_SET.PART_OF];
  if (!app || set === undefined || !isSetOf(set, app)) { return `does not carry the label ${APPLY_SET.PART_OF} of this app`; }
  return ownedBy(live, fieldManager) ? undefined : `has no fields of the field manager ${fieldManager}`;
}

/** Whether the value of a Setting is what an app wrote, or what a controller made of it. */
export function isOurValue(live: LiveObject, fieldManager: string): boolean {
  return ownedBy(live, fieldManager)?.fields.has('value') === true || isRewritten(live, fieldManager);
}

/** Whether a controller rewrote the value that an app wrote, and owns it since: taking it back is no conflict. */
export function isRewritten(live: LiveObject, fieldManager: string): boolean {
  const owned = ownedBy(live, fieldManager);
  return owned?.fields.has('value') === false && owned.fields.get('metadata')?.fields.get('annotations')?.fields.has(ANNOTATION_APP) === true;
}
