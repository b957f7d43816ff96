import { InventoryEntry } from './inventory-reader';
import { Plan } from './plan';
import { Assembly } from '../../model/assembly';

/** Throws where an option names an object that neither the program has nor what was applied before. */
export function checkNamed(option: string, ids: readonly string[] = [], { objects }: Assembly, before: readonly InventoryEntry[]): void {
  const known = new Set([...objects, ...before].map(({ id }) => id));
  const wrong = ids.filter((id) => !known.has(id));
  if (wrong.length === 0) { return; }
  throw new Error(`${option}: no such object: ${wrong.join(', ')}; give ids as plan prints them beside conflicts, e.g. ${objects[0]?.id ?? 'rancher//Namespace//shop'}`);
}

/** The objects whose fields an apply of a saved plan takes from other managers: those that it was made with, and no others. */
export function forcedByPlan({ forceConflicts: planned = [] }: Pick<Plan, 'forceConflicts'>, given: readonly string[] = []): readonly string[] {
  const more = given.filter((id) => !planned.includes(id));
  if (more.length > 0) {
    throw new Error(`the plan takes no fields of ${more.join(', ')} from other managers: make a new plan with ${more.map(forceOption).join(' ')}; apply then needs no option`);
  }
  return planned;
}

/** The option as a shell takes it. */
export function forceOption(id: string): string {
  return `--force-conflicts '${id}'`;
}
