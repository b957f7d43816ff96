import { isLate } from './late-token';
import { IRancherTarget, ITarget } from './target';

// a symbol from the registry, so that two copies of the library in one program know each other's charts
const MANAGED_AS = Symbol.for('cdk8s-harvester.ManagedAs');

/** Records which management cluster of a Rancher a target is. A late ID is left out; the first import counts, as a cluster registers with one Rancher. */
export function markManagedAs(target: ITarget, rancher: IRancherTarget, clusterId: string): void {
  if (isLate(clusterId) || managedAsOf(target) !== undefined) { return; }
  Object.defineProperty(target, MANAGED_AS, { value: `${rancher.targetName}/${clusterId}` });
}

/** The management cluster that a target is, as `<target of the Rancher>/<management cluster ID>`; undefined where the program does not say. */
export function managedAsOf(target: ITarget): string | undefined {
  return (target as { readonly [MANAGED_AS]?: string })[MANAGED_AS];
}
