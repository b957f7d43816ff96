import { ALL_KINDS } from './all-kinds';
import { KUBERNETES_RULES } from '../core/kubernetes/kubernetes.rules';
import { immutableRules } from '../core/rule/general/immutable-fields.rules';
import { OBJECT_RULES, PLACEHOLDER_RULES } from '../core/rule/general/objects.rules';
import { PLAIN_SECRET_RULE } from '../core/rule/general/plain-secret.rules';
import { Rule } from '../core/rule/rule';
import { SHAPE_RULES } from '../core/shape/shape.rules';
import { NO_PROVIDER_RULES, SERVICE_RULES } from '../guest/balancer/service-load-balancer.rules';
import { GUEST_CLUSTER_RULES } from '../guest/cluster/cluster.rules';
import { MACHINE_PASSWORD_RULES } from '../guest/machine-config/machine-config.rules';
import { GUEST_SECRET_RULES } from '../guest/machine-file/machine-file.rules';
import { RKE1_RULES } from '../guest/rke1/rke1.rules';
import { ACCOUNT_RULES } from '../harvester/account/account.rules';
import { ADDON_RULES } from '../harvester/addon/addon.rules';
import { SNAPSHOT_QUOTA_RULES, SCHEDULE_RULES } from '../harvester/backup/backup.rules';
import { MACHINE_BACKUP_RULES } from '../harvester/backup/machine-backup.rules';
import { MACHINE_RESTORE_RULES } from '../harvester/backup/machine-restore.rules';
import { VOLUME_BACKUP_RULES } from '../harvester/backup/volume-backup.rules';
import {
  CLUSTER_NETWORK_RULES,
  VLAN_CONFIG_RULES,
} from '../harvester/cluster-network/cluster-network.rules';
import { HOST_NETWORK_RULES } from '../harvester/cluster-network/host-network-config.rules';
import { DEVICE_FIT_RULES } from '../harvester/device/device-fit.rules';
import { DEVICE_RULES } from '../harvester/device/device.rules';
import { IMAGE_RULES } from '../harvester/image/vm-image.rules';
import { IP_POOL_RULES, POOL_PLACE_RULES } from '../harvester/ip-pool/ip-pool.rules';
import { KEY_PAIR_RULES } from '../harvester/key-pair/key-pair.rules';
import {
  LOAD_BALANCER_RULES,
  MACHINE_ADDRESS_RULES,
} from '../harvester/load-balancer/load-balancer.rules';
import { KUBEVIRT_RULES } from '../harvester/machine/kubevirt.rules';
import { MIGRATION_RULES } from '../harvester/migration/migration.rules';
import { NETWORK_ATTACHMENT_RULES, VLAN_TWICE_RULES } from '../harvester/network/vm-network.rules';
import { NODE_CLOUD_INIT_RULES, NODE_RULES } from '../harvester/node/node.rules';
import { UPGRADE_RULES } from '../harvester/node/upgrade.rules';
import { OVERLAY_RULES } from '../harvester/overlay/overlay.rules';
import { RESERVED_CLASS_RULES } from '../harvester/reserved-class/reserved-class.rules';
import { RESOURCE_QUOTA_RULES } from '../harvester/resource-quota/resource-quota.rules';
import { HARVESTER_SETTING_RULES } from '../harvester/settings/harvester-setting.rules';
import { POD_SECURITY_LABEL_RULES } from '../harvester/settings/pod-security-label.rules';
import {
  ENCRYPTION_SECRET_RULES,
  STORAGE_CLASS_RULES,
  VOLUME_RULES,
} from '../harvester/storage/storage.rules';
import {
  TEMPLATE_RULES,
  TEMPLATE_VERSION_RULES,
} from '../harvester/template/template-version.rules';
import {
  UNIT_RULES,
  USER_DATA_RULES,
  VIRTUAL_MACHINE_RULES,
} from '../harvester/virtual-machine/virtual-machine.rules';
import { AUDIT_POLICY_RULES } from '../rancher/audit/audit-policy.rules';
import { AUTH_CONFIG_RULES, AUTH_PRINCIPAL_RULES } from '../rancher/auth/auth-config.rules';
import {
  CLUSTER_BINDING_RULES,
  GLOBAL_ROLE_BINDING_RULES,
  PROJECT_BINDING_RULES,
} from '../rancher/binding/bindings.rules';
import { CATALOG_RULES } from '../rancher/catalog/catalog.rules';
import { GIT_REPO_RULES } from '../rancher/catalog/git-repo.rules';
import { NODE_DRIVER_RULES } from '../rancher/catalog/node-driver.rules';
import { MACHINE_PLAN_RULES } from '../rancher/cluster/machine-plan.rules';
import { MANAGEMENT_CLUSTER_RULES } from '../rancher/cluster/management-cluster.rules';
import { POD_SECURITY_TEMPLATE_RULES } from '../rancher/cluster/pod-security-template.rules';
import { PROVISIONING_CLUSTER_RULES } from '../rancher/cluster/provisioning-cluster.rules';
import { DEFAULT_CREDENTIAL_RULES } from '../rancher/credential/default-credential.rules';
import { NAMED_SECRET_RULES } from '../rancher/credential/named-secrets.rules';
import { PULL_SECRET_RULES } from '../rancher/import/pull-secrets.rules';
import {
  REGISTRATION_RULES,
  REGISTRATION_TOKEN_RULES,
} from '../rancher/import/registration-token.rules';
import { KNOWN_KEY_RULES } from '../rancher/metadata/known-keys.rules';
import { KNOWN_KIND_RULES } from '../rancher/metadata/known-kinds.rules';
import { OPERATION_RULES } from '../rancher/operation/operation.rules';
import { PROJECT_RULES } from '../rancher/project/project.rules';
import { TENANT_NAMESPACE_RULES } from '../rancher/project/tenant-namespace.rules';
import { PROJECT_SECRET_RULES } from '../rancher/project-secret/project-secret.rules';
import { PROXY_ENDPOINT_RULES } from '../rancher/proxy-endpoint/proxy-endpoint.rules';
import { RANCHER_KIND_RULES } from '../rancher/rancher.rules';
import { GLOBAL_ROLE_RULES } from '../rancher/role/global-role.rules';
import { MADE_RBAC_RULES } from '../rancher/role/made-rbac.rules';
import { ROLE_TEMPLATE_RULES } from '../rancher/role/role-template.rules';
import { FEATURE_RULES } from '../rancher/settings/feature.rules';
import { RANCHER_SETTING_RULES } from '../rancher/settings/rancher-setting.rules';
import { TEAM_RULES } from '../rancher/team/team.rules';
import { USER_RULES } from '../rancher/user/user.rules';

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

const OWN_RULES: readonly Rule[] = [
  ...OBJECT_RULES,
  PLAIN_SECRET_RULE,
  ...PLACEHOLDER_RULES,
  ...SHAPE_RULES,
  ...KUBERNETES_RULES,
  ...PROVISIONING_CLUSTER_RULES,
  ...GUEST_CLUSTER_RULES,
  ...GUEST_SECRET_RULES,
  ...NAMED_SECRET_RULES,
  ...DEFAULT_CREDENTIAL_RULES,
  ...MACHINE_PASSWORD_RULES,
  ...MANAGEMENT_CLUSTER_RULES,
  ...POD_SECURITY_TEMPLATE_RULES,
  ...MACHINE_PLAN_RULES,
  ...RKE1_RULES,
  ...REGISTRATION_TOKEN_RULES,
  ...REGISTRATION_RULES,
  ...PULL_SECRET_RULES,
  ...RANCHER_SETTING_RULES,
  ...FEATURE_RULES,
  ...OPERATION_RULES,
  ...PROXY_ENDPOINT_RULES,
  ...RANCHER_KIND_RULES,
  ...CATALOG_RULES,
  ...GIT_REPO_RULES,
  ...KNOWN_KEY_RULES,
  ...KNOWN_KIND_RULES,
  ...NODE_DRIVER_RULES,
  ...HARVESTER_SETTING_RULES,
  ...INFRASTRUCTURE_RULES,
  ...VLAN_TWICE_RULES,
  ...NODE_RULES,
  ...IP_POOL_RULES,
  ...POOL_PLACE_RULES,
  ...LOAD_BALANCER_RULES,
  ...SERVICE_RULES,
  ...NO_PROVIDER_RULES,
  ...PROJECT_RULES,
  ...TEAM_RULES,
  ...PROJECT_SECRET_RULES,
  ...RESOURCE_QUOTA_RULES,
  ...TENANT_NAMESPACE_RULES,
  ...PROJECT_BINDING_RULES,
  ...CLUSTER_BINDING_RULES,
  ...ROLE_TEMPLATE_RULES,
  ...GLOBAL_ROLE_RULES,
  ...GLOBAL_ROLE_BINDING_RULES,
  ...MADE_RBAC_RULES,
  ...USER_RULES,
  ...AUDIT_POLICY_RULES,
  ...AUTH_CONFIG_RULES,
  ...AUTH_PRINCIPAL_RULES,
  ...VIRTUAL_MACHINE_RULES,
  ...KUBEVIRT_RULES,
  ...USER_DATA_RULES,
  ...MACHINE_ADDRESS_RULES,
  ...UNIT_RULES,
  ...VOLUME_RULES,
  ...RESERVED_CLASS_RULES,
  ...POD_SECURITY_LABEL_RULES,
  ...SCHEDULE_RULES,
  ...MACHINE_BACKUP_RULES,
  ...MACHINE_RESTORE_RULES,
  ...VOLUME_BACKUP_RULES,
  ...TEMPLATE_VERSION_RULES,
  ...TEMPLATE_RULES,
  ...DEVICE_RULES,
  ...DEVICE_FIT_RULES,
  ...OVERLAY_RULES,
  ...MIGRATION_RULES,
  ...UPGRADE_RULES,
  ...ACCOUNT_RULES,
];

const OWN_IDS = new Set(OWN_RULES.map(({ id }) => id));

/** The rules on immutable fields that no slice extends. */
export const IMMUTABLE_RULES: readonly Rule[] = immutableRules(ALL_KINDS).filter(
  ({ id }) => !OWN_IDS.has(id),
);

/** Every rule over manifests: those of the slices by family, then those on immutable fields. */
export const ALL_RULES: readonly Rule[] = [...OWN_RULES, ...IMMUTABLE_RULES];
