import './registry/register';
export { AuthAccess, AuthConfigOptions } from './rancher/auth/auth-config';
export {
  AdoptedOidcAuthConfig,
  OidcAuthConfig,
  OidcAuthConfigProps,
} from './rancher/auth/oidc-auth-config';
export { SamlAuthConfig, SamlAuthConfigProps } from './rancher/auth/saml-auth-config';
export {
  LdapAuthConfig,
  LdapAuthConfigProps,
  LdapDirectory,
} from './rancher/auth/ldap-auth-config';
export {
  AzureAdAuthConfig,
  AzureAdAuthConfigProps,
  GithubAuthConfig,
  GithubAuthConfigProps,
  GoogleAuthConfig,
  GoogleAuthConfigProps,
} from './rancher/auth/hosted-auth-config';
