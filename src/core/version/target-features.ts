import { FeatureGates } from './feature-gates';
import { GateId } from './gate';
import { Product } from './product';
import { Semver, parseSemver, printSemver } from './semver';
import { JudgedTarget } from '../rule/rule';

/** Whether the product of a target has a feature. Undefined if its version is not known. */
export function hasFeature(target: JudgedTarget | undefined, id: GateId): boolean | undefined {
  const gate = FeatureGates.of(id);
  const version = target && versionOf(target, gate.product);
  return version && gate._includes(version);
}

/** The message on a feature that the product of a target lacks. Undefined if it has the feature, or if its version is not known. */
export function lacksFeature(target: JudgedTarget, id: GateId): string | undefined {
  const gate = FeatureGates.of(id);
  const version = versionOf(target, gate.product);
  return version && !gate._includes(version) ? `${gate._requirement()}, got ${gate.product.prefix ?? ''}${printSemver(version)}` : undefined;
}

function versionOf(target: JudgedTarget, product: Product): Semver | undefined {
  const text = (target as unknown as { readonly [field: string]: unknown })[`${product.id}Version`];
  if (typeof text !== 'string') { return undefined; }
  try {
    return parseSemver(text, product);
  } catch {
    // rules judge manifests; an invalid version is reported where it is set
    return undefined;
  }
}
