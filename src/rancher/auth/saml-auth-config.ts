import { Construct } from 'constructs';
import { AuthConfigOptions, GroupAuthConfig } from './auth-config';
import { LdapDirectory } from './ldap-auth-config';
import { SecretValue } from '../../core/value/secret-value';
import { AuthProvider } from '../members/principal';

/** Properties of an authentication provider with SAML. */
export interface SamlAuthConfigProps extends AuthConfigOptions {
  /** `OKTA`, `PING`, `ADFS`, `KEYCLOAK`, or `SHIBBOLETH`; the object has its name. */
  readonly provider: AuthProvider;
  /** The metadata of the provider, as XML. */
  readonly idpMetadata: string;
  /** The certificate of Rancher as service provider, in PEM form. */
  readonly certificate: string;
  /** The RSA private key of the certificate, in PEM form. @default - the Secret that Rancher has */
  readonly privateKey?: SecretValue;
  /** The URL of Rancher, without a path. @default - `serverUrl` of the chart */
  readonly rancherUrl?: string;
  /** The attribute with the groups of a user. */
  readonly groupsField: string;
  /** The attribute with the display name of a user. */
  readonly displayNameField: string;
  /** The attribute with what a user logs in with. */
  readonly usernameField: string;
  /** The attribute with the ID of a user. */
  readonly uidField: string;
  /** The entity ID of Rancher. @default - the URL of its metadata */
  readonly entityId?: string;
  /** Whether users can also log out of the provider. @default - no log out of the provider */
  readonly logoutAllEnabled?: boolean;
  /**
   * Whether logging out always includes the provider; needs `logoutAllEnabled`.
   * @default - users choose
   */
  readonly logoutAllForced?: boolean;
  /**
   * The LDAP directory that Rancher searches for users and groups; only with `OKTA` and
   * `SHIBBOLETH`.
   * @default - no search: users and groups are named in full
   */
  readonly ldapDirectory?: LdapDirectory;
}

/**
 * An authentication provider of Rancher with SAML: the AuthConfig `okta`, `ping`, `adfs`,
 * `keycloak`, or `shibboleth`.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-okta-saml
 * @example
 * new SamlAuthConfig(rancher, 'sso', {
 *   provider: AuthProvider.OKTA,
 *   idpMetadata: '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://okta.example.com"/>',
 *   certificate: readFileSync('saml.pem', 'utf8'),
 *   privateKey: SecretValue.fromEnv('SAML_KEY'),
 *   groupsField: 'groups',
 *   displayNameField: 'displayName',
 *   usernameField: 'email',
 *   uidField: 'email',
 * });
 */
export class SamlAuthConfig extends GroupAuthConfig {
  constructor(scope: Construct, id: string, props: SamlAuthConfigProps) {
    super(scope, id, 'SamlAuthConfig', props.provider, props);
  }
}
