import { CREDENTIAL_RULES } from './cloud-credential';
import { CSI_PERMISSION_RULES } from './csi-permission';
import { GUEST_ADDON_RULES } from './guest-addons';
import { CLOUD_RULES } from './guest-cluster-cloud';
import { NODE_CONFIG_RULES } from './guest-cluster-config';
import { CLUSTER_FILE_RULES } from './guest-cluster-files';
import { POOL_RULES } from './guest-cluster-pools';
import { HELM_CHART_RULES } from './helm-chart';
import { MACHINE_CONFIG_RULES } from './machine-config';
import { MACHINE_REFERENCE_RULES } from './machine-config-references';
import { Rule } from './rule';

/** Rules for guest clusters on Harvester and all that they are made of. */
export const GUEST_CLUSTER_RULES: readonly Rule[] = [
  ...POOL_RULES, ...NODE_CONFIG_RULES, ...CLUSTER_FILE_RULES, ...CLOUD_RULES, ...CSI_PERMISSION_RULES,
  ...MACHINE_CONFIG_RULES, ...MACHINE_REFERENCE_RULES,
  ...CREDENTIAL_RULES, ...HELM_CHART_RULES, ...GUEST_ADDON_RULES,
];
