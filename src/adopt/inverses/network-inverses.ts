import { Inverse } from '../../core/draft/inverse';
import { ADDON_INVERSE } from '../../harvester/addon/addon.adopt';
import { CLUSTER_NETWORK_INVERSE } from '../../harvester/cluster-network/cluster-network.adopt';
import { HOST_NETWORK_CONFIG_INVERSE } from '../../harvester/cluster-network/host-network-config.adopt';
import { VLAN_CONFIG_INVERSE } from '../../harvester/cluster-network/vlan-config.adopt';
import { HARVESTER_NAMESPACE_INVERSE } from '../../harvester/harvester-namespace.adopt';
import { IP_POOL_INVERSE } from '../../harvester/ip-pool/ip-pool.adopt';
import { VM_LOAD_BALANCER_INVERSE } from '../../harvester/load-balancer/vm-load-balancer.adopt';
import { VM_NETWORK_INVERSE } from '../../harvester/network/vm-network.adopt';
import { HARVESTER_NODE_INVERSE, NODE_CLOUD_INIT_INVERSE } from '../../harvester/node/node.adopt';
import { OVERLAY_SUBNET_INVERSE, OVERLAY_VPC_INVERSE } from '../../harvester/overlay/overlay.adopt';
import { HARVESTER_SETTING_INVERSE } from '../../harvester/settings/harvester-setting.adopt';
import { HOST_STORAGE_CLASS_INVERSE, HOST_VOLUME_SNAPSHOT_CLASS_INVERSE } from '../../harvester/storage/host-storage-class.adopt';

/** Networks, addresses, nodes, storage classes, add-ons, and settings of Harvester. */
export const NETWORK_INVERSES: readonly Inverse[] = [
  HARVESTER_NAMESPACE_INVERSE, HARVESTER_NODE_INVERSE, NODE_CLOUD_INIT_INVERSE, CLUSTER_NETWORK_INVERSE, VLAN_CONFIG_INVERSE,
  HOST_NETWORK_CONFIG_INVERSE, VM_NETWORK_INVERSE, HOST_STORAGE_CLASS_INVERSE, HOST_VOLUME_SNAPSHOT_CLASS_INVERSE, ADDON_INVERSE,
  IP_POOL_INVERSE, VM_LOAD_BALANCER_INVERSE, HARVESTER_SETTING_INVERSE, OVERLAY_VPC_INVERSE, OVERLAY_SUBNET_INVERSE,
];
