import { Family, Stage } from './family';
import { SecretValue } from '../../../src/core/value/secret-value';
import { AuthConfigOptions } from '../../../src/rancher/auth/auth-config';
import {
  AzureAdAuthConfig,
  GithubAuthConfig,
  GoogleAuthConfig,
} from '../../../src/rancher/auth/hosted-auth-config';
import { LdapAuthConfig } from '../../../src/rancher/auth/ldap-auth-config';
import { OidcAuthConfig } from '../../../src/rancher/auth/oidc-auth-config';
import { SamlAuthConfig } from '../../../src/rancher/auth/saml-auth-config';
import { AuthProvider } from '../../../src/rancher/members/principal';
import { Authority } from '../../support/authority';
import { Lab } from '../lab/lab';
import { publicPage } from '../lab/public-pages';

/** The variables of the environment with what users of the providers never see. */
const SECRETS = {
  samlKey: 'LIVE_SAML_KEY',
  text: 'LIVE_LOGIN_SECRET',
  google: 'LIVE_GOOGLE_OAUTH',
} as const;

/** A certificate of Rancher as service provider: Rancher reads it once the provider is enabled. */
const SERVICE_PROVIDER = new Authority().issue({ rsa: true });

/** The AuthConfigs of the families, and which Rancher shows to anyone who wants to log in. */
const PROVIDERS = [
  'activedirectory',
  'azuread',
  'genericoidc',
  'github',
  'googleoauth',
  'keycloakoidc',
  'okta',
  'openldap',
  'shibboleth',
] as const;

/** Whether the commits of both families leave the providers as they are: each exists once. */
const WITHOUT = [
  'edit what is immutable',
  'split in two',
  'join',
  'rename',
  'move to another namespace',
];

function declareProviders({ rancher, variation }: Stage, enabled: boolean): void {
  const { isEdited } = variation;
  const options: AuthConfigOptions = { enabled };
  const secret = (variable: string = SECRETS.text): SecretValue | undefined =>
    enabled ? SecretValue.fromEnv(variable) : undefined;
  const rancherUrl = 'https://rancher.example.com/verify-auth';
  const login = 'https://login.example.com';
  for (const provider of [AuthProvider.SHIBBOLETH, AuthProvider.OKTA]) {
    new SamlAuthConfig(rancher, provider, {
      ...options,
      provider,
      idpMetadata:
        '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sso.example.com"/>',
      certificate: SERVICE_PROVIDER.cert,
      privateKey: secret(SECRETS.samlKey),
      rancherUrl: 'https://rancher.example.com',
      groupsField: isEdited ? 'memberOf' : 'groups',
      displayNameField: 'displayName',
      usernameField: 'email',
      uidField: 'email',
    });
  }
  new LdapAuthConfig(rancher, 'ldap', {
    ...options,
    provider: AuthProvider.OPEN_LDAP,
    servers: [isEdited ? 'new.example.com' : 'old.example.com'],
    tls: true,
    port: 636,
    serviceAccount: 'cn=rancher,dc=example,dc=com',
    serviceAccountPassword: secret(),
    userSearchBase: 'ou=people,dc=example,dc=com',
  });
  new LdapAuthConfig(rancher, 'directory', {
    ...options,
    provider: AuthProvider.ACTIVE_DIRECTORY,
    servers: ['ad.example.com'],
    serviceAccount: 'rancher',
    serviceAccountPassword: secret(),
    userSearchBase: 'dc=example,dc=com',
    userSearchFilter: isEdited ? '(department=it)' : undefined,
  });
  for (const provider of [AuthProvider.GENERIC_OIDC, AuthProvider.KEYCLOAK_OIDC]) {
    new OidcAuthConfig(rancher, provider, {
      ...options,
      provider,
      clientId: 'rancher',
      clientSecret: secret(),
      rancherUrl,
      issuer: `${login}/realms/live`,
      authEndpoint: `${login}/${isEdited ? 'new' : 'authorize'}`,
      tokenEndpoint: `${login}/token`,
    });
  }
  new GithubAuthConfig(rancher, 'github', {
    ...options,
    clientId: isEdited ? 'new' : 'old',
    clientSecret: secret(),
  });
  new AzureAdAuthConfig(rancher, 'entra', {
    ...options,
    tenantId: '11111111-2222-3333-4444-555555555555',
    applicationId: '66666666-7777-8888-9999-000000000000',
    applicationSecret: secret(),
    rancherUrl,
    graphEndpoint: 'https://graph.microsoft.com',
    tokenEndpoint: `${login}/token`,
    authEndpoint: `${login}/${isEdited ? 'new' : 'authorize'}`,
  });
  new GoogleAuthConfig(rancher, 'google', {
    ...options,
    adminEmail: `${isEdited ? 'new' : 'admin'}@example.com`,
    hostname: 'example.com',
    oauthCredential: secret(SECRETS.google),
    serviceAccountCredential: secret(),
  });
}

/** Providers of logins, none of them enabled. */
export const LOGIN: Family = {
  title: 'login',
  products: ['rancher'],
  declare: (stage, copy) => {
    if (copy === 0) {
      declareProviders(stage, false);
    }
  },
  without: WITHOUT,
};

/** Providers of logins that are enabled, although none of them answers. */
export const ENABLED_LOGIN: Family = {
  title: 'enabled-login',
  products: ['rancher'],
  prepare: async () => {
    const redirect = ['https://rancher.example.com/verify-auth'];
    const client = { client_id: 'rancher', client_secret: 'secret', redirect_uris: redirect };
    const google = 'https://accounts.google.com/o/oauth2';
    process.env[SECRETS.samlKey] = SERVICE_PROVIDER.key;
    process.env[SECRETS.text] = 'not-a-secret';
    process.env[SECRETS.google] = JSON.stringify({
      web: { ...client, auth_uri: `${google}/auth`, token_uri: `${google}/token` },
    });
  },
  declare: (stage, copy) => {
    if (copy === 0) {
      declareProviders(stage, true);
    }
  },
  inspect: async (lab, variation) => wrongLogins(lab, variation !== undefined),
  without: WITHOUT,
};

/** What Rancher does not offer to those who log in, or still does; and what it cannot read of SAML. */
async function wrongLogins(lab: Lab, isOffered: boolean): Promise<string[]> {
  const { text } = await publicPage(lab, '/v1-public/authproviders');
  const offered = new Set((JSON.parse(text).data as { id: string }[]).map(({ id }) => id));
  const wrong = PROVIDERS.filter((provider) => offered.has(provider) !== isOffered).map(
    (provider) => `${provider} is ${isOffered ? 'not offered' : 'still offered'} to log in with`,
  );
  if (!isOffered) {
    return wrong;
  }
  for (const provider of [AuthProvider.SHIBBOLETH, AuthProvider.OKTA]) {
    const page = await publicPage(lab, `/v1-saml/${provider}/saml/metadata`);
    const base64 = SERVICE_PROVIDER.cert.replace(/-----[^-]+-----|\s/g, '');
    if (!page.text.includes(base64)) {
      wrong.push(`${provider}: the metadata lack the certificate: ${page.text.slice(0, 300)}`);
    }
  }
  return wrong;
}
