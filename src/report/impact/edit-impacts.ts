import { impactOf, objectImpacts } from './cluster-impacts';
import { Impact, Side } from './impact';
import { World } from '../../core/rule/rule';
import { Input, outputChange } from '../../engine/read/read-input';
import { whatLeaves } from '../../engine/read/what-leaves';
import { fitImpacts } from '../fits/fit-table';

/** What an edit does to machines, to other objects with data or tenants, and to the room for machines. */
export function editImpacts(before: Input, after: Input): Impact[] {
  const change = outputChange(before, after);
  const becomes = whatLeaves(change, before.assemblies);
  return [
    ...impactOf({ before: sideOf(before), after: sideOf(after) }, becomes), ...objectImpacts(change, becomes),
    ...fitImpacts(new World(before.objects), new World(after.objects)),
  ];
}

function sideOf({ objects, assemblies }: Input): Side {
  return new Side(objects, assemblies);
}
