import { kindOf } from '../../kind/kinds';
import { Problem } from '../../problem/problem';
import { FeatureGates } from '../../version/feature-gates';
import { lacksFeature } from '../../version/target-features';
import { JudgedObject } from '../rule';

/** Checks that the version of a target serves the kind of an object. */
export function* checkServed({ manifest, target }: JudgedObject): Iterable<Problem> {
  const gate = kindOf(manifest)?.served;
  const lacks = gate && lacksFeature(target, gate);
  if (lacks) {
    const fix = FeatureGates.of(gate!).hint ?? 'upgrade the product';
    yield {
      path: '',
      message: lacks,
      fix,
      says: `no matches for kind "${manifest.kind}" in version "${manifest.apiVersion}"`,
    };
  }
}
