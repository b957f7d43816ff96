import { JudgedObject } from './rule';
import { World } from './world';

/** The names in a list of roles; what is no text is left out. */
export function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string' && name !== '') : [];
}

/** Whether an object is a built-in role as a server has it, not one that somebody writes. */
export function isBuiltInCopy(object: JudgedObject, world: World): boolean {
  return object.manifest.builtin === true && (world.exists(object) || world.beforeOf(object)?.builtin === true);
}
