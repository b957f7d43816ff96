import { PrincipalKind, checkPrincipal } from './principal.check';
import { Problem } from '../../core/problem/problem';
import { base32, hashBytes } from '../../core/text/plain-text';
import { LOCAL_SCHEME, localPrincipal } from '../binding/binding.kind';
import { IRancherResource } from '../rancher-resource';

/** The subject of a binding, as its fields. */
export interface BindingSubject {
  readonly userPrincipalName?: string;
  readonly userName?: string;
  readonly groupPrincipalName?: string;
  readonly groupName?: string;
}

/**
 * The text of a subject that names are derived from: the first field that is set, in the order of
 * Rancher's webhook.
 */
export function subjectOf({
  userPrincipalName,
  userName,
  groupPrincipalName,
  groupName,
}: BindingSubject): string | undefined {
  return userPrincipalName || userName || groupPrincipalName || groupName || undefined;
}

/**
 * The name that Rancher's webhook derives for a binding with generateName: the same for the same
 * subject, role and place, so that a binding of the program and one of the UI are one object.
 *
 * @param prefix e.g. `prtb-`
 * @param subject see subjectOf
 * @param role name of the RoleTemplate or GlobalRole
 * @param place the project ID or the management cluster ID; undefined for a global role, whose formula is that of this library
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go and clusterroletemplatebinding/mutator.go GenerateDeterministicName (0.11)
 */
export function bindingName(prefix: string, subject: string, role: string, place?: string): string {
  const input = place === undefined ? `${subject}/${role}` : `${subject}/${role}/${place}`;
  // 10 letters are 50 bits
  return `${prefix}${base32(hashBytes(input, 7)).slice(0, 10)}`;
}

/** A local user of Rancher, declared by the program or existing. */
export interface ILocalUser extends IRancherResource {
  /**
   * The principal ID of the user, `local://<name>`; `name` is that of the User object, e.g.
   * `u-ana`, not the one that the user logs in with.
   */
  readonly principalId: string;
}

/**
 * Authentication providers of Rancher, by their names in principals.
 * @see https://github.com/rancher/rancher/tree/main/pkg/auth/providers
 */
export enum AuthProvider {
  /** Active Directory; IDs are distinguished names. */
  ACTIVE_DIRECTORY = 'activedirectory',
  /** OpenLDAP; IDs are distinguished names. */
  OPEN_LDAP = 'openldap',
  /** FreeIPA; IDs are distinguished names. */
  FREE_IPA = 'freeipa',
  /** Okta with SAML. */
  OKTA = 'okta',
  /** Shibboleth with SAML. */
  SHIBBOLETH = 'shibboleth',
  /** Ping Identity with SAML. */
  PING = 'ping',
  /** Microsoft AD FS with SAML. */
  ADFS = 'adfs',
  /** Keycloak with SAML. */
  KEYCLOAK = 'keycloak',
  /** Keycloak with OIDC. */
  KEYCLOAK_OIDC = 'keycloakoidc',
  /**
   * Microsoft Entra ID (Azure AD); IDs are object IDs. Unconfirmed (not verified on a running
   * system): inferred from the name of the provider.
   */
  AZURE_AD = 'azuread',
  /** GitHub; IDs are numbers. Its groups are organizations and teams. */
  GITHUB = 'github',
  /** A GitHub App; IDs are numbers. Its groups are organizations and teams. */
  GITHUB_APP = 'githubapp',
  /** Google with OAuth. */
  GOOGLE_OAUTH = 'googleoauth',
  /** The OIDC provider of Rancher. */
  OIDC = 'oidc',
  /** Any other provider with OIDC. */
  GENERIC_OIDC = 'genericoidc',
  /**
   * Amazon Cognito. Unconfirmed (not verified on a running system): inferred from the name of the
   * provider.
   */
  COGNITO = 'cognito',
}

/** Options of a principal. */
export interface PrincipalOptions {
  /**
   * The name that Rancher shows until a user of an authentication provider logs in for the first
   * time.
   * @default - the principal ID
   */
  readonly displayName?: string;
}

/** Options of a user. */
export interface UserPrincipalOptions extends PrincipalOptions {
  /**
   * The name of its User in Rancher, in bindings that Terraform or Rancher wrote with it. Immutable.
   * @default - Rancher finds or creates the User by the principal ID
   */
  readonly userName?: string;
}

/**
 * A user or group that roles are granted to: a local user of Rancher, or a user or group of an
 * authentication provider.
 *
 * Rancher accepts any text, and a binding for an unknown principal has no effect, so constructs
 * check the form.
 */
export class Principal {
  /**
   * A user by principal ID: `local://<name of the User>`, or `<provider>_user://<ID>`, e.g.
   * `okta_user://ana@example.com`.
   *
   * @param id principal ID, as in Users & Authentication of Rancher's UI, or in `principalIds` of a User
   */
  public static user(id: string, options: UserPrincipalOptions = {}): Principal {
    return new Principal('user', id, options);
  }

  /**
   * A group by principal ID: `<provider>_group://<ID>`, e.g. `okta_group://platform`. GitHub has
   * `github_org://` and `github_team://`.
   */
  public static group(id: string, options: PrincipalOptions = {}): Principal {
    return new Principal('group', id, options);
  }

  /** A local user of Rancher. The User is applied before its roles. */
  public static localUser(user: ILocalUser): Principal {
    return new Principal('user', user.principalId, {}, user);
  }

  /**
   * A user of an authentication provider, by the ID there.
   *
   * @param id ID of the user, without the prefix of the provider
   */
  public static userOf(
    provider: AuthProvider,
    id: string,
    options: UserPrincipalOptions = {},
  ): Principal {
    return new Principal('user', `${provider}_user://${id}`, options);
  }

  /**
   * A group of an authentication provider, by the ID there. For GitHub use `githubOrganization` and
   * `githubTeam`.
   *
   * @param id ID of the group, without the prefix of the provider
   */
  public static groupOf(
    provider: AuthProvider,
    id: string,
    options: PrincipalOptions = {},
  ): Principal {
    return new Principal('group', `${provider}_group://${id}`, options);
  }

  /**
   * A group of Kubernetes by its name, e.g. `system:authenticated`, which no authentication
   * provider lists. For members of clusters and projects.
   *
   * @param name as Kubernetes knows it; a group of a provider has a principal ID instead, see `group`
   */
  public static groupName(name: string): Principal {
    return new Principal('group', name, {}, undefined, true);
  }

  /** All members of a GitHub organization. */
  public static githubOrganization(id: number, options: PrincipalOptions = {}): Principal {
    return new Principal('group', `${AuthProvider.GITHUB}_org://${id}`, options);
  }

  /** All members of a GitHub team. */
  public static githubTeam(id: number, options: PrincipalOptions = {}): Principal {
    return new Principal('group', `${AuthProvider.GITHUB}_team://${id}`, options);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _kind: PrincipalKind,
    /** The principal ID, e.g. `okta_group://platform`; the name of a group by its name. */
    public readonly principalId: string,
    /** @internal */
    public readonly _options: UserPrincipalOptions,
    /** @internal */
    public readonly _user?: ILocalUser,
    /** Whether it is a group by its name. @internal */
    public readonly _isName = false,
  ) {}

  /** Returns the principal ID. */
  public toString(): string {
    return this.principalId;
  }

  /** Checks the form of the principal ID. @internal */
  public _check(path: string): Problem[] {
    return this._isName ? [] : checkPrincipal(path, this.principalId, this._kind);
  }

  /** The fields of a binding to a cluster or a project. @internal */
  public _fields(): BindingSubject {
    if (this._isName) {
      return { groupName: this.principalId };
    }
    return this._kind === 'user'
      ? { userPrincipalName: this.principalId, userName: this._options.userName }
      : { groupPrincipalName: this.principalId };
  }

  /** The name of the User of a local user. @internal */
  public _localName(): string | undefined {
    const prefix = localPrincipal('');
    return this._kind === 'user' && this.principalId.startsWith(`${LOCAL_SCHEME}:`)
      ? this.principalId.slice(prefix.length)
      : undefined;
  }
}
