import { ALL_KINDS } from './all-kinds';
import { KindDescription } from '../core/kind/kind';
import { KUBERNETES_RULES } from '../core/kubernetes/kubernetes.rules';
import { kindKey } from '../core/manifest/manifest';
import { immutableRules } from '../core/rule/general/immutable-fields.rules';
import { OBJECT_RULES, PLACEHOLDER_RULES } from '../core/rule/general/objects.rules';
import { PLAIN_SECRET_RULE } from '../core/rule/general/plain-secret.rules';
import { Rule } from '../core/rule/rule';
import { SHAPE_RULES } from '../core/shape/shape.rules';
import { remembered } from '../core/text/values';
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

/** Rules of some slices. */
interface RuleFamily {
  /**
   * The kinds that all of them are about, `group/Kind`: a program without these never loads them.
   * @default - every program loads them
   */
  readonly kinds?: readonly string[];
  readonly rules: () => readonly Rule[];
}

/** The rules of the slices by family. */
export const RULE_FAMILIES: readonly RuleFamily[] = [
  {
    rules: () => [
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
    ],
  },
  { kinds: ['management.cattle.io/Cluster'], rules: () => MANAGEMENT_CLUSTER_RULES },
  {
    kinds: ['management.cattle.io/PodSecurityAdmissionConfigurationTemplate'],
    rules: () => POD_SECURITY_TEMPLATE_RULES,
  },
  {
    rules: () => [
      ...MACHINE_PLAN_RULES,
      ...RKE1_RULES,
      ...REGISTRATION_TOKEN_RULES,
      ...REGISTRATION_RULES,
    ],
  },
  {
    kinds: ['management.cattle.io/Cluster', 'management.cattle.io/Setting'],
    rules: () => PULL_SECRET_RULES,
  },
  { rules: () => RANCHER_SETTING_RULES },
  { kinds: ['management.cattle.io/Feature'], rules: () => FEATURE_RULES },
  {
    kinds: [
      'operation.cattle.io/ETCDSnapshotSave',
      'operation.cattle.io/ETCDSnapshotRestore',
      'operation.cattle.io/EncryptionKeyRotation',
    ],
    rules: () => OPERATION_RULES,
  },
  { kinds: ['management.cattle.io/ProxyEndpoint'], rules: () => PROXY_ENDPOINT_RULES },
  {
    kinds: [
      'operation.cattle.io/ETCDSnapshotSave',
      'operation.cattle.io/ETCDSnapshotRestore',
      'operation.cattle.io/EncryptionKeyRotation',
      'management.cattle.io/ProxyEndpoint',
      'management.cattle.io/OIDCClient',
    ],
    rules: () => RANCHER_KIND_RULES,
  },
  {
    kinds: ['catalog.cattle.io/ClusterRepo', 'catalog.cattle.io/UIPlugin', 'catalog.cattle.io/App'],
    rules: () => CATALOG_RULES,
  },
  { kinds: ['fleet.cattle.io/GitRepo'], rules: () => GIT_REPO_RULES },
  { rules: () => [...KNOWN_KEY_RULES, ...KNOWN_KIND_RULES] },
  { kinds: ['management.cattle.io/NodeDriver'], rules: () => NODE_DRIVER_RULES },
  { rules: () => [...HARVESTER_SETTING_RULES, ...IMAGE_RULES] },
  { kinds: ['harvesterhci.io/KeyPair'], rules: () => KEY_PAIR_RULES },
  { kinds: ['network.harvesterhci.io/ClusterNetwork'], rules: () => CLUSTER_NETWORK_RULES },
  { kinds: ['network.harvesterhci.io/VlanConfig'], rules: () => VLAN_CONFIG_RULES },
  { rules: () => NETWORK_ATTACHMENT_RULES },
  { kinds: ['network.harvesterhci.io/HostNetworkConfig'], rules: () => HOST_NETWORK_RULES },
  { rules: () => [...STORAGE_CLASS_RULES, ...ENCRYPTION_SECRET_RULES] },
  { kinds: ['harvesterhci.io/Addon'], rules: () => ADDON_RULES },
  { kinds: ['harvesterhci.io/ResourceQuota'], rules: () => SNAPSHOT_QUOTA_RULES },
  { kinds: ['node.harvesterhci.io/CloudInit'], rules: () => NODE_CLOUD_INIT_RULES },
  { rules: () => VLAN_TWICE_RULES },
  { kinds: ['/Node'], rules: () => NODE_RULES },
  {
    kinds: ['networking.harvesterhci.io/IPPool', 'loadbalancer.harvesterhci.io/IPPool'],
    rules: () => IP_POOL_RULES,
  },
  { kinds: ['loadbalancer.harvesterhci.io/IPPool'], rules: () => POOL_PLACE_RULES },
  {
    kinds: [
      'loadbalancer.harvesterhci.io/LoadBalancer',
      '/Service',
      'helm.cattle.io/HelmChartConfig',
    ],
    rules: () => LOAD_BALANCER_RULES,
  },
  {
    kinds: ['/Service', 'helm.cattle.io/HelmChartConfig'],
    rules: () => [...SERVICE_RULES, ...NO_PROVIDER_RULES],
  },
  {
    rules: () => [
      ...PROJECT_RULES,
      ...TEAM_RULES,
      ...PROJECT_SECRET_RULES,
      ...RESOURCE_QUOTA_RULES,
      ...TENANT_NAMESPACE_RULES,
      ...PROJECT_BINDING_RULES,
    ],
  },
  {
    kinds: ['management.cattle.io/ClusterRoleTemplateBinding'],
    rules: () => CLUSTER_BINDING_RULES,
  },
  { kinds: ['management.cattle.io/RoleTemplate'], rules: () => ROLE_TEMPLATE_RULES },
  { kinds: ['management.cattle.io/GlobalRole'], rules: () => GLOBAL_ROLE_RULES },
  { kinds: ['management.cattle.io/GlobalRoleBinding'], rules: () => GLOBAL_ROLE_BINDING_RULES },
  { rules: () => [...MADE_RBAC_RULES, ...USER_RULES] },
  { kinds: ['auditlog.cattle.io/AuditPolicy'], rules: () => AUDIT_POLICY_RULES },
  { kinds: ['management.cattle.io/AuthConfig'], rules: () => AUTH_CONFIG_RULES },
  { rules: () => AUTH_PRINCIPAL_RULES },
  { kinds: ['kubevirt.io/VirtualMachine'], rules: () => VIRTUAL_MACHINE_RULES },
  {
    kinds: ['kubevirt.io/VirtualMachine', 'harvesterhci.io/VirtualMachineTemplateVersion'],
    rules: () => KUBEVIRT_RULES,
  },
  {
    kinds: ['kubevirt.io/VirtualMachine'],
    rules: () => [...USER_DATA_RULES, ...MACHINE_ADDRESS_RULES, ...UNIT_RULES],
  },
  { kinds: ['/PersistentVolumeClaim'], rules: () => VOLUME_RULES },
  { rules: () => [...RESERVED_CLASS_RULES, ...POD_SECURITY_LABEL_RULES] },
  { kinds: ['harvesterhci.io/ScheduleVMBackup'], rules: () => SCHEDULE_RULES },
  {
    kinds: ['harvesterhci.io/VirtualMachineBackup', 'harvesterhci.io/ScheduleVMBackup'],
    rules: () => MACHINE_BACKUP_RULES,
  },
  { kinds: ['harvesterhci.io/VirtualMachineRestore'], rules: () => MACHINE_RESTORE_RULES },
  {
    kinds: [
      'harvesterhci.io/VolumeRemoteBackup',
      'harvesterhci.io/VolumeRemoteRestore',
      'snapshot.storage.k8s.io/VolumeSnapshot',
      'cdi.kubevirt.io/DataVolume',
    ],
    rules: () => VOLUME_BACKUP_RULES,
  },
  { kinds: ['harvesterhci.io/VirtualMachineTemplateVersion'], rules: () => TEMPLATE_VERSION_RULES },
  { kinds: ['harvesterhci.io/VirtualMachineTemplate'], rules: () => TEMPLATE_RULES },
  {
    kinds: [
      'devices.harvesterhci.io/PCIDeviceClaim',
      'devices.harvesterhci.io/USBDeviceClaim',
      'devices.harvesterhci.io/SRIOVNetworkDevice',
      'devices.harvesterhci.io/SRIOVGPUDevice',
      'devices.harvesterhci.io/VGPUDevice',
      'devices.harvesterhci.io/MigConfiguration',
      'kubevirt.io/VirtualMachine',
    ],
    rules: () => DEVICE_RULES,
  },
  { rules: () => [...DEVICE_FIT_RULES, ...OVERLAY_RULES] },
  {
    kinds: [
      'migration.harvesterhci.io/VirtualMachineImport',
      'migration.harvesterhci.io/OvaSource',
    ],
    rules: () => MIGRATION_RULES,
  },
  {
    kinds: [
      'harvesterhci.io/Version',
      'harvesterhci.io/Upgrade',
      'harvesterhci.io/SupportBundle',
      'harvesterhci.io/BlockDevice',
    ],
    rules: () => UPGRADE_RULES,
  },
  { rules: () => ACCOUNT_RULES },
];

/** The rules on immutable fields of kinds that no slice extends. */
export function immutableBeside(
  own: readonly Rule[],
  kinds: readonly KindDescription[],
): readonly Rule[] {
  const ids = new Set(own.map(({ id }) => id));
  return immutableRules(kinds).filter(({ id }) => !ids.has(id));
}

const rulesByKinds = new Map<string, readonly Rule[]>();

/** The rules about objects of some kinds, `group/Kind`. */
export function rulesAbout(kinds: ReadonlySet<string>): readonly Rule[] {
  return remembered(rulesByKinds, [...kinds].sort().join(' '), () => {
    const asked = RULE_FAMILIES.filter(
      (family) => family.kinds?.some((kind) => kinds.has(kind)) ?? true,
    );
    const own = asked.flatMap(({ rules }) => rules());
    const described = ALL_KINDS.filter(({ group, kind }) => kinds.has(kindKey(group, kind)));
    return [...own, ...immutableBeside(own, described)];
  });
}
