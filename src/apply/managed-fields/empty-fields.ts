import { groupOf, isRecord, Manifest } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { LiveObject } from '../cluster/cluster';
import { FieldConflict } from '../transport/api';

/**
 * Kinds of which Rancher creates the objects, with fields that it leaves empty and owns all the same: every apply of one is a conflict.
 *
 * Seen on Rancher 2.13.8: `conflict with "rancher" using management.cattle.io/v3: .value`, for every Setting.
 */
const CREATED_BY_RANCHER: readonly string[] = ['Setting', 'Feature', 'AuthConfig'];

/** Whether nobody loses anything when fields are taken from other managers: all of them are empty. Only of objects that Rancher creates. */
export function areEmpty(conflicts: readonly FieldConflict[], live: LiveObject | undefined): boolean {
  return live !== undefined && groupOf(live.apiVersion) === GROUPS.MANAGEMENT && CREATED_BY_RANCHER.includes(live.kind)
    && conflicts.length > 0 && conflicts.every(({ field }) => isEmpty(fieldAt(live, field)));
}

/** An object that is written only where nobody wrote it since it was read. */
export function ofVersion(manifest: Manifest, { metadata: { resourceVersion } }: LiveObject): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
}

/** What a plan says of it. */
export function emptyText(conflicts: readonly FieldConflict[]): string {
  return conflicts.map(({ field, manager }) => `takes the empty field ${field} from ${manager}`).join(', ');
}

// `.spec.value`; a path with anything else is none that Rancher leaves empty
function fieldAt(live: LiveObject, field: string): unknown {
  if (!/^(\.\w+)+$/.test(field)) { return undefined; }
  return field.slice(1).split('.').reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), live);
}

// a field that is not found is none that is known to be empty
function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0);
}
