import { ANNOTATION_ADOPTED } from './before-us';
import { pointer } from './rewrite';
import { Cluster, JsonPatchOperation, LiveObject, ObjectRef } from '../cluster/cluster';
import { appOfManager } from '../run/app';
import { APPLY_SET, isSetOf } from '../run/apply-set';

/**
 * Gives up all that we have of an object which stays, with the marks by which it was ours; its other fields stay as they are. Applying an object without fields would do so as well, but takes away
 * what nobody else has, such as the value that was just reset.
 *
 * The managers stay where nobody else has anything of it: a server that finds no managers at all makes up one that has everything.
 */
export async function giveUp(cluster: Cluster, ref: ObjectRef, fieldManager: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const live = await cluster.read(ref, options);
  const managedFields = live?.metadata.managedFields ?? [];
  const others = managedFields.filter((entry) => !isOurs(entry, fieldManager));
  if (!live || others.length === managedFields.length) { return; }
  const changes: JsonPatchOperation[] = [
    ...marksOn(live, fieldManager).map(([field, key]): JsonPatchOperation => ({ op: 'remove', path: `/metadata/${field}/${pointer(key)}` })),
    ...(others.length > 0 ? [{ op: 'add', path: '/metadata/managedFields', value: others } as const] : []),
  ];
  if (changes.length === 0) { return; }
  const unchanged = { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion } as const;
  await cluster.patch(ref, [unchanged, ...changes], { fieldManager, ...options });
}

/** What an app marked an object by: its own label, not that of another app, and that it adopted it. */
function marksOn({ metadata: { labels = {}, annotations = {} } }: LiveObject, fieldManager: string): [field: string, key: string][] {
  const [app, set] = [appOfManager(fieldManager), labels[APPLY_SET.PART_OF]];
  return [
    ...(app && set !== undefined && isSetOf(set, app) ? [['labels', APPLY_SET.PART_OF] as [string, string]] : []),
    ...(annotations[ANNOTATION_ADOPTED] === undefined ? [] : [['annotations', ANNOTATION_ADOPTED] as [string, string]]),
  ];
}

function isOurs({ manager, operation }: NonNullable<LiveObject['metadata']['managedFields']>[number], fieldManager: string): boolean {
  return manager === fieldManager && operation === 'Apply';
}
