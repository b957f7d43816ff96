import { Manifest } from '../../../src/core/manifest/manifest';
import { adopted, foundGuest, foundHarvester, foundRancher } from '../_found';

const V3 = 'management.cattle.io/v3';
const ID = 'c-m-abcd1234';

/** What Rancher's API adds to what it creates for someone. */
const NORMAN = { 'cattle.io/creator': 'norman' };
const CREATOR = { 'field.cattle.io/creatorId': 'user-adm1n' };
/** What the provider has for `labels` of a resource. */
const LABELS = { team: 'shop' };

function made(kind: string, metadata: object, fields: object): Manifest {
  const { labels, ...more } = metadata as { readonly labels?: object };
  return {
    apiVersion: V3,
    kind,
    metadata: { labels: { ...NORMAN, ...LABELS, ...labels }, annotations: CREATOR, ...more },
    ...fields,
  } as unknown as Manifest;
}

/** The Harvester whose projects the resources are in. */
const IMPORT: readonly Manifest[] = [
  {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'dc1',
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
    },
    spec: { agentEnvVars: [], localClusterAuthEndpoint: {} },
    status: { clusterName: ID },
  },
];

const PROJECT = made(
  'Project',
  { name: 'p-7bnx5', namespace: ID },
  {
    spec: {
      clusterName: ID,
      displayName: 'shop',
      description: '',
      containerDefaultResourceLimit: {
        limitsCpu: '20m',
        limitsMemory: '20Mi',
        requestsCpu: '1m',
        requestsMemory: '1Mi',
      },
      resourceQuota: {
        limit: { limitsCpu: '2000m', limitsMemory: '2000Mi', requestsStorage: '2Gi' },
        usedLimit: {},
      },
      namespaceDefaultResourceQuota: {
        limit: { limitsCpu: '2000m', limitsMemory: '500Mi', requestsStorage: '1Gi' },
      },
    },
    status: { backingNamespace: `${ID}-p-7bnx5` },
  },
);

/**
 * Resources of the provider that constructs can declare, as objects of Rancher.
 * @see rancher/terraform-provider-rancher2:rancher2 (structure_*.go, expand…)
 */
const RANCHER: readonly (readonly [resource: string, objects: readonly Manifest[]])[] = [
  ['rancher2_project', [PROJECT]],
  [
    'rancher2_project_role_template_binding',
    [
      PROJECT,
      made(
        'ProjectRoleTemplateBinding',
        { name: 'prtb-k2x9d', namespace: `${ID}-p-7bnx5` },
        {
          projectName: `${ID}:p-7bnx5`,
          roleTemplateName: 'project-member',
          groupPrincipalName: 'okta_group://shop',
          groupName: '',
          userName: '',
          userPrincipalName: '',
        },
      ),
    ],
  ],
  [
    'rancher2_cluster_role_template_binding',
    [
      made(
        'ClusterRoleTemplateBinding',
        { name: 'crtb-9xk2d', namespace: ID },
        {
          clusterName: ID,
          roleTemplateName: 'cluster-member',
          userPrincipalName: 'okta_user://ana',
          userName: 'u-4kx2d',
          groupName: '',
          groupPrincipalName: '',
        },
      ),
    ],
  ],
  [
    'rancher2_user and rancher2_global_role_binding',
    [
      made(
        'User',
        { name: 'u-b2xk9' },
        {
          username: 'ben',
          displayName: 'Ben',
          enabled: true,
          mustChangePassword: false,
          principalIds: ['local://u-b2xk9'],
        },
      ),
      made(
        'GlobalRoleBinding',
        { name: 'grb-7xk2d' },
        { globalRoleName: 'user-base', userName: 'u-b2xk9', groupPrincipalName: '' },
      ),
    ],
  ],
  [
    'rancher2_global_role',
    [
      made(
        'GlobalRole',
        { name: 'gr-4xk2d' },
        {
          displayName: 'Readers',
          description: '',
          newUserDefault: false,
          rules: [{ apiGroups: ['*'], resources: ['secrets'], verbs: ['get'] }],
          inheritedClusterRoles: ['cluster-member'],
        },
      ),
    ],
  ],
  [
    'rancher2_role_template',
    [
      made(
        'RoleTemplate',
        { name: 'rt-4xk2d' },
        {
          displayName: 'Readers',
          context: 'cluster',
          administrative: false,
          builtin: false,
          clusterCreatorDefault: true,
          description: 'Terraform role template acceptance test',
          external: false,
          hidden: false,
          locked: false,
          projectCreatorDefault: false,
          rules: [{ apiGroups: ['*'], resources: ['secrets'], verbs: ['get'] }],
        },
      ),
    ],
  ],
  [
    'rancher2_setting',
    [
      made(
        'Setting',
        { name: 'kubeconfig-default-token-ttl-minutes' },
        { value: '720', default: '43200', customized: true, source: '' },
      ),
    ],
  ],
  [
    'rancher2_feature',
    [
      made(
        'Feature',
        { name: 'harvester-baremetal-container-workload' },
        { spec: { value: true }, status: { default: false, dynamic: true, lockedValue: null } },
      ),
    ],
  ],
  [
    'rancher2_catalog_v2',
    [
      {
        apiVersion: 'catalog.cattle.io/v1',
        kind: 'ClusterRepo',
        metadata: { name: 'shop-charts', labels: LABELS },
        spec: {
          enabled: true,
          url: 'https://charts.shop.example.com',
          exponentialBackOffValues: {},
          forceUpdate: null,
        },
      } as Manifest,
    ],
  ],
];

const SERVER = 'https://rancher.example.com';

/** A provider with the access that the resource has by default. */
function login(name: string, type: string, fields: object): Manifest {
  return {
    apiVersion: V3,
    kind: 'AuthConfig',
    metadata: { name, labels: LABELS },
    type,
    enabled: true,
    accessMode: 'unrestricted',
    logoutAllSupported: false,
    status: { conditions: [] },
    ...fields,
  } as unknown as Manifest;
}

const RESTRICTED = { accessMode: 'restricted' };

function secretOf(type: string, field: string): string {
  return `cattle-global-data:${type}-${field}`.toLowerCase();
}

function oidc(name: string, type: string, fields: object): Manifest {
  return login(name, type, {
    clientId: 'rancher',
    clientSecret: secretOf(type, 'clientSecret'),
    issuer: 'https://sso.example.com/realms/platform',
    rancherUrl: `${SERVER}/verify-auth`,
    groupSearchEnabled: false,
    logoutAllEnabled: false,
    logoutAllForced: false,
    // Rancher writes fields that the resource does not have
    pkceMethod: '',
    rancherApiHost: '',
    clientAuthenticatedSearch: false,
    ...fields,
  });
}

function saml(name: string, type: string, fields: object): Manifest {
  return login(name, type, {
    displayNameField: 'displayName',
    groupsField: 'groups',
    uidField: 'userName',
    userNameField: 'userName',
    entityID: '',
    idpMetadataContent:
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="shop"><IDPSSODescriptor/></EntityDescriptor>',
    rancherApiHost: SERVER,
    spCert: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    spKey: secretOf(type, 'spKey'),
    ...fields,
  });
}

/** The fields of each directory. What the resource does not give, Rancher's API fills in. */
const DIRECTORY = {
  servers: ['ldap.example.com'],
  port: 389,
  tls: false,
  starttls: false,
  connectionTimeout: 5000,
  nestedGroupMembershipEnabled: false,
  userSearchBase: 'ou=people,dc=example,dc=com',
  groupMemberMappingAttribute: 'member',
};

function ldap(name: string, type: string, fields: object): Manifest {
  return login(name, type, {
    ...DIRECTORY,
    serviceAccountDistinguishedName: 'cn=rancher,dc=example,dc=com',
    serviceAccountPassword: secretOf(type, 'serviceAccountPassword'),
    searchUsingServiceAccount: false,
    groupDNAttribute: 'entryDN',
    groupMemberUserAttribute: 'entryDN',
    groupNameAttribute: 'cn',
    groupObjectClass: 'groupOfNames',
    groupSearchAttribute: 'cn',
    userLoginAttribute: 'uid',
    userMemberAttribute: 'memberOf',
    userNameAttribute: 'cn',
    userObjectClass: 'inetOrgPerson',
    userSearchAttribute: 'uid|sn|givenName',
    ...fields,
  });
}

/**
 * The providers of the resources `rancher2_auth_config_…`.
 * @see rancher/terraform-provider-rancher2:rancher2 (structure_auth_config_*.go, expand…; v14.1.1)
 */
const LOGINS: readonly (readonly [resource: string, provider: Manifest])[] = [
  [
    'activedirectory',
    login('activedirectory', 'activeDirectoryConfig', {
      ...DIRECTORY,
      defaultLoginDomain: 'SHOP',
      serviceAccountUsername: 'rancher',
      serviceAccountPassword: secretOf('activeDirectoryConfig', 'serviceAccountPassword'),
      groupDNAttribute: 'distinguishedName',
      groupMemberUserAttribute: 'distinguishedName',
      groupNameAttribute: 'name',
      groupObjectClass: 'group',
      groupSearchAttribute: 'sAMAccountName',
      userDisabledBitMask: 2,
      userEnabledAttribute: 'userAccountControl',
      userLoginAttribute: 'sAMAccountName',
      userNameAttribute: 'name',
      userObjectClass: 'person',
      userSearchAttribute: 'sAMAccountName|sn|givenName',
    }),
  ],
  ['adfs', saml('adfs', 'adfsConfig', {})],
  [
    'azuread',
    login('azuread', 'azureADConfig', {
      endpoint: 'https://login.microsoftonline.com/',
      graphEndpoint: 'https://graph.microsoft.com',
      tokenEndpoint: 'https://login.microsoftonline.com/shop/oauth2/v2.0/token',
      authEndpoint: 'https://login.microsoftonline.com/shop/oauth2/v2.0/authorize',
      tenantId: 'shop',
      applicationId: '66666666-7777-8888-9999-000000000000',
      applicationSecret: secretOf('azureADConfig', 'applicationSecret'),
      rancherUrl: `${SERVER}/verify-auth-azure`,
      groupMembershipFilter: '',
    }),
  ],
  ['cognito', oidc('cognito', 'cognitoConfig', { scope: 'openid email' })],
  [
    'freeipa',
    ldap('freeipa', 'freeIpaConfig', {
      ...RESTRICTED,
      allowedPrincipalIds: ['freeipa_group://cn=shop,cn=groups,dc=example,dc=com'],
      tls: true,
      port: 636,
    }),
  ],
  [
    'generic_oidc',
    oidc('genericoidc', 'genericOIDCConfig', {
      authEndpoint: 'https://sso.example.com/authorize',
      tokenEndpoint: 'https://sso.example.com/token',
      userInfoEndpoint: 'https://sso.example.com/userinfo',
      jwksUrl: 'https://sso.example.com/keys',
      scope: 'openid profile email groups',
      groupSearchEnabled: true,
      groupsClaim: 'roles',
      nameClaim: 'full_name',
      emailClaim: 'mail',
      endSessionEndpoint: 'https://sso.example.com/logout',
      logoutAllSupported: true,
      logoutAllEnabled: true,
      logoutAllForced: true,
    }),
  ],
  [
    'github',
    login('github', 'githubConfig', {
      ...RESTRICTED,
      allowedPrincipalIds: ['github_org://4242'],
      clientId: 'Iv1.0123456789abcdef',
      clientSecret: secretOf('githubConfig', 'clientSecret'),
      hostname: 'github.com',
      tls: true,
    }),
  ],
  [
    'githubapp',
    login('githubapp', 'githubAppConfig', {
      ...RESTRICTED,
      allowedPrincipalIds: ['githubapp_org://4242'],
      clientId: 'Iv1.0123456789abcdef',
      clientSecret: secretOf('githubAppConfig', 'clientSecret'),
      hostname: 'github.example.com',
      tls: true,
      appId: '123456',
      installationId: '7890123',
      privateKey: secretOf('githubAppConfig', 'privateKey'),
    }),
  ],
  ['keycloak', saml('keycloak', 'keyCloakConfig', { entityID: 'rancher' })],
  [
    'keycloak_oidc',
    oidc('keycloakoidc', 'keyCloakOIDCConfig', {
      ...RESTRICTED,
      allowedPrincipalIds: ['keycloakoidc_group://shop', 'keycloakoidc_user://ana'],
      scope: 'openid profile email',
    }),
  ],
  ['okta', saml('okta', 'oktaConfig', {})],
  [
    'openldap',
    ldap('openldap', 'openLdapConfig', {
      starttls: true,
      userSearchFilter: '(memberOf=cn=rancher,dc=example,dc=com)',
      groupSearchBase: 'ou=groups,dc=example,dc=com',
    }),
  ],
  ['ping', saml('ping', 'pingConfig', { entityID: 'rancher' })],
];

test.each([
  ...RANCHER,
  ...LOGINS.map(([resource, object]) => [`rancher2_auth_config_${resource}`, [object]] as const),
])('adopts what %s makes without a patch', (_, objects) => {
  const { differences, errors, notes, clusters } = adopted([
    foundRancher('2.15.0', [...IMPORT, ...objects]),
    foundHarvester('dc1', '1.8.2', []),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  const [{ found, leftOut }] = clusters;
  expect(found - leftOut).toBe(IMPORT.length + objects.length);
});

test('adopts what rancher2_namespace makes of a Harvester without a patch', () => {
  const { differences, errors, notes, text } = adopted([
    foundRancher('2.15.0', [...IMPORT, PROJECT]),
    foundHarvester('dc1', '1.8.2', [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'shop-vms',
          labels: { ...LABELS, 'field.cattle.io/projectId': 'p-7bnx5' },
          annotations: {
            ...CREATOR,
            'field.cattle.io/description': 'Of the shop',
            'field.cattle.io/projectId': `${ID}:p-7bnx5`,
            'field.cattle.io/containerDefaultResourceLimit':
              '{"limitsCpu":"20m","limitsMemory":"20Mi","requestsCpu":"1m","requestsMemory":"1Mi"}',
            'field.cattle.io/resourceQuota':
              '{"limit":{"limitsCpu":"100m","limitsMemory":"100Mi","requestsStorage":"1Gi"}}',
          },
        },
      } as Manifest,
    ]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toMatch(/name: 'shop-vms',[^]*?quota: \{ limitsCpu: Cpu\.millis\(100\)/);
});

/**
 * A StorageClass of `rancher2_storage_class_v2`, which always gives `allowVolumeExpansion`.
 * @see rancher/terraform-provider-rancher2:rancher2/structure_storage_class_v2.go (v14.1.1)
 */
function storageClass(name: string, fields: object): Manifest {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, labels: LABELS },
    allowVolumeExpansion: false,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...fields,
  } as unknown as Manifest;
}

test('adopts what rancher2_storage_class_v2 makes of each cluster without a patch', () => {
  const { differences, errors, notes, text } = adopted([
    foundRancher('2.15.0', IMPORT),
    foundHarvester('dc1', '1.8.2', [
      storageClass('fast', {
        provisioner: 'driver.longhorn.io',
        parameters: { numberOfReplicas: '2', staleReplicaTimeout: '30', migratable: 'true' },
        allowVolumeExpansion: true,
        reclaimPolicy: 'Retain',
      }),
    ]),
    foundGuest('shop', 'v1.33.6+rke2r1', [
      storageClass('host-default', { provisioner: 'driver.harvesterhci.io' }),
      storageClass('host-fast', {
        provisioner: 'driver.harvesterhci.io',
        parameters: { hostStorageClass: 'fast' },
        mountOptions: ['discard', 'noatime'],
        volumeBindingMode: 'WaitForFirstConsumer',
      }),
    ]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toMatch(/new HarvesterStorageClass\(dc1, 'fast'/);
  expect(text).toMatch(/new GuestStorageClass\(\w+, 'host-default'/);
  expect(text).toMatch(/new GuestStorageClass\(\w+, 'host-fast'[^]*?WAIT_FOR_FIRST_CONSUMER/);
});
