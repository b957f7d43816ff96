import {
  IGuestTarget,
  IHarvesterTarget,
  IRancherTarget,
  ITarget,
  TargetKind,
} from '../construct/target';
import { isLate } from '../late/late-token';

// a symbol from the registry, so that two copies of the library in one program know each other's
// charts
const MANAGED_AS = Symbol.for('cdk8s-harvester.ManagedAs');
const MANAGED_BY = Symbol.for('cdk8s-harvester.ManagedBy');

/**
 * Records which management cluster of a Rancher a target is, or only the Rancher if the ID is late.
 * The first import counts, as a cluster registers with one Rancher.
 */
export function markManagedAs(target: ITarget, rancher: IRancherTarget, clusterId: string): void {
  if (
    managedAsOf(target) !== undefined ||
    (isLate(clusterId) && managedByOf(target) !== undefined)
  ) {
    return;
  }
  const [mark, value] = isLate(clusterId)
    ? [MANAGED_BY, rancher.targetName]
    : [MANAGED_AS, `${rancher.targetName}/${clusterId}`];
  Object.defineProperty(target, mark, { value });
}

/**
 * The management cluster that a target is, as `<target of the Rancher>/<management cluster ID>`;
 * undefined if the program does not declare it.
 */
function managedAsOf(target: ITarget): string | undefined {
  return (target as { readonly [MANAGED_AS]?: string })[MANAGED_AS];
}

/**
 * The Rancher that imports a target under a late ID; undefined if the ID is known or the program
 * does not import it.
 */
function managedByOf(target: ITarget): string | undefined {
  return managedAsOf(target) === undefined
    ? (target as { readonly [MANAGED_BY]?: string })[MANAGED_BY]
    : undefined;
}

type Properties<T> = { readonly [name: string]: T };

const PROPERTIES: Record<TargetKind, (target: ITarget) => Properties<string | undefined>> = {
  [TargetKind.RANCHER]: (target) => ({
    serverUrl: (target as IRancherTarget).serverUrl,
    privateCa: (target as IRancherTarget).caCertificates === undefined ? undefined : 'true',
  }),
  [TargetKind.HARVESTER]: (target) => ({
    vip: (target as IHarvesterTarget).vip,
    managedAs: managedAsOf(target),
    managedBy: managedByOf(target),
  }),
  [TargetKind.GUEST]: (target) => {
    const { provisioningCluster, rancher, harvester } = target as IGuestTarget;
    return { provisioningCluster, rancher: rancher?.targetName, harvester: harvester?.targetName };
  },
};

/** The facts about a target in the assembly, in addition to its version. */
export function targetProperties(target: ITarget): Properties<string> {
  const properties = Object.entries({
    ...PROPERTIES[target.targetKind](target),
    namespace: (target as { readonly namespace?: string }).namespace,
  });
  return Object.fromEntries(
    properties.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
