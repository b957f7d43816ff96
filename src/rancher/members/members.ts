import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { ANNOTATION_PRINCIPAL_DISPLAY_NAME, BINDING_PREFIX } from './binding.kind';
import { bindingName as derivedName, BindingSubject, Principal, subjectOf } from './principal';
import { ResourceGroup, ResourceManifest, ResourceOptions } from '../../core/app/resource';
import { IRancherTarget, rancherTargetOf, targetOf } from '../../core/app/target';
import { Edges, EdgeType } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { fail, failOnErrors, Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { RancherResource } from '../rancher-resource';
import { RoleKind } from '../role/role.kind';
import { BindableRole, checkBindable, ClusterRole, GlobalPermission } from '../role/roles';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** A binding to write. */
interface BindingParts {
  readonly kind: string;
  readonly prefix: string;
  readonly role: BindableRole;
  readonly principal: Principal;
  /** The cluster or project, which its name is derived from; undefined for a global role. */
  readonly place?: string;
  /** Replaces a late place in the derived name. */
  readonly placeName?: string;
  readonly namespace?: string;
  /** Fields other than those of the subject. */
  readonly fields: { readonly [key: string]: unknown };
  /** The fields of the subject. Default: those of the principal. */
  readonly subject?: BindingSubject;
  /** Its name. @default - derived */
  readonly name?: string;
  /** Objects that are applied before the binding. */
  readonly after: readonly (IConstruct | undefined)[];
}

/** Options of a member of a cluster or project. */
export interface MemberOptions {
  /**
   * The name of the member's binding, for one that exists under another name than the derived one,
   * e.g. `prtb-x7k2p` of Rancher's UI.
   * @default - the name that Rancher's webhook derives from principal, role and place
   */
  readonly bindingName?: string;
}

/**
 * Checks members: their roles in a place of this kind on this version of Rancher, their principals,
 * and that none has a role twice.
 */
export function checkMembers(
  members: readonly (Pick<BindingParts, 'principal'> &
    MemberOptions & { readonly role: { readonly _role: BindableRole } })[],
  kind: RoleKind,
  version: RancherVersion,
  rancher: IRancherTarget,
): Problem[] {
  const keys =
    members.length < 2
      ? []
      : members.map(({ role, principal }) =>
          JSON.stringify([role._role.name, principal._fields()]),
        );
  return members.flatMap(({ role: { _role: role }, principal, bindingName: name }, index) => [
    ...checkBindingName('bindingName', name),
    ...checkBindable('members', role, kind, version),
    ...checkSameRancher('members', role.construct, rancher),
    ...checkSameRancher('members', principal._user, rancher),
    ...principal._check('members'),
    ...(keys.length === 0 || keys.indexOf(keys[index]) === index ? [] : [twice(principal, role)]),
  ]);
}

/** Checks that an object is of a Rancher, if it is one of the program's. */
export function checkSameRancher(
  path: string,
  object: IConstruct | undefined,
  rancher: IRancherTarget,
): Problem[] {
  const target = object && targetOf(object);
  if (!target || target === rancher) {
    return [];
  }
  return [
    {
      path,
      value: object.node.path,
      message: `must be of the same Rancher, ${rancher.targetName}: it is on ${target.targetName}`,
      fix: `use one on ${rancher.targetName}`,
    },
  ];
}

function twice({ principalId: value }: Principal, { name }: BindableRole): Problem {
  return {
    path: 'members',
    value,
    message: `cannot have the role ${name} twice`,
    fix: 'remove one of the two',
  };
}

/** Checks the name of a binding that exists. */
function checkBindingName(path: string, name: string | undefined): Problem[] {
  return name === undefined || OBJECT_NAME.test(name)
    ? []
    : [
        {
          path,
          value: name,
          message: 'must be the name of an object',
          fix: 'copy the name of the live binding, e.g. prtb-x7k2p, or remove it',
        },
      ];
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The name that Rancher's webhook would derive. */
function nameOf({
  prefix,
  role,
  principal,
  place,
  placeName,
}: Pick<BindingParts, 'prefix' | 'role' | 'principal' | 'place' | 'placeName'>): string {
  return derivedName(
    prefix,
    subjectOf(principal._fields())!,
    role.name,
    place !== undefined && isLate(place) ? placeName : place,
  );
}

/**
 * Writes a binding of a role to a principal, by default with the name that Rancher's webhook would
 * derive. Refuses a second one of the same role and principal.
 * The ID of its construct is the name of the binding.
 */
export function writeBinding(scope: ResourceGroup, parts: BindingParts): ApiObject {
  const name = parts.name ?? nameOf(parts);
  if (scope.node.tryFindChild(name)) {
    fail(scope, [
      parts.name === undefined
        ? twice(parts.principal, parts.role)
        : {
            path: 'bindingName',
            value: name,
            message: 'must be unique: another binding of the same construct has this name',
            fix: 'use the name of the binding of this member',
          },
    ]);
  }
  return write(parts, (manifest) =>
    scope._writePart(name, { ...manifest, metadata: { ...manifest.metadata, name } }),
  );
}

function write(parts: BindingParts, writer: (manifest: ResourceManifest) => ApiObject): ApiObject {
  const { role, principal } = parts;
  const subject = parts.subject ?? principal._fields();
  const { displayName } = principal._options;
  const binding = writer({
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: parts.kind,
    metadata: {
      namespace: parts.namespace,
      annotations:
        displayName === undefined
          ? undefined
          : { [ANNOTATION_PRINCIPAL_DISPLAY_NAME]: displayName },
    },
    ...parts.fields,
    ...subject,
  });
  for (const other of [...parts.after, role.construct, principal._user]) {
    if (other) {
      Edges.of(binding)._add(other, EdgeType.APPLIED);
    }
  }
  return binding;
}

/** A user or group with a role in a cluster. */
export class ClusterMember {
  /** A cluster owner: manages everything in the cluster. */
  public static owner(principal: Principal, options: MemberOptions = {}): ClusterMember {
    return new ClusterMember(ClusterRole.OWNER, principal, options.bindingName);
  }

  /**
   * A cluster member: views the cluster and creates projects; has no permissions on Harvester's own
   * kinds.
   */
  public static member(principal: Principal, options: MemberOptions = {}): ClusterMember {
    return new ClusterMember(ClusterRole.MEMBER, principal, options.bindingName);
  }

  /**
   * A member with another role.
   *
   * @param role e.g. `ClusterRole.VIRTUALIZATION_VIEW`
   */
  public static custom(
    role: ClusterRole,
    principal: Principal,
    options: MemberOptions = {},
  ): ClusterMember {
    return new ClusterMember(role, principal, options.bindingName);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The role. */
    public readonly role: ClusterRole,
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
    const { clusterId, node } = this.cluster;
    const { _role: role } = member.role;
    failOnErrors(this, this.check([member]));
    writeBinding(this, {
      kind: 'ClusterRoleTemplateBinding',
      prefix: BINDING_PREFIX.cluster,
      role,
      principal: member.principal,
      name: member.bindingName,
      place: clusterId,
      placeName: node.path,
      namespace: clusterId,
      fields: { clusterName: clusterId, roleTemplateName: role.name },
      after: [node.defaultChild],
    });
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
    const {
      permission: { _role: role },
      principal,
    } = props;
    failOnErrors(this, [
      ...checkBindable('permission', role, 'global', version),
      ...checkSubject(principal, version),
    ]);
    const local = principal._localName();
    write(
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
      : nameOf({ prefix: BINDING_PREFIX.global, role: permission._role, principal });
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
