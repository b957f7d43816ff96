import { Principal } from './principal';
import { ProjectRole } from './project-role';

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
