import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Problem } from '../model/problem';

/** Whole MiB as a Kubernetes quantity, in Gi where that is a whole number too. */
export function quantity(size: Size): string {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** What is wrong with a size that Harvester takes in whole MiB. */
export function checkSize(path: string, size: Size): Problem[] {
  const mebibytes = size.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (Number.isInteger(mebibytes) && mebibytes >= 1) { return []; }
  return [{
    path,
    value: size.asString(),
    message: 'is no whole number of MiB from 1',
    fix: `give Size.mebibytes(${Math.max(1, Math.ceil(mebibytes))})`,
  }];
}
