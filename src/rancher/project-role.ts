import { BindableRole } from './_bindable-role';
import { IRoleTemplate } from './role-template';

/**
 * A role in a project: one that Rancher or a chart of Harvester's brings along, or a RoleTemplate of your own with context project.
 *
 * What a role allows on a Harvester comes of Kubernetes' roles `admin`, `edit` and `view`, which Harvester adds its own kinds to: so owners and
 * members manage virtual machines, images and volumes in the project's namespaces, and read networks. Whether readers see virtual machines depends on
 * the roles that KubeVirt adds: UNCONFIRMED. Harvester adds Secrets to `view`, so readers see those.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ProjectRole {
  /** Everything in the project, and its members. */
  public static readonly OWNER = new ProjectRole({ name: 'project-owner' });
  /** Everything in the project but its members and its quota. */
  public static readonly MEMBER = new ProjectRole({ name: 'project-member' });
  /** Sees what is in the project. On a Harvester Secrets too, which Harvester adds to Kubernetes' `view`; elsewhere not those. */
  public static readonly READ_ONLY = new ProjectRole({ name: 'read-only' });
  /** Makes namespaces in the project. */
  public static readonly CREATE_NAMESPACES = new ProjectRole({ name: 'create-ns' });
  /** Manages workloads. */
  public static readonly MANAGE_WORKLOADS = new ProjectRole({ name: 'workloads-manage' });
  /** Sees workloads. */
  public static readonly VIEW_WORKLOADS = new ProjectRole({ name: 'workloads-view' });
  /** Manages Services. */
  public static readonly MANAGE_SERVICES = new ProjectRole({ name: 'services-manage' });
  /** Manages Secrets. */
  public static readonly MANAGE_SECRETS = new ProjectRole({ name: 'secrets-manage' });
  /** Sees Secrets. */
  public static readonly VIEW_SECRETS = new ProjectRole({ name: 'secrets-view' });
  /** Manages volume claims. */
  public static readonly MANAGE_VOLUMES = new ProjectRole({ name: 'persistentvolumeclaims-manage' });
  /** Manages the members of the project. */
  public static readonly MANAGE_MEMBERS = new ProjectRole({ name: 'projectroletemplatebindings-manage' });
  /** Sees the monitoring. */
  public static readonly VIEW_MONITORING = new ProjectRole({ name: 'monitoring-ui-view' });
  /** Manages virtualization in the project. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_MANAGE = new ProjectRole({ name: 'virt-project-manage' });
  /** Sees virtualization in the project. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_VIEW = new ProjectRole({ name: 'virt-project-view' });

  /**
   * A RoleTemplate with context project. Members get it after it was applied.
   *
   * @param template of the program's, or RoleTemplate.fromName
   */
  public static fromTemplate(template: IRoleTemplate): ProjectRole {
    return new ProjectRole({ name: template.roleTemplateName, construct: template, context: template.context });
  }

  /**
   * Any role with context project that Rancher has.
   *
   * @param id the name of its RoleTemplate, e.g. `configmaps-view`
   */
  public static fromId(id: string): ProjectRole {
    return new ProjectRole({ name: id });
  }

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the RoleTemplate. */
  public get roleTemplateName(): string {
    return this._role.name;
  }
}
