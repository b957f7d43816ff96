import { Inverse } from '../../core/draft/inverse';
import { GUEST_NAMESPACE_INVERSE } from '../../guest/guest-namespace.adopt';
import { AUTH_CONFIG_INVERSE } from '../../rancher/auth/auth-config.adopt';
import { CLUSTER_REPO_INVERSE, HARVESTER_UI_EXTENSION_INVERSE } from '../../rancher/catalog/catalog.adopt';
import { IMPORTED_CLUSTER_INVERSE } from '../../rancher/cluster/imported-cluster.adopt';
import { RANCHER_SECRET_INVERSE } from '../../rancher/credential/secret.adopt';
import { HARVESTER_IMPORT_INVERSE, MANAGED_CLUSTER_INVERSE, REGISTRATION_INVERSE } from '../../rancher/import/harvester-import.adopt';
import { REGISTRATION_TOKEN_INVERSE } from '../../rancher/import/registration-token.adopt';
import { GLOBAL_ROLE_BINDING_INVERSE } from '../../rancher/members/global-role-binding.adopt';
import { CLUSTER_MEMBERS_INVERSE } from '../../rancher/members/members.adopt';
import { EXISTING_PROJECT_INVERSE, TENANT_PROJECT_INVERSE } from '../../rancher/project/tenant-project.adopt';
import { RANCHER_NAMESPACE_INVERSE } from '../../rancher/rancher-namespace.adopt';
import { GLOBAL_ROLE_INVERSE } from '../../rancher/role/global-role.adopt';
import { ROLE_TEMPLATE_INVERSE } from '../../rancher/role/role-template.adopt';
import { RANCHER_FEATURE_INVERSE } from '../../rancher/settings/rancher-feature.adopt';
import { RANCHER_SETTING_INVERSE } from '../../rancher/settings/rancher-setting.adopt';
import { USER_INVERSE } from '../../rancher/user/user.adopt';

/** Imports, projects, members, roles, users, credentials, and settings of Rancher, and namespaces of guest clusters, which may be those of projects. */
export const RANCHER_INVERSES: readonly Inverse[] = [
  HARVESTER_IMPORT_INVERSE, IMPORTED_CLUSTER_INVERSE, REGISTRATION_TOKEN_INVERSE, REGISTRATION_INVERSE, MANAGED_CLUSTER_INVERSE,
  RANCHER_SECRET_INVERSE, TENANT_PROJECT_INVERSE, EXISTING_PROJECT_INVERSE, CLUSTER_MEMBERS_INVERSE,
  ROLE_TEMPLATE_INVERSE, GLOBAL_ROLE_INVERSE, USER_INVERSE,
  GLOBAL_ROLE_BINDING_INVERSE, RANCHER_NAMESPACE_INVERSE, GUEST_NAMESPACE_INVERSE, RANCHER_SETTING_INVERSE, RANCHER_FEATURE_INVERSE,
  HARVESTER_UI_EXTENSION_INVERSE, CLUSTER_REPO_INVERSE,
  AUTH_CONFIG_INVERSE,
];
