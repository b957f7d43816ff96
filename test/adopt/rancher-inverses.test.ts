import { testInverses } from './_inverses';

testInverses(['HarvesterImport', 'RegistrationToken', 'TenantProject', 'ClusterMembers', 'SharedImages', 'RancherSetting', 'RancherFeature', 'TokenLifetime', 'RancherNamespace', 'GlobalRole', 'RoleTemplate', 'User', 'GlobalRoleBinding', 'ClusterRepo', 'HarvesterUiExtension']);
