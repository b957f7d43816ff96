import { IConstruct } from 'constructs';
import { RoleKind, builtInGlobalRole, builtInRoleTemplate } from './built-in-role.data';
import { IRoleTemplate } from './role-template';
import { checkRoleContext, checkRoleName, roleVersionProblem } from './role.check';
import { Problem } from '../../core/rule/problem';
import { RancherVersion } from '../version/rancher-version';

/** A role as a binding needs it. */
export interface BindableRole {
  /** The name of its GlobalRole or RoleTemplate. */
  readonly name: string;
  /** The construct that makes it, which a binding waits for. */
  readonly construct?: IConstruct;
  /** Its context where it is known of one that is not built in. */
  readonly context?: string;
}

/** What is wrong with binding a role in a place of this kind on this version of Rancher. */
export function checkBindable(path: string, { name, context }: BindableRole, kind: RoleKind, version: RancherVersion): Problem[] {
  if (context !== undefined && context !== kind) {
    return [{ path, value: name, message: `is a role of context ${context}, here goes one of context ${kind}`, fix: `give a RoleTemplate of context ${kind}` }];
  }
  const known = kind === 'global' ? builtInGlobalRole(name) : builtInRoleTemplate(name);
  const gone = known && roleVersionProblem(known, version);
  return [
    ...checkRoleName(path, name), ...checkRoleContext(path, name, kind),
    ...(gone ? [{ path, message: gone, fix: 'give another role, or name another version' }] : []),
  ];
}

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
