import { BindableRole } from './_bindable-role';
import { IRoleTemplate } from './role-template';

/**
 * A role in a cluster: one that Rancher or a chart of Harvester's brings along, or a RoleTemplate of your own with context cluster.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ClusterRole {
  /** Everything in the cluster: all projects, nodes, settings. */
  public static readonly OWNER = new ClusterRole({ name: 'cluster-owner' });
  /** Sees the cluster and makes projects; has no rights on Harvester's own kinds. */
  public static readonly MEMBER = new ClusterRole({ name: 'cluster-member' });
  /** Makes projects. */
  public static readonly CREATE_PROJECTS = new ClusterRole({ name: 'projects-create' });
  /** Sees all projects. */
  public static readonly VIEW_PROJECTS = new ClusterRole({ name: 'projects-view' });
  /** Manages nodes. */
  public static readonly MANAGE_NODES = new ClusterRole({ name: 'nodes-manage' });
  /** Sees nodes. */
  public static readonly VIEW_NODES = new ClusterRole({ name: 'nodes-view' });
  /** Manages storage classes and volumes. */
  public static readonly MANAGE_STORAGE = new ClusterRole({ name: 'storage-manage' });
  /** Manages the members of the cluster. */
  public static readonly MANAGE_MEMBERS = new ClusterRole({ name: 'clusterroletemplatebindings-manage' });
  /** Sees the members of the cluster. */
  public static readonly VIEW_MEMBERS = new ClusterRole({ name: 'clusterroletemplatebindings-view' });
  /** Manages backups of the cluster. */
  public static readonly MANAGE_BACKUPS = new ClusterRole({ name: 'backups-manage' });
  /** Manages virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_MANAGE = new ClusterRole({ name: 'virt-cluster-manage' });
  /** Sees virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_VIEW = new ClusterRole({ name: 'virt-view-cluster' });
  /** Manages PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher. */
  public static readonly PCI_DEVICES_MANAGE = new ClusterRole({ name: 'harvester-pcidevices-admin' });
  /** Sees PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher. */
  public static readonly PCI_DEVICES_VIEW = new ClusterRole({ name: 'harvester-pcidevices-readonly' });
  /** Manages snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on Rancher. */
  public static readonly SNAPSHOT_QUOTAS_MANAGE = new ClusterRole({ name: 'harvester-resourcequotas-admin' });
  /** Sees snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on Rancher. */
  public static readonly SNAPSHOT_QUOTAS_VIEW = new ClusterRole({ name: 'harvester-resourcequotas-read-only' });

  /**
   * A RoleTemplate with context cluster. Members get it after it was applied.
   *
   * @param template of the program's, or RoleTemplate.fromName
   */
  public static fromTemplate(template: IRoleTemplate): ClusterRole {
    return new ClusterRole({ name: template.roleTemplateName, construct: template, context: template.context });
  }

  /**
   * Any role with context cluster that Rancher has.
   *
   * @param id the name of its RoleTemplate, e.g. `navlinks-manage`
   */
  public static fromId(id: string): ClusterRole {
    return new ClusterRole({ name: id });
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
