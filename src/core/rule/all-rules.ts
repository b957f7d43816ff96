import { OBJECT_RULES, PLACEHOLDER_RULES } from './objects.rules';
import { Rule } from './rule';
import { NO_PROVIDER_RULES, SERVICE_RULES } from '../../guest/balancer/service-load-balancer.rules';
import { GUEST_CLUSTER_RULES } from '../../guest/cluster/cluster.rules';
import { MACHINE_PASSWORD_RULES } from '../../guest/machine-config/machine-config.rules';
import { GUEST_SECRET_RULES } from '../../guest/machine-file/machine-file.rules';
import { RKE1_RULES } from '../../guest/rke1/rke1.rules';
import { ACCOUNT_RULES } from '../../harvester/account/account.rules';
import { SCHEDULE_RULES } from '../../harvester/backup/backup.rules';
import { INFRASTRUCTURE_RULES } from '../../harvester/infrastructure.rules';
import { IP_POOL_RULES } from '../../harvester/ip-pool/ip-pool.rules';
import { POOL_PLACE_RULES } from '../../harvester/ip-pool/pool-place.rules';
import { LOAD_BALANCER_RULES, MACHINE_ADDRESS_RULES } from '../../harvester/load-balancer/load-balancer.rules';
import { VLAN_TWICE_RULES } from '../../harvester/network/vm-network.rules';
import { NODE_RULES } from '../../harvester/node/node.rules';
import { RESOURCE_QUOTA_RULES } from '../../harvester/resource-quota/resource-quota.rules';
import { HARVESTER_SETTING_RULES } from '../../harvester/settings/harvester-setting.rules';
import { VOLUME_RULES } from '../../harvester/storage/storage.rules';
import { UNIT_RULES, USER_DATA_RULES, VIRTUAL_MACHINE_RULES } from '../../harvester/virtual-machine/virtual-machine.rules';
import { MANAGEMENT_CLUSTER_RULES } from '../../rancher/cluster/management-cluster.rules';
import { PROVISIONING_CLUSTER_RULES } from '../../rancher/cluster/provisioning-cluster.rules';
import { REGISTRATION_RULES, REGISTRATION_TOKEN_RULES } from '../../rancher/import/registration-token.rules';
import { CLUSTER_BINDING_RULES, PROJECT_BINDING_RULES } from '../../rancher/members/bindings.rules';
import { PROJECT_RULES } from '../../rancher/project/project.rules';
import { TENANT_NAMESPACE_RULES } from '../../rancher/project/tenant-namespace.rules';
import { PROJECT_SECRET_RULES } from '../../rancher/project-secret/project-secret.rules';
import { GLOBAL_ROLE_RULES } from '../../rancher/role/global-role.rules';
import { ROLE_TEMPLATE_RULES } from '../../rancher/role/role-template.rules';
import { RANCHER_SETTING_RULES } from '../../rancher/settings/rancher-setting.rules';
import { TEAM_RULES } from '../../rancher/team/team.rules';
import { USER_RULES } from '../../rancher/user/user.rules';
import { immutableRules } from '../immutable/immutable-fields.rules';
import { ALL_KINDS } from '../kind/all-kinds';
import { SHAPE_RULES } from '../shape/shape.rules';

const OWN_RULES: readonly Rule[] = [
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
  ...USER_RULES,
  ...VIRTUAL_MACHINE_RULES,
  ...USER_DATA_RULES,
  ...MACHINE_ADDRESS_RULES,
  ...UNIT_RULES,
  ...VOLUME_RULES,
  ...SCHEDULE_RULES,
  ...ACCOUNT_RULES,
];

const OWN_IDS = new Set(OWN_RULES.map(({ id }) => id));

/** The rules on immutable fields that no slice extends. */
export const IMMUTABLE_RULES: readonly Rule[] = immutableRules(ALL_KINDS).filter(({ id }) => !OWN_IDS.has(id));

/** Every rule over manifests: those of the slices by family, then those on immutable fields. */
export const ALL_RULES: readonly Rule[] = [...OWN_RULES, ...IMMUTABLE_RULES];
