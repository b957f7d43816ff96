import { IConstruct } from 'constructs';
import { IRoleTemplate } from './role-template';
import { checkRoleContext, checkRoleName, roleVersionProblem } from './role.check';
import { RoleKind, builtInGlobalRole, builtInRoleTemplate } from './role.kind';
import { Problem } from '../../core/problem/problem';
import { IRancherResource } from '../rancher-resource';
import { RancherVersion } from '../version/rancher-version';

/** A role for a binding. */
export interface BindableRole {
  /** The name of its GlobalRole or RoleTemplate. */
  readonly name: string;
  /** The construct of the role, which is applied before a binding. */
  readonly construct?: IConstruct;
  /** The context of a role that is not built in, if it is known. */
  readonly context?: string;
}

/** Checks a role for a place of this kind on this version of Rancher. */
export function checkBindable(
  path: string,
  { name, context }: BindableRole,
  kind: RoleKind,
  version: RancherVersion,
): Problem[] {
  if (context !== undefined && context !== kind) {
    return [
      {
        path,
        value: name,
        message: `must be a role of context ${kind}, not ${context}`,
        fix: `use a RoleTemplate of context ${kind}`,
      },
    ];
  }
  const known = kind === 'global' ? builtInGlobalRole(name) : builtInRoleTemplate(name);
  const gone = known && roleVersionProblem(known, version);
  return [
    ...checkRoleName(path, name),
    ...checkRoleContext(path, name, kind),
    ...(gone
      ? [{ path, message: gone, fix: 'use another role, or another version of Rancher' }]
      : []),
  ];
}

/**
 * A cluster role of Rancher: built into Rancher, installed by a chart of Harvester, or a
 * RoleTemplate of your own with context cluster.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ClusterMemberRole {
  /** Manages everything in the cluster: projects, nodes and settings. */
  public static readonly OWNER = new ClusterMemberRole({ name: 'cluster-owner' });
  /** Views the cluster and creates projects; has no permissions on Harvester's own kinds. */
  public static readonly MEMBER = new ClusterMemberRole({ name: 'cluster-member' });
  /** Creates projects. */
  public static readonly CREATE_PROJECTS = new ClusterMemberRole({ name: 'projects-create' });
  /** Views all projects. */
  public static readonly VIEW_PROJECTS = new ClusterMemberRole({ name: 'projects-view' });
  /** Manages nodes. */
  public static readonly MANAGE_NODES = new ClusterMemberRole({ name: 'nodes-manage' });
  /** Views nodes. */
  public static readonly VIEW_NODES = new ClusterMemberRole({ name: 'nodes-view' });
  /** Manages storage classes and volumes. */
  public static readonly MANAGE_STORAGE = new ClusterMemberRole({ name: 'storage-manage' });
  /** Manages the members of the cluster. */
  public static readonly MANAGE_MEMBERS = new ClusterMemberRole({
    name: 'clusterroletemplatebindings-manage',
  });
  /** Views the members of the cluster. */
  public static readonly VIEW_MEMBERS = new ClusterMemberRole({
    name: 'clusterroletemplatebindings-view',
  });
  /** Manages backups of the cluster. */
  public static readonly MANAGE_BACKUPS = new ClusterMemberRole({ name: 'backups-manage' });
  /**
   * Manages virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart
   * `harvester-rbac`, which is experimental.
   */
  public static readonly VIRTUALIZATION_MANAGE = new ClusterMemberRole({
    name: 'virt-cluster-manage',
  });
  /**
   * Views virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart
   * `harvester-rbac`, which is experimental.
   */
  public static readonly VIRTUALIZATION_VIEW = new ClusterMemberRole({ name: 'virt-view-cluster' });
  /**
   * Manages PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher.
   */
  public static readonly PCI_DEVICES_MANAGE = new ClusterMemberRole({
    name: 'harvester-pcidevices-admin',
  });
  /** Views PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher. */
  public static readonly PCI_DEVICES_VIEW = new ClusterMemberRole({
    name: 'harvester-pcidevices-readonly',
  });
  /**
   * Manages snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on
   * Rancher.
   */
  public static readonly SNAPSHOT_QUOTAS_MANAGE = new ClusterMemberRole({
    name: 'harvester-resourcequotas-admin',
  });
  /**
   * Views snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on
   * Rancher.
   */
  public static readonly SNAPSHOT_QUOTAS_VIEW = new ClusterMemberRole({
    name: 'harvester-resourcequotas-read-only',
  });

  /**
   * A RoleTemplate with context cluster. It is applied before its bindings.
   *
   * @param template a RoleTemplate of the program, or RoleTemplate.fromName
   */
  public static template(template: IRoleTemplate): ClusterMemberRole {
    return new ClusterMemberRole({
      name: template.name,
      construct: template,
      context: template.context,
    });
  }

  /**
   * Any RoleTemplate of Rancher with context cluster.
   *
   * @param name the name of its RoleTemplate, e.g. `navlinks-manage`
   */
  public static of(name: string): ClusterMemberRole {
    return new ClusterMemberRole({ name });
  }

  declare private readonly nominal: true;

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
 * A project role of Rancher: built into Rancher, installed by a chart of Harvester, or a
 * RoleTemplate of your own with context project.
 *
 * Harvester adds permissions on its own kinds to Kubernetes' ClusterRoles `admin`, `edit` and
 * `view`: owners and members manage virtual machines, images and volumes in the project's
 * namespaces, and view networks. Harvester adds Secrets to `view`, and KubeVirt virtual machines
 * without their consoles: seen with the roles of Harvester 1.8.2 and KubeVirt 1.7.0.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ProjectMemberRole {
  /** Manages everything in the project, and its members. */
  public static readonly OWNER = new ProjectMemberRole({ name: 'project-owner' });
  /** Manages everything in the project except members and quota. */
  public static readonly MEMBER = new ProjectMemberRole({ name: 'project-member' });
  /**
   * Views everything in the project; Secrets only on Harvester, which adds them to Kubernetes'
   * ClusterRole `view`.
   */
  public static readonly READ_ONLY = new ProjectMemberRole({ name: 'read-only' });
  /** Creates namespaces in the project. */
  public static readonly CREATE_NAMESPACES = new ProjectMemberRole({ name: 'create-ns' });
  /** Manages workloads. */
  public static readonly MANAGE_WORKLOADS = new ProjectMemberRole({ name: 'workloads-manage' });
  /** Views workloads. */
  public static readonly VIEW_WORKLOADS = new ProjectMemberRole({ name: 'workloads-view' });
  /** Manages Services. */
  public static readonly MANAGE_SERVICES = new ProjectMemberRole({ name: 'services-manage' });
  /** Manages Secrets. */
  public static readonly MANAGE_SECRETS = new ProjectMemberRole({ name: 'secrets-manage' });
  /** Views Secrets. */
  public static readonly VIEW_SECRETS = new ProjectMemberRole({ name: 'secrets-view' });
  /** Manages PersistentVolumeClaims. */
  public static readonly MANAGE_VOLUMES = new ProjectMemberRole({
    name: 'persistentvolumeclaims-manage',
  });
  /** Manages the members of the project. */
  public static readonly MANAGE_MEMBERS = new ProjectMemberRole({
    name: 'projectroletemplatebindings-manage',
  });
  /** Views the monitoring. */
  public static readonly VIEW_MONITORING = new ProjectMemberRole({ name: 'monitoring-ui-view' });
  /**
   * Manages virtualization in the project. Rancher 2.14.1 and later with the chart
   * `harvester-rbac`, which is experimental.
   */
  public static readonly VIRTUALIZATION_MANAGE = new ProjectMemberRole({
    name: 'virt-project-manage',
  });
  /**
   * Views virtualization in the project. Rancher 2.14.1 and later with the chart `harvester-rbac`,
   * which is experimental.
   */
  public static readonly VIRTUALIZATION_VIEW = new ProjectMemberRole({ name: 'virt-project-view' });

  /**
   * A RoleTemplate with context project. It is applied before its bindings.
   *
   * @param template a RoleTemplate of the program, or RoleTemplate.fromName
   */
  public static template(template: IRoleTemplate): ProjectMemberRole {
    return new ProjectMemberRole({
      name: template.name,
      construct: template,
      context: template.context,
    });
  }

  /**
   * Any RoleTemplate of Rancher with context project.
   *
   * @param name the name of its RoleTemplate, e.g. `configmaps-view`
   */
  public static of(name: string): ProjectMemberRole {
    return new ProjectMemberRole({ name });
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the RoleTemplate. */
  public get roleTemplateName(): string {
    return this._role.name;
  }
}

/** A GlobalRole of Rancher, declared by the program or existing. */
export interface IGlobalRole extends IRancherResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly globalRoleId: string;
}

/**
 * A global permission of Rancher: a built-in GlobalRole, or one of your own.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/global-permissions
 */
export class GlobalPermission {
  /** Manages everything in Rancher and all its clusters. */
  public static readonly ADMIN = new GlobalPermission({ name: 'admin' });
  /** Logs in and creates clusters. */
  public static readonly USER = new GlobalPermission({ name: 'user' });
  /** Only logs in; further permissions come from roles in clusters and projects. */
  public static readonly USER_BASE = new GlobalPermission({ name: 'user-base' });
  /** Creates clusters. */
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
  /** Views the metrics of Rancher itself. */
  public static readonly VIEW_METRICS = new GlobalPermission({ name: 'view-rancher-metrics' });

  /**
   * A GlobalRole. It is applied before its bindings.
   *
   * @param role a GlobalRole of the program, or GlobalRole.fromName
   */
  public static role(role: IGlobalRole): GlobalPermission {
    return new GlobalPermission({ name: role.name, construct: role });
  }

  /** Any GlobalRole of Rancher. */
  public static of(name: string): GlobalPermission {
    return new GlobalPermission({ name });
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the GlobalRole. */
  public get globalRoleName(): string {
    return this._role.name;
  }
}
