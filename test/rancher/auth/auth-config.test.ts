import { AuthProvider, SecretValue } from '../../../src';
import {
  AzureAdAuthConfig,
  GithubAuthConfig,
  SamlAuthConfig,
  LdapAuthConfig,
  OidcAuthConfig,
} from '../../../src/auth';
import { neverDeleted, neverDeletedByEngines } from '../../../src/core/kind/retention';
import { Manifest } from '../../../src/core/manifest/manifest';
import { problemsAt } from '../../../src/core/rule/findings';
import { secretFields } from '../../../src/core/secret/secret-fields';
import { AUTH_CONFIG_DESCRIPTION } from '../../../src/rancher/auth/auth-config.kind';
import {
  AUTH_CONFIG_RULES,
  AUTH_PRINCIPAL_RULES,
} from '../../../src/rancher/auth/auth-config.rules';
import { isAuthSecret } from '../../../src/rancher/auth/auth-provider.data';
import { judgeOn } from '../../support/judging';
import { newApp, newRancher } from '../../support/programs';

const OIDC = {
  provider: AuthProvider.KEYCLOAK_OIDC,
  clientId: 'rancher',
  rancherUrl: 'https://rancher.example.com/verify-auth',
  issuer: 'https://sso.example.com/realms/a',
};
const LDAP = {
  provider: AuthProvider.OPEN_LDAP,
  servers: ['ldap.example.com'],
  serviceAccount: 'cn=rancher',
  userSearchBase: 'dc=example',
};

const SAML = {
  provider: AuthProvider.OKTA,
  idpMetadata: '<EntityDescriptor/>',
  certificate: 'PEM',
  groupsField: 'groups',
  displayNameField: 'name',
  usernameField: 'email',
  uidField: 'email',
};

const judged = (manifest: object) =>
  judgeOn(AUTH_CONFIG_RULES, [manifest as Manifest]).map(({ rule, path }) => `${rule} ${path}`);

test('writes a provider with a reference to its Secret, in the form of the API of Rancher', () => {
  const rancher = newRancher(newApp());
  process.env.OIDC_SECRET_OF_TEST = 'Tr0ub4dor';
  new OidcAuthConfig(rancher, 'sso', {
    ...OIDC,
    clientSecret: SecretValue.fromEnv('OIDC_SECRET_OF_TEST'),
  });
  const objects = rancher.toJson() as Manifest[];
  const config = objects.find(({ kind }) => kind === 'AuthConfig')!;
  const secret = objects.find(({ kind }) => kind === 'Secret')!;
  expect(config).toMatchObject({
    metadata: { name: 'keycloakoidc' },
    type: 'keyCloakOIDCConfig',
    enabled: true,
    accessMode: 'unrestricted',
    clientSecret: 'cattle-global-data:keycloakoidcconfig-clientsecret',
    scope: 'openid profile email',
  });
  expect(config).not.toHaveProperty('privateKey');
  expect(secret.metadata).toMatchObject({
    namespace: 'cattle-global-data',
    name: 'keycloakoidcconfig-clientsecret',
  });
  expect(Object.keys(secret.data as object)).toEqual(['clientsecret']);
  expect(judged(config)).toEqual([]);
  expect(secretFields(config, new Set())).toEqual([]);
  expect(secretFields({ ...config, clientSecret: 'plain' }, new Set())).toEqual([['clientSecret']]);
  expect(neverDeleted(config)).toBeDefined();
  // an apply deletes it once the provider is disabled
  expect([neverDeleted(secret), neverDeletedByEngines(secret)]).toEqual([
    undefined,
    expect.stringContaining('users log in with it'),
  ]);
});

test("refers to the Secret that Rancher has, and writes the defaults that only Rancher's own API fills in", () => {
  const rancher = newRancher(newApp());
  new LdapAuthConfig(rancher, 'ldap', LDAP);
  const [config, ...others] = rancher.toJson() as Manifest[];
  expect(others).toEqual([]);
  expect(config).toMatchObject({
    serviceAccountPassword: 'cattle-global-data:openldapconfig-serviceaccountpassword',
    port: 389,
    userLoginAttribute: 'uid',
    groupDNAttribute: 'entryDN',
    connectionTimeout: 5000,
  });
  expect(judged(config)).toEqual([]);
});

test('refuses what a provider or a version lacks', () => {
  const rancher = newRancher(newApp(), '2.11.3');
  expect(() => new LdapAuthConfig(rancher, 'ldap', { ...LDAP, defaultLoginDomain: 'a' })).toThrow(
    /defaultLoginDomain: cannot be set: openldap does not have it/,
  );
  expect(() => new GithubAuthConfig(rancher, 'github', { clientId: 'a', appId: '1' })).toThrow(
    /2\.13\.0/,
  );
  expect(
    () => new OidcAuthConfig(rancher, 'sso', { ...OIDC, provider: AuthProvider.COGNITO }),
  ).toThrow(/2\.12\.0/);
});

test('derives what follows from the URL of Rancher and from the tenant', () => {
  const rancher = newRancher(newApp());
  const { rancherUrl: _, ...oidc } = OIDC;
  const configs = [
    new OidcAuthConfig(rancher, 'oidc', oidc),
    new SamlAuthConfig(rancher, 'saml', SAML),
    new AzureAdAuthConfig(rancher, 'entra', { tenantId: 'tenant', applicationId: 'app' }),
  ].map(({ apiObject }) => apiObject.toJson());
  expect(configs).toMatchObject([
    { rancherUrl: 'https://rancher.example.com/verify-auth' },
    { rancherApiHost: 'https://rancher.example.com' },
    {
      rancherUrl: 'https://rancher.example.com/verify-auth',
      graphEndpoint: 'https://graph.microsoft.com',
      tokenEndpoint: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/token',
      authEndpoint: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/authorize',
    },
  ]);
});

test('refuses the URL of another protocol, and a provider of another construct', () => {
  const rancher = newRancher(newApp());
  const [bare, page] = ['https://rancher.example.com', 'https://rancher.example.com/verify-auth'];
  expect(() => new OidcAuthConfig(rancher, 'a', { ...OIDC, rancherUrl: bare })).toThrow(
    'rancherUrl: must be the page of Rancher that completes a log in, /verify-auth',
  );
  expect(() => new SamlAuthConfig(rancher, 'b', { ...SAML, rancherUrl: page })).toThrow(
    'rancherUrl: must be the URL of Rancher, without /verify-auth',
  );
  expect(
    () => new OidcAuthConfig(rancher, 'c', { ...OIDC, provider: AuthProvider.KEYCLOAK }),
  ).toThrow(
    'provider: must be one of AuthProvider.GENERIC_OIDC, AuthProvider.KEYCLOAK_OIDC, AuthProvider.COGNITO, got "keycloak". Fix: use SamlAuthConfig',
  );
});

test('lets users begin to log in with OIDC at Rancher from the version that adds PKCE there', () => {
  const config = (version: string, props: object = {}) =>
    new OidcAuthConfig(newRancher(newApp(), version), 'sso', {
      ...OIDC,
      ...props,
    }).apiObject.toJson();
  expect(config('2.14.0', { pkceMethod: 'S256' })).toMatchObject({
    rancherApiHost: 'https://rancher.example.com',
    pkceMethod: 'S256',
  });
  expect(config('2.14.0', { rancherApiUrl: 'https://other.example.com' })).toMatchObject({
    rancherApiHost: 'https://other.example.com',
  });
  expect(config('2.13.8')).not.toHaveProperty('rancherApiHost');
  expect(config('2.14.0', { adopted: { beginsAtRancher: false } })).not.toHaveProperty(
    'rancherApiHost',
  );
  expect(() => config('2.13.8', { pkceMethod: 'S256' })).toThrow(
    'pkceMethod: PKCE with OIDC (pkceMethod, rancherApiHost) needs Rancher 2.14.0 or later, got 2.13.8',
  );
  expect(() => config('2.14.0', { rancherApiUrl: 'rancher.example.com' })).toThrow(
    'rancherApiUrl: must be the URL of Rancher',
  );
});

test('refers to a private key that Rancher has, where adopt found one', () => {
  const rancher = newRancher(newApp());
  const config = new OidcAuthConfig(rancher, 'sso', { ...OIDC, adopted: { hasPrivateKey: true } });
  expect(config.apiObject.toJson()).toMatchObject({
    privateKey: 'cattle-global-data:keycloakoidcconfig-privatekey',
  });
  expect(rancher.toJson()).toHaveLength(1);
});

test.each([
  ['clientAuthenticatedSearch', '2.14.4', '2.15.0', true],
  ['endSessionEndpoint', '2.12.9', '2.13.0', 'https://sso.example.com/logout'],
])('refuses %s of OIDC before the version that reads it', (prop, before, since, value) => {
  const write = (version: string) =>
    new OidcAuthConfig(newRancher(newApp(), version), 'sso', {
      ...OIDC,
      [prop]: value,
    }).apiObject.toJson();
  expect(() => write(before)).toThrow(`Rancher ${since} or later, got ${before}`);
  expect(write(since)).toMatchObject({ [prop]: value });
});

test('lets users log out of Microsoft Entra ID from Rancher 2.15', () => {
  const write = (version: string) =>
    new AzureAdAuthConfig(newRancher(newApp(), version), 'entra', {
      tenantId: 'tenant',
      applicationId: 'app',
      logoutAllEnabled: true,
      logoutAllForced: true,
      endSessionEndpoint: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/logout',
    }).apiObject.toJson();
  expect(write('2.15.0')).toMatchObject({ logoutAllEnabled: true, logoutAllForced: true });
  expect(() => write('2.14.4')).toThrow(/logoutAllEnabled: a log out of Microsoft Entra ID needs/);
});

test('searches a directory for users and groups of Okta, with a Secret of its own', () => {
  process.env.LDAP_PASSWORD_OF_TEST = 'Tr0ub4dor';
  const rancher = newRancher(newApp());
  const { provider: _, ...directory } = LDAP;
  new SamlAuthConfig(rancher, 'sso', {
    ...SAML,
    ldapDirectory: {
      ...directory,
      serviceAccountPassword: SecretValue.fromEnv('LDAP_PASSWORD_OF_TEST'),
    },
  });
  const objects = rancher.toJson() as Manifest[];
  const config = objects.find(({ kind }) => kind === 'AuthConfig')!;
  const name = 'oktaconfig-serviceaccountpassword';
  expect(config.openLdapConfig).toMatchObject({
    servers: ['ldap.example.com'],
    serviceAccountDistinguishedName: 'cn=rancher',
    serviceAccountPassword: `cattle-global-data:${name}`,
    userLoginAttribute: 'uid',
  });
  const secret = objects.find(({ metadata }) => metadata.name === name)!;
  expect(Object.keys(secret.data as object)).toEqual(['serviceaccountpassword']);
  expect(AUTH_CONFIG_DESCRIPTION.references!(config)).toContainEqual(
    expect.objectContaining({ kind: 'Secret', name }),
  );
  expect(isAuthSecret(name)).toBe(true);
  expect(secretFields(config, new Set())).toEqual([]);
  expect(
    () =>
      new SamlAuthConfig(rancher, 'ping', {
        ...SAML,
        provider: AuthProvider.PING,
        ldapDirectory: directory,
      }),
  ).toThrow('ldapDirectory: cannot be set: ping does not have it');
});

test('finds PKCE that has no effect', () => {
  const oidc = {
    ...CONFIG,
    metadata: { name: 'genericoidc' },
    type: 'genericOIDCConfig',
    enabled: true,
    clientId: 'a',
    clientSecret: 'cattle-global-data:x',
    rancherUrl: 'https://rancher.example.com/verify-auth',
    issuer: 'https://sso.example.com',
    pkceMethod: 'S256',
  };
  const on = (rancherVersion: string, fields: object) =>
    judgeOn(AUTH_CONFIG_RULES, [{ ...oidc, ...fields } as Manifest], {
      version: rancherVersion,
    }).map(({ rule, path, level }) => `${level} ${rule} ${path}`);
  expect(on('2.14.0', {})).toEqual(['error auth-config/pkce rancherApiHost']);
  expect(on('2.14.0', { rancherApiHost: 'https://rancher.example.com' })).toEqual([]);
  expect(on('2.14.0', { pkceMethod: '' })).toEqual([]);
  expect(on('2.14.0', { enabled: false })).toEqual([]);
  expect(on('2.14.0', { rancherApiHost: '' })).toEqual(['error auth-config/pkce rancherApiHost']);
  expect(on('2.13.8', {})).toEqual(['warning auth-config/pkce-version pkceMethod']);
});

test.each(['', 'rancher.example.com'])('refuses %j as the URL at which a log in begins', (url) => {
  const found = judgeOn(
    AUTH_CONFIG_RULES,
    [
      {
        ...CONFIG,
        metadata: { name: 'genericoidc' },
        type: 'genericOIDCConfig',
        enabled: true,
        clientId: 'a',
        clientSecret: 'cattle-global-data:x',
        rancherUrl: 'https://rancher.example.com/verify-auth',
        issuer: 'https://sso.example.com',
        rancherApiHost: url,
      } as Manifest,
    ],
    { version: '2.14.0' },
  );
  expect(found.map(({ level, rule, message }) => `${level} ${rule}: ${message}`)).toEqual([
    'error auth-config/api-host: must be the URL of Rancher: users begin to log in there',
  ]);
});

test('gives the principals of its provider, and lets them log in', () => {
  const rancher = newRancher(newApp());
  const sso = new OidcAuthConfig(rancher, 'sso', OIDC);
  sso.grant(sso.group('platform'));
  sso.grant(sso.user('ana'));
  expect(sso.apiObject.toJson().allowedPrincipalIds).toEqual([
    'keycloakoidc_group://platform',
    'keycloakoidc_user://ana',
  ]);
  const github = new GithubAuthConfig(rancher, 'github', { clientId: 'a' });
  expect([github.organization(1), github.team(2)].map(String)).toEqual([
    'github_org://1',
    'github_team://2',
  ]);
});

test('warns of a role for a group of a provider that the program does not configure', () => {
  const binding = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'GlobalRoleBinding',
    metadata: { name: 'grb-a' },
    globalRoleName: 'admin',
  };
  const config = (name: string, enabled = true) => ({ ...CONFIG, metadata: { name }, enabled });
  const found = (principal: string, ...configs: readonly object[]) =>
    judgeOn(AUTH_PRINCIPAL_RULES, [
      { ...binding, groupPrincipalName: principal } as Manifest,
      ...(configs as Manifest[]),
    ]).map(({ rule, path }) => `${rule} ${path}`);
  const other = ['auth-config/other-provider groupPrincipalName'];
  expect(found('keycloak_group://platform', config('keycloakoidc'))).toEqual(other);
  expect(found('keycloakoidc_group://platform', config('keycloakoidc'))).toEqual([]);
  expect(found('keycloak_group://platform')).toEqual([]);
  expect(found('keycloak_group://platform', config('keycloakoidc', false))).toEqual([]);
  expect(found('local://u-ana', config('keycloakoidc'))).toEqual([]);
});

const CONFIG = { apiVersion: 'management.cattle.io/v3', kind: 'AuthConfig' };

test('finds what locks users out', () => {
  const ldap = {
    ...CONFIG,
    metadata: { name: 'openldap' },
    type: 'openLdapConfig',
    enabled: true,
    serviceAccountDistinguishedName: 'cn=a',
    serviceAccountPassword: 'cattle-global-data:x',
    userSearchBase: 'dc=a',
  };
  expect(judged({ ...ldap, servers: [] })).toEqual(['auth-config/incomplete servers']);
  expect(judged({ ...ldap, servers: [], enabled: false })).toEqual([]);
  expect(
    judged({ ...ldap, servers: ['a'], userSearchAttribute: 'uid|s n', userLoginFilter: 'a=b' }),
  ).toEqual(['auth-config/ldap userLoginFilter', 'auth-config/ldap userSearchAttribute']);
  expect(
    judged({
      ...ldap,
      servers: ['a'],
      userSearchAttribute: 'uid|sn',
      userLoginFilter: '(a=b)',
      accessMode: 'required',
    }),
  ).toEqual(['auth-config/access allowedPrincipalIds']);
  expect(
    judged({
      ...ldap,
      servers: ['a'],
      type: 'ldapConfig',
      logoutAllForced: true,
      scope: 'openid,email',
    }),
  ).toEqual([
    'auth-config/logout logoutAllForced',
    'auth-config/scopes scope',
    'auth-config/provider type',
  ]);
  expect(judged({ ...CONFIG, metadata: { name: 'opnldap' } })).toEqual([
    'auth-config/provider metadata.name',
  ]);
});

describe('the types of fields that the webhook of Rancher reads', () => {
  const github = { ...CONFIG, metadata: { name: 'github' }, type: 'githubConfig' };

  test.each([
    ['type', 7, 'must be text'],
    ['enabled', 'true', 'must be true or false'],
    ['accessMode', true, 'must be text'],
    ['allowedPrincipalIds', 'github_user://1', 'must be a list of text'],
    ['allowedPrincipalIds', ['github_user://1', 7], 'must be a list of text'],
    ['logoutAllSupported', 'false', 'must be true or false'],
  ])('%s: %j is refused', (field, value, message) => {
    const findings = judgeOn(AUTH_CONFIG_RULES, [{ ...github, [field]: value } as Manifest]);
    expect(findings.filter(({ rule }) => rule === 'auth-config/types')).toEqual([
      expect.objectContaining({
        level: 'error',
        path: field,
        message: expect.stringContaining(message),
      }),
    ]);
  });

  test.each([
    ['enabled', false],
    ['accessMode', null],
    ['allowedPrincipalIds', ['github_user://1', null]],
    ['logoutAllSupported', true],
  ])('%s: %j is accepted', (field, value) => {
    expect(judged({ ...github, [field]: value })).not.toContain(`auth-config/types ${field}`);
  });
});

test('refuses to turn a provider off, which deletes its users, unless an annotation keeps them', () => {
  const rule = AUTH_CONFIG_RULES.find(({ id }) => id === 'auth-config/turned-off')!;
  const off = { ...CONFIG, metadata: { name: 'okta' }, enabled: false } as Manifest;
  const update = (before: object) => [
    ...problemsAt(
      '',
      rule.judgeUpdate!(
        { manifest: off, target: { name: 'r', kind: 'rancher' } } as never,
        before as Manifest,
        {} as never,
      ),
    ),
  ];
  const locked = { annotations: { 'management.cattle.io/auth-provider-cleanup': 'user-locked' } };
  expect(update({ ...off, enabled: true })).toEqual([
    expect.objectContaining({ path: 'enabled', message: expect.stringContaining('deletes them') }),
  ]);
  expect(update({ ...off, enabled: true, metadata: { name: 'okta', ...locked } })).toEqual([
    expect.objectContaining({ level: 'warning' }),
  ]);
  expect(update(off)).toEqual([]);
});

test('warns that a provider is disabled which is no longer declared, and counts the bindings that it takes along', () => {
  const okta = { ...CONFIG, metadata: { name: 'okta' }, type: 'oktaConfig', enabled: true };
  const binding = {
    apiVersion: CONFIG.apiVersion,
    kind: 'GlobalRoleBinding',
    metadata: { name: 'grb-a' },
    groupPrincipalName: 'okta_group://a',
  };
  const removed = (before: object) =>
    judgeOn(AUTH_CONFIG_RULES, [binding as Manifest], {
      before: [before, binding] as Manifest[],
    }).map(({ rule, level, message }) => `${level} ${rule} ${message}`);
  expect(removed(okta)).toEqual([
    expect.stringMatching(/^warning auth-config\/removed .*disables the provider.*1 of which/),
  ]);
  const annotations = { 'management.cattle.io/auth-provider-cleanup': 'user-locked' };
  expect(removed({ ...okta, metadata: { name: 'okta', annotations } })).toEqual([
    expect.not.stringContaining('deletes them'),
  ]);
  expect(removed({ ...okta, enabled: false })).toEqual([]);
});
