import { groupOf, Manifest } from '../../model/manifest';
import { API_VERSIONS, GROUPS } from '../../model/names';
import { LiveObject } from '../cluster/cluster';
import { ownedBy } from '../plan/owned-fields';

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
