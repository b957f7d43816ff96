import { Planning } from './planning';
import { Leftover } from '../../inventory/inventory';
import { removedNotes, removedTargets } from '../../inventory/removed-targets';
import {
  Beginning,
  noneHalfConnected,
  sameClusters,
  sameProgram,
} from '../../precondition/run-preconditions';
import { Plan } from '../plan';

/** Why an apply would not begin, and notes about targets that are no longer declared. */
export function problemsOfPlan(
  { input, options, inventories }: Planning,
  leftovers: readonly Leftover[],
  planTargets: Plan['targets'],
): Pick<Plan, 'problems' | 'acceptEmpty' | 'notes'> {
  const { app, acceptEmpty, acceptNewCluster, prune } = options;
  const { assembly } = input;
  const found = [...inventories.values()];
  const left = input.leftOut?.targets ?? [];
  const removed = removedTargets(found, assembly.targets).filter(
    ({ name }) => !left.includes(name),
  );
  const notes = removedNotes(removed, assembly.targets);
  const going = leftovers.flatMap(({ entry, live }) => (live && prune !== false ? [entry] : []));
  const beginning: Beginning = {
    assembly,
    targets: planTargets,
    inventories: found,
    going,
    app,
    acceptNewCluster,
  };
  const other = sameProgram(beginning);
  const problems = [
    ...sameClusters(beginning),
    ...noneHalfConnected(beginning),
    ...(acceptEmpty ? [] : other),
  ];
  return {
    ...(problems.length > 0 ? { problems } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    ...(other.length > 0 && acceptEmpty ? { acceptEmpty } : {}),
  };
}
