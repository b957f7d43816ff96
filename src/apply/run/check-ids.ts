import { RunContext } from './run-context';
import { checkNamed } from '../plan/forced';

/** Throws where an option names an object that neither the program nor an inventory has: a wrong letter would mean nothing, and nobody would see it. */
export function checkIds({ options: { forceConflicts, deleteAnyway }, program: { assembly }, open }: RunContext): void {
  const before = open.flatMap(({ keeper }) => keeper.all);
  checkNamed('--force-conflicts', forceConflicts, assembly, before);
  checkNamed('--delete-anyway', deleteAnyway, assembly, before);
}
