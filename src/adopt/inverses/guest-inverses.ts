import { Inverse } from '../../core/draft/inverse';
import { HARVESTER_LOAD_BALANCER_INVERSE } from '../../guest/balancer/harvester-load-balancer.adopt';
import { HELM_CHART_CONFIG_INVERSE, HELM_CHART_INVERSE } from '../../guest/chart/helm-chart.adopt';
import { CLOUD_CONFIG_SECRET_INVERSE } from '../../guest/cloud-provider/cloud-config-secret.adopt';
import { GUEST_CLUSTER_INVERSE, HARVESTER_CONFIG_INVERSE } from '../../guest/cluster/guest-cluster.adopt';
import { GUEST_STORAGE_CLASS_INVERSE, GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE } from '../../guest/storage/guest-storage-class.adopt';

/** Guest clusters, and what is in them. */
export const GUEST_INVERSES: readonly Inverse[] = [
  GUEST_CLUSTER_INVERSE, HARVESTER_CONFIG_INVERSE, CLOUD_CONFIG_SECRET_INVERSE, GUEST_STORAGE_CLASS_INVERSE, GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE,
  HELM_CHART_INVERSE, HELM_CHART_CONFIG_INVERSE, HARVESTER_LOAD_BALANCER_INVERSE,
];
