import { isRemoved } from './removed-targets';
import { AssemblyTarget } from '../../model/assembly';
import { compare } from '../../model/compare';

/** Guests may not be there yet, and one Rancher manages all others. */
const ORDER: readonly AssemblyTarget['kind'][] = ['rancher', 'harvester', 'guest'];

/** The target that holds the lock: the same for every run of an app, so it depends on the program alone. */
export function homeTarget(targets: readonly AssemblyTarget[]): AssemblyTarget {
  const declared = targets.filter((target) => !isRemoved(target));
  const [home] = declared.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || compare(a.name, b.name));
  if (!home) { throw new Error('the assembly has no targets: there is nothing to lock'); }
  return home;
}
