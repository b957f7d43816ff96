import { KindShape } from './shape';
import { CLOUD_INIT, CLUSTER_REGISTRATION_TOKEN, HARVESTER_SETTING, RANCHER_SETTING } from './small-kinds';
import { PROVISIONING_CLUSTER } from '../../guest/cluster/cluster.kind';
import { HARVESTER_CONFIG } from '../../guest/machine-config/machine-config.kind';
import { INFRASTRUCTURE_SHAPES } from '../../harvester/infrastructure.kind';
import { LOAD_BALANCER_SHAPES } from '../../harvester/load-balancer/load-balancer.kind';
import { TENANCY_SHAPES } from '../../rancher/project/tenancy-shapes.kind';

/** The kinds whose structure we know. */
export const KIND_SHAPES: readonly KindShape[] = [
  PROVISIONING_CLUSTER, CLUSTER_REGISTRATION_TOKEN, RANCHER_SETTING, HARVESTER_SETTING, HARVESTER_CONFIG, CLOUD_INIT,
  ...INFRASTRUCTURE_SHAPES,
  ...LOAD_BALANCER_SHAPES,
  ...TENANCY_SHAPES,
];
