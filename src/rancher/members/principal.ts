import { createHash } from 'crypto';
import { IConstruct } from 'constructs';
import { LOCAL_SCHEME, PrincipalKind, localPrincipal } from './principal.check';
import { base32 } from '../../core/text/base32';

/** Who a binding is for, as its fields say. */
export interface BindingSubject {
  readonly userPrincipalName?: string;
  readonly userName?: string;
  readonly groupPrincipalName?: string;
  readonly groupName?: string;
}

/**
 * The text of a subject that names are made from: the first of the fields that is there, in the order of Rancher's webhook.
 */
export function subjectOf({ userPrincipalName, userName, groupPrincipalName, groupName }: BindingSubject): string | undefined {
  return userPrincipalName || userName || groupPrincipalName || groupName || undefined;
}

/**
 * The name of a binding as Rancher's webhook gives it in place of a generateName: the same for the same subject, role and place, so that a
 * binding of the program and one of the UI are one object.
 *
 * @param prefix e.g. `prtb-`
 * @param subject see subjectOf
 * @param role name of the RoleTemplate or GlobalRole
 * @param place the project's id `<cluster id>:<project>`, or the cluster's id; undefined for a global role, whose formula is ours
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go and clusterroletemplatebinding/mutator.go GenerateDeterministicName (0.11)
 */
export function bindingName(prefix: string, subject: string, role: string, place?: string): string {
  const input = place === undefined ? `${subject}/${role}` : `${subject}/${role}/${place}`;
  return `${prefix}${base32(createHash('sha256').update(input).digest()).slice(0, 10)}`;
}

/**
 * A user of Rancher's own: one that the program declares, or one that is there.
 */
export interface IUser extends IConstruct {
  /** The name of the User object, e.g. `u-ana`: the id of its principal. Not the name that the user logs in with. */
  readonly userName: string;
}

/**
 * The authentication providers of Rancher, as their principals name them.
 *
 * @see https://github.com/rancher/rancher/tree/main/pkg/auth/providers
 */
export enum AuthProvider {
  /** Active Directory; ids are distinguished names. */
  ACTIVE_DIRECTORY = 'activedirectory',
  /** OpenLDAP; ids are distinguished names. */
  OPEN_LDAP = 'openldap',
  /** FreeIPA; ids are distinguished names. */
  FREE_IPA = 'freeipa',
  /** Okta by SAML. */
  OKTA = 'okta',
  /** Shibboleth. */
  SHIBBOLETH = 'shibboleth',
  /** Ping. */
  PING = 'ping',
  /** AD FS. */
  ADFS = 'adfs',
  /** Keycloak by SAML. */
  KEYCLOAK = 'keycloak',
  /** Keycloak by OIDC. */
  KEYCLOAK_OIDC = 'keycloakoidc',
  /** Microsoft Entra ID, formerly Azure AD; ids are object ids. UNCONFIRMED: inferred from the name of the provider. */
  AZURE_AD = 'azuread',
  /** GitHub; ids are numbers. Its groups are organisations and teams. */
  GITHUB = 'github',
  /** A GitHub App; ids are numbers. Its groups are organisations and teams. */
  GITHUB_APP = 'githubapp',
  /** Google. */
  GOOGLE_OAUTH = 'googleoauth',
  /** OIDC. */
  OIDC = 'oidc',
  /** Any provider by OIDC. */
  GENERIC_OIDC = 'genericoidc',
  /** Amazon Cognito. UNCONFIRMED: inferred from the name of the provider. */
  COGNITO = 'cognito',
}

/**
 * Options of a principal.
 */
export interface PrincipalOptions {
  /**
   * The name that Rancher shows until a user of an authentication provider has logged in for the first time.
   * @default - the id
   */
  readonly displayName?: string;
}

/**
 * Who a role is given to: a user or a group, of Rancher's own or of an authentication provider.
 *
 * Rancher takes any text here, and a binding for a principal that nobody has gives nobody anything: so the form is checked where it is used.
 */
export class Principal {
  /**
   * A user by the id of its principal: `local://<name of the User>`, or `<provider>_user://<id>`, e.g. `okta_user://ana@example.com`.
   *
   * @param id as Rancher shows it under Users & Authentication, or in `principalIds` of a User
   */
  public static user(id: string, options: PrincipalOptions = {}): Principal {
    return new Principal('user', id, options);
  }

  /**
   * A group by the id of its principal: `<provider>_group://<id>`, e.g. `okta_group://platform`. GitHub has `github_org://` and `github_team://`.
   *
   * @param id as Rancher shows it
   */
  public static group(id: string, options: PrincipalOptions = {}): Principal {
    return new Principal('group', id, options);
  }

  /**
   * A user of Rancher's own. Roles are given after the User is there.
   *
   * @param user e.g. a User of the program's
   */
  public static localUser(user: IUser): Principal {
    return new Principal('user', localPrincipal(user.userName), {}, user);
  }

  /**
   * A user of an authentication provider, by its id there.
   *
   * @param provider of Rancher
   * @param id of the user, without the prefix of the provider
   */
  public static userOf(provider: AuthProvider, id: string, options: PrincipalOptions = {}): Principal {
    return new Principal('user', `${provider}_user://${id}`, options);
  }

  /**
   * A group of an authentication provider, by its id there. For GitHub use `githubOrganisation` and `githubTeam`.
   *
   * @param provider of Rancher
   * @param id of the group, without the prefix of the provider
   */
  public static groupOf(provider: AuthProvider, id: string, options: PrincipalOptions = {}): Principal {
    return new Principal('group', `${provider}_group://${id}`, options);
  }

  /**
   * All members of an organisation at GitHub.
   *
   * @param id the number of the organisation
   */
  public static githubOrganisation(id: number, options: PrincipalOptions = {}): Principal {
    return new Principal('group', `${AuthProvider.GITHUB}_org://${id}`, options);
  }

  /**
   * All members of a team at GitHub.
   *
   * @param id the number of the team
   */
  public static githubTeam(id: number, options: PrincipalOptions = {}): Principal {
    return new Principal('group', `${AuthProvider.GITHUB}_team://${id}`, options);
  }

  private constructor(
    /** @internal */
    public readonly _kind: PrincipalKind,
    /** The id of the principal, e.g. `okta_group://platform`. */
    public readonly principalId: string,
    /** @internal */
    public readonly _options: PrincipalOptions,
    /** @internal */
    public readonly _user?: IUser,
  ) {}

  /** The id of the principal. */
  public toString(): string {
    return this.principalId;
  }

  /**
   * The fields of a binding to a cluster or a project.
   * @internal
   */
  public _fields(): BindingSubject {
    return this._kind === 'user' ? { userPrincipalName: this.principalId } : { groupPrincipalName: this.principalId };
  }

  /**
   * The name of the User where it is one of Rancher's own.
   * @internal
   */
  public _localName(): string | undefined {
    const prefix = localPrincipal('');
    return this._kind === 'user' && this.principalId.startsWith(`${LOCAL_SCHEME}:`) ? this.principalId.slice(prefix.length) : undefined;
  }
}
