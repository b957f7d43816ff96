import { IConstruct } from 'constructs';
import { ContainerDefaults, Quota } from './quota';
import { INamespace } from '../../core/app/target';
import { IManagedCluster } from '../cluster/managed-cluster';
import { Principal } from '../members/principal';
import { ProjectRole } from '../role/bindable-role';

/**
 * Somebody with a role in a project.
 */
export class ProjectMember {
  /** Everything in the project, and its members. */
  public static owner(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.OWNER, principal);
  }

  /** Everything in the project but its members and its quota. */
  public static member(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.MEMBER, principal);
  }

  /** Sees what is in the project. On a Harvester Secrets too, which Harvester adds to Kubernetes' `view`; elsewhere not those. */
  public static readOnly(principal: Principal): ProjectMember {
    return new ProjectMember(ProjectRole.READ_ONLY, principal);
  }

  /**
   * Another role.
   *
   * @param role e.g. `ProjectRole.fromTemplate(template)`
   * @param principal who has it
   */
  public static custom(role: ProjectRole, principal: Principal): ProjectMember {
    return new ProjectMember(role, principal);
  }

  private constructor(
    /** The role. */
    public readonly role: ProjectRole,
    /** Who has it. */
    public readonly principal: Principal,
  ) {}
}

/**
 * Options of a namespace of a project.
 */
export interface TenantNamespaceOptions {
  /**
   * The quota of the namespace. What it leaves out is taken from the project's default for namespaces; the quotas of all namespaces together must
   * fit the project.
   * @default - the project's default for namespaces
   */
  readonly quota?: Quota;
  /** What containers in it get that name no requests or limits. @default - those of the project */
  readonly containerDefaults?: ContainerDefaults;
  /** Labels of the Namespace. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Namespace. @default - only those of Rancher's for project and quota */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * A project of a cluster: one that the program declares, or one that is there.
 */
export interface ITenantProject extends IConstruct {
  /** The cluster that it is in. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object. */
  readonly projectName: string;
  /** `<cluster id>:<project>`: how namespaces and bindings name it. May hold a late value. */
  readonly projectId: string;
  /** The namespace on Rancher that holds its bindings; Rancher makes it. May hold a late value. */
  readonly backingNamespace: string;

  /**
   * Gives somebody a role in the project.
   *
   * @param member who, and which role
   */
  addMember(member: ProjectMember): void;

  /**
   * Makes a namespace of the project on its cluster.
   *
   * @param name of the Namespace: up to 63 of a-z, 0-9 and hyphens, unique on the cluster
   * @param options quota and more
   */
  addNamespace(name: string, options?: TenantNamespaceOptions): INamespace;

  /**
   * A namespace of the project that the program declares, e.g. for virtual machines and guest clusters.
   *
   * @param name as it was given to `namespaces` or `addNamespace`
   */
  namespace(name: string): INamespace;
}
