import { IConstruct } from 'constructs';
import { ContainerDefaults, Quota } from './quota';
import { INamespace } from '../../core/app/target';
import { IManagedCluster } from '../cluster/managed-cluster';
import { Principal } from '../members/principal';
import { ProjectRole } from '../role/bindable-role';

/**
 * A user or group with a role in a project.
 */
export class ProjectMember {
  /** A project owner: manages everything in the project, and its members. */
  public static owner(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.OWNER, principal);
  }

  /** A project member: manages everything in the project except members and quota. */
  public static member(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.MEMBER, principal);
  }

  /** A reader: views everything in the project; Secrets only on Harvester, which adds them to Kubernetes' ClusterRole `view`. */
  public static readOnly(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.READ_ONLY, principal);
  }

  /**
   * A member with another role.
   *
   * @param role e.g. `ProjectRole.fromTemplate(template)`
   * @param principal the user or group
   */
  public static custom(role: ProjectRole, principal: Principal): ProjectMember {
    return new ProjectMember(role, principal);
  }

  private constructor(
    /** The role. */
    public readonly role: ProjectRole,
    /** The user or group that has the role. */
    public readonly principal: Principal,
  ) {}
}

/**
 * Options of a namespace of a project.
 */
export interface TenantNamespaceOptions {
  /**
   * The quota of the namespace, completed by the project's default for namespaces. The quotas of all namespaces together must
   * fit the project.
   * @default - the project's default for namespaces
   */
  readonly quota?: Quota;
  /** Default requests and limits of its containers. @default - those of the project */
  readonly containerDefaults?: ContainerDefaults;
  /** Labels of the Namespace. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Namespace. @default - only those of Rancher for project and quota */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * A project of a cluster, declared by the program or existing.
 */
export interface ITenantProject extends IConstruct {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object. */
  readonly projectName: string;
  /** The project ID, `<management cluster ID>:<project>`. May be a late value. */
  readonly projectId: string;
  /** The namespace of the project's bindings on Rancher; Rancher creates it. May be a late value. */
  readonly backingNamespace: string;

  /**
   * Grants a user or group a role in the project.
   *
   * @param member the user or group, and the role
   */
  addMember(member: ProjectMember): void;

  /**
   * Creates a namespace of the project on its cluster.
   *
   * @param name name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens, unique on the cluster
   * @param options options such as the quota
   */
  addNamespace(name: string, options?: TenantNamespaceOptions): INamespace;

  /**
   * Returns a declared namespace of the project, e.g. for virtual machines and guest clusters.
   *
   * @param name a name in `namespaces`, or one passed to `addNamespace`
   */
  namespace(name: string): INamespace;
}
