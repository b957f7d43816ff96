import { appOfManager } from './app';
import { ANNOTATION_APP, APPLY_SET, isSetOf } from './apply-set';
import { LiveObject } from '../cluster/cluster';
import { ownedBy } from '../plan/owned-fields';

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
