import { Rule } from '../../core/rule/rule';
import { CREDENTIAL_RULES } from '../../rancher/credential/cloud-credential.rules';
import { HELM_CHART_RULES } from '../chart/helm-chart.rules';
import { CLOUD_RULES } from '../cloud-provider/cloud-provider.rules';
import { CSI_PERMISSION_RULES } from '../csi/csi-permission.rules';
import { NODE_CONFIG_RULES } from '../kubernetes/kubernetes.rules';
import { MACHINE_REFERENCE_RULES } from '../machine-config/machine-config-references.rules';
import { MACHINE_CONFIG_RULES } from '../machine-config/machine-config.rules';
import { CLUSTER_FILE_RULES } from '../machine-file/machine-file.rules';
import { POOL_RULES } from '../machine-pool/machine-pool.rules';
import { GUEST_ADDON_RULES } from '../storage/guest-storage-class.rules';
import { VERSION_RULES } from '../version/versions.rules';

/** Rules for guest clusters on Harvester and all that they are made of. */
export const GUEST_CLUSTER_RULES: readonly Rule[] = [
  ...POOL_RULES, ...NODE_CONFIG_RULES, ...CLUSTER_FILE_RULES, ...CLOUD_RULES, ...CSI_PERMISSION_RULES,
  ...MACHINE_CONFIG_RULES, ...MACHINE_REFERENCE_RULES,
  ...CREDENTIAL_RULES, ...HELM_CHART_RULES, ...GUEST_ADDON_RULES, ...VERSION_RULES,
];
