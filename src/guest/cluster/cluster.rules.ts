import { Rule } from '../../core/rule/rule';
import { CREDENTIAL_RULES } from '../../rancher/credential/cloud-credential.rules';
import { AUTOSCALER_RULES } from '../autoscaler/autoscaler.rules';
import { HELM_CHART_RULES } from '../chart/helm-chart.rules';
import { CHART_FAULT_RULES } from '../cloud-provider/chart-faults.rules';
import { CLOUD_RULES } from '../cloud-provider/cloud-provider.rules';
import { CSI_PERMISSION_RULES } from '../csi/csi-permission.rules';
import { CUSTOM_MACHINE_RULES } from '../custom/custom-machines.rules';
import { ETCD_S3_RULES } from '../etcd/etcd-s3.rules';
import { CIDR_RULES } from '../kubernetes/cidrs.rules';
import { NODE_CONFIG_RULES } from '../kubernetes/kubernetes.rules';
import { DISTRIBUTION_RULES } from '../kubernetes/rke2-options.rules';
import { CONFIG_ADDRESS_RULES } from '../machine-address/machine-address.rules';
import { MACHINE_REFERENCE_RULES } from '../machine-config/machine-config-references.rules';
import { MACHINE_CONFIG_RULES } from '../machine-config/machine-config.rules';
import { CLUSTER_FILE_RULES } from '../machine-file/machine-file.rules';
import { POOL_RULES } from '../machine-pool/machine-pool.rules';
import { TOPOLOGY_RULES } from '../machine-pool/topology.rules';
import { REGISTRY_RULES } from '../registries/registries.rules';
import { GUEST_ADDON_RULES } from '../storage/guest-storage-class.rules';
import { VERSION_RULES } from '../version/versions.rules';

/** Rules for guest clusters on Harvester and all that they are made of. */
export const GUEST_CLUSTER_RULES: readonly Rule[] = [
  ...POOL_RULES,
  ...AUTOSCALER_RULES,
  ...NODE_CONFIG_RULES,
  ...DISTRIBUTION_RULES,
  ...CIDR_RULES,
  ...ETCD_S3_RULES,
  ...REGISTRY_RULES,
  ...CLUSTER_FILE_RULES,
  ...CLOUD_RULES,
  ...TOPOLOGY_RULES,
  ...CHART_FAULT_RULES,
  ...CSI_PERMISSION_RULES,
  ...MACHINE_CONFIG_RULES,
  ...CONFIG_ADDRESS_RULES,
  ...MACHINE_REFERENCE_RULES,
  ...CUSTOM_MACHINE_RULES,
  ...CREDENTIAL_RULES,
  ...HELM_CHART_RULES,
  ...GUEST_ADDON_RULES,
  ...VERSION_RULES,
];
