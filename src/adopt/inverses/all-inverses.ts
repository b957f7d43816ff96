import { Inverse, mapAt } from '../../core/draft/draft';
import { HARVESTER_LOAD_BALANCER_INVERSE } from '../../guest/balancer/harvester-load-balancer.adopt';
import { HELM_CHART_CONFIG_INVERSE, HELM_CHART_INVERSE } from '../../guest/chart/helm-chart.adopt';
import { CLOUD_CONFIG_SECRET_INVERSE } from '../../guest/cloud-provider/cloud-config-secret.adopt';
import {
  GUEST_CLUSTER_INVERSE,
  HARVESTER_CONFIG_INVERSE,
} from '../../guest/cluster/guest-cluster.adopt';
import { GUEST_NAMESPACE_INVERSE } from '../../guest/guest-target.adopt';
import {
  GUEST_STORAGE_CLASS_INVERSE,
  GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE,
} from '../../guest/storage/guest-storage-class.adopt';
import { SERVICE_ACCOUNT_KUBECONFIG_INVERSE } from '../../harvester/account/service-account-kubeconfig.adopt';
import { ADDON_INVERSE } from '../../harvester/addon/addon.adopt';
import {
  SCHEDULE_VM_BACKUP_INVERSE,
  SNAPSHOT_QUOTA_INVERSE,
} from '../../harvester/backup/backup.adopt';
import {
  CLOUD_INIT_SECRET_INVERSE,
  CLOUD_INIT_TEMPLATE_INVERSE,
} from '../../harvester/cloud-init/cloud-init-secret.adopt';
import {
  CLUSTER_NETWORK_INVERSE,
  VLAN_CONFIG_INVERSE,
  HOST_NETWORK_CONFIG_INVERSE,
} from '../../harvester/cluster-network/cluster-network.adopt';
import {
  PCI_DEVICE_CLAIM_INVERSE,
  USB_DEVICE_CLAIM_INVERSE,
} from '../../harvester/device/device-claim.adopt';
import { HARVESTER_NAMESPACE_INVERSE } from '../../harvester/harvester-object.adopt';
import { IMAGE_CLASS_INVERSE, VM_IMAGE_INVERSE } from '../../harvester/image/vm-image.adopt';
import { IP_POOL_INVERSE } from '../../harvester/ip-pool/ip-pool.adopt';
import { KEY_PAIR_INVERSE } from '../../harvester/key-pair/key-pair.adopt';
import { VM_LOAD_BALANCER_INVERSE } from '../../harvester/load-balancer/vm-load-balancer.adopt';
import { VM_NETWORK_INVERSE } from '../../harvester/network/vm-network.adopt';
import { HARVESTER_NODE_INVERSE, NODE_CLOUD_INIT_INVERSE } from '../../harvester/node/node.adopt';
import { OVERLAY_SUBNET_INVERSE, OVERLAY_VPC_INVERSE } from '../../harvester/overlay/overlay.adopt';
import { HARVESTER_SETTING_INVERSE } from '../../harvester/settings/harvester-setting.adopt';
import {
  HOST_STORAGE_CLASS_INVERSE,
  HOST_VOLUME_SNAPSHOT_CLASS_INVERSE,
} from '../../harvester/storage/harvester-storage-class.adopt';
import { VOLUME_ENCRYPTION_INVERSE } from '../../harvester/storage/volume-encryption.adopt';
import {
  TEMPLATE_INVERSE,
  TEMPLATE_VERSION_INVERSE,
} from '../../harvester/template/template.adopt';
import { VIRTUAL_MACHINE_INVERSE } from '../../harvester/virtual-machine/virtual-machine.adopt';
import { VOLUME_INVERSE } from '../../harvester/volume/volume.adopt';
import { AUTH_CONFIG_INVERSE } from '../../rancher/auth/auth-config.adopt';
import {
  CLUSTER_REPO_INVERSE,
  HARVESTER_UI_EXTENSION_INVERSE,
} from '../../rancher/catalog/catalog.adopt';
import { RANCHER_SECRET_INVERSE } from '../../rancher/credential/secret.adopt';
import {
  HARVESTER_IMPORT_INVERSE,
  MANAGED_CLUSTER_INVERSE,
  REGISTRATION_INVERSE,
} from '../../rancher/import/harvester-import.adopt';
import { REGISTRATION_TOKEN_INVERSE } from '../../rancher/import/registration-token.adopt';
import { IMPORTED_CLUSTER_INVERSE } from '../../rancher/imported-cluster/imported-cluster.adopt';
import {
  CLUSTER_MEMBERS_INVERSE,
  GLOBAL_ROLE_BINDING_INVERSE,
} from '../../rancher/members/members.adopt';
import {
  EXISTING_PROJECT_INVERSE,
  TENANT_PROJECT_INVERSE,
} from '../../rancher/project/tenant-project.adopt';
import { RANCHER_NAMESPACE_INVERSE } from '../../rancher/rancher-namespace.adopt';
import { ROLE_TEMPLATE_INVERSE, GLOBAL_ROLE_INVERSE } from '../../rancher/role/role.adopt';
import {
  RANCHER_SETTING_INVERSE,
  RANCHER_FEATURE_INVERSE,
} from '../../rancher/settings/rancher-setting.adopt';
import { TENANT_TEAM_INVERSE } from '../../rancher/team/tenant-team.adopt';
import { USER_INVERSE } from '../../rancher/user/user.adopt';

/**
 * Secrets that no construct declares: their values are not read, and an ApiObject without them
 * would empty the live one.
 */
const SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  notPlain: ({ manifest }) =>
    (mapAt(manifest, 'data') ?? mapAt(manifest, 'stringData'))
      ? 'holds values that are not read'
      : undefined,
};

/**
 * The inverses of all constructs: those that declare several objects precede those of their parts.
 */
export const ALL_INVERSES: readonly Inverse[] = [
  // guest clusters, and what is in them
  GUEST_CLUSTER_INVERSE,
  HARVESTER_CONFIG_INVERSE,
  CLOUD_CONFIG_SECRET_INVERSE,
  GUEST_STORAGE_CLASS_INVERSE,
  GUEST_VOLUME_SNAPSHOT_CLASS_INVERSE,
  HELM_CHART_INVERSE,
  HELM_CHART_CONFIG_INVERSE,
  HARVESTER_LOAD_BALANCER_INVERSE,
  // Rancher, and namespaces of guest clusters, which may be those of projects
  HARVESTER_IMPORT_INVERSE,
  IMPORTED_CLUSTER_INVERSE,
  REGISTRATION_TOKEN_INVERSE,
  REGISTRATION_INVERSE,
  MANAGED_CLUSTER_INVERSE,
  RANCHER_SECRET_INVERSE,
  TENANT_TEAM_INVERSE,
  TENANT_PROJECT_INVERSE,
  EXISTING_PROJECT_INVERSE,
  CLUSTER_MEMBERS_INVERSE,
  ROLE_TEMPLATE_INVERSE,
  GLOBAL_ROLE_INVERSE,
  USER_INVERSE,
  GLOBAL_ROLE_BINDING_INVERSE,
  RANCHER_NAMESPACE_INVERSE,
  GUEST_NAMESPACE_INVERSE,
  RANCHER_SETTING_INVERSE,
  RANCHER_FEATURE_INVERSE,
  HARVESTER_UI_EXTENSION_INVERSE,
  CLUSTER_REPO_INVERSE,
  AUTH_CONFIG_INVERSE,
  // virtual machines, their images, volumes, keys, and backups, and accounts of those who create
  // them
  VIRTUAL_MACHINE_INVERSE,
  VM_IMAGE_INVERSE,
  IMAGE_CLASS_INVERSE,
  KEY_PAIR_INVERSE,
  VOLUME_INVERSE,
  VOLUME_ENCRYPTION_INVERSE,
  CLOUD_INIT_SECRET_INVERSE,
  CLOUD_INIT_TEMPLATE_INVERSE,
  SCHEDULE_VM_BACKUP_INVERSE,
  SNAPSHOT_QUOTA_INVERSE,
  SERVICE_ACCOUNT_KUBECONFIG_INVERSE,
  TEMPLATE_INVERSE,
  TEMPLATE_VERSION_INVERSE,
  PCI_DEVICE_CLAIM_INVERSE,
  USB_DEVICE_CLAIM_INVERSE,
  // networks, addresses, nodes, storage classes, add-ons, and settings of Harvester
  HARVESTER_NAMESPACE_INVERSE,
  HARVESTER_NODE_INVERSE,
  NODE_CLOUD_INIT_INVERSE,
  CLUSTER_NETWORK_INVERSE,
  VLAN_CONFIG_INVERSE,
  HOST_NETWORK_CONFIG_INVERSE,
  VM_NETWORK_INVERSE,
  HOST_STORAGE_CLASS_INVERSE,
  HOST_VOLUME_SNAPSHOT_CLASS_INVERSE,
  ADDON_INVERSE,
  IP_POOL_INVERSE,
  VM_LOAD_BALANCER_INVERSE,
  HARVESTER_SETTING_INVERSE,
  OVERLAY_VPC_INVERSE,
  OVERLAY_SUBNET_INVERSE,
  SECRET_INVERSE,
];
