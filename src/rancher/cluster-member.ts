import { ClusterRole } from './cluster-role';
import { Principal } from './principal';

/**
 * Somebody with a role in a cluster.
 */
export class ClusterMember {
  /** Everything in the cluster. */
  public static owner(principal: Principal): ClusterMember {
    return new ClusterMember(ClusterRole.OWNER, principal);
  }

  /** Sees the cluster and makes projects; has no rights on Harvester's own kinds. */
  public static member(principal: Principal): ClusterMember {
    return new ClusterMember(ClusterRole.MEMBER, principal);
  }

  /**
   * Another role.
   *
   * @param role e.g. `ClusterRole.VIRTUALIZATION_VIEW`
   * @param principal who has it
   */
  public static custom(role: ClusterRole, principal: Principal): ClusterMember {
    return new ClusterMember(role, principal);
  }

  private constructor(
    /** The role. */
    public readonly role: ClusterRole,
    /** Who has it. */
    public readonly principal: Principal,
  ) {}
}
