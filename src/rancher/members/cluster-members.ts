import { Construct } from 'constructs';
import { checkMembers, writeBinding } from './binding';
import { BINDING_PREFIX } from './binding.kind';
import { Principal } from './principal';
import { rancherTargetOf } from '../../core/app/target';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { IManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { ClusterRole } from '../role/bindable-role';
import { RancherVersion } from '../version/rancher-version';

/**
 * A user or group with a role in a cluster.
 */
export class ClusterMember {
  /** A cluster owner: manages everything in the cluster. */
  public static owner(principal: Principal): ClusterMember {
    return new ClusterMember(ClusterRole.OWNER, principal);
  }

  /** A cluster member: views the cluster and creates projects; has no permissions on Harvester's own kinds. */
  public static member(principal: Principal): ClusterMember {
    return new ClusterMember(ClusterRole.MEMBER, principal);
  }

  /**
   * A member with another role.
   *
   * @param role e.g. `ClusterRole.VIRTUALIZATION_VIEW`
   * @param principal the user or group
   */
  public static custom(role: ClusterRole, principal: Principal): ClusterMember {
    return new ClusterMember(role, principal);
  }

  private constructor(
    /** The role. */
    public readonly role: ClusterRole,
    /** The user or group that has the role. */
    public readonly principal: Principal,
  ) {}
}

/**
 * Properties of the members of a cluster.
 */
export interface ClusterMembersProps {
  /** The cluster: an import or a guest cluster. */
  readonly cluster: IManagedCluster;
  /** Users and groups with a role in the cluster. @default - no members; see addMember */
  readonly members?: ClusterMember[];
}

/**
 * The members of a cluster: a ClusterRoleTemplateBinding each, on Rancher, in the namespace named after the management cluster ID.
 *
 * The names of bindings are those that Rancher's webhook derives: from Rancher 2.15.0, a binding of Rancher's UI for the same principal, role and
 * cluster is the same object.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/add-users-to-projects
 */
export class ClusterMembers extends Construct {
  /** The cluster. */
  public readonly cluster: IManagedCluster;
  private readonly version: RancherVersion;

  constructor(scope: Construct, id: string, props: ClusterMembersProps) {
    super(scope, id);
    const target = rancherTargetOf(this, 'ClusterMembers');
    this.cluster = props.cluster;
    this.version = RancherVersion.parse(target.version);
    requireSameRancher(this, 'members', target, props.cluster);
    const { members = [] } = props;
    failOnErrors(this, this.check(members));
    for (const member of members) { this.addMember(member); }
  }

  /**
   * Grants a user or group a role in the cluster.
   *
   * @param member the user or group, and the role
   */
  public addMember(member: ClusterMember): void {
    const { clusterId, node } = this.cluster;
    const { _role: role } = member.role;
    failOnErrors(this, this.check([member]));
    writeBinding(this, {
      kind: 'ClusterRoleTemplateBinding',
      prefix: BINDING_PREFIX.cluster,
      role,
      principal: member.principal,
      place: clusterId,
      placeName: node.path,
      namespace: clusterId,
      fields: { clusterName: clusterId, roleTemplateName: role.name },
      after: [node.defaultChild],
      gone: 'takes the role in the cluster',
    });
  }

  private check(members: readonly ClusterMember[]): Problem[] {
    return checkMembers(members, 'cluster', this.version);
  }
}
