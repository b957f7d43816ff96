import { Problem } from '../../../core/problem/problem';
import { FeatureGates } from '../../../core/version/feature-gates';
import { HarvesterGate } from '../../../harvester/version/harvester-version';
import { isSet, MACHINE_FIELD_GATES } from '../../machine-config/machine-config.check';
import { ClusterContext, ClusterFields } from '../../parts/cluster-parts';
import { GuestGate } from '../../version/guest-gates.data';
import { MachinePool } from '../machine-pool';
import { POOL_PROPS } from '../machine-pool-props';
import { POOL_FIELD_GATES } from '../machine-pool.check';

const NEWER = 'remove it, or declare a newer version';

/** Fields that the Rancher of the cluster does not have yet. */
export function checkVersions(
  { rancherVersion }: ClusterContext,
  entry: ClusterFields,
  machine: ClusterFields,
): Problem[] {
  const used = [
    ...POOL_FIELD_GATES.filter(([field]) => entry[field]),
    ...MACHINE_FIELD_GATES.filter(([field]) => isSet(machine, field)),
  ];
  return used.flatMap(([field, gate]) =>
    FeatureGates.of(gate)._check(POOL_PROPS[field] ?? field, rancherVersion, NEWER),
  );
}

/** The versions that an affinity needs depend on its terms, not only on its JSON. */
export function* checkPoolAffinity(context: ClusterContext, pool: MachinePool): Iterable<Problem> {
  const { vmNamespace = '', name: cluster, rancherVersion, harvester, harvesterVersion } = context;
  const { affinity, cpuPinning } = pool;
  if (cpuPinning) {
    yield* FeatureGates.of(HarvesterGate.CPU_MANAGER)._check('cpuPinning', harvesterVersion, NEWER);
  }
  if (!affinity) {
    return;
  }
  yield* affinity._check('affinity', { vmNamespace, cluster, pool: pool.name }, harvester);
  const ofRancher = [
    GuestGate.VM_NODE_AFFINITY,
    ...(affinity._namesVms ? [GuestGate.VM_WORKLOAD_AFFINITY] : []),
    ...(affinity._needsGuestLabels ? [GuestGate.VM_GUEST_LABELS] : []),
  ];
  for (const gate of ofRancher) {
    yield* FeatureGates.of(gate)._check('affinity', rancherVersion, NEWER);
  }
  const ofHarvester = [
    HarvesterGate.NODE_AFFINITY,
    ...(affinity._namesVms ? [HarvesterGate.WORKLOAD_AFFINITY] : []),
  ];
  for (const gate of ofHarvester) {
    yield* FeatureGates.of(gate)._check('affinity', harvesterVersion, NEWER);
  }
}
