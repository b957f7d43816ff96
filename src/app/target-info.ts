import { IRancherTarget, IHarvesterTarget, ITarget } from '../model/target';
import { TargetKind } from '../model/target-kind';

/** What the assembly says of a target beside its version. */
export function targetProperties(target: ITarget): { readonly [name: string]: string } {
  if (target.targetKind === TargetKind.RANCHER) { return { serverUrl: (target as IRancherTarget).serverUrl }; }
  const { vip } = target as IHarvesterTarget;
  return vip ? { vip } : {};
}
