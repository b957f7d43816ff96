import { RANCHER_FEATURES } from './rancher-names.data';
import { GROUPS } from '../../core/manifest/names';
import { Findings, rules } from '../../core/rule/kit/fact';
import { text } from '../../core/rule/kit/values';
import { JudgedObject } from '../../core/rule/rule';
import { cureOfLack } from '../../core/version/versioned-names';
import { rancherVersionOf } from '../version/rancher-version';

/** Rules on features of Rancher. */
export const FEATURE_RULES = rules({ kinds: [`${GROUPS.MANAGEMENT}/Feature`] }, [
  {
    id: 'rancher-feature/unknown',
    level: 'warning',
    what: 'Rancher knows the feature; any other has no effect',
    source: 'rancher/rancher:pkg/features/feature.go, pkg/controllers/management/feature/feature_handler.go',
    field: 'metadata.name',
    // a rule for all objects reports a missing name
    check: text((_, name, { target }: JudgedObject): Findings => {
      const versions = RANCHER_FEATURES.get(name);
      if (!versions) {
        return {
          message: 'must be a feature of Rancher, which accepts any name and ignores those that it does not know',
          fix: 'compare it with kubectl get features.management.cattle.io',
        };
      }
      const version = rancherVersionOf(target);
      const fix = version && cureOfLack(versions, version);
      return fix && { message: `cannot have an effect on Rancher ${version}`, fix };
    }),
  },
]);
