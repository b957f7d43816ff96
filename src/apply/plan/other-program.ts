import { InventoryEntry } from './inventory-reader';
import { AssemblyObject } from '../../model/assembly';

/**
 * Why a program is most likely not the one that its app applied before, or empty by mistake: it has none of the objects that would be deleted. Settings
 * and what is left alone are alike in all programs for a cluster; they count where there is nothing else.
 */
export function otherProgram(app: string, before: readonly InventoryEntry[], objects: readonly Pick<AssemblyObject, 'id'>[]): string | undefined {
  const declared = new Set(objects.map(({ id }) => id));
  const members = before.filter(({ policy }) => policy === 'delete');
  const counted = members.length > 0 ? members : before;
  if (counted.length === 0 || counted.some(({ id }) => declared.has(id))) { return undefined; }
  const what = `would be ${members.length > 0 ? 'deleted' : 'reset'}`;
  const says = counted.length === 1
    ? `the only object that app ${app} applied before is not in this program: it ${what}`
    : `none of the ${counted.length} objects that app ${app} applied before is in this program: all of them ${what}`;
  return `${says}; if this is another program, give it its own --app; if it shall really be so, give --allow-empty, or use destroy`;
}
