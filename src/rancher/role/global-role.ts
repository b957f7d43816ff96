import { IConstruct, Construct } from 'constructs';
import { IRoleTemplate, PolicyRule, RuleFields, ruleFields } from './role-template';
import { checkRoleContext, checkRoleName, roleVersionProblem, checkOwnRoleName, checkPolicyRules } from './role.check';
import { RoleKind, builtInGlobalRole, builtInRoleTemplate } from './role.kind';
import { ExistingResourceOptions, ResourceOptions, ResourceProps, literalName } from '../../core/app/resource';
import { EdgeType, Edges } from '../../core/late/edge';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { ExistingRancherResource, IRancherResource, RancherResource } from '../rancher-resource';
import { RancherVersion, RancherGate } from '../version/rancher-version';

const KIND = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'GlobalRole' };

/** A role for a binding. */
export interface BindableRole {
  /** The name of its GlobalRole or RoleTemplate. */
  readonly name: string;
  /** The construct of the role, which is applied before a binding. */
  readonly construct?: IConstruct;
  /** The context of a role that is not built in, if it is known. */
  readonly context?: string;
}

/** Checks a role for a place of this kind on this version of Rancher. */
export function checkBindable(path: string, { name, context }: BindableRole, kind: RoleKind, version: RancherVersion): Problem[] {
  if (context !== undefined && context !== kind) {
    return [{ path, value: name, message: `must be a role of context ${kind}, not ${context}`, fix: `use a RoleTemplate of context ${kind}` }];
  }
  const known = kind === 'global' ? builtInGlobalRole(name) : builtInRoleTemplate(name);
  const gone = known && roleVersionProblem(known, version);
  return [
    ...checkRoleName(path, name), ...checkRoleContext(path, name, kind),
    ...(gone ? [{ path, message: gone, fix: 'use another role, or another version of Rancher' }] : []),
  ];
}

/**
 * A cluster role of Rancher: built into Rancher, installed by a chart of Harvester, or a RoleTemplate of your own with context cluster.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ClusterRole {
  /** Manages everything in the cluster: projects, nodes and settings. */
  public static readonly OWNER = new ClusterRole({ name: 'cluster-owner' });
  /** Views the cluster and creates projects; has no permissions on Harvester's own kinds. */
  public static readonly MEMBER = new ClusterRole({ name: 'cluster-member' });
  /** Creates projects. */
  public static readonly CREATE_PROJECTS = new ClusterRole({ name: 'projects-create' });
  /** Views all projects. */
  public static readonly VIEW_PROJECTS = new ClusterRole({ name: 'projects-view' });
  /** Manages nodes. */
  public static readonly MANAGE_NODES = new ClusterRole({ name: 'nodes-manage' });
  /** Views nodes. */
  public static readonly VIEW_NODES = new ClusterRole({ name: 'nodes-view' });
  /** Manages storage classes and volumes. */
  public static readonly MANAGE_STORAGE = new ClusterRole({ name: 'storage-manage' });
  /** Manages the members of the cluster. */
  public static readonly MANAGE_MEMBERS = new ClusterRole({ name: 'clusterroletemplatebindings-manage' });
  /** Views the members of the cluster. */
  public static readonly VIEW_MEMBERS = new ClusterRole({ name: 'clusterroletemplatebindings-view' });
  /** Manages backups of the cluster. */
  public static readonly MANAGE_BACKUPS = new ClusterRole({ name: 'backups-manage' });
  /** Manages virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_MANAGE = new ClusterRole({ name: 'virt-cluster-manage' });
  /** Views virtualization in all of a Harvester. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_VIEW = new ClusterRole({ name: 'virt-view-cluster' });
  /** Manages PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher. */
  public static readonly PCI_DEVICES_MANAGE = new ClusterRole({ name: 'harvester-pcidevices-admin' });
  /** Views PCI devices of a Harvester. Needs the chart `harvester-pcidevices-roles` on Rancher. */
  public static readonly PCI_DEVICES_VIEW = new ClusterRole({ name: 'harvester-pcidevices-readonly' });
  /** Manages snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on Rancher. */
  public static readonly SNAPSHOT_QUOTAS_MANAGE = new ClusterRole({ name: 'harvester-resourcequotas-admin' });
  /** Views snapshot quotas of a Harvester. Needs the chart `harvester-resourcequotas-roles` on Rancher. */
  public static readonly SNAPSHOT_QUOTAS_VIEW = new ClusterRole({ name: 'harvester-resourcequotas-read-only' });

  /**
   * A RoleTemplate with context cluster. It is applied before its bindings.
   *
   * @param template a RoleTemplate of the program, or RoleTemplate.fromName
   */
  public static fromTemplate(template: IRoleTemplate): ClusterRole {
    return new ClusterRole({ name: template.name, construct: template, context: template.context });
  }

  /**
   * Any RoleTemplate of Rancher with context cluster.
   *
   * @param name the name of its RoleTemplate, e.g. `navlinks-manage`
   */
  public static of(name: string): ClusterRole {
    return new ClusterRole({ name });
  }

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the RoleTemplate. */
  public get roleTemplateName(): string {
    return this._role.name;
  }
}

/**
 * A project role of Rancher: built into Rancher, installed by a chart of Harvester, or a RoleTemplate of your own with context project.
 *
 * Harvester adds permissions on its own kinds to Kubernetes' ClusterRoles `admin`, `edit` and `view`: owners and members manage virtual machines,
 * images and volumes in the project's namespaces, and view networks. Harvester adds Secrets to `view`. Whether readers view virtual machines
 * depends on the roles of KubeVirt, which is unconfirmed (not verified on a running system).
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/data/management/role_data.go
 */
export class ProjectRole {
  /** Manages everything in the project, and its members. */
  public static readonly OWNER = new ProjectRole({ name: 'project-owner' });
  /** Manages everything in the project except members and quota. */
  public static readonly MEMBER = new ProjectRole({ name: 'project-member' });
  /** Views everything in the project; Secrets only on Harvester, which adds them to Kubernetes' ClusterRole `view`. */
  public static readonly READ_ONLY = new ProjectRole({ name: 'read-only' });
  /** Creates namespaces in the project. */
  public static readonly CREATE_NAMESPACES = new ProjectRole({ name: 'create-ns' });
  /** Manages workloads. */
  public static readonly MANAGE_WORKLOADS = new ProjectRole({ name: 'workloads-manage' });
  /** Views workloads. */
  public static readonly VIEW_WORKLOADS = new ProjectRole({ name: 'workloads-view' });
  /** Manages Services. */
  public static readonly MANAGE_SERVICES = new ProjectRole({ name: 'services-manage' });
  /** Manages Secrets. */
  public static readonly MANAGE_SECRETS = new ProjectRole({ name: 'secrets-manage' });
  /** Views Secrets. */
  public static readonly VIEW_SECRETS = new ProjectRole({ name: 'secrets-view' });
  /** Manages PersistentVolumeClaims. */
  public static readonly MANAGE_VOLUMES = new ProjectRole({ name: 'persistentvolumeclaims-manage' });
  /** Manages the members of the project. */
  public static readonly MANAGE_MEMBERS = new ProjectRole({ name: 'projectroletemplatebindings-manage' });
  /** Views the monitoring. */
  public static readonly VIEW_MONITORING = new ProjectRole({ name: 'monitoring-ui-view' });
  /** Manages virtualization in the project. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_MANAGE = new ProjectRole({ name: 'virt-project-manage' });
  /** Views virtualization in the project. Rancher 2.14.1 and later with the chart `harvester-rbac`, which is experimental. */
  public static readonly VIRTUALIZATION_VIEW = new ProjectRole({ name: 'virt-project-view' });

  /**
   * A RoleTemplate with context project. It is applied before its bindings.
   *
   * @param template a RoleTemplate of the program, or RoleTemplate.fromName
   */
  public static fromTemplate(template: IRoleTemplate): ProjectRole {
    return new ProjectRole({ name: template.name, construct: template, context: template.context });
  }

  /**
   * Any RoleTemplate of Rancher with context project.
   *
   * @param name the name of its RoleTemplate, e.g. `configmaps-view`
   */
  public static of(name: string): ProjectRole {
    return new ProjectRole({ name });
  }

  private constructor(
    /** @internal */
    public readonly _role: BindableRole,
  ) {}

  /** The name of the RoleTemplate. */
  public get roleTemplateName(): string {
    return this._role.name;
  }
}

/** A GlobalRole of Rancher, declared by the program or existing. */
export interface IGlobalRole extends IRancherResource {}

/** Permissions of a GlobalRole on all Fleet workspaces except `fleet-local`. */
export interface FleetWorkspacePermissions {
  /** Permissions on objects in every Fleet workspace. @default - no permissions */
  readonly rules?: PolicyRule[];
  /** Verbs on the Fleet workspaces themselves, e.g. `get`; not empty. @default - no verbs */
  readonly workspaceVerbs?: string[];
}

/** Properties of a GlobalRole. */
export interface GlobalRoleProps extends ResourceOptions {
  /** The name of the GlobalRole object: lower-case letters, digits, hyphens. Not the name of a built-in role. @default - the ID of the construct */
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
export class GlobalRole extends RancherResource implements IGlobalRole {
  /**
   * A reference to an existing GlobalRole.
   *
   * @param scope a RancherChart, or a construct in one
   * @param id the ID of the construct
   */
  public static fromName(scope: Construct, id: string, options: ExistingResourceOptions): IGlobalRole {
    return new ExistingGlobalRole(scope, id, options);
  }

  constructor(scope: Construct, id: string, props: GlobalRoleProps) {
    super(scope, id, props);
    const [namespaced, inNamespaces] = [namespacedFields(props.namespacedRules), namespacedFields(props.inheritedNamespacedRules)];
    const version = RancherVersion.parse(this.rancher.version);
    failOnErrors(this, this.check(props, { namespacedRules: namespaced, inheritedNamespacedRules: inNamespaces }, version));
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    this._write({
      ...KIND,
      displayName: props.displayName ?? this.name,
      description: props.description,
      rules: ruleFields(props.rules),
      namespacedRules: namespaced.length > 0 ? Object.fromEntries(namespaced) : undefined,
      inheritedNamespacedRules: inNamespaces.length > 0 ? Object.fromEntries(inNamespaces) : undefined,
      inheritedClusterRoles: inherited.length > 0 ? inherited.map(({ roleTemplateName }) => roleTemplateName) : undefined,
      inheritedFleetWorkspacePermissions: fleet && { resourceRules: ruleFields(fleet.rules), workspaceVerbs: fleet.workspaceVerbs },
      newUserDefault: props.newUserDefault,
    }, {
      deletion: { policy: 'delete', reason: 'deletes its bindings, and so the permissions of all its users' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status'],
    });
    for (const { _role: { construct } } of inherited) {
      if (construct) { Edges.of(this)._add(construct, EdgeType.APPLIED); }
    }
  }

  /**
   * Names of roles have a form of their own.
   * @internal
   */
  public _nameOf({ name }: ResourceProps): string {
    return literalName(this, name);
  }

  private check(props: GlobalRoleProps, byNamespace: Record<NamespacedProp, NamespacedFields>, version: RancherVersion): Problem[] {
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    const namespaced = Object.entries(byNamespace).filter(([, fields]) => fields.length > 0) as [NamespacedProp, NamespacedFields][];
    const isEmpty = (props.rules ?? []).length === 0 && namespaced.length === 0 && inherited.length === 0 && !fleet;
    return [
      ...checkRoleName('name', this.name),
      ...checkOwnRoleName('name', this.name, true),
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

class ExistingGlobalRole extends ExistingRancherResource implements IGlobalRole {
  constructor(scope: Construct, id: string, options: ExistingResourceOptions) {
    super(scope, id, 'GlobalRole.fromName', KIND, options);
    failOnErrors(this, checkRoleName('name', this.name));
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
    return new GlobalPermission({ name: role.name, construct: role });
  }

  /**
   * Any GlobalRole of Rancher.
   *
   * @param name its name
   */
  public static of(name: string): GlobalPermission {
    return new GlobalPermission({ name });
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
