import { KindDescription } from '../core/kind/kind';
import { KUBERNETES_KINDS } from '../core/kubernetes/kubernetes.kind';
import { HELM_CHART_DESCRIPTIONS } from '../guest/chart/helm-chart.kind';
import { MACHINE_DESCRIPTIONS } from '../guest/machine-config/machine-config.kind';
import { RKE1_DESCRIPTIONS } from '../guest/rke1/rke1.kind';
import { ADDON_DESCRIPTION } from '../harvester/addon/addon.kind';
import {
  BACKUP_DESCRIPTIONS,
  SNAPSHOT_QUOTA_DESCRIPTION,
  VOLUME_BACKUP_DESCRIPTIONS,
} from '../harvester/backup/backup.kind';
import { CLUSTER_NETWORK_DESCRIPTIONS } from '../harvester/cluster-network/cluster-network.kind';
import { DEVICE_DESCRIPTIONS } from '../harvester/device/device.kind';
import { VM_IMAGE_DESCRIPTION } from '../harvester/image/vm-image.kind';
import { IP_POOL_DESCRIPTION } from '../harvester/ip-pool/ip-pool.kind';
import { KEY_PAIR_DESCRIPTION } from '../harvester/key-pair/key-pair.kind';
import { LOAD_BALANCER_DESCRIPTION } from '../harvester/load-balancer/load-balancer.kind';
import {
  FORKLIFT_DESCRIPTIONS,
  MIGRATION_DESCRIPTIONS,
} from '../harvester/migration/migration.kind';
import { VM_NETWORK_DESCRIPTION } from '../harvester/network/vm-network.kind';
import { NODE_DESCRIPTIONS } from '../harvester/node/node.kind';
import { OVERLAY_DESCRIPTIONS } from '../harvester/overlay/overlay.kind';
import { HARVESTER_SETTING_DESCRIPTION } from '../harvester/settings/harvester-setting.kind';
import { STORAGE_CLASS_DESCRIPTION, VOLUME_DESCRIPTION } from '../harvester/storage/storage.kind';
import { VIRTUAL_MACHINE_DESCRIPTIONS } from '../harvester/virtual-machine/virtual-machine.kind';
import { AUTH_CONFIG_DESCRIPTION } from '../rancher/auth/auth-config.kind';
import { BINDING_DESCRIPTIONS } from '../rancher/binding/binding.kind';
import { CATALOG_DESCRIPTIONS } from '../rancher/catalog/catalog.kind';
import { MANAGEMENT_CLUSTER_DESCRIPTION } from '../rancher/cluster/management-cluster.kind';
import { PROVISIONING_CLUSTER_DESCRIPTION } from '../rancher/cluster/provisioning-cluster.kind';
import { SECRET_SOURCE_DESCRIPTIONS, SECRET_DESCRIPTION } from '../rancher/credential/secret.kind';
import { REGISTRATION_TOKEN_DESCRIPTION } from '../rancher/import/registration-token.kind';
import { OPERATION_DESCRIPTIONS } from '../rancher/operation/operation.kind';
import { NAMESPACE_DESCRIPTION, PROJECT_DESCRIPTION } from '../rancher/project/project.kind';
import { RANCHER_DESCRIPTIONS } from '../rancher/rancher.kind';
import { ROLE_DESCRIPTIONS } from '../rancher/role/role.kind';
import { RANCHER_SETTING_DESCRIPTIONS } from '../rancher/settings/rancher-setting.kind';
import { USER_DESCRIPTIONS } from '../rancher/user/user.kind';

/** Every kind that the library knows, each once. */
export const ALL_KINDS: readonly KindDescription[] = [
  PROVISIONING_CLUSTER_DESCRIPTION,
  MANAGEMENT_CLUSTER_DESCRIPTION,
  ...VIRTUAL_MACHINE_DESCRIPTIONS,
  VM_IMAGE_DESCRIPTION,
  ...BACKUP_DESCRIPTIONS,
  ...VOLUME_BACKUP_DESCRIPTIONS,
  SNAPSHOT_QUOTA_DESCRIPTION,
  NAMESPACE_DESCRIPTION,
  SECRET_DESCRIPTION,
  ...SECRET_SOURCE_DESCRIPTIONS,
  ...KUBERNETES_KINDS,
  STORAGE_CLASS_DESCRIPTION,
  VOLUME_DESCRIPTION,
  HARVESTER_SETTING_DESCRIPTION,
  ADDON_DESCRIPTION,
  KEY_PAIR_DESCRIPTION,
  IP_POOL_DESCRIPTION,
  LOAD_BALANCER_DESCRIPTION,
  VM_NETWORK_DESCRIPTION,
  ...CLUSTER_NETWORK_DESCRIPTIONS,
  ...NODE_DESCRIPTIONS,
  ...DEVICE_DESCRIPTIONS,
  ...OVERLAY_DESCRIPTIONS,
  ...FORKLIFT_DESCRIPTIONS,
  ...MIGRATION_DESCRIPTIONS,
  PROJECT_DESCRIPTION,
  ...ROLE_DESCRIPTIONS,
  ...BINDING_DESCRIPTIONS,
  ...USER_DESCRIPTIONS,
  AUTH_CONFIG_DESCRIPTION,
  ...RANCHER_SETTING_DESCRIPTIONS,
  REGISTRATION_TOKEN_DESCRIPTION,
  ...RANCHER_DESCRIPTIONS,
  ...OPERATION_DESCRIPTIONS,
  ...CATALOG_DESCRIPTIONS,
  ...MACHINE_DESCRIPTIONS,
  ...RKE1_DESCRIPTIONS,
  ...HELM_CHART_DESCRIPTIONS,
];
