import { isFromServer } from '../../manifest/manifest';
import { JudgedObject, World } from '../rule';

/**
 * When a field counts that an object does not have: a server-side apply keeps the fields of an existing object that others set, so that only a new
 * object needs all of them. `removed`: the previous state is whole as well, so a field that it has and the object has not is removed.
 */
export function missingCounts(object: JudgedObject, world: World): 'always' | 'removed' | 'never' {
  if (!world.exists(object)) {
    return 'always';
  }
  const before = world.beforeOf(object);
  // a server shows more than a program writes
  const isComparable = before && (isFromServer(object.manifest) || !isFromServer(before));
  return isComparable ? 'removed' : 'never';
}
