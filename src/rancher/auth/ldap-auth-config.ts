import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { AuthConfigOptions, GroupAuthConfig } from './auth-config';
import { SecretValue } from '../../core/value/secret-value';
import { AuthProvider } from '../members/principal';

/** A directory of LDAP. Attributes are names of LDAP. */
export interface LdapDirectory {
  /** Host names or addresses of the servers. */
  readonly servers: string[];
  /** Port of the servers. @default 389 */
  readonly port?: number;
  /** Whether connections begin with TLS. @default false */
  readonly tls?: boolean;
  /** Whether connections change to TLS. @default false */
  readonly startTls?: boolean;
  /**
   * Certificate authorities of the servers, in PEM form.
   * @default - public certificate authorities
   */
  readonly caCertificates?: string;
  /** How long Rancher waits for a server. @default Duration.seconds(5) */
  readonly connectionTimeout?: Duration;
  /** The account that searches: a distinguished name, or a username in Active Directory. */
  readonly serviceAccount: string;
  /** The password of the account that searches. @default - the Secret that Rancher has */
  readonly serviceAccountPassword?: SecretValue;
  /** Where users are, as a distinguished name. */
  readonly userSearchBase: string;
  /** Filter of users that are found. @default - all users */
  readonly userSearchFilter?: string;
  /** Filter of users that may log in. @default - all users */
  readonly userLoginFilter?: string;
  /**
   * Attributes that a search compares, separated by `|`.
   * @default - Rancher's default for the provider
   */
  readonly userSearchAttribute?: string;
  /** Attribute that users log in with. @default - Rancher's default for the provider */
  readonly userLoginAttribute?: string;
  /** Object class of users. @default - Rancher's default for the provider */
  readonly userObjectClass?: string;
  /** Attribute with the name of a user. @default - Rancher's default for the provider */
  readonly userNameAttribute?: string;
  /**
   * Attribute with the groups of a user; not in Active Directory.
   * @default - Rancher's default for the provider
   */
  readonly userMemberAttribute?: string;
  /** Attribute that shows disabled users. @default - Rancher's default for the provider */
  readonly userEnabledAttribute?: string;
  /** Bits of that attribute in disabled users. @default - Rancher's default for the provider */
  readonly userDisabledBitMask?: number;
  /** Where groups are, as a distinguished name. @default - where users are */
  readonly groupSearchBase?: string;
  /** Filter of groups that are found. @default - all groups */
  readonly groupSearchFilter?: string;
  /** Attribute that a search compares. @default - Rancher's default for the provider */
  readonly groupSearchAttribute?: string;
  /** Object class of groups. @default - Rancher's default for the provider */
  readonly groupObjectClass?: string;
  /** Attribute with the name of a group. @default - Rancher's default for the provider */
  readonly groupNameAttribute?: string;
  /**
   * Attribute with the distinguished name of a group.
   * @default - Rancher's default for the provider
   */
  readonly groupDnAttribute?: string;
  /** Attribute of users that groups list. @default - Rancher's default for the provider */
  readonly groupMemberUserAttribute?: string;
  /** Attribute with the members of a group. @default - Rancher's default for the provider */
  readonly groupMemberMappingAttribute?: string;
  /** Whether groups in groups are found. @default false */
  readonly nestedGroupMembershipEnabled?: boolean;
  /**
   * Whether the service account searches for the groups of users; not in Active Directory.
   * @default false
   */
  readonly searchUsingServiceAccount?: boolean;
}

/** Properties of an authentication provider with LDAP. */
export interface LdapAuthConfigProps extends AuthConfigOptions, LdapDirectory {
  /** `OPEN_LDAP`, `FREE_IPA`, or `ACTIVE_DIRECTORY`; the object has its name. */
  readonly provider: AuthProvider;
  /** Domain of usernames without one; only in Active Directory. @default - no domain */
  readonly defaultLoginDomain?: string;
}

/**
 * An authentication provider of Rancher with LDAP: the AuthConfig `openldap`, `freeipa`, or
 * `activedirectory`.
 *
 * Configure and test a provider in the UI first: with a wrong configuration no user of the provider
 * can log in. A local administrator always can.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-openldap
 * @example
 * new LdapAuthConfig(rancher, 'ldap', {
 *   provider: AuthProvider.OPEN_LDAP,
 *   servers: ['ldap.example.com'],
 *   tls: true,
 *   port: 636,
 *   serviceAccount: 'cn=rancher,ou=services,dc=example,dc=com',
 *   serviceAccountPassword: SecretValue.fromEnv('LDAP_PASSWORD'),
 *   userSearchBase: 'ou=people,dc=example,dc=com',
 * });
 */
export class LdapAuthConfig extends GroupAuthConfig {
  constructor(scope: Construct, id: string, props: LdapAuthConfigProps) {
    super(scope, id, 'LdapAuthConfig', props.provider, props);
  }
}
