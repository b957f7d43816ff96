import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { BindableRole, ClusterRole, checkBindable } from './bindable-role';
import { PolicyRule, RuleFields, ruleFields } from './role-template';
import { checkOwnRoleName, checkPolicyRules, checkRoleName } from './role.check';
import { know } from '../../core/app/known-objects';
import { rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, failUnlessLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { RancherVersion } from '../version/rancher-version';

/**
 * A GlobalRole on a Rancher: one that the program declares, or one that is there.
 */
export interface IGlobalRole extends IConstruct {
  /** The name of the GlobalRole object. */
  readonly globalRoleName: string;
}

/**
 * What a GlobalRole allows on Fleet workspaces but `fleet-local`.
 */
export interface FleetWorkspacePermissions {
  /** What it allows in every workspace. @default - nothing */
  readonly rules?: PolicyRule[];
  /** What it allows on the workspaces themselves, e.g. `get`; not empty. @default - nothing */
  readonly workspaceVerbs?: string[];
}

/**
 * Properties of a GlobalRole.
 */
export interface GlobalRoleProps {
  /**
   * The name of the GlobalRole object: lower-case letters, digits, hyphens. Not the name of a built-in role.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Text that Rancher's UI shows. @default - none */
  readonly description?: string;
  /** What it allows on the Rancher management cluster, in all namespaces. @default - nothing */
  readonly rules?: PolicyRule[];
  /** What it allows in single namespaces of the management cluster, by namespace. Rancher 2.9.0 and later. @default - nothing */
  readonly namespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /**
   * What it allows in single namespaces of every cluster but the management cluster itself, by the exact names of namespaces; where a cluster has
   * none of that name, nothing. Rancher 2.15.0 and later.
   * @default - nothing
   */
  readonly inheritedNamespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /** Roles that its users get in every cluster but the management cluster itself: every Harvester and every guest cluster. @default - none */
  readonly inheritedClusterRoles?: ClusterRole[];
  /** What it allows on Fleet workspaces. @default - nothing */
  readonly fleetWorkspacePermissions?: FleetWorkspacePermissions;
  /** Whether users who log in for the first time get it. @default false */
  readonly newUserDefault?: boolean;
}

/**
 * A role in all of Rancher.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/global-permissions
 */
export class GlobalRole extends Construct implements IGlobalRole {
  /**
   * A GlobalRole that is there.
   *
   * @param scope below a RancherChart
   * @param id of the construct
   * @param name of the GlobalRole
   */
  public static fromName(scope: Construct, id: string, name: string): IGlobalRole {
    return new ExistingGlobalRole(scope, id, name);
  }

  /** The name of the GlobalRole object. */
  public readonly globalRoleName: string;

  constructor(scope: Construct, id: string, props: GlobalRoleProps) {
    super(scope, id);
    const target = rancherTargetOf(this, 'GlobalRole');
    this.globalRoleName = props.name ?? id;
    failUnlessLiteral(this, 'name', this.globalRoleName);
    const [namespaced, inNamespaces] = [namespacedFields(props.namespacedRules), namespacedFields(props.inheritedNamespacedRules)];
    const version = RancherVersion.parse(target.version);
    failOnErrors(this, this.check(props, { namespacedRules: namespaced, inheritedNamespacedRules: inNamespaces }, version));
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    const role = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'GlobalRole',
      metadata: { name: this.globalRoleName },
      displayName: props.displayName ?? this.globalRoleName,
      description: props.description,
      rules: ruleFields(props.rules),
      namespacedRules: namespaced.length > 0 ? Object.fromEntries(namespaced) : undefined,
      inheritedNamespacedRules: inNamespaces.length > 0 ? Object.fromEntries(inNamespaces) : undefined,
      inheritedClusterRoles: inherited.length > 0 ? inherited.map(({ roleTemplateName }) => roleTemplateName) : undefined,
      inheritedFleetWorkspacePermissions: fleet && { resourceRules: ruleFields(fleet.rules), workspaceVerbs: fleet.workspaceVerbs },
      newUserDefault: props.newUserDefault,
    });
    note(role, {
      deletion: { policy: 'delete', reason: 'takes its bindings along, and so the rights of all who have it' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status'],
    });
    for (const { _role: { construct } } of inherited) {
      if (construct) { Edges.of(this)._add(construct, EdgeType.APPLIED); }
    }
  }

  private check(props: GlobalRoleProps, byNamespace: Record<NamespacedProp, NamespacedFields>, version: RancherVersion): Problem[] {
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    const namespaced = Object.entries(byNamespace).filter(([, fields]) => fields.length > 0) as [NamespacedProp, NamespacedFields][];
    const isEmpty = (props.rules ?? []).length === 0 && namespaced.length === 0 && inherited.length === 0 && !fleet;
    return [
      ...checkRoleName('name', this.globalRoleName),
      ...checkOwnRoleName('name', this.globalRoleName, true),
      ...checkPolicyRules('rules', ruleFields(props.rules)),
      ...(isEmpty ? [{ path: 'rules', message: 'is empty, and nothing else is given: the role allows nothing', fix: 'give rules or inheritedClusterRoles' }] : []),
      ...namespaced.flatMap(([prop, fields]) => checkNamespaced(prop, fields, version)),
      ...inherited.flatMap(({ _role }) => checkBindable('inheritedClusterRoles', _role, 'cluster', version)),
      ...checkPolicyRules('fleetWorkspacePermissions.rules', ruleFields(fleet?.rules)),
      ...(fleet && (fleet.workspaceVerbs ?? []).length === 0 ? [{
        path: 'fleetWorkspacePermissions.workspaceVerbs', message: 'is empty', fix: 'name what is allowed on the workspaces, e.g. get',
      }] : []),
    ];
  }
}

class ExistingGlobalRole extends Construct implements IGlobalRole {
  constructor(scope: Construct, id: string, public readonly globalRoleName: string) {
    super(scope, id);
    const target = rancherTargetOf(this, 'GlobalRole.fromName');
    failOnErrors(this, checkRoleName('name', globalRoleName));
    know(this, { target, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'GlobalRole', name: globalRoleName });
  }
}

type NamespacedFields = readonly [namespace: string, rules: RuleFields[]][];

const NAMESPACED = {
  namespacedRules: GateId.GLOBAL_ROLE_NAMESPACED_RULES, inheritedNamespacedRules: GateId.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES,
} as const;

type NamespacedProp = keyof typeof NAMESPACED;

function namespacedFields(rules: { readonly [namespace: string]: PolicyRule[] } = {}): NamespacedFields {
  return Object.entries(rules).map(([namespace, list]) => [namespace, ruleFields(list) ?? []]);
}

function checkNamespaced(prop: NamespacedProp, fields: NamespacedFields, version: RancherVersion): Problem[] {
  const gate = FeatureGates.of(NAMESPACED[prop]).problem(version);
  return [
    ...(gate ? [{ path: prop, message: gate, fix: 'leave it out' }] : []),
    ...fields.filter(([namespace]) => !RFC1123_LABEL.test(namespace)).map(([namespace]) => ({
      path: `${prop}[${namespace}]`, message: 'is no name of a Namespace, and is taken as it stands, * too', fix: 'name one namespace',
    })),
    ...fields.flatMap(([namespace, rules]) => checkPolicyRules(`${prop}[${namespace}]`, rules, true)),
  ];
}

/**
 * A role in all of Rancher: one that is built in, or a GlobalRole of your own. Rancher's UI calls them global permissions.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/global-permissions
 */
export class GlobalPermission {
  /** Everything in Rancher and all of its clusters. */
  public static readonly ADMIN = new GlobalPermission({ name: 'admin' });
  /** Logs in and makes clusters. */
  public static readonly USER = new GlobalPermission({ name: 'user' });
  /** Logs in, and no more: what roles in clusters and projects give comes on top. */
  public static readonly USER_BASE = new GlobalPermission({ name: 'user-base' });
  /** Makes clusters. */
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
  /** Sees the metrics of Rancher itself. */
  public static readonly VIEW_METRICS = new GlobalPermission({ name: 'view-rancher-metrics' });

  /**
   * A GlobalRole. Users get it after it was applied.
   *
   * @param role of the program's, or GlobalRole.fromName
   */
  public static fromRole(role: IGlobalRole): GlobalPermission {
    return new GlobalPermission({ name: role.globalRoleName, construct: role });
  }

  /**
   * Any GlobalRole that Rancher has.
   *
   * @param id its name
   */
  public static fromId(id: string): GlobalPermission {
    return new GlobalPermission({ name: id });
  }

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the GlobalRole. */
  public get globalRoleName(): string {
    return this._role.name;
  }
}
