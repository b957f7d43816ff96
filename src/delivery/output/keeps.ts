import { kindOf } from '../../core/kind/all-kinds';
import { holdingOf, neverDeleted, retainedByDefault } from '../../core/kind/retention';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';

/**
 * Whether an engine must never delete an object: the program keeps or resets it, it is the server's own, or machines or data are lost with it. The program
 * can choose the deletion of machines and data.
 */
export function isKeptByEngines({ deletion }: AssemblyObject, manifest: Manifest): boolean {
  if (deletion?.policy === 'keep' || deletion?.policy === 'reset' || neverDeleted(manifest)) { return true; }
  if (deletion?.chosen) { return false; }
  if (retainedByDefault(manifest) !== undefined) { return true; }
  // with its ID, a cluster loses its tenants
  return ['machines', 'data'].includes(holdingOf(manifest)?.holds ?? '') || kindOf(manifest)?.hasGeneratedId === true;
}
