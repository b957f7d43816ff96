import { Acceptances } from './accepted';
import { impactOf, objectImpacts } from './cluster-impacts';
import { Impact, Side } from './impact';
import { stuckImpacts } from './stuck-impacts';
import { leftOutput } from '../../core/output/left-output.rules';
import { World } from '../../core/rule/rule';
import { Input, outputChange } from '../../engine/read/read-input';
import { whatLeaves } from '../../engine/read/what-leaves';
import { fitImpacts } from '../fits/fit-table';

/** What an edit does to machines, to other objects with data or tenants, and to the room for machines. */
export function editImpacts(before: Input, after: Input): Impact[] {
  const change = outputChange(before, after);
  const becomes = whatLeaves(change, before.assemblies);
  const sides = { before: sideOf(before), after: sideOf(after) };
  const declared = new Set(sides.after.clusters.map(({ manifest: { metadata: { namespace = '', name } }, target }) => `${target.name} ${namespace}/${name}`));
  const marked = new Acceptances(after.assemblies).mark(impactOf(sides, becomes), ({ target, cluster }) => declared.has(`${target} ${cluster}`));
  const worlds = [new World(before.objects), new World(after.objects)] as const;
  const stuck = stuckImpacts(marked, ...worlds);
  return [...marked, ...objectImpacts(change, becomes), ...fitImpacts(...worlds, stuck), ...stuck];
}

/** What the program accepts and an edit does not do, each as a sentence. */
export function unusedAcceptances(before: Input, after: Input, impacts: readonly Impact[]): string[] {
  return new Acceptances(after.assemblies).unused(impacts, leftOutput(outputChange(before, after)));
}

function sideOf({ objects, assemblies }: Input): Side {
  return new Side(objects, assemblies);
}
