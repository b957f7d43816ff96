import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { byConditions } from '../../core/kind/readiness';
import { GROUPS } from '../../core/manifest/names';

/** Harvester's KeyPair. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/keypair.go */
export const KEY_PAIR_DESCRIPTION: KindDescription = {
  group: GROUPS.HARVESTER, version: 'v1beta1', kind: 'KeyPair', scope: 'Namespaced', targets: ON_HARVESTER, rank: 25, ready: byConditions('validated'),
};
