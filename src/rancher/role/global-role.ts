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
import { Problem, failOnErrors, requireLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/**
 * A GlobalRole of Rancher, declared by the program or existing.
 */
export interface IGlobalRole extends IConstruct {
  /** The name of the GlobalRole object. */
  readonly globalRoleName: string;
}

/**
 * Permissions of a GlobalRole on all Fleet workspaces except `fleet-local`.
 */
export interface FleetWorkspacePermissions {
  /** Permissions on objects in every Fleet workspace. @default - no permissions */
  readonly rules?: PolicyRule[];
  /** Verbs on the Fleet workspaces themselves, e.g. `get`; not empty. @default - no verbs */
  readonly workspaceVerbs?: string[];
}

/**
 * Properties of a GlobalRole.
 */
export interface GlobalRoleProps {
  /**
   * The name of the GlobalRole object: lower-case letters, digits, hyphens. Not the name of a built-in role.
   * @default - the ID of the construct
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /** Permissions in all namespaces of Rancher's own cluster. @default - no permissions */
  readonly rules?: PolicyRule[];
  /** Permissions in single namespaces of Rancher's own cluster, by namespace. Rancher 2.9.0 and later. @default - no permissions */
  readonly namespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /**
   * Permissions in single namespaces of every cluster except Rancher's own, by the exact names of namespaces. Rancher 2.15.0 and later.
   * @default - no permissions
   */
  readonly inheritedNamespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /** Cluster roles of its users in every cluster except Rancher's own: each Harvester and each guest cluster. @default - no roles */
  readonly inheritedClusterRoles?: ClusterRole[];
  /** Permissions on Fleet workspaces. @default - no permissions */
  readonly fleetWorkspacePermissions?: FleetWorkspacePermissions;
  /** Whether Rancher grants the role to each user at the first login. @default false */
  readonly newUserDefault?: boolean;
}

/**
 * A global role of Rancher.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/global-permissions
 * @example
 * new GlobalRole(rancher, 'auditor', {
 *   rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['management.cattle.io'], resources: ['projects', 'clusters'] }],
 *   inheritedClusterRoles: [ClusterRole.VIEW_PROJECTS],
 * });
 */
export class GlobalRole extends Construct implements IGlobalRole {
  /**
   * References an existing GlobalRole.
   *
   * @param scope below a RancherChart
   * @param id ID of the construct
   * @param name name of the GlobalRole
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
    requireLiteral(this, 'name', this.globalRoleName);
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
      deletion: { policy: 'delete', reason: 'deletes its bindings, and so the permissions of all its users' },
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
      ...(isEmpty ? [{ path: 'rules', message: 'cannot be empty: the role has no permissions', fix: 'set rules or inheritedClusterRoles' }] : []),
      ...namespaced.flatMap(([prop, fields]) => checkNamespaced(prop, fields, version)),
      ...inherited.flatMap(({ _role }) => checkBindable('inheritedClusterRoles', _role, 'cluster', version)),
      ...checkPolicyRules('fleetWorkspacePermissions.rules', ruleFields(fleet?.rules)),
      ...(fleet && (fleet.workspaceVerbs ?? []).length === 0 ? [{
        path: 'fleetWorkspacePermissions.workspaceVerbs', message: 'cannot be empty', fix: 'add a verb on the Fleet workspaces, e.g. get',
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
  namespacedRules: RancherGate.GLOBAL_ROLE_NAMESPACED_RULES, inheritedNamespacedRules: RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES,
} as const;

type NamespacedProp = keyof typeof NAMESPACED;

function namespacedFields(rules: { readonly [namespace: string]: PolicyRule[] } = {}): NamespacedFields {
  return Object.entries(rules).map(([namespace, list]) => [namespace, ruleFields(list) ?? []]);
}

function checkNamespaced(prop: NamespacedProp, fields: NamespacedFields, version: RancherVersion): Problem[] {
  const gate = FeatureGates.of(NAMESPACED[prop])._lack(version);
  return [
    ...(gate ? [{ path: prop, message: gate, fix: 'remove it' }] : []),
    ...fields.filter(([namespace]) => !RFC1123_LABEL.test(namespace)).map(([namespace]) => ({
      path: `${prop}[${namespace}]`, message: 'must be the name of a Namespace: Rancher does not expand patterns such as *', fix: 'name one namespace',
    })),
    ...fields.flatMap(([namespace, rules]) => checkPolicyRules(`${prop}[${namespace}]`, rules, true)),
  ];
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
  public static fromRole(role: IGlobalRole): GlobalPermission {
    return new GlobalPermission({ name: role.globalRoleName, construct: role });
  }

  /**
   * Any GlobalRole of Rancher.
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
