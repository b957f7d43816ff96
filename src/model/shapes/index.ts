import { HARVESTER_CONFIG } from './harvester-config';
import { PROVISIONING_CLUSTER } from './provisioning-cluster';
import { KindShape } from './shape';
import { CLOUD_INIT, CLUSTER_REGISTRATION_TOKEN, HARVESTER_SETTING, RANCHER_SETTING } from './small-kinds';

/** The kinds whose structure we know. */
export const KIND_SHAPES: readonly KindShape[] = [
  PROVISIONING_CLUSTER, CLUSTER_REGISTRATION_TOKEN, RANCHER_SETTING, HARVESTER_SETTING, HARVESTER_CONFIG, CLOUD_INIT,
];
