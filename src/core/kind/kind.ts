import { HealthRule } from './health';
import { NamedObject, ReadyContext, ReadyRule } from './readiness';
import { TargetKind } from '../app/target';
import { ImmutableFields } from '../immutable/immutable-fields';
import { isLate } from '../late/late-token';
import { FieldPath, Manifest } from '../manifest/manifest';
import { StageRule } from '../stage/stage-place';
import { GateId } from '../version/feature-gate';
import { StructuredText } from '../yaml/structured-text';

/** Everything that is known of one kind of object. `src/registry/all-kinds.ts` lists them; nothing else in the library does. */
export interface KindDescription {
  /** The API group; the core group is `''`. */
  readonly group: string;
  /** The API version that is written and read. */
  readonly version: string;
  readonly kind: string;
  /** The resource, as roles and URLs name it. @default - the plural of the kind */
  readonly resource?: string;
  readonly scope: 'Cluster' | 'Namespaced';
  /** The targets that serve the kind. @default - every Kubernetes cluster may serve it */
  readonly targets?: readonly TargetKind[];
  /** The gate of the product versions that serve the kind. @default - all supported versions serve it */
  readonly served?: GateId;
  /** Prefix of the files of the kind and its place in `kubectl apply -f folder`: 0 to 99, the objects that others need first. */
  readonly rank: number;
  /** The rank of a single object; undefined for the rank of the kind. @default - all objects of the kind have its rank */
  readonly rankOf?: (manifest: Manifest) => number | undefined;
  /** Whether and how the content refers to other objects. @default - by the fields that `namedBy` of other kinds lists */
  readonly refers?: 'nothing' | 'also to its own kind';
  /** References that no single field names, e.g. those within JSON. @default - none */
  readonly references?: (manifest: Manifest) => readonly FoundReference[];
  /** How other objects of the same cluster name an object of the kind. @default - not by a field of their own */
  readonly namedBy?: NamedBy;
  /** Fields that controllers and webhooks write: not a change where the program does not set them. @default - only the fields of every object */
  readonly writtenByOthers?: readonly string[];
  /** Fields that keep the values of the creation: a change is refused, or has no effect. @default - all fields can be changed */
  readonly immutable?: readonly ImmutableFields[];
  /** When an object is ready. @default - by the conditions that most controllers agree on, within 5 minutes */
  readonly ready?: ReadyRule;
  /**
   * Whether every GitOps engine applies objects of the kind before those that need them, within one apply.
   *
   * @default false
   * @see argoproj/argo-cd:gitops-engine/pkg/sync/sync_tasks.go kindOrder; helm/helm:pkg/release/util/kind_sorter.go InstallOrder;
   * fluxcd/cli-utils:pkg/ordering/sort.go
   */
  readonly appliedFirst?: boolean;
  /** The stage in which a GitOps engine delivers an object: never by what else is in the program. @default - by rank and scope */
  readonly stage?: StageRule;
  /** When later stages of a delivery can go on. @default - once the object exists */
  readonly health?: HealthRule;
  /**
   * The kinds, as `group/Kind`, of which a webhook looks up the objects that an object refers to: it refuses the object before they exist.
   * @default - only those that `passing` misses
   */
  readonly looksUp?: readonly string[];
  /** The object that a controller makes from one of the kind: who refers to that one needs this one. @default - none that others refer to */
  readonly makes?: (manifest: Manifest) => MadeObject | undefined;
  /** Objects that a webhook looks up although the object does not name them. @default - none */
  readonly looksAt?: LookedAt;
  /** Why an engine that compares an object repeatedly would write it indefinitely; undefined for one that comes to rest. @default - it comes to rest */
  readonly unsettled?: (manifest: Manifest) => Unsettled | undefined;
  /** An object in the form in which the product stores it, so that an engine has nothing to write again. @default - as it was written */
  readonly asStored?: (manifest: Manifest) => Manifest;
  /** Refusals that pass by themselves: the request is right, and too early. They are retried until the deadline. @default - none */
  readonly passing?: readonly PassingRefusal[];
  /**
   * The fix for a refusal that lasts until something else changes, by the server's words; undefined for other refusals. A reset that is refused so
   * is left for a later run. @default - all refusals are failures without a known fix
   */
  readonly notYet?: (words: string) => string | undefined;
  /** Whether servers need some time before they allow what a new object grants. @default false */
  readonly grantsAccess?: boolean;
  /** Whether it gives permissions: a server lets no one give a permission that he does not have. @default - it gives none */
  readonly access?: 'role' | 'binding';
  /** Whether people log in with it, so that it is deleted with their access, whatever is kept. @default false */
  readonly isLogin?: boolean;
  /** Whether it names cloud credentials and the Secrets of machine configs. @default false */
  readonly usesCredentials?: boolean;
  /** The name of an object that every server of the kind has: a list without it is incomplete. @default - no such object is known */
  readonly alwaysThere?: string;
  /** How to keep an object in its file that now waits for a late value of an object of this kind. @default - by resolving the late value */
  readonly lateFix?: (name: string, before: Manifest) => string | undefined;
  /** Whether Rancher creates each object of the kind by itself. @default false */
  readonly createdByRancher?: boolean;
  /** Whether Rancher generates an ID for an object, which other objects, tokens and namespaces contain in their names. @default false */
  readonly hasGeneratedId?: boolean;
  /** Whether it runs something: objects without a controller are lost with their namespace. @default false */
  readonly isWorkload?: boolean;
  /** Whether Rancher can remove the machines of a guest cluster without the object of a name. @default - it may need the object */
  readonly machinesGoWithout?: (name: string) => boolean;
  /** Permissions that an apply needs beyond those to write the object. @default - none */
  readonly permissions?: (manifest: Manifest) => readonly NeededPermission[];
  /** Why an object must not be written in a dry run; undefined where it may be. @default - it may be */
  readonly untriable?: (manifest: Manifest) => string | undefined;
  /** Why the words of a refused dry run say nothing of a real apply; undefined where they do. @default - they do */
  readonly onlyInDryRun?: (words: string) => string | undefined;
  /** Whether the product reads a value of a live object as the value of the program. @default - only where they are equal */
  readonly meansTheSame?: (live: Manifest, path: string, before: unknown, desired: unknown) => boolean;
  /** Fields whose values are JSON or YAML: a live text with the same value is kept, whatever its layout. @default - texts are compared as they are */
  readonly texts?: readonly StructuredText[];
  /** How secret the value of a field is, where its keys do not show it. @default - by the keys of its path */
  readonly secrecyOf?: (path: FieldPath, manifest: Manifest) => 'private' | 'public' | undefined;
  /** Keeps values of the live object where the program only derived one. @default - derived values are applied */
  readonly keepLive?: (manifest: Manifest, live: Manifest, derived: readonly string[]) => KeptValues;
  /** How an object that is never deleted gets its default again. @default - by an empty value */
  readonly reset?: Reset;
  /** A value that the server accepts only once, whatever the name of the object. @default - only the name is unique */
  readonly unique?: UniqueValue;
  /** What is lost when an object is deleted: the first row that applies. @default - the object can be recreated without a loss */
  readonly holds?: readonly Holding[];
  /** Why an apply never creates an object of the kind, and what to do: it exists, or something else creates it. @default - an apply creates it */
  readonly neverCreated?: { readonly says: string; readonly fix: string };
  /** Objects that belong to the server and are kept by default. @default - no object is kept by default */
  readonly kept?: readonly KeptObjects[];
  /** What others keep of an object that they made before the program. @default - nothing that gives them permissions */
  readonly power?: Power;
}

/** Users below administrators, as `docs/security.md` describes them. */
export type LesserRole = 'Standard User' | 'project owner' | 'vm-creator';

/** What others keep of an object that they made before the program: an apply adopts it only if the user names it. */
export interface Power {
  /** Who can create an object of the kind without being an administrator; empty for administrators alone. */
  readonly preparedBy: readonly LesserRole[];
  /** What its creator keeps, as a clause without a period. */
  readonly keeps: string;
  /** The objects that it applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Whether an object to which no one has access is adopted without being named. @default false */
  readonly onlyIfHeld?: boolean;
  /** Where the bindings are that give access to the live object. @default - it has none of its own */
  readonly bindings?: (live: Manifest) => readonly BindingPlace[];
  /** Another object that the server uses as part of the one to create, if it exists. @default - there is none */
  readonly uses?: (manifest: Manifest) => NamedObject | undefined;
  /** A value by which others can prepare the object, where engines adopt whatever exists; undefined if they cannot know it. @default - none */
  readonly predictable?: (manifest: Manifest) => Predictable | undefined;
}

/** A value that others can know before the object exists. */
export interface Predictable {
  readonly path: string;
  readonly value: string;
  /** A clause without its subject. */
  readonly reason: string;
  readonly fix: string;
}

/** A namespace with bindings of one kind. */
export interface BindingPlace {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

/** How a text names an object. */
export type NameForm =
  /** The name, in the namespace of the object that refers. */
  | 'name'
  /** `<namespace>/<name>`, or the name alone. */
  | 'namespace/name'
  /** `<namespace>:<name>`. */
  | 'namespace:name';

/**
 * The fields of other objects that name an object of a kind. A text that names nothing of the program orders nothing, so a key may also belong to
 * unrelated fields.
 */
export interface NamedBy {
  /** Fields and annotations, by their key at any depth, whose value is a name. */
  readonly fields?: { readonly [key: string]: NameForm };
  /** Fields, by their key at any depth, whose value is `{ name, namespace? }`. */
  readonly objects?: readonly string[];
  /** Fields, by their key at any depth, whose value is a list of `{ name }`. */
  readonly lists?: readonly string[];
  /** Top-level fields of objects of the same group whose value is a name or a list of names. Rancher's webhook looks each of them up. */
  readonly peers?: readonly string[];
}

/** An object of the same cluster that another one names. */
export interface FoundReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Where to look for it. @default - the namespace of the object that refers, and objects without a namespace */
  readonly namespaces?: readonly string[];
}

/** A permission that an apply needs for another object. */
export interface NeededPermission {
  readonly apiVersion: string;
  readonly kind: string;
  /** @default - any object of the kind */
  readonly name?: string;
  /** @default - the whole cluster */
  readonly namespace?: string;
  readonly verbs: readonly ('get' | 'manage-namespaces' | 'updatepsa')[];
  /** What it is for: a run may do without it. */
  readonly perhaps: string;
}

/** A manifest with values of the live object in place of derived ones. */
export interface KeptValues {
  readonly manifest: Manifest;
  /** The values that were kept, as text: `card nic-0 keeps its hardware address 52:54:00:12:34:56`. */
  readonly kept: readonly string[];
}

/** An object that an engine would write indefinitely. */
export interface Unsettled {
  readonly path: string;
  /** A clause without its subject. */
  readonly reason: string;
  readonly fix: string;
}

/** An object that a controller makes from another one. */
export interface MadeObject {
  /** As far as it is known: unknown values are placeholders of late values. */
  readonly manifest: Manifest;
  /** Whether it remains when the other one is deleted. */
  readonly stays: boolean;
}

/** Objects that have a value in common with the object that a webhook judges by them. */
export interface LookedAt {
  readonly group: string;
  readonly kind: string;
  /** The common value, of the judged object. */
  readonly own: (manifest: Manifest) => string | undefined;
  /** The common value, of the other object. */
  readonly other: (manifest: Manifest) => unknown;
  readonly source: string;
}

/** A refusal that passes by itself. */
export interface PassingRefusal {
  readonly status: readonly number[];
  readonly words: RegExp;
  /** What must exist first; the refusal passes only where the same program creates it. @default - a controller makes it pass in any case */
  readonly missing?: (match: RegExpExecArray) => MissingObject;
  readonly source: string;
}

/** An object that must exist before another one is accepted. */
export interface MissingObject {
  /** As `group/Kind`. */
  readonly kind: string;
  /** @default - any object of that kind */
  readonly name?: string;
  /** It exists, and must be gone: the refusal passes where it is being deleted. */
  readonly going?: boolean;
}

/** Statuses of a webhook that refuses a request; which one it is differs with the webhook and its version. */
export const REFUSED: readonly number[] = [400, 403, 422, 500];

/** How an object gets its default again. */
interface Reset {
  /** The value to write. */
  readonly value: (name: string, about: ReadyContext) => string;
  /** Whether the object has its default. */
  readonly isDone: (live: Manifest, about: ReadyContext) => boolean;
}

/** A value that the server accepts only once: it refuses the new object as long as the previous one exists. */
interface UniqueValue {
  /** What the value is, e.g. `nodePort`. */
  readonly what: string;
  /** The values that both objects have, as text. */
  readonly shared: (a: Manifest, b: Manifest) => readonly string[];
  /** Why the previous object cannot be deleted first without a loss. @default - it can be deleted first */
  readonly stays?: (previous: Manifest) => string | undefined;
  /** What to do where the previous object is kept. */
  readonly fix: string;
}

/** What is lost when an object is deleted, and does not come back when the object is recreated. */
export interface Holding {
  /** `machines` run; `data` is stored; `tenants` are projects, members and objects of other users. */
  readonly holds: 'machines' | 'data' | 'tenants';
  /** The lost data, as a noun phrase: `its machines and their disks`. */
  readonly what: string;
  /** The objects that the row applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Whether an apply deletes the object only with an explicit consent. @default false */
  readonly asks?: boolean;
  /** The targets whose namespaces are searched for the kind before they are deleted. @default - none */
  readonly searchedOn?: readonly TargetKind[];
}

/** Objects that belong to the server. */
export interface KeptObjects {
  /** The objects that the row applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Why they are kept, as a clause without its subject. */
  readonly says: string;
  /** Whether another run may find it otherwise. @default false */
  readonly passes?: boolean;
  /** Whether it applies to the live object only, not to what the program declares. @default false */
  readonly onlyLive?: boolean;
  /** Whether nothing lifts it: neither `Retention.delete()` nor an option. @default false */
  readonly never?: boolean;
}

/** The management cluster of Rancher. */
export const ON_RANCHER: readonly TargetKind[] = [TargetKind.RANCHER];

/** Harvester clusters. */
export const ON_HARVESTER: readonly TargetKind[] = [TargetKind.HARVESTER];

/** Rancher, and the Rancher that each Harvester embeds. */
export const ON_RANCHER_AND_HARVESTER: readonly TargetKind[] = [TargetKind.RANCHER, TargetKind.HARVESTER];

/** Every target. */
export const EVERYWHERE: readonly TargetKind[] = [TargetKind.RANCHER, TargetKind.HARVESTER, TargetKind.GUEST];

/** Applies to the objects of these names. */
export function called(...names: readonly string[]): (manifest: Manifest) => boolean {
  return ({ metadata: { name } }) => names.includes(name);
}

/** The values that two objects share. */
export function sharedValues(valuesOf: (manifest: Manifest) => readonly string[]): UniqueValue['shared'] {
  return (a, b) => {
    const others = new Set(valuesOf(b));
    return valuesOf(a).filter((value) => others.has(value));
  };
}

/** A text that a server compares; nothing where it is empty, missing or a late value. */
export function uniqueText(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' && !isLate(value) ? [value] : [];
}
