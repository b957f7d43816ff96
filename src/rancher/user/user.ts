import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { PasswordHash, checkPasswordHash, parsePasswordHash } from './password.check';
import {
  PASSWORD_HASH_PBKDF2,
  PASSWORD_KEY,
  PASSWORD_NAMESPACE,
  PASSWORD_SALT_KEY,
} from './user.kind';
import {
  ExistingResourceOptions,
  ResourceOptions,
  ResourceProps,
  labelName,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { requireOpen } from '../../core/growing/synthesized';
import { LateType } from '../../core/late/late-text';
import { ANNOTATION_PASSWORD_HASH, API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors, problemText } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { localPrincipal } from '../binding/binding.kind';
import { GlobalRoleBinding } from '../members/members';
import { ILocalUser, Principal } from '../members/principal';
import { ExistingRancherResource, RancherResource } from '../rancher-resource';
import { GlobalPermission } from '../role/roles';
import { RancherGate, RancherVersion } from '../version/rancher-version';

const KIND = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'User' };

/**
 * A password that a program and Git can contain: its hash, as Rancher stores it.
 *
 * Rancher replaces a plain password by its hash, and the next apply of the same manifest would
 * write the plain text over that hash, after which neither password works.
 */
export class HashedPassword {
  /**
   * A hash from `cdk8s-harvester hash-password`: `pbkdf2sha3512:<salt>:<hash>`, both the base64 of
   * 32 bytes (PBKDF2-HMAC-SHA3-512, 210,000 iterations).
   *
   * @param text the whole line that the command prints
   */
  public static fromText(text: string): HashedPassword {
    const problem = checkPasswordHash('HashedPassword.fromText', text)[0];
    if (problem) {
      throw new Error(problemText(problem));
    }
    return new HashedPassword(parsePasswordHash(text)!);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _hash: PasswordHash,
  ) {}
}

/** Options of a reference to an existing local user by the name that the user logs in with. */
export interface NamedLocalUserOptions {
  /**
   * The name that the user logs in with (`username` of the User). Users of authentication providers
   * have none: refer to their principals.
   */
  readonly username: string;
}

/** Properties of a user. */
export interface LocalUserProps extends ResourceOptions {
  /**
   * The name of the User object, e.g. `u-ana`: at most 63 characters of a-z, 0-9 and hyphens. Its
   * principal is `local://<name>`.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /**
   * The name that the user logs in with, unique in the Rancher. Immutable once it is set.
   * @default - the name
   */
  readonly username?: string;
  /** The name that Rancher's UI shows. An empty string omits it. @default - the username */
  readonly displayName?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /** Whether the user can log in. @default true */
  readonly enabled?: boolean;
  /**
   * The password, as a hash. Rancher 2.13.0 and later. Every apply restores it after the user
   * changed it.
   * @default - no password: the user cannot log in until it is set in Rancher
   */
  readonly password?: HashedPassword;
  /**
   * Whether Rancher asks for a new password at login. Every apply requests it again, so it cannot
   * be combined with `password`.
   * @default false
   */
  readonly mustChangePassword?: boolean;
  /**
   * Global permissions of the user. Users from Rancher's UI have GlobalPermission.USER, which
   * allows creating clusters.
   * @default [GlobalPermission.USER_BASE]
   */
  readonly permissions?: GlobalPermission[];
}

/**
 * A local user of Rancher: a User, a GlobalRoleBinding for each permission and, with a password, a
 * Secret in `cattle-local-user-passwords`.
 *
 * Do not declare users of an authentication provider: Rancher creates them at their first login, or
 * when a binding names them.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/create-local-users
 * @example
 * new LocalUser(rancher, 'u-ana', {
 *   username: 'ana',
 *   displayName: 'Ana Alvarez',
 *   permissions: [GlobalPermission.USER],
 * });
 */
export class LocalUser extends RancherResource implements ILocalUser {
  /** A reference to an existing user, e.g. `u-x7k2p` or `user-x7k2p`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): ILocalUser {
    return new ExistingUser(scope, id, 'LocalUser.fromName', KIND, options);
  }

  /**
   * A reference to an existing local user by the name that the user logs in with. The name of the
   * User, e.g. `u-x7k2p`, is a late value: objects that refer to the user wait for it. `apply`
   * needs permission to list all Users.
   */
  public static fromUsername(
    scope: Construct,
    id: string,
    options: NamedLocalUserOptions,
  ): ILocalUser {
    const match = {
      prop: 'username',
      field: 'username',
      value: options.username,
      type: LateType.NAME,
    };
    return new ExistingUser(scope, id, 'LocalUser.fromUsername', KIND, { match });
  }

  /** The name that the user logs in with. */
  public readonly username: string;

  constructor(scope: Construct, id: string, props: LocalUserProps = {}) {
    super(scope, id, props);
    const version = RancherVersion.parse(this.rancher.version);
    this.username = props.username ?? this.name;
    const { password, mustChangePassword } = props;
    failOnErrors(this, [
      ...(password
        ? FeatureGates.of(RancherGate.PASSWORD_SECRET)._check(
            'password',
            version,
            'remove it, and set it in Rancher',
          )
        : []),
      ...(password && mustChangePassword
        ? [
            {
              path: 'mustChangePassword',
              value: true,
              message:
                'cannot be combined with password: every apply restores the old password and asks for a new one',
              fix: 'remove it, or remove password and set the first one in Rancher',
            },
          ]
        : []),
      ...(this.username === '' || /^\s|\s$/.test(this.username)
        ? [
            {
              path: 'username',
              value: this.username,
              message: 'must be a name without whitespace at the ends',
              fix: 'remove the whitespace',
            },
          ]
        : []),
    ]);
    // principalIds are left out: Rancher adds to them, and takes no change of them from 2.16 on
    const user = this._write({
      ...KIND,
      displayName: (props.displayName ?? this.username) || undefined,
      description: props.description,
      username: this.username,
      enabled: props.enabled,
      mustChangePassword: props.mustChangePassword,
    });
    if (props.password) {
      this.writePassword(props.password, user);
    }
    for (const permission of props.permissions ?? [GlobalPermission.USER_BASE]) {
      this.writePermission(permission);
    }
  }

  /**
   * Gives the user a global permission more. Has no effect if the user has it already.
   *
   * @example
   * const ana = new LocalUser(rancher, 'u-ana', { username: 'ana' });
   * ana.addPermission(GlobalPermission.MANAGE_SETTINGS);
   */
  public addPermission(permission: GlobalPermission): void {
    requireOpen(this, 'addPermission');
    if (!this.node.tryFindChild(permissionId(permission))) {
      this.writePermission(permission);
    }
  }

  public get principalId(): string {
    return localPrincipal(this.name);
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'u-ana');
  }

  private writePermission(permission: GlobalPermission): void {
    // by the ID, so that the binding waits for the User only, not for everything below this
    // construct
    const binding = new GlobalRoleBinding(this, permissionId(permission), {
      permission,
      principal: Principal.user(this.principalId),
      labels: this.labels,
      annotations: this.annotations,
    });
    Ordering.of(binding)._add(this.apiObject, OrderingType.APPLIED);
  }

  private writePassword({ _hash }: HashedPassword, user: ApiObject): void {
    const { hash, salt } = _hash;
    const secret = this._writePart(
      'Password',
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        metadata: {
          name: this.name,
          namespace: PASSWORD_NAMESPACE,
          annotations: { [ANNOTATION_PASSWORD_HASH]: PASSWORD_HASH_PBKDF2 },
        },
        type: 'Opaque',
        data: { [PASSWORD_KEY]: hash, [PASSWORD_SALT_KEY]: salt },
      },
      { deletion: 'password' },
    );
    // Rancher refuses a password for a user that is not there
    Ordering.of(secret)._add(user, OrderingType.APPLIED);
  }
}

class ExistingUser extends ExistingRancherResource implements ILocalUser {
  public get principalId(): string {
    return localPrincipal(this.name);
  }
}

function permissionId({ globalRoleName }: GlobalPermission): string {
  return `Permission-${globalRoleName}`;
}
