import { ADDON_RULES } from './addon/addon.rules';
import { SNAPSHOT_QUOTA_RULES } from './backup/backup.rules';
import { CLUSTER_NETWORK_RULES, VLAN_CONFIG_RULES } from './cluster-network/cluster-network.rules';
import { HOST_NETWORK_RULES } from './cluster-network/host-network-config.rules';
import { IMAGE_RULES } from './image/vm-image.rules';
import { KEY_PAIR_RULES } from './key-pair/key-pair.rules';
import { NETWORK_ATTACHMENT_RULES } from './network/vm-network.rules';
import { NODE_CLOUD_INIT_RULES } from './node/node.check';
import { ENCRYPTION_SECRET_RULES, STORAGE_CLASS_RULES } from './storage/storage.rules';
import { Rule } from '../core/rule/rule';

/** Rules on what virtual machines of a Harvester need: images, keys, networks, storage, add-ons. */
export const INFRASTRUCTURE_RULES: readonly Rule[] = [
  ...IMAGE_RULES,
  ...KEY_PAIR_RULES,
  ...CLUSTER_NETWORK_RULES,
  ...VLAN_CONFIG_RULES,
  ...NETWORK_ATTACHMENT_RULES,
  ...HOST_NETWORK_RULES,
  ...STORAGE_CLASS_RULES,
  ...ENCRYPTION_SECRET_RULES,
  ...ADDON_RULES,
  ...SNAPSHOT_QUOTA_RULES,
  ...NODE_CLOUD_INIT_RULES,
];
