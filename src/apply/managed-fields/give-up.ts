import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';

/**
 * Gives up all that we have of an object which stays; its fields stay as they are. Applying an object without fields would do so as well, but takes away
 * what nobody else has, such as the value that was just reset.
 *
 * Nothing happens where nobody else has anything of it: a server that finds no managers at all makes up one that has everything.
 */
export async function giveUp(cluster: Cluster, ref: ObjectRef, fieldManager: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const live = await cluster.read(ref, options);
  const managedFields = live?.metadata.managedFields ?? [];
  const others = managedFields.filter((entry) => !isOurs(entry, fieldManager));
  if (!live || others.length === managedFields.length || others.length === 0) { return; }
  await cluster.patch(ref, [
    { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
    { op: 'add', path: '/metadata/managedFields', value: others },
  ], { fieldManager, ...options });
}

function isOurs({ manager, operation }: NonNullable<LiveObject['metadata']['managedFields']>[number], fieldManager: string): boolean {
  return manager === fieldManager && operation === 'Apply';
}
