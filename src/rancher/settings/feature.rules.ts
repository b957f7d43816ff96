import { RANCHER_FEATURES } from './rancher-names.data';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Findings } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
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
    source:
      'rancher/rancher:pkg/features/feature.go, pkg/controllers/management/feature/feature_handler.go',
    field: 'metadata.name',
    // a rule for all objects reports a missing name
    check: text((_, name, { target }: JudgedObject): Findings => {
      const versions = RANCHER_FEATURES.get(name);
      if (!versions) {
        return {
          message:
            'must be a feature of Rancher, which accepts any name and ignores those that it does not know',
          fix: 'compare it with kubectl get features.management.cattle.io',
        };
      }
      const version = rancherVersionOf(target);
      const fix = version && cureOfLack(versions, version);
      return fix && { message: `cannot have an effect on Rancher ${version}`, fix };
    }),
  },
  {
    id: 'rancher-feature/locked',
    what: 'a feature that is locked keeps its value, or gets the one that it is locked to',
    source:
      'rancher/webhook:pkg/resources/management.cattle.io/v3/feature/validator.go isUpdateAllowed',
    field: 'spec.value',
    judgeUpdate: ({ manifest }, before) => {
      const [now, was] = [manifest, before].map((feature) => valueAt(feature, 'spec', 'value'));
      const locked = valueAt(before, 'status', 'lockedValue');
      return (
        typeof locked === 'boolean' &&
        typeof now === 'boolean' &&
        now !== was &&
        now !== locked && {
          value: now,
          message: `cannot be changed: the feature is locked to ${locked}`,
          fix: `set ${locked}`,
          says: `feature flag cannot be changed from current value: ${locked}`,
        }
      );
    },
  },
  {
    id: 'rancher-feature/removed',
    level: 'warning',
    what: 'a feature that is no longer declared gets its default again by an apply',
    source: 'rancher/rancher:pkg/features/feature.go RequireRestarts',
    judgeDeletion: ({ manifest }) => {
      const value = valueAt(manifest, 'spec', 'value');
      return (
        typeof value === 'boolean' && {
          path: 'spec.value',
          value,
          message:
            'is no longer declared: apply resets it to its default, and Rancher restarts if that is another value; engines leave it as it is',
          fix: 'declare it again to keep its value',
        }
      );
    },
  },
]);
