import { TargetKind } from '../../core/app/target';
import { Inverse, booleanAt, declare } from '../../core/draft/inverse';
import { GROUPS } from '../../core/manifest/names';

/** From a Feature of Rancher with a value to the construct. */
export const RANCHER_FEATURE_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Feature`],
  on: TargetKind.RANCHER,
  drafts: (object) => {
    const enabled = booleanAt(object.manifest, 'spec', 'value');
    return enabled === undefined ? [] : declare(object, 'RancherFeature', { enabled });
  },
};
