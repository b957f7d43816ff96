import { Family } from './family';
import { AuthConfigOptions } from '../../../src/rancher/auth/auth-config';
import {
  AzureAdAuthConfig,
  GithubAuthConfig,
  GoogleAuthConfig,
} from '../../../src/rancher/auth/hosted-auth-config';
import { LdapAuthConfig, LdapProvider } from '../../../src/rancher/auth/ldap-auth-config';
import { SamlAuthConfig, SamlProvider } from '../../../src/rancher/auth/saml-auth-config';

/** A certificate of no provider. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBszCCAVmgAwIBAgIUFt6jQ0hIbqXcYkqXJ2xq0b0Yh5gwCgYIKoZIzj0EAwIw
LzEtMCsGA1UEAwwkc2FtbC5leGFtcGxlLmNvbSBvZiBhIGxpdmUgc2NlbmFyaW8w
-----END CERTIFICATE-----
`;

/** Providers of logins, none of them enabled. */
export const LOGIN: Family = {
  title: 'login',
  products: ['rancher'],
  declare: ({ rancher, variation }, copy) => {
    if (copy > 0) {
      return;
    }
    const { isEdited } = variation;
    const options: AuthConfigOptions = { enabled: false };
    const rancherUrl = 'https://rancher.example.com/verify-auth';
    const login = 'https://login.example.com';
    new SamlAuthConfig(rancher, 'saml', {
      ...options,
      provider: SamlProvider.SHIBBOLETH,
      idpMetadata: '<EntityDescriptor entityID="https://sso.example.com"/>',
      certificate: CERTIFICATE,
      rancherUrl: 'https://rancher.example.com',
      groupsField: isEdited ? 'memberOf' : 'groups',
      displayNameField: 'displayName',
      usernameField: 'email',
      uidField: 'email',
    });
    new LdapAuthConfig(rancher, 'ldap', {
      ...options,
      provider: LdapProvider.OPEN_LDAP,
      servers: [isEdited ? 'new.example.com' : 'old.example.com'],
      tls: true,
      port: 636,
      serviceAccount: 'cn=rancher,dc=example,dc=com',
      userSearchBase: 'ou=people,dc=example,dc=com',
    });
    new GithubAuthConfig(rancher, 'github', { ...options, clientId: isEdited ? 'new' : 'old' });
    new AzureAdAuthConfig(rancher, 'entra', {
      ...options,
      tenantId: '11111111-2222-3333-4444-555555555555',
      applicationId: '66666666-7777-8888-9999-000000000000',
      rancherUrl,
      graphEndpoint: 'https://graph.microsoft.com',
      tokenEndpoint: `${login}/token`,
      authEndpoint: `${login}/${isEdited ? 'new' : 'authorize'}`,
    });
    new GoogleAuthConfig(rancher, 'google', {
      ...options,
      adminEmail: `${isEdited ? 'new' : 'admin'}@example.com`,
      hostname: 'example.com',
    });
  },
  without: [
    'edit what is immutable',
    'split in two',
    'join',
    'rename',
    'move to another namespace',
  ],
};
