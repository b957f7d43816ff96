import { FeatureGates } from './feature-gates';
import { GateId } from './gate-id';
import { Product, VERSION_RULES } from './product-version';
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
  return version && !gate._includes(version) ? `${gate._requirement()}; this is ${printSemver(version)}` : undefined;
}

function versionOf(target: JudgedTarget, product: Product): Semver | undefined {
  const text = product === Product.NODE_DRIVER ? undefined : target[`${product}Version`];
  if (text === undefined) { return undefined; }
  try {
    return parseSemver(text, VERSION_RULES[product]);
  } catch {
    // rules judge manifests; an invalid version is reported where it is set
    return undefined;
  }
}
