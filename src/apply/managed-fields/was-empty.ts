import { groupOf, Manifest } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { LiveObject } from '../cluster/cluster';
import { ownedBy } from '../plan/owned-fields';

/**
 * Annotation on a Setting of Rancher whose value was empty before an app set it: only such a value is emptied again when the Setting is no longer
 * declared. Any other, e.g. that of `server-url`, was set by someone else before.
 */
export const ANNOTATION_WAS_EMPTY = 'cdk8s-harvester/was-empty';

/** A manifest with what is to be remembered of the object as it was before; the same for all but Settings of Rancher. */
export function remembering(manifest: Manifest, live: LiveObject | undefined, fieldManager: string): Manifest {
  if (!live || !isSetting(manifest) || !(wasEmpty(live, fieldManager) || isEmptyOfOthers(live, fieldManager))) { return manifest; }
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION_WAS_EMPTY]: 'true' } } };
}

/** Whether the value of a live object was empty before this app set it. */
export function wasEmpty(live: LiveObject, fieldManager: string): boolean {
  return ownedBy(live, fieldManager)?.fields.get('metadata')?.fields.get('annotations')?.fields.has(ANNOTATION_WAS_EMPTY) === true;
}

/** Why the value of an object stays when it is no longer declared, and only our fields are given up; undefined where it is reset or deleted. */
export function staysAfter(live: LiveObject, fieldManager: string): string | undefined {
  return isSetting(live) && !wasEmpty(live, fieldManager) ? 'keeps its value: it had one before this app set it' : undefined;
}

function isSetting({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return groupOf(apiVersion) === GROUPS.MANAGEMENT && kind === 'Setting';
}

function isEmptyOfOthers(live: LiveObject, fieldManager: string): boolean {
  return (live.value === '' || live.value === undefined) && ownedBy(live, fieldManager)?.fields.has('value') !== true;
}
