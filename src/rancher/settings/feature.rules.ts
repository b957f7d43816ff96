import { RANCHER_FEATURES } from './rancher-names.data';
import { isLate } from '../../core/late/late-token';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { cureOfLack } from '../../core/version/versioned-names';
import { rancherVersionOf } from '../version/rancher-version';

const UNKNOWN: Rule = {
  id: 'rancher-feature/unknown',
  level: 'warning',
  kinds: [`${GROUPS.MANAGEMENT}/Feature`],
  what: 'Rancher knows the feature; any other has no effect',
  source: 'rancher/rancher:pkg/features/feature.go, pkg/controllers/management/feature/feature_handler.go',
  judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    // a rule for all objects reports a missing name
    if (isLate(name) || name === '') { return NO_PROBLEMS; }
    const at = { path: 'metadata.name', value: name };
    const versions = RANCHER_FEATURES.get(name);
    if (!versions) {
      return [{
        ...at,
        message: 'must be a feature of Rancher, which accepts any name and ignores those that it does not know',
        fix: 'compare it with kubectl get features.management.cattle.io',
      }];
    }
    const version = rancherVersionOf(target);
    const fix = version && cureOfLack(versions, version);
    return fix ? [{ ...at, message: `cannot have an effect on Rancher ${version}`, fix }] : NO_PROBLEMS;
  },
};

/** Rules on features of Rancher. */
export const FEATURE_RULES: readonly Rule[] = [UNKNOWN];
