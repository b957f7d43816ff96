import { TargetKind } from '../../core/app/target';
import { Inverse, booleanAt } from '../../core/draft/inverse';
import { GROUPS } from '../../core/manifest/names';

/** From a Feature of Rancher with a value to the construct. */
export const RANCHER_FEATURE_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Feature`],
  drafts: (object, around) => {
    const enabled = booleanAt(object.manifest, 'spec', 'value');
    if (enabled === undefined || around.cluster(object.target).kind !== TargetKind.RANCHER) { return []; }
    return { type: 'RancherFeature', id: object.manifest.metadata.name, props: { enabled }, declares: [object] };
  },
};
