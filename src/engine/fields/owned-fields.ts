import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { LiveObject } from '../cluster/cluster';

/** What one manager has of a value, as `metadata.managedFields` says it. */
export interface OwnedFields {
  /** Of a map, by key. */
  readonly fields: ReadonlyMap<string, OwnedFields>;
  /** Of a list whose items are known by keys. */
  readonly items: readonly { readonly key: { readonly [name: string]: unknown }; readonly owned: OwnedFields }[];
  /** Of a list that is a set. */
  readonly values: readonly unknown[];
}

/**
 * What a manager has by server-side apply; undefined where it never applied the object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ , sigs.k8s.io/structured-merge-diff fieldpath (f:, k:, v:, i:)
 */
export function ownedBy(live: LiveObject, manager: string): OwnedFields | undefined {
  const entry = live.metadata.managedFields?.find((candidate) => (
    candidate.manager === manager && candidate.operation === 'Apply' && !candidate.subresource));
  return entry ? ownedFieldsOf(entry.fieldsV1) : undefined;
}

/** Who else has fields of an object, by name. */
export function otherManagers(live: LiveObject, manager: string): string[] {
  return [...new Set((live.metadata.managedFields ?? []).map((entry) => entry.manager).filter((name) => name !== manager))].sort();
}

/** Whether an item has the keys of a list's entry; keys that it leaves out have defaults. */
export function hasKey(item: unknown, key: { readonly [name: string]: unknown }): boolean {
  return isRecord(item) && Object.entries(key).every(([name, value]) => item[name] === undefined || item[name] === value)
    && Object.keys(key).some((name) => item[name] !== undefined);
}

/** What an entry of `metadata.managedFields` says. */
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
 * Annotation on a Setting of Rancher whose value was empty before an app set it: only such a value is emptied again when the Setting is no longer
 * declared. Any other, e.g. that of `server-url`, was set by someone else before.
 */
export const ANNOTATION_WAS_EMPTY = 'cdk8s-harvester/was-empty';

/** Annotation on a Namespace that was there before an app first applied it: it is never deleted, whatever is in it. */
export const ANNOTATION_ADOPTED = 'cdk8s-harvester/adopted';

/** A manifest with what is to be remembered of the object as it was before; the same for all but Settings of Rancher and Namespaces. */
export function remembering(manifest: Manifest, live: LiveObject | undefined, fieldManager: string): Manifest {
  const mark = live && markOf(manifest, live, fieldManager);
  if (!mark) { return manifest; }
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [mark]: 'true' } } };
}

function markOf(manifest: Manifest, live: LiveObject, fieldManager: string): string | undefined {
  if (isSetting(manifest)) { return wasEmpty(live, fieldManager) || isEmptyOfOthers(live, fieldManager) ? ANNOTATION_WAS_EMPTY : undefined; }
  if (!isNamespace(manifest)) { return undefined; }
  return hasMark(live, ANNOTATION_ADOPTED, fieldManager) || !ownedBy(live, fieldManager) ? ANNOTATION_ADOPTED : undefined;
}

/** Whether the value of a live object was empty before this app set it. */
export function wasEmpty(live: LiveObject, fieldManager: string): boolean {
  return hasMark(live, ANNOTATION_WAS_EMPTY, fieldManager);
}

/**
 * Why an object stays as it is when it is no longer declared, and only our fields and marks are given up; undefined where it is reset or deleted.
 */
export function staysAfter(live: LiveObject, fieldManager: string): string | undefined {
  if (isNamespace(live)) { return hasMark(live, ANNOTATION_ADOPTED, fieldManager) ? 'stays: it existed before this app' : undefined; }
  return isSetting(live) && !wasEmpty(live, fieldManager) ? 'keeps its value: it had one before this app set it' : undefined;
}

/** Whether an object may have to be remembered as it was, so that it is read before it is first written. */
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

function isEmptyOfOthers(live: LiveObject, fieldManager: string): boolean {
  return (live.value === '' || live.value === undefined) && ownedBy(live, fieldManager)?.fields.has('value') !== true;
}
