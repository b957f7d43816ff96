import { RancherGate } from '../version/rancher-version';

/** What values of fields are derived from. */
export interface DerivedFrom {
  /** The URL of Rancher, without a slash at its end. */
  readonly serverUrl: string;
  readonly props: { readonly [prop: string]: unknown };
}

/** The page of Rancher's UI that completes a log in with OIDC or OAuth. */
export const VERIFY_AUTH = '/verify-auth';

/** The field with the URL of Rancher that logins with SAML and OIDC begin at. */
export const API_HOST = 'rancherApiHost';
export const API_HOST_FORM = /^https?:\/\/[^/]/;
export const API_HOST_MESSAGE = 'must be the URL of Rancher: users begin to log in there';

/** The field of Okta and Shibboleth with the directory in which Rancher finds users and groups. */
export const DIRECTORY_FIELD = 'openLdapConfig';

/** A field of the AuthConfig of a provider, and the prop for it. */
export interface AuthField {
  readonly prop: string;
  readonly field: string;
  /** How its value is written: a reference to a Secret, or milliseconds. @default - as it is given */
  readonly as?: 'secret' | 'millis';
  /** The fields of a value that is a struct. @default - no struct */
  readonly inside?: readonly AuthField[];
  /** The first version that reads it. @default - all versions */
  readonly gate?: RancherGate;
  /** The prop of `adopted` for whether an object has it. @default - as in an object of a program */
  readonly adopted?: string;
  /** Whether an enabled provider needs it. @default false */
  readonly required?: true;
  /** What follows from the URL of Rancher and from other props. @default - nothing */
  readonly derived?: (from: DerivedFrom) => string;
  /** What Rancher's own API fills in, and an object that is applied lacks. @default - nothing */
  readonly byDefault?: string | number | boolean;
}

/** An authentication provider. */
export interface AuthProviderEntry {
  /** The value of `type`, by which Rancher reads the object. */
  readonly type: string;
  /** The class of the construct. */
  readonly construct: string;
  readonly gate?: RancherGate;
  readonly fields: readonly AuthField[];
}

/** The first part of the reference to a Secret in a field of an AuthConfig. @see rancher/rancher:pkg/auth/providers/common ReadFromSecretData */
export const SECRET_REFERENCE = 'cattle-global-data:';

const same = (...props: readonly string[]): readonly AuthField[] => props.map((prop) => ({ prop, field: prop }));
const required = (prop: string, field = prop): AuthField => ({ prop, field, required: true });
const secret = (prop: string, field = prop): AuthField => ({ prop, field, as: 'secret', required: true });
const withDefault = (prop: string, byDefault: string | number | boolean, field = prop): AuthField => ({ prop, field, byDefault });
const LOGOUT = same('logoutAllEnabled', 'logoutAllForced');
const from = (gate: RancherGate, fields: readonly AuthField[]): readonly AuthField[] => fields.map((field) => ({ ...field, gate }));

const VERIFY_URL: AuthField = { ...required('rancherUrl'), derived: ({ serverUrl }) => `${serverUrl}${VERIFY_AUTH}` };

const LOGIN = 'https://login.microsoftonline.com/';

/** A URL of a tenant of Microsoft Entra ID. */
const ofTenant = (prop: string, path: string): AuthField => ({
  ...required(prop),
  derived: ({ props }) => {
    const { endpoint = LOGIN, tenantId } = props;
    return `${String(endpoint).replace(/\/$/, '')}/${String(tenantId)}/oauth2/v2.0/${path}`;
  },
});

const OIDC: readonly AuthField[] = [
  required('clientId'), secret('clientSecret'), VERIFY_URL, required('issuer'),
  ...same('authEndpoint', 'tokenEndpoint', 'userInfoEndpoint', 'jwksUrl', 'certificate'),
  { prop: 'privateKey', field: 'privateKey', as: 'secret', adopted: 'hasPrivateKey' },
  withDefault('scopes', 'openid profile email', 'scope'), withDefault('groupSearchEnabled', false),
  ...same('acrValue', 'groupsClaim', 'nameClaim', 'emailClaim'),
  ...from(RancherGate.AUTH_OIDC_LOGOUT, [...same('endSessionEndpoint'), ...LOGOUT]),
  ...from(RancherGate.AUTH_OIDC_PKCE, [...same('pkceMethod'), { prop: 'rancherApiUrl', field: API_HOST, derived: ({ serverUrl }) => serverUrl, adopted: 'beginsAtRancher' }]),
  ...from(RancherGate.AUTH_OIDC_CLIENT_SEARCH, same('clientAuthenticatedSearch')),
];

const SAML: readonly AuthField[] = [
  required('idpMetadata', 'idpMetadataContent'), required('certificate', 'spCert'), secret('privateKey', 'spKey'), { ...required('rancherUrl', API_HOST), derived: ({ serverUrl }) => serverUrl },
  required('groupsField'), required('displayNameField'), required('usernameField', 'userNameField'), required('uidField'),
  { prop: 'entityId', field: 'entityID' }, ...LOGOUT,
];

/** The fields of LDAP, with the attributes of a directory. */
function ldap(attributes: { readonly [prop: string]: string | number }, ...more: readonly AuthField[]): readonly AuthField[] {
  return [
    required('servers'), withDefault('port', 389), withDefault('tls', false), withDefault('startTls', false, 'starttls'),
    { prop: 'caCertificates', field: 'certificate' }, secret('serviceAccountPassword'), { prop: 'connectionTimeout', field: 'connectionTimeout', as: 'millis', byDefault: 5000 },
    required('userSearchBase'), ...same('userSearchFilter', 'userLoginFilter', 'groupSearchBase', 'groupSearchFilter'),
    withDefault('nestedGroupMembershipEnabled', false),
    ...Object.entries(attributes).map(([prop, value]) => withDefault(prop, value, prop === 'groupDnAttribute' ? 'groupDNAttribute' : prop)), ...more,
  ];
}

const LDAP = ldap({
  userSearchAttribute: 'uid|sn|givenName',
  userLoginAttribute: 'uid',
  userObjectClass: 'inetOrgPerson',
  userNameAttribute: 'cn',
  userMemberAttribute: 'memberOf',
  groupSearchAttribute: 'cn',
  groupObjectClass: 'groupOfNames',
  groupNameAttribute: 'cn',
  groupDnAttribute: 'entryDN',
  groupMemberUserAttribute: 'entryDN',
  groupMemberMappingAttribute: 'member',
}, required('serviceAccount', 'serviceAccountDistinguishedName'), ...same('userEnabledAttribute', 'userDisabledBitMask'), withDefault('searchUsingServiceAccount', false));

const ACTIVE_DIRECTORY = ldap({
  userSearchAttribute: 'sAMAccountName|sn|givenName',
  userLoginAttribute: 'sAMAccountName',
  userObjectClass: 'person',
  userNameAttribute: 'name',
  userEnabledAttribute: 'userAccountControl',
  userDisabledBitMask: 2,
  groupSearchAttribute: 'sAMAccountName',
  groupObjectClass: 'group',
  groupNameAttribute: 'name',
  groupDnAttribute: 'distinguishedName',
  groupMemberUserAttribute: 'distinguishedName',
  groupMemberMappingAttribute: 'member',
}, required('serviceAccount', 'serviceAccountUsername'), ...same('defaultLoginDomain'));

const AZURE: readonly AuthField[] = [
  withDefault('endpoint', LOGIN), { ...required('graphEndpoint'), derived: () => 'https://graph.microsoft.com' },
  ofTenant('tokenEndpoint', 'token'), ofTenant('authEndpoint', 'authorize'),
  ...same('deviceAuthEndpoint'), required('tenantId'), required('applicationId'), secret('applicationSecret'), VERIFY_URL, ...same('groupMembershipFilter'),
  ...from(RancherGate.AUTH_ENTRA_LOGOUT, [...same('endSessionEndpoint'), ...LOGOUT]),
];

const GITHUB: readonly AuthField[] = [withDefault('hostname', 'github.com'), withDefault('tls', true), required('clientId'), secret('clientSecret')];

const GOOGLE: readonly AuthField[] = [
  secret('oauthCredential'), secret('serviceAccountCredential'), required('adminEmail'), required('hostname'),
  withDefault('userInfoEndpoint', 'https://openidconnect.googleapis.com/v1/userinfo'), withDefault('nestedGroupMembershipEnabled', false),
];

const oidc = (type: string, gate?: RancherGate): AuthProviderEntry => ({ type, construct: 'OidcAuthConfig', gate, fields: OIDC });
const saml = (type: string, ...more: readonly AuthField[]): AuthProviderEntry => ({ type, construct: 'SamlAuthConfig', fields: [...SAML, ...more] });

const DIRECTORY: AuthField = { prop: 'ldapDirectory', field: DIRECTORY_FIELD, inside: LDAP };

/**
 * The authentication providers, by the names of their AuthConfigs, with what Rancher's own API fills in.
 * @see rancher/rancher:pkg/auth/data/authconfig_data.go, pkg/apis/management.cattle.io/v3/authn_types.go, pkg/auth/api/secrets/fields.go
 */
export const AUTH_PROVIDERS: ReadonlyMap<string, AuthProviderEntry> = new Map([
  ['genericoidc', oidc('genericOIDCConfig')],
  ['keycloakoidc', oidc('keyCloakOIDCConfig')],
  ['cognito', oidc('cognitoConfig', RancherGate.AUTH_COGNITO)],
  ['okta', saml('oktaConfig', DIRECTORY)],
  ['ping', saml('pingConfig')],
  ['adfs', saml('adfsConfig')],
  ['keycloak', saml('keyCloakConfig')],
  ['shibboleth', saml('shibbolethConfig', DIRECTORY)],
  ['openldap', { type: 'openLdapConfig', construct: 'LdapAuthConfig', fields: LDAP }],
  ['freeipa', { type: 'freeIpaConfig', construct: 'LdapAuthConfig', fields: LDAP }],
  ['activedirectory', { type: 'activeDirectoryConfig', construct: 'LdapAuthConfig', fields: ACTIVE_DIRECTORY }],
  ['azuread', { type: 'azureADConfig', construct: 'AzureAdAuthConfig', fields: AZURE }],
  ['github', { type: 'githubConfig', construct: 'GithubAuthConfig', fields: GITHUB }],
  ['githubapp', {
    type: 'githubAppConfig',
    construct: 'GithubAuthConfig',
    gate: RancherGate.AUTH_GITHUB_APP,
    fields: [...GITHUB, required('appId'), ...same('installationId'), secret('privateKey')],
  }],
  ['googleoauth', { type: 'googleOauthConfig', construct: 'GoogleAuthConfig', fields: GOOGLE }],
]);

/** The name of the Secret with the value of a field. @see rancher/rancher:pkg/auth/providers/common CreateOrUpdateSecrets */
export function authSecretName(type: string, field: string): string {
  return `${type}-${field}`.toLowerCase();
}

/** The names of the Secrets of a provider in `cattle-global-data`. */
export function authSecretsOf(provider: string): string[] {
  const { type, fields = [] } = AUTH_PROVIDERS.get(provider) ?? {};
  return type === undefined
    ? []
    : fields
        .flatMap((field) => [field, ...(field.inside ?? [])])
        .filter((each) => each.as === 'secret')
        .map(({ field }) => authSecretName(type, field));
}

const PROVIDER_OF_SECRET: ReadonlyMap<string, string> = new Map(
  [...AUTH_PROVIDERS.keys()].flatMap((name) =>
    authSecretsOf(name).map((secretName) => [secretName, name] as const),
  ),
);

/** The provider of a Secret in `cattle-global-data`; undefined for other Secrets. */
export function providerOfSecret(name: string): string | undefined {
  return PROVIDER_OF_SECRET.get(name);
}

/** Whether a Secret in `cattle-global-data` is that of an authentication provider. */
export function isAuthSecret(name: string): boolean {
  return PROVIDER_OF_SECRET.has(name);
}
