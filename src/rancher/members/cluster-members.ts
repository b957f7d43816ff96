import { Construct } from 'constructs';
import { checkMember, writeBinding } from './binding';
import { BINDING_PREFIX } from './binding.kind';
import { Principal } from './principal';
import { rancherTargetOf } from '../../core/app/target';
import { Problem, fail, failOnErrors } from '../../core/rule/problem';
import { IManagedCluster } from '../cluster/managed-cluster';
import { ClusterRole } from '../role/bindable-role';
import { RancherVersion } from '../version/rancher-version';

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

/**
 * Properties of the members of a cluster.
 */
export interface ClusterMembersProps {
  /** The cluster: an import or a guest cluster. */
  readonly cluster: IManagedCluster;
  /** Who has which role in it. @default - none, see addMember */
  readonly members?: ClusterMember[];
}

/**
 * Who has which role in a cluster: a ClusterRoleTemplateBinding each, on Rancher, in the namespace of the cluster's id.
 *
 * Names are made by the formula of Rancher's webhook, so a binding of Rancher's UI for the same principal, role and cluster is the same object from
 * Rancher 2.15.0 on.
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
    if (target !== props.cluster.rancher) {
      fail(this, [{
        path: 'cluster',
        value: props.cluster.node.path,
        message: `is a cluster of ${props.cluster.rancher.targetName}, its members lie in ${target.targetName}`,
        fix: 'create them below the chart of the cluster\'s Rancher',
      }]);
    }
    const { members = [] } = props;
    failOnErrors(this, members.flatMap((member) => this.check(member)));
    for (const member of members) { this.addMember(member); }
  }

  /**
   * Gives somebody a role in the cluster.
   *
   * @param member who, and which role
   */
  public addMember(member: ClusterMember): void {
    const { clusterId, node } = this.cluster;
    const { _role: role } = member.role;
    failOnErrors(this, this.check(member));
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

  private check({ role, principal }: ClusterMember): Problem[] {
    return checkMember(role._role, principal, 'cluster', this.version);
  }
}
