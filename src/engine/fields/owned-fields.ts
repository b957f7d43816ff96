import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { LiveObject } from '../cluster/cluster';

/** The parts of a value that one field manager owns, from `metadata.managedFields`. */
export interface OwnedFields {
  /** Of a map, by key. */
  readonly fields: ReadonlyMap<string, OwnedFields>;
  /** Of a list whose items are known by keys. */
  readonly items: readonly { readonly key: { readonly [name: string]: unknown }; readonly owned: OwnedFields }[];
  /** Of a list that is a set. */
  readonly values: readonly unknown[];
}

/**
 * The fields that a field manager owns by server-side apply; undefined if it never applied the object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ , sigs.k8s.io/structured-merge-diff fieldpath (f:, k:, v:, i:)
 */
export function ownedBy(live: LiveObject, manager: string): OwnedFields | undefined {
  const entry = live.metadata.managedFields?.find((candidate) => (
    candidate.manager === manager && candidate.operation === 'Apply' && !candidate.subresource));
  return entry ? ownedFieldsOf(entry.fieldsV1) : undefined;
}

/** The names of other field managers of an object. */
export function otherManagers(live: LiveObject, manager: string): string[] {
  return [...new Set((live.metadata.managedFields ?? []).map((entry) => entry.manager).filter((name) => name !== manager))].sort();
}

/** Whether an item matches the keys of a list's entry; missing keys have defaults. */
export function hasKey(item: unknown, key: { readonly [name: string]: unknown }): boolean {
  return isRecord(item) && Object.entries(key).every(([name, value]) => item[name] === undefined || item[name] === value)
    && Object.keys(key).some((name) => item[name] !== undefined);
}

/** Parses an entry of `metadata.managedFields`. */
export function ownedFieldsOf(fieldsV1: unknown): OwnedFields {
  const fields = new Map<string, OwnedFields>();
  const items: OwnedFields['items'][number][] = [];
  const values: unknown[] = [];
  for (const [name, below] of isRecord(fieldsV1) ? Object.entries(fieldsV1) : []) {
    const [kind, text] = [name.slice(0, 2), name.slice(2)];
    if (kind === 'f:') { fields.set(text, ownedFieldsOf(below)); }
    if (kind === 'k:') { items.push({ key: JSON.parse(text), owned: ownedFieldsOf(below) }); }
    if (kind === 'v:') { values.push(JSON.parse(text)); }
  }
  return { fields, items, values };
}

/**
 * Annotation on a Setting of Rancher whose value was empty before an app set it: only such a value is cleared when the Setting is no longer declared. Other
 * values, such as that of `server-url`, were set by someone else before.
 */
export const ANNOTATION_WAS_EMPTY = 'cdk8s-harvester/was-empty';

/** Annotation on a Namespace that existed before an app first applied it: it is never deleted. */
export const ANNOTATION_ADOPTED = 'cdk8s-harvester/adopted';

/** Adds annotations about the state before the app to Settings of Rancher and Namespaces. */
export function remembering(manifest: Manifest, live: LiveObject | undefined, fieldManager: string): Manifest {
  const mark = live && markOf(manifest, live, fieldManager);
  if (!mark) { return manifest; }
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [mark]: 'true' } } };
}

function markOf(manifest: Manifest, live: LiveObject, fieldManager: string): string | undefined {
  if (isSetting(manifest)) {
    const isEmptyOfOthers = (live.value === '' || live.value === undefined) && ownedBy(live, fieldManager)?.fields.has('value') !== true;
    return wasEmpty(live, fieldManager) || isEmptyOfOthers ? ANNOTATION_WAS_EMPTY : undefined;
  }
  if (!isNamespace(manifest)) { return undefined; }
  return hasMark(live, ANNOTATION_ADOPTED, fieldManager) || !ownedBy(live, fieldManager) ? ANNOTATION_ADOPTED : undefined;
}

/** Whether the value of a live object was empty before this app set it. */
function wasEmpty(live: LiveObject, fieldManager: string): boolean {
  return hasMark(live, ANNOTATION_WAS_EMPTY, fieldManager);
}

/** Why an object that is no longer declared is kept, and only the app's ownership and marks are released; undefined if it is reset or deleted. */
export function staysAfter(live: LiveObject, fieldManager: string): string | undefined {
  if (isNamespace(live)) { return hasMark(live, ANNOTATION_ADOPTED, fieldManager) ? 'is kept: it existed before this app' : undefined; }
  return isSetting(live) && !wasEmpty(live, fieldManager) ? 'keeps its value: it had one before this app set it' : undefined;
}

/** Whether an object must be read before it is first written, to record its previous state. */
export function mayBeAdopted(manifest: Manifest): boolean {
  return isNamespace(manifest);
}

function hasMark(live: LiveObject, annotation: string, fieldManager: string): boolean {
  return ownedBy(live, fieldManager)?.fields.get('metadata')?.fields.get('annotations')?.fields.has(annotation) === true;
}

function isNamespace({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === API_VERSIONS.CORE && kind === 'Namespace';
}

function isSetting({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return groupOf(apiVersion) === GROUPS.MANAGEMENT && kind === 'Setting';
}
