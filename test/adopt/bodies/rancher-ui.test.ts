import { Manifest } from '../../../src/core/manifest/manifest';
import { CA } from '../../support/certificates';
import { adopted, foundRancher } from '../_found';

const V3 = 'management.cattle.io/v3';
const SERVER = 'https://rancher.example.com';
const IDP_METADATA =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="sso"><IDPSSODescriptor/></EntityDescriptor>';

/** A certificate in the form of `caBundle`. */
const DER = CA.replace(/-----[A-Z ]+-----|\s/g, '');

/** The label of objects that Rancher itself creates. */
const NORMAN = { 'cattle.io/creator': 'norman' };

function secretOf(type: string, field: string): string {
  return `cattle-global-data:${type}-${field}`.toLowerCase();
}

/**
 * An enabled provider as it is stored: the form ends with the access of those who are listed, and
 * lists the administrator who enables the provider.
 * @see rancher/dashboard:shell/mixins/auth-config.js (v2.15.0)
 */
function login(name: string, type: string, principalId: string, fields: object): Manifest {
  return {
    apiVersion: V3,
    kind: 'AuthConfig',
    metadata: {
      name,
      labels: NORMAN,
      annotations: { 'management.cattle.io/auth-provider-cleanup': 'unlocked' },
    },
    type,
    enabled: true,
    accessMode: 'required',
    allowedPrincipalIds: [principalId],
    logoutAllSupported: false,
    status: { conditions: [{ type: 'SecretsMigrated', status: 'True' }] },
    ...fields,
  } as unknown as Manifest;
}

/** The choice to log out of Rancher only, which the forms begin with. */
const RANCHER_ONLY = { logoutAllEnabled: false, logoutAllForced: false };

function entra(host: string, graphEndpoint: string, fields: object): Manifest {
  const tenantId = '11111111-2222-3333-4444-555555555555';
  const { metadata, ...provider } = login('azuread', 'azureADConfig', 'azuread_user://ana', {
    endpoint: `https://${host}/`,
    graphEndpoint,
    tokenEndpoint: `https://${host}/${tenantId}/oauth2/v2.0/token`,
    authEndpoint: `https://${host}/${tenantId}/oauth2/v2.0/authorize`,
    tenantId,
    applicationId: '66666666-7777-8888-9999-000000000000',
    applicationSecret: secretOf('azureADConfig', 'applicationSecret'),
    rancherUrl: `${SERVER}/verify-auth-azure`,
    ...fields,
  });
  const annotations = {
    ...metadata.annotations,
    'auth.cattle.io/azuread-endpoint-migrated': 'true',
  };
  return { ...provider, metadata: { ...metadata, annotations } } as Manifest;
}

function oidc(name: string, type: string, fields: object): Manifest {
  return login(name, type, `${name}_user://ana`, {
    clientId: 'rancher',
    clientSecret: secretOf(type, 'clientSecret'),
    rancherUrl: `${SERVER}/verify-auth`,
    groupSearchEnabled: null,
    scope: 'openid profile email',
    pkceMethod: '',
    // as the form sets it for each provider that can log users out
    rancherApiHost: SERVER,
    clientAuthenticatedSearch: false,
    logoutAllSupported: true,
    ...RANCHER_ONLY,
    ...fields,
  });
}

function saml(name: string, type: string, fields: object): Manifest {
  return login(name, type, `${name}_user://ana`, {
    displayNameField: 'displayName',
    userNameField: 'userName',
    uidField: 'uid',
    groupsField: 'groups',
    entityID: '',
    rancherApiHost: SERVER,
    spKey: secretOf(type, 'spKey'),
    spCert: CA,
    idpMetadataContent: IDP_METADATA,
    logoutAllSupported: true,
    ...RANCHER_ONLY,
    ...fields,
  });
}

/** The fields of a directory, as the form finds them in an AuthConfig that is off. */
const DIRECTORY = {
  connectionTimeout: 5000,
  groupDNAttribute: 'entryDN',
  groupMemberMappingAttribute: 'member',
  groupMemberUserAttribute: 'entryDN',
  groupNameAttribute: 'cn',
  groupObjectClass: 'groupOfNames',
  groupSearchAttribute: 'cn',
  nestedGroupMembershipEnabled: false,
  port: 389,
  searchUsingServiceAccount: false,
  starttls: false,
  tls: false,
  userLoginAttribute: 'uid',
  userMemberAttribute: 'memberOf',
  userNameAttribute: 'cn',
  userObjectClass: 'inetOrgPerson',
  userSearchAttribute: 'uid|sn|givenName',
};

const SERVERS = {
  servers: ['ldap-1.example.com', 'ldap-2.example.com'],
  userSearchBase: 'ou=people,dc=example,dc=com',
  groupSearchBase: 'ou=groups,dc=example,dc=com',
};

function ldap(name: string, type: string, fields: object): Manifest {
  return login(name, type, `${name}_user://uid=ana,${SERVERS.userSearchBase}`, {
    ...DIRECTORY,
    ...SERVERS,
    serviceAccountDistinguishedName: 'cn=rancher,dc=example,dc=com',
    serviceAccountPassword: secretOf(type, 'serviceAccountPassword'),
    ...fields,
  });
}

const OPEN_LDAP = {
  ...DIRECTORY,
  ...SERVERS,
  serviceAccountDistinguishedName: 'cn=rancher,dc=example,dc=com',
};

const GITHUB = { hostname: 'github.com', tls: true, clientId: 'Iv1.0123456789abcdef' };

/**
 * Providers that forms enabled.
 * @see rancher/dashboard:shell/edit/auth (v2.15.0)
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authn_types.go (v2.15.0-rc5)
 */
const LOGINS: readonly (readonly [name: string, provider: Manifest])[] = [
  [
    'GitHub',
    login('github', 'githubConfig', 'github_user://4242', {
      ...GITHUB,
      clientSecret: secretOf('githubConfig', 'clientSecret'),
    }),
  ],
  [
    'a GitHub Enterprise without TLS',
    login('github', 'githubConfig', 'github_user://4242', {
      ...GITHUB,
      hostname: 'github.example.com',
      tls: false,
      clientSecret: secretOf('githubConfig', 'clientSecret'),
    }),
  ],
  [
    'a GitHub App',
    login('githubapp', 'githubAppConfig', 'githubapp_user://4242', {
      ...GITHUB,
      appId: '123456',
      installationId: '7890123',
      clientSecret: secretOf('githubAppConfig', 'clientSecret'),
      privateKey: secretOf('githubAppConfig', 'privateKey'),
    }),
  ],
  [
    'Google',
    login('googleoauth', 'googleOauthConfig', 'googleoauth_user://1234567890', {
      adminEmail: 'admin@example.com',
      hostname: 'example.com',
      nestedGroupMembershipEnabled: true,
      userInfoEndpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
      oauthCredential: secretOf('googleOauthConfig', 'oauthCredential'),
      serviceAccountCredential: secretOf('googleOauthConfig', 'serviceAccountCredential'),
    }),
  ],
  [
    'Microsoft Entra ID',
    entra('login.microsoftonline.com', 'https://graph.microsoft.com', RANCHER_ONLY),
  ],
  [
    'Microsoft Entra ID of China with a filter of groups',
    entra('login.partner.microsoftonline.cn', 'https://microsoftgraph.chinacloudapi.cn', {
      groupMembershipFilter: "startswith(displayName,'shop')",
    }),
  ],
  ['Okta', saml('okta', 'oktaConfig', { openLdapConfig: null })],
  ['Ping', saml('ping', 'pingConfig', { entityID: 'rancher' })],
  ['AD FS', saml('adfs', 'adfsConfig', { logoutAllEnabled: true, logoutAllForced: true })],
  ['Keycloak with SAML', saml('keycloak', 'keyCloakConfig', {})],
  ['Shibboleth', saml('shibboleth', 'shibbolethConfig', { openLdapConfig: null })],
  ['OpenLDAP', ldap('openldap', 'openLdapConfig', {})],
  [
    'FreeIPA with TLS and the search of a service account',
    ldap('freeipa', 'freeIpaConfig', {
      tls: true,
      port: 636,
      certificate: CA,
      connectionTimeout: 10000,
      searchUsingServiceAccount: true,
      nestedGroupMembershipEnabled: true,
      userSearchFilter: '(memberOf=cn=rancher,ou=groups,dc=example,dc=com)',
    }),
  ],
  [
    'Active Directory',
    login('activedirectory', 'activeDirectoryConfig', 'activedirectory_user://cn=ana', {
      ...SERVERS,
      connectionTimeout: 5000,
      defaultLoginDomain: 'SHOP',
      groupDNAttribute: 'distinguishedName',
      groupMemberMappingAttribute: 'member',
      groupMemberUserAttribute: 'distinguishedName',
      groupNameAttribute: 'name',
      groupObjectClass: 'group',
      groupSearchAttribute: 'sAMAccountName',
      nestedGroupMembershipEnabled: false,
      port: 389,
      serviceAccountUsername: 'rancher',
      serviceAccountPassword: secretOf('activeDirectoryConfig', 'serviceAccountPassword'),
      starttls: false,
      tls: false,
      userDisabledBitMask: 2,
      userEnabledAttribute: 'userAccountControl',
      userLoginAttribute: 'sAMAccountName',
      userNameAttribute: 'name',
      userObjectClass: 'person',
      userSearchAttribute: 'sAMAccountName|sn|givenName',
    }),
  ],
  [
    'Keycloak with OIDC by its URL and realm',
    oidc('keycloakoidc', 'keyCloakOIDCConfig', {
      issuer: 'https://sso.example.com/realms/platform',
      authEndpoint: 'https://sso.example.com/realms/platform/protocol/openid-connect/auth',
      groupSearchEnabled: true,
    }),
  ],
  [
    'a generic provider with OIDC, own claims, and a log out of the provider',
    oidc('genericoidc', 'genericOIDCConfig', {
      issuer: 'https://sso.example.com',
      authEndpoint: 'https://sso.example.com/authorize',
      tokenEndpoint: 'https://sso.example.com/token',
      userInfoEndpoint: 'https://sso.example.com/userinfo',
      jwksUrl: 'https://sso.example.com/keys',
      acrValue: 'mfa',
      scope: 'openid profile email groups',
      groupsClaim: 'roles',
      nameClaim: 'full_name',
      emailClaim: 'mail',
      pkceMethod: 'S256',
      certificate: CA,
      privateKey: secretOf('genericOIDCConfig', 'privateKey'),
      clientAuthenticatedSearch: true,
      endSessionEndpoint: 'https://sso.example.com/logout',
      logoutAllEnabled: true,
    }),
  ],
  [
    'Amazon Cognito',
    oidc('cognito', 'cognitoConfig', {
      issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1',
      scope: 'openid email',
    }),
  ],
  [
    'Microsoft Entra ID with a log out of it',
    entra('login.microsoftonline.com', 'https://graph.microsoft.com', {
      logoutAllSupported: true,
      logoutAllEnabled: true,
      logoutAllForced: true,
      endSessionEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/logout',
    }),
  ],
  [
    'Okta with the search of a directory',
    saml('okta', 'oktaConfig', {
      openLdapConfig: {
        ...OPEN_LDAP,
        serviceAccountPassword: secretOf('oktaConfig', 'serviceAccountPassword'),
      },
    }),
  ],
  [
    'Shibboleth with the search of a directory',
    saml('shibboleth', 'shibbolethConfig', {
      openLdapConfig: {
        ...OPEN_LDAP,
        serviceAccountPassword: secretOf('shibbolethConfig', 'serviceAccountPassword'),
      },
    }),
  ],
];

function repository(name: string, spec: object, annotations: object = {}): Manifest {
  return {
    apiVersion: 'catalog.cattle.io/v1',
    kind: 'ClusterRepo',
    metadata: {
      name,
      annotations: { 'field.cattle.io/description': 'Of the shop', ...annotations },
    },
    spec,
    status: { observedGeneration: 1, downloadTime: '2026-01-01T00:00:00Z' },
  } as unknown as Manifest;
}

/**
 * Repositories of the form. A choice of another type empties the Secret.
 * @see rancher/dashboard:shell/edit/catalog.cattle.io.clusterrepo.vue (v2.15.0)
 * @see rancher/dashboard:shell/models/catalog.cattle.io.clusterrepo.js (v2.15.0)
 */
const REPOSITORIES: readonly (readonly [name: string, repository: Manifest])[] = [
  ['of charts at a URL', repository('shop', { url: 'https://charts.example.com' })],
  [
    'of charts that is off, which the form was changed to',
    repository('shop', {
      url: 'https://charts.example.com',
      clientSecret: null,
      enabled: false,
      forceUpdate: '2026-01-01T00:00:00Z',
    }),
  ],
  [
    'in Git with a Secret',
    repository('shop', {
      url: '',
      gitRepo: 'https://git.example.com/charts.git',
      gitBranch: 'main',
      refreshInterval: 7200,
      clientSecret: { name: 'clusterrepo-auth-x7k2p', namespace: 'cattle-system' },
    }),
  ],
  [
    'in a registry with a certificate authority and waits',
    repository('shop', {
      url: 'oci://registry.example.com/charts',
      clientSecret: null,
      caBundle: DER,
      insecurePlainHttp: false,
      insecureSkipTLSVerify: true,
      exponentialBackOffValues: { minWait: 2, maxWait: 10, maxRetries: 3 },
    }),
  ],
  [
    'that is never refreshed',
    repository('shop', { url: 'https://charts.example.com', refreshInterval: -1 }),
  ],
  [
    'of the application collection of SUSE',
    repository(
      'suse-app-collection',
      {
        url: 'oci://dp.apps.rancher.io/charts',
        clientSecret: { name: 'clusterrepo-appco-auth-b9k4d', namespace: 'cattle-system' },
      },
      { 'catalog.cattle.io/suse-application-collection': 'true' },
    ),
  ],
];

function setting(name: string, value: string, byDefault = ''): Manifest {
  return {
    apiVersion: V3,
    kind: 'Setting',
    metadata: { name },
    value,
    default: byDefault,
    customized: true,
    source: '',
  } as unknown as Manifest;
}

/** A setting that a page creates, which Rancher does not know. */
function createdSetting(name: string, value: object | string): Manifest {
  return {
    apiVersion: V3,
    kind: 'Setting',
    metadata: { name },
    value: typeof value === 'string' ? value : JSON.stringify(value),
  } as unknown as Manifest;
}

const BANNER = { background: '#eef', color: '#141419', textAlignment: 'center', fontSize: '14px' };

/**
 * Settings of the list and of the pages for banners, branding, links, performance, and unused
 * accounts.
 * @see rancher/dashboard:shell/edit/management.cattle.io.setting, shell/config/settings.ts (v2.15.0)
 * @see rancher/dashboard:shell/pages/c/_cluster/settings (v2.15.0)
 * @see rancher/dashboard:shell/pages/c/_cluster/auth/user.retention (v2.15.0)
 */
const SETTINGS: readonly Manifest[] = [
  setting('server-url', SERVER),
  setting('password-min-length', '14', '12'),
  setting('auth-user-session-ttl-minutes', '480', '960'),
  setting('auth-user-session-idle-ttl-minutes', '60', '960'),
  setting('auth-user-info-resync-cron', '0 3 * * *', '0 0 * * *'),
  setting('auth-user-info-max-age-seconds', '7200', '3600'),
  setting('auth-token-max-ttl-minutes', '43200', '129600'),
  setting('kubeconfig-generate-token', 'false', 'true'),
  setting('kubeconfig-default-token-ttl-minutes', '1440', '43200'),
  setting('system-default-registry', 'registry.example.com'),
  setting('ui-offline-preferred', 'true', 'dynamic'),
  setting('ui-brand', 'suse'),
  setting('hide-local-cluster', 'true', 'false'),
  setting('agent-tls-mode', 'system-store', 'strict'),
  setting('system-agent-upgrader-install-concurrency', '10', '5'),
  setting('imported-cluster-version-management', 'false', 'true'),
  setting(
    'cluster-agent-default-priority-class',
    '{"value":100000000,"preemptionPolicy":"Never"}',
    '{"value":1000000000,"preemptionPolicy":"PreemptLowerPriority"}',
  ),
  setting(
    'fleet-agent-default-pod-disruption-budget',
    '{"minAvailable":"1","maxUnavailable":"0"}',
    '{"minAvailable":"0","maxUnavailable":"0"}',
  ),
  setting('disable-inactive-user-after', '720h'),
  setting('delete-inactive-user-after', '8760h'),
  setting('user-retention-cron', '0 * * * *'),
  setting('user-retention-dry-run', 'true', 'false'),
  setting('user-last-login-default', '2026-01-01T01:00:00+01:00'),
  setting('ui-pl', 'Shop', 'rancher'),
  setting(
    'ui-banners',
    JSON.stringify({
      loginError: { message: '', showMessage: 'false' },
      bannerHeader: { ...BANNER, text: 'Production' },
      bannerFooter: BANNER,
      bannerConsent: BANNER,
      showHeader: 'true',
      showFooter: 'false',
      showConsent: 'false',
    }),
    '{}',
  ),
  createdSetting('ui-primary-color', 'rgb(20, 80, 200)'),
  createdSetting('ui-logo-light', 'data:image/svg+xml;base64,PHN2Zy8+'),
  createdSetting('ui-custom-links', {
    defaults: ['docs'],
    custom: [{ key: 'Handbook', value: 'https://handbook.example.com' }],
  }),
  createdSetting('ui-performance', {
    inactivity: { enabled: true, threshold: 900 },
    incrementalLoading: { enabled: true, threshold: 1500 },
    manualRefresh: { enabled: false, threshold: 1500 },
    disableWebsocketNotification: true,
    garbageCollection: {
      enabled: false,
      enabledInterval: true,
      interval: 300,
      enabledOnNavigate: true,
      ageThreshold: 120,
      countThreshold: 500,
    },
    forceNsFilterV2: { enabled: false },
    advancedWorker: { enabled: false },
    kubeAPI: {
      warningHeader: { separator: '299 - ', notificationBlockList: ['299 - unknown field'] },
    },
    serverPagination: { useDefaultStores: true, resourceChangesDebounceMs: 4000 },
  }),
];

function feature(name: string, value: boolean, dynamic: boolean): Manifest {
  return {
    apiVersion: V3,
    kind: 'Feature',
    metadata: { name },
    spec: { value },
    status: { default: !value, description: 'A feature', dynamic, lockedValue: null },
  } as unknown as Manifest;
}

/**
 * Features that the dialog switched.
 * @see rancher/dashboard:shell/dialog/FeatureFlagListDialog.vue (v2.15.0)
 */
const FEATURES: readonly Manifest[] = [
  feature('harvester-baremetal-container-workload', true, true),
  feature('continuous-delivery', false, true),
  feature('multi-cluster-management', false, false),
];

function ofSettings(objects: readonly Manifest[]) {
  return objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);
}

test.each([
  ...LOGINS.map(([name, object]) => [`the log in with ${name}`, object] as const),
  ...REPOSITORIES.map(([name, object]) => [`the repository ${name}`, object] as const),
  ...ofSettings(SETTINGS),
  ...ofSettings(FEATURES),
])('adopts %s without a patch', (_, object) => {
  const { differences, errors, notes, clusters, text } = adopted([
    foundRancher('2.15.0', [object]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  const [{ found, leftOut }] = clusters;
  expect(found - leftOut).toBe(1);
  expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
});
