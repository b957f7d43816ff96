import { CLUSTER_BINDING_RULES } from './cluster-binding';
import { GLOBAL_ROLE_RULES } from './global-role';
import { GUEST_CLUSTER_RULES } from './guest-clusters';
import { GUEST_SECRET_RULES } from './guest-secrets';
import { HARVESTER_SETTING_RULES } from './harvester-setting';
import { INFRASTRUCTURE_RULES } from './infrastructure';
import { IP_POOL_RULES } from './ip-pool';
import { LOAD_BALANCER_RULES } from './load-balancer';
import { MACHINE_PASSWORD_RULES } from './machine-password';
import { MANAGEMENT_CLUSTER_RULES } from './management-cluster';
import { OBJECT_RULES } from './objects';
import { PLACEHOLDER_RULES } from './placeholder';
import { PROJECT_RULES } from './project';
import { PROJECT_BINDING_RULES } from './project-binding';
import { PROVISIONING_CLUSTER_RULES } from './provisioning-cluster';
import { RANCHER_SETTING_RULES } from './rancher-setting';
import { REGISTRATION_RULES } from './registration';
import { REGISTRATION_TOKEN_RULES } from './registration-token';
import { RKE1_RULES } from './rke1';
import { ROLE_TEMPLATE_RULES } from './role-template';
import { Rule } from './rule';
import { SCHEDULE_RULES } from './schedule-vm-backup';
import { SERVICE_RULES } from './service-load-balancer';
import { SHAPE_RULES } from './shapes';
import { TENANT_NAMESPACE_RULES } from './tenant-namespace';
import { USER_RULES } from './user';
import { VIRTUAL_MACHINE_RULES } from './virtual-machine';
import { VOLUME_RULES } from './volume';

/** Every rule over manifests, by family. */
export const ALL_RULES: readonly Rule[] = [
  ...OBJECT_RULES,
  ...PLACEHOLDER_RULES,
  ...SHAPE_RULES,
  ...PROVISIONING_CLUSTER_RULES,
  ...GUEST_CLUSTER_RULES,
  ...GUEST_SECRET_RULES,
  ...MACHINE_PASSWORD_RULES,
  ...MANAGEMENT_CLUSTER_RULES,
  ...RKE1_RULES,
  ...REGISTRATION_TOKEN_RULES,
  ...REGISTRATION_RULES,
  ...RANCHER_SETTING_RULES,
  ...HARVESTER_SETTING_RULES,
  ...INFRASTRUCTURE_RULES,
  ...IP_POOL_RULES,
  ...LOAD_BALANCER_RULES,
  ...SERVICE_RULES,
  ...PROJECT_RULES,
  ...TENANT_NAMESPACE_RULES,
  ...PROJECT_BINDING_RULES,
  ...CLUSTER_BINDING_RULES,
  ...ROLE_TEMPLATE_RULES,
  ...GLOBAL_ROLE_RULES,
  ...USER_RULES,
  ...VIRTUAL_MACHINE_RULES,
  ...VOLUME_RULES,
  ...SCHEDULE_RULES,
];
