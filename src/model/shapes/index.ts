import { HARVESTER_CONFIG } from './harvester-config';
import { INFRASTRUCTURE_SHAPES } from './infrastructure';
import { LOAD_BALANCER_SHAPES } from './load-balancer';
import { PROVISIONING_CLUSTER } from './provisioning-cluster';
import { KindShape } from './shape';
import { CLOUD_INIT, CLUSTER_REGISTRATION_TOKEN, HARVESTER_SETTING, RANCHER_SETTING } from './small-kinds';
import { TENANCY_SHAPES } from './tenancy';

/** The kinds whose structure we know. */
export const KIND_SHAPES: readonly KindShape[] = [
  PROVISIONING_CLUSTER, CLUSTER_REGISTRATION_TOKEN, RANCHER_SETTING, HARVESTER_SETTING, HARVESTER_CONFIG, CLOUD_INIT,
  ...INFRASTRUCTURE_SHAPES,
  ...LOAD_BALANCER_SHAPES,
  ...TENANCY_SHAPES,
];
