import { managedAsOf } from '../model/managed-as';
import { IGuestTarget, IHarvesterTarget, IRancherTarget, ITarget } from '../model/target';
import { TargetKind } from '../model/target-kind';

type Properties<T> = { readonly [name: string]: T };

const PROPERTIES: Record<TargetKind, (target: ITarget) => Properties<string | undefined>> = {
  [TargetKind.RANCHER]: (target) => ({
    serverUrl: (target as IRancherTarget).serverUrl,
    privateCa: (target as IRancherTarget).caCertificates === undefined ? undefined : 'true',
  }),
  [TargetKind.HARVESTER]: (target) => ({ vip: (target as IHarvesterTarget).vip, managedAs: managedAsOf(target) }),
  [TargetKind.GUEST]: (target) => {
    const { provisioningCluster, rancher, harvester } = target as IGuestTarget;
    return { provisioningCluster, rancher: rancher?.targetName, harvester: harvester?.targetName };
  },
};

/** What the assembly says of a target beside its version. */
export function targetProperties(target: ITarget): Properties<string> {
  const properties = Object.entries(PROPERTIES[target.targetKind](target));
  return Object.fromEntries(properties.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
