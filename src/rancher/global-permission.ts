import { BindableRole } from './_bindable-role';
import { IGlobalRole } from './global-role';

/**
 * A role in all of Rancher: one that is built in, or a GlobalRole of your own. Rancher's UI calls them global permissions.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/global-permissions
 */
export class GlobalPermission {
  /** Everything in Rancher and all of its clusters. */
  public static readonly ADMIN = new GlobalPermission({ name: 'admin' });
  /** Logs in and makes clusters. */
  public static readonly USER = new GlobalPermission({ name: 'user' });
  /** Logs in, and no more: what roles in clusters and projects give comes on top. */
  public static readonly USER_BASE = new GlobalPermission({ name: 'user-base' });
  /** Makes clusters. */
  public static readonly CREATE_CLUSTERS = new GlobalPermission({ name: 'clusters-create' });
  /** Manages users. */
  public static readonly MANAGE_USERS = new GlobalPermission({ name: 'users-manage' });
  /** Manages roles. */
  public static readonly MANAGE_ROLES = new GlobalPermission({ name: 'roles-manage' });
  /** Manages authentication providers. */
  public static readonly MANAGE_AUTHENTICATION = new GlobalPermission({ name: 'authn-manage' });
  /** Manages settings. */
  public static readonly MANAGE_SETTINGS = new GlobalPermission({ name: 'settings-manage' });
  /** Manages features. */
  public static readonly MANAGE_FEATURES = new GlobalPermission({ name: 'features-manage' });
  /** Manages node drivers. */
  public static readonly MANAGE_NODE_DRIVERS = new GlobalPermission({ name: 'nodedrivers-manage' });
  /** Sees the metrics of Rancher itself. */
  public static readonly VIEW_METRICS = new GlobalPermission({ name: 'view-rancher-metrics' });

  /**
   * A GlobalRole. Users get it after it was applied.
   *
   * @param role of the program's, or GlobalRole.fromName
   */
  public static fromRole(role: IGlobalRole): GlobalPermission {
    return new GlobalPermission({ name: role.globalRoleName, construct: role });
  }

  /**
   * Any GlobalRole that Rancher has.
   *
   * @param id its name
   */
  public static fromId(id: string): GlobalPermission {
    return new GlobalPermission({ name: id });
  }

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the GlobalRole. */
  public get globalRoleName(): string {
    return this._role.name;
  }
}
