import { Construct } from 'constructs';
import { AuthConfig, AuthConfigOptions, GroupAuthConfig } from './auth-config';
import { SecretValue } from '../../core/value/secret-value';
import { AuthProvider, Principal, PrincipalOptions } from '../members/principal';

/** Properties of Microsoft Entra ID (Azure AD). */
export interface AzureAdAuthConfigProps extends AuthConfigOptions {
  /** The ID of the tenant. */
  readonly tenantId: string;
  /** The ID of the application. */
  readonly applicationId: string;
  /** The secret of the application. @default - the Secret that Rancher has */
  readonly applicationSecret?: SecretValue;
  /**
   * Where users are sent back to: the page `/verify-auth` of Rancher.
   * @default - `/verify-auth` of `serverUrl` of the chart
   */
  readonly rancherUrl?: string;
  /** The URL of the API of Microsoft Graph, e.g. of a national cloud. @default 'https://graph.microsoft.com' */
  readonly graphEndpoint?: string;
  /** URL of tokens. @default - `/<tenant>/oauth2/v2.0/token` of `endpoint` */
  readonly tokenEndpoint?: string;
  /** URL that users log in at. @default - `/<tenant>/oauth2/v2.0/authorize` of `endpoint` */
  readonly authEndpoint?: string;
  /** URL of the log in of devices, e.g. of the command line. @default - no log in of devices */
  readonly deviceAuthEndpoint?: string;
  /** The URL of logins. @default 'https://login.microsoftonline.com/' */
  readonly endpoint?: string;
  /** Filter of the groups of a user, as OData. @default - all groups */
  readonly groupMembershipFilter?: string;
  /**
   * URL that logs users out. Needs Rancher 2.15.
   * @default - `/<tenant>/oauth2/v2.0/logout` of `endpoint`
   */
  readonly endSessionEndpoint?: string;
  /**
   * Whether users can also log out of Entra ID. Needs Rancher 2.15.
   * @default - no log out of Entra ID
   */
  readonly logoutAllEnabled?: boolean;
  /**
   * Whether logging out always includes Entra ID; needs `logoutAllEnabled`.
   * @default - users choose
   */
  readonly logoutAllForced?: boolean;
}

/**
 * Microsoft Entra ID (Azure AD) as authentication provider of Rancher: the AuthConfig `azuread`.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-azure-ad
 * @example
 * new AzureAdAuthConfig(rancher, 'entra', {
 *   tenantId: '11111111-2222-3333-4444-555555555555',
 *   applicationId: '66666666-7777-8888-9999-000000000000',
 *   applicationSecret: SecretValue.fromEnv('AZURE_SECRET'),
 * });
 */
export class AzureAdAuthConfig extends GroupAuthConfig {
  constructor(scope: Construct, id: string, props: AzureAdAuthConfigProps) {
    super(scope, id, 'AzureAdAuthConfig', AuthProvider.AZURE_AD, props);
  }
}

/** Properties of GitHub. */
export interface GithubAuthConfigProps extends AuthConfigOptions {
  /** The ID of the client. */
  readonly clientId: string;
  /** The secret of the client. @default - the Secret that Rancher has */
  readonly clientSecret?: SecretValue;
  /** The host of GitHub Enterprise. @default 'github.com' */
  readonly hostname?: string;
  /** Whether connections use TLS. @default true */
  readonly tls?: boolean;
  /**
   * The ID of a GitHub App, which is the provider `githubapp`. Needs Rancher 2.13.
   * @default - an OAuth app
   */
  readonly appId?: string;
  /** The installation of the GitHub App. @default - all installations */
  readonly installationId?: string;
  /** The private key of the GitHub App. @default - the Secret that Rancher has */
  readonly privateKey?: SecretValue;
}

/**
 * GitHub as authentication provider of Rancher: the AuthConfig `github`, or `githubapp` of a GitHub
 * App.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-github
 * @example
 * new GithubAuthConfig(rancher, 'github', { clientId: 'Iv1.0123456789', clientSecret: SecretValue.fromEnv('GITHUB_SECRET') });
 */
export class GithubAuthConfig extends AuthConfig {
  constructor(scope: Construct, id: string, props: GithubAuthConfigProps) {
    const provider = props.appId === undefined ? AuthProvider.GITHUB : AuthProvider.GITHUB_APP;
    super(scope, id, 'GithubAuthConfig', provider, props);
  }

  /**
   * All members of an organization of GitHub.
   *
   * @param organizationId its number, e.g. from https://api.github.com/orgs/<name>
   */
  public organization(organizationId: number, options: PrincipalOptions = {}): Principal {
    return Principal.group(`${this.name}_org://${organizationId}`, options);
  }

  /** All members of a team of GitHub. @param teamId its number */
  public team(teamId: number, options: PrincipalOptions = {}): Principal {
    return Principal.group(`${this.name}_team://${teamId}`, options);
  }
}

/** Properties of Google. */
export interface GoogleAuthConfigProps extends AuthConfigOptions {
  /** The email address of an administrator of the domain. */
  readonly adminEmail: string;
  /** The domain. */
  readonly hostname: string;
  /** The credentials of the OAuth client, as JSON. @default - the Secret that Rancher has */
  readonly oauthCredential?: SecretValue;
  /** The credentials of the service account, as JSON. @default - the Secret that Rancher has */
  readonly serviceAccountCredential?: SecretValue;
  /**
   * URL of the information on users.
   * @default 'https://openidconnect.googleapis.com/v1/userinfo'
   */
  readonly userInfoEndpoint?: string;
  /** Whether groups in groups are found. @default false */
  readonly nestedGroupMembershipEnabled?: boolean;
}

/**
 * Google as authentication provider of Rancher: the AuthConfig `googleoauth`.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-google-oauth
 * @example
 * new GoogleAuthConfig(rancher, 'google', {
 *   adminEmail: 'admin@example.com',
 *   hostname: 'example.com',
 *   oauthCredential: SecretValue.fromEnv('GOOGLE_OAUTH'),
 *   serviceAccountCredential: SecretValue.fromEnv('GOOGLE_SERVICE_ACCOUNT'),
 * });
 */
export class GoogleAuthConfig extends GroupAuthConfig {
  constructor(scope: Construct, id: string, props: GoogleAuthConfigProps) {
    super(scope, id, 'GoogleAuthConfig', AuthProvider.GOOGLE_OAUTH, props);
  }
}
