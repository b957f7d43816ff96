import { Construct } from 'constructs';
import { Principal } from './principal';
import { ResourceGroup, ResourceOptions } from '../../core/app/resource';
import { IRancherTarget, rancherTargetOf } from '../../core/construct/target';
import { failOnErrors, Problem } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import {
  MemberOptions,
  bindingNameOf,
  checkMembers,
  writeBindingBy,
  writeClusterBinding,
} from '../binding/binding';
import { BINDING_PREFIX } from '../binding/binding.kind';
import { IManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { RancherResource } from '../rancher-resource';
import { checkBindable, ClusterMemberRole, GlobalPermission } from '../role/roles';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** A user or group with a role in a cluster. */
export class ClusterMember {
  /** A cluster owner: manages everything in the cluster. */
  public static owner(principal: Principal, options: MemberOptions = {}): ClusterMember {
    return new ClusterMember(ClusterMemberRole.OWNER, principal, options.bindingName);
  }

  /**
   * A cluster member: views the cluster and creates projects; has no permissions on Harvester's own
   * kinds.
   */
  public static member(principal: Principal, options: MemberOptions = {}): ClusterMember {
    return new ClusterMember(ClusterMemberRole.MEMBER, principal, options.bindingName);
  }

  /**
   * A member with another role.
   *
   * @param role e.g. `ClusterMemberRole.VIRTUALIZATION_VIEW`
   */
  public static of(
    principal: Principal,
    role: ClusterMemberRole,
    options: MemberOptions = {},
  ): ClusterMember {
    return new ClusterMember(role, principal, options.bindingName);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The role. */
    public readonly role: ClusterMemberRole,
    /** The user or group that has the role. */
    public readonly principal: Principal,
    /** The name of the binding. @default - the name that Rancher's webhook derives */
    public readonly bindingName?: string,
  ) {}
}

/** Properties of the members of a cluster. Labels and annotations are those of the bindings. */
export interface ClusterMembersProps extends ResourceOptions {
  /** The cluster: an import or a guest cluster. */
  readonly cluster: IManagedCluster;
  /** Users and groups with a role in the cluster. @default - no members; see grant */
  readonly members?: ClusterMember[];
}

/**
 * The members of a cluster: a ClusterRoleTemplateBinding each, on Rancher, in the namespace named
 * after the management cluster ID.
 *
 * The names of bindings are those that Rancher's webhook derives: from Rancher 2.15.0, a binding of
 * Rancher's UI for the same principal, role and cluster is the same object.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/add-users-to-projects
 * @example
 * new ClusterMembers(rancher, 'members', {
 *   cluster: harvester,
 *   members: [ClusterMember.owner(Principal.groupOf(AuthProvider.OKTA, 'platform'))],
 * });
 */
export class ClusterMembers extends ResourceGroup {
  /** The cluster. */
  public readonly cluster: IManagedCluster;
  private readonly version: RancherVersion;

  constructor(scope: Construct, id: string, props: ClusterMembersProps) {
    super(scope, id, props);
    this.cluster = props.cluster;
    this.version = RancherVersion.parse(this.target.version);
    requireSameRancher(this, 'members', this.target as IRancherTarget, props.cluster);
    const { members = [] } = props;
    failOnErrors(this, this.check(members));
    for (const member of members) {
      this.grant(member);
    }
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'ClusterMembers');
  }

  /** Grants a user or group a role in the cluster. */
  public grant(member: ClusterMember): void {
    failOnErrors(this, this.check([member]));
    writeClusterBinding(this, this.cluster, member);
  }

  private check(members: readonly ClusterMember[]): Problem[] {
    return checkMembers(members, 'cluster', this.version, this.target as IRancherTarget);
  }
}

/** Properties of a GlobalRoleBinding. */
export interface GlobalRoleBindingProps extends ResourceOptions {
  /**
   * The name of the object, for a binding that exists under another name than the derived one, e.g.
   * `grb-x7k2p`.
   * @default - derived from role and principal
   */
  readonly name?: string;
  /** The role. Immutable. */
  readonly permission: GlobalPermission;
  /**
   * The user or group that receives the role. Immutable. Users of authentication providers need
   * Rancher 2.11.0.
   */
  readonly principal: Principal;
}

/**
 * Grants a user or a group a global role of Rancher.
 *
 * All fields are immutable: for another role or principal it is another binding, whose name is
 * derived from both.
 *
 * @example
 * new GlobalRoleBinding(rancher, 'auditors', {
 *   permission: GlobalPermission.USER,
 *   principal: Principal.groupOf(AuthProvider.OKTA, 'audit'),
 * });
 */
export class GlobalRoleBinding extends RancherResource {
  constructor(scope: Construct, id: string, props: GlobalRoleBindingProps) {
    super(scope, id, props);
    const version = RancherVersion.parse(this.rancher.version);
    const { principal } = props;
    const { _role: role } = props.permission;
    failOnErrors(this, [
      ...checkBindable('permission', role, 'global', version),
      ...checkSubject(principal, version),
    ]);
    const local = principal._localName();
    writeBindingBy(
      {
        kind: 'GlobalRoleBinding',
        prefix: BINDING_PREFIX.global,
        role,
        principal,
        fields: { globalRoleName: role.name },
        // by the name of the User, which every version accepts: the form can never change
        subject: local === undefined ? principal._fields() : { userName: local },
        after: [],
      },
      (manifest) => this._write(manifest, undefined, this.name),
    );
  }

  /** @internal */
  public _nameOf({ name, permission, principal }: GlobalRoleBindingProps): string {
    return name !== undefined
      ? super._nameOf({ name })
      : bindingNameOf({ prefix: BINDING_PREFIX.global, role: permission._role, principal });
  }
}

const BY_NAME: Problem = {
  path: 'principal',
  message: 'cannot be a group by its name: a GlobalRoleBinding has no groupName',
  fix: 'use the principal ID of the group',
};

function checkSubject(principal: Principal, version: RancherVersion): Problem[] {
  const problems = principal._isName ? [BY_NAME] : principal._check('principal');
  if (principal._kind !== 'user' || principal._localName() !== undefined) {
    return problems;
  }
  return [
    ...problems,
    ...FeatureGates.of(RancherGate.GLOBAL_BINDING_USER_PRINCIPAL)._check(
      'principal',
      version,
      'grant the role to a group or a local user',
    ),
  ];
}
