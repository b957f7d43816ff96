import { Construct } from 'constructs';
import { AuthConfig, AuthConfigOptions } from './auth-config';
import { SecretValue } from '../../core/late/secret-value';

/** Authentication providers with SAML. */
export enum SamlProvider {
  /** Okta. */
  OKTA = 'okta',
  /** Ping Identity. */
  PING = 'ping',
  /** Microsoft AD FS. */
  ADFS = 'adfs',
  /** Keycloak. */
  KEYCLOAK = 'keycloak',
  /** Shibboleth. */
  SHIBBOLETH = 'shibboleth',
}

/** Properties of an authentication provider with SAML. */
export interface SamlAuthConfigProps extends AuthConfigOptions {
  /** The provider, whose name the object has. */
  readonly provider: SamlProvider;
  /** The metadata of the provider, as XML. */
  readonly idpMetadata: string;
  /** The certificate of Rancher as service provider, in PEM form. */
  readonly certificate: string;
  /** Its RSA private key in PEM form. @default - the Secret that Rancher has */
  readonly privateKey?: SecretValue;
  /** The URL of Rancher, `https://rancher.example.com`. */
  readonly rancherUrl: string;
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
 *   provider: SamlProvider.OKTA,
 *   idpMetadata: '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://okta.example.com"/>',
 *   certificate: readFileSync('saml.pem', 'utf8'),
 *   privateKey: SecretValue.fromEnv('SAML_KEY'),
 *   rancherUrl: 'https://rancher.example.com',
 *   groupsField: 'groups',
 *   displayNameField: 'displayName',
 *   usernameField: 'email',
 *   uidField: 'email',
 * });
 */
export class SamlAuthConfig extends AuthConfig {
  constructor(scope: Construct, id: string, props: SamlAuthConfigProps) {
    super(scope, id, props.provider, props);
  }
}
