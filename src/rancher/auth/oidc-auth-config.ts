import { Construct } from 'constructs';
import { AuthConfigOptions, GroupAuthConfig } from './auth-config';
import { SecretValue } from '../../core/value/secret-value';
import { AuthProvider } from '../members/principal';

/** What an authentication provider with OIDC has that someone enabled outside of the program. */
export interface AdoptedOidcAuthConfig {
  /**
   * Whether users begin to log in at Rancher, which adds PKCE. False is a provider that Rancher
   * before 2.14 or Terraform enabled.
   * @default true
   */
  readonly beginsAtRancher?: boolean;
  /**
   * Whether Rancher has the private key of the certificate. `privateKey` sets one.
   * @default false
   */
  readonly hasPrivateKey?: boolean;
}

/** Properties of an authentication provider with OIDC. */
export interface OidcAuthConfigProps extends AuthConfigOptions {
  /** `GENERIC_OIDC`, `KEYCLOAK_OIDC`, and `COGNITO`, which needs Rancher 2.12; the object has its name. */
  readonly provider: AuthProvider;
  /** The ID of the client. */
  readonly clientId: string;
  /** The secret of the client. @default - the Secret that Rancher has */
  readonly clientSecret?: SecretValue;
  /**
   * Where the provider sends users back to: the page `/verify-auth` of Rancher.
   * @default - `/verify-auth` of `serverUrl` of the chart
   */
  readonly rancherUrl?: string;
  /**
   * The URL of Rancher, where users begin to log in: Rancher adds PKCE, and sends them on to the
   * provider (`rancherApiHost`). Needs Rancher 2.14.
   * @default - `serverUrl` of the chart; before Rancher 2.14, users begin at the provider
   */
  readonly rancherApiUrl?: string;
  /** The URL of the issuer. */
  readonly issuer: string;
  /** URL that users log in at. @default - from the discovery document of the issuer */
  readonly authEndpoint?: string;
  /** URL of tokens. @default - from the discovery document of the issuer */
  readonly tokenEndpoint?: string;
  /** URL of the information on users. @default - from the discovery document of the issuer */
  readonly userInfoEndpoint?: string;
  /** URL of the keys of the issuer. @default - from the discovery document of the issuer */
  readonly jwksUrl?: string;
  /** URL that logs users out. Needs Rancher 2.13. @default - no log out of the provider */
  readonly endSessionEndpoint?: string;
  /**
   * Certificate in PEM form for the connection to the provider.
   * @default - public certificate authorities
   */
  readonly certificate?: string;
  /** Private key of the certificate in PEM form. @default - no private key */
  readonly privateKey?: SecretValue;
  /** Scopes, separated by spaces, with `openid`. @default 'openid profile email' */
  readonly scopes?: string;
  /** Whether Rancher looks for groups. @default false */
  readonly groupSearchEnabled?: boolean;
  /** The claim with the groups. @default 'groups' */
  readonly groupsClaim?: string;
  /** The claim with the name. @default 'name' */
  readonly nameClaim?: string;
  /** The claim with the email address. @default 'email' */
  readonly emailClaim?: string;
  /** The authentication context class that users must have. @default - any */
  readonly acrValue?: string;
  /** `S256` for PKCE. Needs Rancher 2.14. @default - no PKCE */
  readonly pkceMethod?: string;
  /**
   * Whether Rancher searches for users and groups as its client, instead of as the user who
   * searches: of Keycloak only. Needs Rancher 2.15.
   * @default false
   */
  readonly clientAuthenticatedSearch?: boolean;
  /**
   * Whether users can also log out of the provider. Needs Rancher 2.13.
   * @default - no log out of the provider
   */
  readonly logoutAllEnabled?: boolean;
  /**
   * Whether logging out always includes the provider; needs `logoutAllEnabled`.
   * @default - users choose
   */
  readonly logoutAllForced?: boolean;
  /**
   * Values that keep an enabled provider unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new provider needs none.
   * @default - the program enables the provider
   */
  readonly adopted?: AdoptedOidcAuthConfig;
}

/**
 * An authentication provider of Rancher with OIDC: the AuthConfig `genericoidc`, `keycloakoidc`, or
 * `cognito`.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-generic-oidc
 * @example
 * const sso = new OidcAuthConfig(rancher, 'sso', {
 *   provider: AuthProvider.KEYCLOAK_OIDC,
 *   clientId: 'rancher',
 *   clientSecret: SecretValue.fromEnv('OIDC_CLIENT_SECRET'),
 *   issuer: 'https://sso.example.com/realms/platform',
 *   access: AuthAccess.RESTRICTED,
 * });
 * sso.grant(sso.group('platform'));
 */
export class OidcAuthConfig extends GroupAuthConfig {
  constructor(scope: Construct, id: string, props: OidcAuthConfigProps) {
    super(scope, id, 'OidcAuthConfig', props.provider, props);
  }
}
