import { createHash } from 'crypto';
import { ANNOTATION_ADOPTED, ANNOTATION_WAS_EMPTY, OwnedFields, ownedBy } from './managed-fields';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { LiveObject } from '../cluster/cluster';

/**
 * The identity of a program: it separates the program's inventory from other programs on the same
 * clusters.
 */
export interface App {
  readonly id: string;
  /** The field manager of its writes. */
  readonly fieldManager: string;
  /** The ConfigMap of its inventory on each target, and the Lease of its lock on one of them. */
  readonly parent: { readonly namespace: string; readonly name: string };
  /**
   * The inventory of earlier versions: tenants of a Harvester may write there, so it is not
   * trusted.
   */
  readonly formerParent: { readonly namespace: string; readonly name: string };
}

/** The app of programs without `--app`. */
export const DEFAULT_APP = 'default';

/**
 * Exists on every cluster, and no tenant may write to it: the inventory decides what the next apply
 * looks at.
 */
export const OWN_NAMESPACE = 'kube-system';

const FORMER_NAMESPACE = 'default';

/**
 * Keeps the name of the parent an RFC 1123 label, and the field manager below its limit of 128
 * characters.
 */
const APP_ID = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * The app with an ID. Two programs that write to the same cluster need different IDs, or each would
 * treat the other's objects as its own.
 */
export function appOf(id: string = DEFAULT_APP): App {
  if (!APP_ID.test(id)) {
    throw new Error(
      `--app: must be at most 40 lowercase letters, digits and hyphens, got ${JSON.stringify(id)}. Fix: use e.g. platform`,
    );
  }
  const name = `cdk8s-harvester-${id}`;
  return {
    id,
    fieldManager: id === DEFAULT_APP ? 'cdk8s-harvester' : `cdk8s-harvester.${id}`,
    parent: { namespace: OWN_NAMESPACE, name },
    formerParent: { namespace: FORMER_NAMESPACE, name },
  };
}

/** The app of a field manager; undefined for field managers of other tools. */
export function appOfManager(manager: string): App | undefined {
  const [, id = DEFAULT_APP] = /^cdk8s-harvester(?:\.(.+))?$/.exec(manager) ?? [undefined, ''];
  return APP_ID.test(id) ? appOf(id) : undefined;
}

/** The app whose inventory is the ConfigMap of a name; undefined for other ConfigMaps. */
export function appOfParent(name: string): App | undefined {
  const prefix = `${TOOL}-`;
  return name.startsWith(prefix) && APP_ID.test(name.slice(prefix.length))
    ? appOf(name.slice(prefix.length))
    : undefined;
}

/**
 * The labels and annotations of an ApplySet (KEP-3659), by which other tools recognize its members.
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
  /** Annotation on the parent: other namespaces than its own, sorted, separated by commas. */
  NAMESPACES: 'applyset.kubernetes.io/additional-namespaces',
  /** Label on the members. */
  PART_OF: 'applyset.kubernetes.io/part-of',
} as const;

/** The name of this tool in its parents: the part before the last slash. */
export const TOOL = 'cdk8s-harvester';

/** The ID of the ApplySet whose parent is the app's ConfigMap. */
export function applySetId({ parent }: Pick<App, 'parent'>): string {
  return idOf(parent);
}

/**
 * Whether an ApplySet belongs to an app: members keep the label of an earlier version until they
 * are written again.
 */
export function isSetOf(set: string, app: App): boolean {
  return set === applySetId(app) || set === idOf(app.formerParent);
}

/** Selects the members of an app. */
export function memberSelector(app: App): string {
  return `${APPLY_SET.PART_OF} in (${applySetId(app)},${idOf(app.formerParent)})`;
}

/** Whether a label is the one of an earlier version: not a reason to write the object. */
export function isFormerLabel(
  path: readonly unknown[],
  live: unknown,
  fieldManager: string,
): boolean {
  const app =
    path.length === 3 &&
    path[0] === 'metadata' &&
    path[1] === 'labels' &&
    path[2] === APPLY_SET.PART_OF
      ? appOfManager(fieldManager)
      : undefined;
  return app !== undefined && live === idOf(app.formerParent);
}

function idOf({ name, namespace }: App['parent']): string {
  return `applyset-${createHash('sha256').update(`${name}.${namespace}.ConfigMap.`).digest('base64url')}-v1`;
}

/** Whether an object is a member: objects that are reset or kept never have the label. */
export function isMember({ deletion }: Pick<AssemblyObject, 'deletion'>): boolean {
  return (deletion?.policy ?? 'delete') === 'delete';
}

/** The fix for an object that two programs declare. */
export const TAKE_OUT =
  'Fix: remove it from one of the programs; if the other program no longer exists, remove the label';

/**
 * The other ApplySet that an object is a member of, by app if it is one of this tool; undefined if
 * there is none.
 */
export function otherSetOf({ metadata }: LiveObject, fieldManager: string): string | undefined {
  const { labels = {}, managedFields = [] } = metadata;
  const [set, own] = [labels[APPLY_SET.PART_OF], appOfManager(fieldManager)];
  if (set === undefined || (own && isSetOf(set, own))) {
    return undefined;
  }
  const other = managedFields
    .map(({ manager }) => appOfManager(manager))
    .find((app) => app && isSetOf(set, app));
  return `${other ? `app ${other.id}` : 'another app'} (its label ${APPLY_SET.PART_OF} is ${set})`;
}

/**
 * Annotation on a Setting whose value its controller rewrites and then owns: it shows that this app
 * set the Setting.
 */
const ANNOTATION_APP = 'cdk8s-harvester/app';

/** The labels and annotations that an apply adds, which no program declares. */
export const OWN_MARKS: ReadonlySet<unknown> = new Set([
  APPLY_SET.PART_OF,
  ANNOTATION_APP,
  ANNOTATION_ADOPTED,
  ANNOTATION_WAS_EMPTY,
]);

/**
 * Adds what an apply adds to a manifest: the label of its members, and the annotation of Settings
 * whose value others rewrite.
 */
export function withMembership(app: App): (object: AssemblyObject, manifest: Manifest) => Manifest {
  const id = applySetId(app);
  return (object, manifest) => {
    const { metadata } = manifest;
    const set = metadata.labels?.[APPLY_SET.PART_OF];
    if (set !== undefined) {
      throw new Error(
        `${object.id}: must not declare the label ${APPLY_SET.PART_OF}, which apply sets, got ${set}. Fix: remove it from the program`,
      );
    }
    if (isMember(object)) {
      return {
        ...manifest,
        metadata: { ...metadata, labels: { ...metadata.labels, [APPLY_SET.PART_OF]: id } },
      };
    }
    const { deletion, othersWrite = [] } = object;
    return deletion?.policy === 'reset' && othersWrite.includes('value')
      ? {
          ...manifest,
          metadata: {
            ...metadata,
            annotations: { ...metadata.annotations, [ANNOTATION_APP]: app.id },
          },
        }
      : manifest;
  };
}

/** The annotations of the parent about its members. */
export function contentsOf(
  members: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
  }[],
  app: App,
): { readonly kinds: string; readonly namespaces: string } {
  const sorted = (texts: readonly string[]): string => [...new Set(texts)].sort(compare).join(',');
  return {
    kinds: sorted(
      members.map(({ apiVersion, kind }) =>
        groupOf(apiVersion) === '' ? kind : `${kind}.${groupOf(apiVersion)}`,
      ),
    ),
    namespaces: sorted(
      members.flatMap(({ namespace }) =>
        namespace && namespace !== app.parent.namespace ? [namespace] : [],
      ),
    ),
  };
}

/**
 * The mark of a member that a live object lacks: the label of the app, or fields of its field
 * manager; undefined if it has both.
 *
 * Only requests with permission to write the object can set these marks, but anyone who edits the
 * inventory could name any object there.
 */
export function missingMark(live: LiveObject, fieldManager: string): string | undefined {
  const app = appOfManager(fieldManager);
  const set = live.metadata.labels?.[APPLY_SET.PART_OF];
  if (!app || set === undefined || !isSetOf(set, app)) {
    return `does not have the label ${APPLY_SET.PART_OF} of this app`;
  }
  return ownedBy(live, fieldManager)
    ? undefined
    : `has no fields of the field manager ${fieldManager}`;
}

/** Whether the value of a Setting is the one that an app wrote, or what a controller made of it. */
export function isOurValue(live: LiveObject, fieldManager: string): boolean {
  const path = (kindOf<KindRemoval>(live)?.reset?.field ?? 'value').split('.');
  const owned = path.reduce<OwnedFields | undefined>(
    (fields, key) => fields?.fields.get(key),
    ownedBy(live, fieldManager),
  );
  return owned !== undefined || isRewrittenByOthers(live, fieldManager);
}

/** Whether a controller rewrote the app's value and now owns it: a reset then takes it by force. */
export function isRewrittenByOthers(live: LiveObject, fieldManager: string): boolean {
  const owned = ownedBy(live, fieldManager);
  return (
    owned?.fields.has('value') === false &&
    owned.fields.get('metadata')?.fields.get('annotations')?.fields.has(ANNOTATION_APP) === true
  );
}
