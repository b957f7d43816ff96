import { FeatureGate } from './feature-gate';
import { KUBERNETES_GATES } from '../../guest/kubernetes/rke2.data';
import { GUEST_GATES } from '../../guest/version/guest-gates.data';
import { HARVESTER_GATES } from '../../harvester/version/harvester-version';
import { RANCHER_GATES } from '../../rancher/version/rancher-version';

/** Every gate by its ID, except those of settings. */
export const ALL_GATES: ReadonlyMap<string, FeatureGate> = new Map(
  [...RANCHER_GATES, ...GUEST_GATES, ...HARVESTER_GATES, ...KUBERNETES_GATES].map((row) => [row.id, FeatureGate._from(row)]),
);
