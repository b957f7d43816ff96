import { testInverses } from './_inverses';

testInverses(
  [
    'HarvesterImport',
    'ImportedCluster',
    'RegistrationToken',
    'TenantProject',
    'ClusterMembers',
    'SharedImages',
    'RancherSetting',
    'RancherFeature',
    'OidcAuthConfig',
    'SamlAuthConfig',
    'LdapAuthConfig',
    'AzureAdAuthConfig',
    'GithubAuthConfig',
    'GoogleAuthConfig',
    'TokenLifetime',
    'RancherNamespace',
    'GlobalRole',
    'RoleTemplate',
    'LocalUser',
    'GlobalRoleBinding',
    'ClusterRepo',
    'HarvesterUiExtension',
  ],
  {
    'ClusterRepo: forceUpdate': 'a time at which someone refreshed it in the UI',
  },
);
