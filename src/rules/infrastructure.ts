import { ADDON_RULES } from './addon';
import { CLUSTER_NETWORK_RULES } from './cluster-network';
import { ENCRYPTION_SECRET_RULES } from './encryption-secret';
import { HOST_NETWORK_RULES } from './host-network';
import { IMAGE_RULES } from './image';
import { KEY_PAIR_RULES } from './key-pair';
import { NETWORK_ATTACHMENT_RULES } from './network-attachment';
import { NODE_CLOUD_INIT_RULES } from './node-cloud-init';
import { Rule } from './rule';
import { SNAPSHOT_QUOTA_RULES } from './snapshot-quota';
import { STORAGE_CLASS_RULES } from './storage-class';
import { VLAN_CONFIG_RULES } from './vlan-config';

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
