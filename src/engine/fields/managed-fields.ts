import { FieldSet, fieldSetOf, holdsField, isEmptySet, split, union } from './field-set';
import {
  ANNOTATION_LAST_APPLIED,
  FORMER_WRITERS,
  KUBECTL_LAST_APPLIED_MANAGER,
} from '../../core/kind/field-managers';
import {
  groupOf,
  isRecord,
  kindKey,
  Manifest,
  objectLabel,
  pointerOf,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { JsonPatchOperation, LiveObject } from '../cluster/cluster';
import { ApiError, FieldConflict } from '../transport/api';

/** The parts of a value that one field manager owns, from `metadata.managedFields`. */
export interface OwnedFields {
  /** Of a map, by key. */
  readonly fields: ReadonlyMap<string, OwnedFields>;
  /** Of a list whose items are known by keys. */
  readonly items: readonly {
    readonly key: { readonly [name: string]: unknown };
    readonly owned: OwnedFields;
  }[];
  /** Of a list that is a set. */
  readonly values: readonly unknown[];
}

/**
 * The fields that a field manager owns by server-side apply; undefined if it never applied the
 * object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ , sigs.k8s.io/structured-merge-diff fieldpath (f:, k:, v:, i:)
 */
export function ownedBy(live: LiveObject, manager: string): OwnedFields | undefined {
  const entry = live.metadata.managedFields?.find(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && !candidate.subresource,
  );
  return entry ? ownedFieldsOf(entry.fieldsV1) : undefined;
}

/** The names of other field managers of an object. */
export function otherManagers(live: LiveObject, manager: string): string[] {
  return [
    ...new Set(
      (live.metadata.managedFields ?? [])
        .map((entry) => entry.manager)
        .filter((name) => name !== manager),
    ),
  ].sort();
}

/** Whether an item matches the keys of a list's entry; missing keys have defaults. */
export function hasKey(item: unknown, key: { readonly [name: string]: unknown }): boolean {
  return (
    isRecord(item) &&
    Object.entries(key).every(
      ([name, value]) => item[name] === undefined || item[name] === value,
    ) &&
    Object.keys(key).some((name) => item[name] !== undefined)
  );
}

/** Parses an entry of `metadata.managedFields`. */
export function ownedFieldsOf(fieldsV1: unknown): OwnedFields {
  const fields = new Map<string, OwnedFields>();
  const items: OwnedFields['items'][number][] = [];
  const values: unknown[] = [];
  for (const [name, inner] of isRecord(fieldsV1) ? Object.entries(fieldsV1) : []) {
    const [kind, text] = [name.slice(0, 2), name.slice(2)];
    if (kind === 'f:') {
      fields.set(text, ownedFieldsOf(inner));
    }
    if (kind === 'k:') {
      items.push({ key: JSON.parse(text), owned: ownedFieldsOf(inner) });
    }
    if (kind === 'v:') {
      values.push(JSON.parse(text));
    }
  }
  return { fields, items, values };
}

/**
 * Annotation on a Setting of Rancher whose value was empty before an app set it: only such a value
 * is cleared when the Setting is no longer declared. Other values, such as that of `server-url`,
 * were set by someone else before.
 */
export const ANNOTATION_WAS_EMPTY = 'cdk8s-harvester/was-empty';

/** What holds objects of others, who may need it longer than the app. */
const ADOPTED_KINDS: ReadonlySet<string> = new Set([
  kindKey('', 'Namespace'),
  kindKey(GROUPS.MANAGEMENT, 'Project'),
]);

/**
 * Annotation on a Namespace or a Project that existed before an app first applied it: it is never
 * deleted.
 */
export const ANNOTATION_ADOPTED = 'cdk8s-harvester/adopted';

/** Adds annotations about the state before the app to Settings of Rancher, Namespaces, and Projects. */
export function remembering(
  manifest: Manifest,
  live: LiveObject | undefined,
  fieldManager: string,
): Manifest {
  const mark = live && markOf(manifest, live, fieldManager);
  if (!mark) {
    return manifest;
  }
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [mark]: 'true' } },
  };
}

function markOf(manifest: Manifest, live: LiveObject, fieldManager: string): string | undefined {
  if (isSetting(manifest)) {
    const isEmptyOfOthers =
      (live.value === '' || live.value === undefined) &&
      ownedBy(live, fieldManager)?.fields.has('value') !== true;
    return wasEmpty(live, fieldManager) || isEmptyOfOthers ? ANNOTATION_WAS_EMPTY : undefined;
  }
  if (!mayBeAdopted(manifest)) {
    return undefined;
  }
  return hasMark(live, ANNOTATION_ADOPTED, fieldManager) || !ownedBy(live, fieldManager)
    ? ANNOTATION_ADOPTED
    : undefined;
}

/** Whether the value of a live object was empty before this app set it. */
function wasEmpty(live: LiveObject, fieldManager: string): boolean {
  return hasMark(live, ANNOTATION_WAS_EMPTY, fieldManager);
}

/**
 * Why an object that is no longer declared is kept, and only the app's ownership and marks are
 * released; undefined if it is reset or deleted.
 */
export function staysAfter(live: LiveObject, fieldManager: string): string | undefined {
  if (mayBeAdopted(live)) {
    return hasMark(live, ANNOTATION_ADOPTED, fieldManager)
      ? 'is kept: it existed before this app'
      : undefined;
  }
  return isSetting(live) && !wasEmpty(live, fieldManager)
    ? 'keeps its value: it had one before this app set it'
    : undefined;
}

/** Whether an object must be read before it is first written, to record its previous state. */
export function mayBeAdopted({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return ADOPTED_KINDS.has(kindKey(groupOf(apiVersion), kind));
}

function hasMark(live: LiveObject, annotation: string, fieldManager: string): boolean {
  return (
    ownedBy(live, fieldManager)
      ?.fields.get('metadata')
      ?.fields.get('annotations')
      ?.fields.has(annotation) === true
  );
}

function isSetting({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return groupOf(apiVersion) === GROUPS.MANAGEMENT && kind === 'Setting';
}

/** The objects that may be adopted. */
export interface TakeFieldsOptions {
  /**
   * IDs of objects that are adopted although they give someone permissions and this app never wrote
   * them, and of Secrets of others that the program names (`--accept-existing`).
   * @default - they are refused
   */
  readonly acceptExisting?: readonly string[];
}

/**
 * Whether an object may be adopted: by its ID, or by `<id>=<uid>`, which does not name one that
 * someone recreated.
 */
export function isAdopted(
  { acceptExisting: adopt = [] }: TakeFieldsOptions,
  id: string,
  uid?: string,
): boolean {
  return adopt.includes(id) || (uid !== undefined && adopt.includes(adoptionOf(id, uid)));
}

/** Whether an object is adopted whatever its UID is, or with one that cannot be compared. */
export function isNamed({ acceptExisting: adopt = [] }: TakeFieldsOptions, id: string): boolean {
  return adopt.some((entry) => entry === id || entry.startsWith(adoptionOf(id, '')));
}

/** Whether an entry names an object by `<id>=<uid>`. */
export function isWithUid(entry: string): boolean {
  return entry.includes('=');
}

/** How an object is adopted as long as it has a UID. */
export function adoptionOf(id: string, uid: string): string {
  return `${id}=${uid}`;
}

/** What is adopted from others: only on request. */
export interface ManagedFieldsOptions extends TakeFieldsOptions {
  /**
   * Field managers whose fields are adopted (`--take-fields-from`), e.g. `kubectl-client-side-apply`.
   * @default - nothing is adopted
   */
  readonly takeFieldsFrom?: readonly string[];
  /**
   * Give field managers with an apiVersion that blocks an apply the declared one
   * (`--migrate-managed-fields`).
   * @default false
   */
  readonly migrateManagedFields?: boolean;
}

/** How fields of other field managers are treated when objects are written. */
export interface FieldOptions extends ManagedFieldsOptions {
  /** The field manager of the app. */
  readonly fieldManager: string;
  /**
   * IDs of objects whose conflicting fields are taken from other field managers.
   * @default - conflicts are errors
   */
  readonly forceConflicts?: readonly string[];
}

/** Whether conflicting fields of an object are taken from other field managers. */
export function isForced(
  { forceConflicts = [] }: Pick<FieldOptions, 'forceConflicts'>,
  id: string,
): boolean {
  return forceConflicts.includes(id);
}

/** Throws if a field manager cannot be adopted from. */
export function checkTakeFieldsFrom(
  { takeFieldsFrom = [] }: ManagedFieldsOptions,
  fieldManager: string,
): void {
  for (const manager of takeFieldsFrom) {
    if (manager === '') {
      throw new Error(
        '--take-fields-from: must be the name of a field manager, got an empty text. Fix: use a name that a conflict prints, e.g. kubectl',
      );
    }
    if (manager === fieldManager) {
      throw new Error(
        `--take-fields-from: must be another field manager than that of this app, got ${manager}. Fix: set the previous field manager`,
      );
    }
  }
}

/** Which field managers of an object are rewritten. */
interface RewriteOptions {
  /** The field manager of the app. */
  readonly fieldManager: string;
  /** Field managers whose fields are adopted. */
  readonly takeFieldsFrom?: readonly string[];
  /** Give all other field managers the declared apiVersion. @default false */
  readonly migrate?: boolean;
}

/** How the field managers of an object are rewritten. */
export interface Rewrite {
  /**
   * Changes the field managers, and removes kubectl's annotation if its fields are adopted; the
   * server refuses it if the object was written since.
   */
  readonly patch: readonly JsonPatchOperation[];
  /** The object after the patch. */
  readonly object: LiveObject;
  /** Field managers whose fields are adopted. */
  readonly takenFrom: readonly string[];
  /** Field managers that get another apiVersion: `rancher (provisioning.cattle.io/v1beta1)`. */
  readonly migrated: readonly string[];
}

type Entry = NonNullable<LiveObject['metadata']['managedFields']>[number];

/**
 * Transfers fields of other field managers to the app: a forced server-side apply would leave them
 * with both, so a field that is removed from the program would remain. Undefined if there is
 * nothing to do. The status keeps its owner, unless the program declares it.
 *
 * Like kubectl's migration of its own entries, but across apiVersions: fields of an older one are
 * transferred by the same paths.
 *
 * @see kubernetes/client-go:util/csaupgrade/upgrade.go; fluxcd/pkg:ssa/patch.go
 */
export function rewriteOf(
  live: LiveObject,
  manifest: Manifest,
  options: RewriteOptions,
): Rewrite | undefined {
  const { fieldManager } = options;
  const { ours, kept, takenFrom } = takeFields(live, manifest, options);
  const migrated = options.migrate ? outdatedEntries(ours, kept, manifest, fieldManager) : [];
  if (takenFrom.length === 0 && migrated.length === 0) {
    return undefined;
  }

  const { apiVersion } = manifest;
  const own = ours && {
    ...ours.entry,
    manager: fieldManager,
    operation: 'Apply',
    apiVersion,
    fieldsV1: ours.fields,
  };
  const others = options.migrate ? kept.map((entry) => ({ ...entry, apiVersion })) : kept;
  const managedFields = together([...(own ? [own] : []), ...others]);
  const object = { ...live, metadata: { ...live.metadata, managedFields } };
  const isAnnotationRemoved = takenFrom.length > 0 && annotationGoes(live, manifest, kept);
  return {
    patch: rewritePatch(live, managedFields, isAnnotationRemoved),
    object: isAnnotationRemoved ? withoutLastApplied(object) : object,
    takenFrom,
    migrated,
  };
}

/** The entries of an object after the fields of other field managers were taken from them. */
interface TakenFields {
  /** The entry that the app continues, and its fields. @default - the app gets no fields */
  readonly ours?: { readonly entry: Entry; readonly fields: FieldSet };
  readonly kept: readonly Entry[];
  readonly takenFrom: readonly string[];
}

function takeFields(
  live: LiveObject,
  manifest: Manifest,
  { fieldManager, takeFieldsFrom = [] }: RewriteOptions,
): TakenFields {
  const takenFrom = new Set<string>();
  const kept: Entry[] = [];
  let ours: TakenFields['ours'];
  for (const entry of live.metadata.managedFields ?? []) {
    const isOurs = entry.manager === fieldManager && entry.operation === 'Apply';
    if (entry.subresource || !(isOurs || takeFieldsFrom.includes(entry.manager))) {
      kept.push(entry);
      continue;
    }
    const fields = fieldSetOf(entry.fieldsV1);
    const keepsStatus = !isOurs && !('status' in manifest);
    const { rest, out } = keepsStatus ? split(fields, 'status') : { rest: fields, out: {} };
    if (!isEmptySet(out)) {
      kept.push({ ...entry, fieldsV1: out });
    }
    if (!isOurs && isEmptySet(rest)) {
      continue;
    }
    if (!isOurs) {
      takenFrom.add(entry.manager);
    }
    ours = ours ? { entry: ours.entry, fields: union(ours.fields, rest) } : { entry, fields: rest };
  }
  return { ours, kept, takenFrom: [...takenFrom].sort() };
}

/** The field managers that get the declared apiVersion. An adopted entry gets it anyway. */
function outdatedEntries(
  ours: TakenFields['ours'],
  kept: readonly Entry[],
  { apiVersion }: Manifest,
  fieldManager: string,
): string[] {
  const own = ours?.entry.manager === fieldManager ? [ours.entry] : [];
  const outdated = [...kept, ...own].filter((entry) => entry.apiVersion !== apiVersion);
  return [...new Set(outdated.map(nameOf))].sort();
}

function rewritePatch(
  live: LiveObject,
  managedFields: readonly Entry[],
  removesAnnotation: boolean,
): JsonPatchOperation[] {
  const patch: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
    { op: 'add', path: '/metadata/managedFields', value: managedFields },
  ];
  if (removesAnnotation) {
    const path = pointerOf(['metadata', 'annotations', ANNOTATION_LAST_APPLIED]);
    patch.push({ op: 'remove', path });
  }
  return patch;
}

/**
 * Field managers that use another apiVersion than the program: `rancher
 * (provisioning.cattle.io/v1beta1)`.
 */
export function managersOfOtherVersions(
  live: LiveObject,
  { apiVersion }: Manifest,
): readonly string[] {
  return [
    ...new Set(
      (live.metadata.managedFields ?? [])
        .filter((entry) => entry.apiVersion !== apiVersion)
        .map(nameOf),
    ),
  ].sort();
}

function nameOf({ manager, apiVersion }: Entry): string {
  return `${manager} (${String(apiVersion)})`;
}

/** An object without kubectl's annotation. */
export function withoutLastApplied(live: LiveObject): LiveObject {
  const { annotations, ...metadata } = live.metadata;
  const { [ANNOTATION_LAST_APPLIED]: _, ...rest } = annotations ?? {};
  return {
    ...live,
    metadata: { ...metadata, ...(Object.keys(rest).length > 0 ? { annotations: rest } : {}) },
  };
}

/**
 * Whether kubectl's annotation is removed: the program does not declare it, and no other field
 * manager owns it.
 */
function annotationGoes(live: LiveObject, manifest: Manifest, kept: readonly Entry[]): boolean {
  return (
    live.metadata.annotations?.[ANNOTATION_LAST_APPLIED] !== undefined &&
    (manifest.metadata.annotations as { readonly [key: string]: unknown } | undefined)?.[
      ANNOTATION_LAST_APPLIED
    ] === undefined &&
    !kept.some(
      ({ manager, fieldsV1 }) =>
        manager !== KUBECTL_LAST_APPLIED_MANAGER &&
        holdsField(fieldSetOf(fieldsV1), ['metadata', 'annotations', ANNOTATION_LAST_APPLIED]),
    )
  );
}

/**
 * Merges entries with the same field manager, operation, subresource and, for updates, apiVersion:
 * a server would keep only one of them.
 */
function together(entries: readonly Entry[]): readonly Entry[] {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const { manager, operation, subresource = '', apiVersion } = entry;
    const key = JSON.stringify([
      manager,
      operation,
      subresource,
      operation === 'Apply' ? '' : apiVersion,
    ]);
    const known = found.get(key);
    found.set(
      key,
      known
        ? { ...known, fieldsV1: union(fieldSetOf(known.fieldsV1), fieldSetOf(entry.fieldsV1)) }
        : entry,
    );
  }
  return [...found.values()];
}

/**
 * Messages of a server that cannot convert an object to the apiVersion of one of its field
 * managers: the version no longer exists, or it lacks a field of the object. The message about a
 * declared field that the server does not know is similar ("failed to create typed patch object"),
 * but not one of these.
 *
 * Seen on a Kubernetes 1.34.4 API server, all with status 500; issues kubernetes/kubernetes#111937,
 * fluxcd/flux2#5715.
 */
const CONVERSION_ERROR =
  /^failed to prune fields: |^failed to convert (new|live|merged) object: |request to convert CR to an invalid group\/version: /;

/** Whether a server could not apply an object because of the apiVersions of its field managers. */
export function isOfManagers(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.failure === 'invalid' && CONVERSION_ERROR.test(error.message)
  );
}

/** The field managers that block an apply; undefined if it failed for another reason. */
export function outdatedManagers(
  error: unknown,
  live: LiveObject,
  manifest: Manifest,
): readonly string[] | undefined {
  if (!isOfManagers(error)) {
    return undefined;
  }
  const managers = managersOfOtherVersions(live, manifest);
  return managers.length > 0 ? managers : undefined;
}

/** The fix for them. */
export function migrationHint(manifest: Manifest, managers: readonly string[]): string {
  return (
    `the managed fields of ${objectLabel(manifest)} use apiVersions that the server no longer converts to: ${managers.join(', ')}. ` +
    `Fix: set --migrate-managed-fields to give them ${manifest.apiVersion}; nothing else changes`
  );
}

/** How the field managers of an object are rewritten, for messages. */
export function rewriteText({
  takenFrom,
  migrated,
}: Pick<Rewrite, 'takenFrom' | 'migrated'>): string {
  return [
    ...(takenFrom.length > 0 ? [`adopted from ${takenFrom.join(', ')}`] : []),
    ...(migrated.length > 0 ? [`managed fields migrated: ${migrated.join(', ')}`] : []),
  ].join('; ');
}

/**
 * Another fix for conflicts with tools that write only on request; empty for other field managers.
 */
export function adoptHint(conflicts: readonly FieldConflict[]): string {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))]
    .filter((manager) => FORMER_WRITERS.includes(manager))
    .sort();
  return managers.length === 0
    ? ''
    : `, or ${managers.map((manager) => `--take-fields-from ${manager}`).join(' ')} to adopt it`;
}
