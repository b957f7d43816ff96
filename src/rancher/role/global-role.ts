import { Construct } from 'constructs';
import { PolicyRule, RuleFields, ruleFields } from './role-template';
import { checkOwnRoleName, checkPolicyRules, checkRoleName } from './role.check';
import { ClusterMemberRole, IGlobalRole, checkBindable } from './roles';
import {
  DisplayNameOptions,
  ExistingResourceOptions,
  ObjectReference,
  ResourceOptions,
  ResourceProps,
  literalName,
  ResourceManifest,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { GrowingProps } from '../../core/growing/growing-props';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { byDisplayName } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { ExistingRancherResource, RancherResource } from '../rancher-resource';
import { RancherVersion, RancherGate } from '../version/rancher-version';

const KIND = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'GlobalRole' };

/** Permissions of a GlobalRole on all Fleet workspaces except `fleet-local`. */
export interface FleetWorkspacePermissions {
  /** Permissions on objects in every Fleet workspace. @default - no permissions */
  readonly rules?: PolicyRule[];
  /** Verbs on the Fleet workspaces themselves, e.g. `get`; not empty. @default - no verbs */
  readonly workspaceVerbs?: string[];
}

/** Properties of a GlobalRole. */
export interface GlobalRoleProps extends ResourceOptions {
  /**
   * The name of the GlobalRole object: lower-case letters, digits, hyphens. Not the name of a
   * built-in role.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /**
   * The name that Rancher's UI shows. An empty string omits it, and the UI shows the object name.
   * @default - the name
   */
  readonly displayName?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /** Permissions in all namespaces of Rancher's own cluster. @default - no permissions */
  readonly rules?: PolicyRule[];
  /**
   * Permissions in single namespaces of Rancher's own cluster, by namespace. Rancher 2.9.0 and
   * later.
   * @default - no permissions
   */
  readonly namespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /**
   * Permissions in single namespaces of every cluster except Rancher's own, by the exact names of
   * namespaces. Rancher 2.15.0 and later.
   * @default - no permissions
   */
  readonly inheritedNamespacedRules?: { readonly [namespace: string]: PolicyRule[] };
  /**
   * Cluster roles of its users in every cluster except Rancher's own: each Harvester and each guest
   * cluster.
   * @default - no roles
   */
  readonly inheritedClusterRoles?: ClusterMemberRole[];
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
 *   inheritedClusterRoles: [ClusterMemberRole.VIEW_PROJECTS],
 * });
 */
export class GlobalRole extends RancherResource implements IGlobalRole {
  /** A reference to an existing GlobalRole. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IGlobalRole {
    return new ExistingGlobalRole(scope, id, 'GlobalRole.fromName', options);
  }

  /**
   * A reference to an existing GlobalRole by the name that Rancher's UI shows. The name of the
   * GlobalRole, e.g. `gr-x7k2p`, is a late value: objects that refer to the role wait for it.
   * `apply` needs permission to list all GlobalRoles.
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayNameOptions,
  ): IGlobalRole {
    return new ExistingGlobalRole(scope, id, 'GlobalRole.fromDisplayName', {
      match: byDisplayName(options.displayName, 'displayName'),
    });
  }

  private readonly growing: GrowingProps<GlobalRoleProps>;

  constructor(scope: Construct, id: string, props: GlobalRoleProps) {
    super(scope, id, props);
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    this._writeGrowing(this.growing);
    for (const { _role } of props.inheritedClusterRoles ?? []) {
      const { construct } = _role;
      if (construct) {
        Ordering.of(this)._add(construct, OrderingType.APPLIED);
      }
    }
  }

  /** Adds a permission. Added rules follow those of the constructor. */
  public addRule(rule: PolicyRule): void {
    this.growing.add('addRule', 'rules', rule);
  }

  public get globalRoleId(): string {
    return this.name;
  }

  /** Names of roles have a form of their own. @internal */
  public _nameOf({ name }: ResourceProps): string {
    return literalName(this, name);
  }

  private manifestOf(props: GlobalRoleProps): ResourceManifest {
    const [namespaced, inNamespaces] = [
      namespacedFields(props.namespacedRules),
      namespacedFields(props.inheritedNamespacedRules),
    ];
    const version = RancherVersion.parse(this.rancher.version);
    failOnErrors(
      this,
      this.check(
        props,
        { namespacedRules: namespaced, inheritedNamespacedRules: inNamespaces },
        version,
      ),
    );
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    return {
      ...KIND,
      displayName: (props.displayName ?? this.name) || undefined,
      description: props.description,
      rules: ruleFields(props.rules),
      namespacedRules: namespaced.length > 0 ? Object.fromEntries(namespaced) : undefined,
      inheritedNamespacedRules:
        inNamespaces.length > 0 ? Object.fromEntries(inNamespaces) : undefined,
      inheritedClusterRoles:
        inherited.length > 0
          ? inherited.map(({ roleTemplateName }) => roleTemplateName)
          : undefined,
      inheritedFleetWorkspacePermissions: fleet && {
        resourceRules: ruleFields(fleet.rules),
        workspaceVerbs: fleet.workspaceVerbs,
      },
      newUserDefault: props.newUserDefault,
    };
  }

  private check(
    props: GlobalRoleProps,
    byNamespace: Record<NamespacedProp, NamespacedFields>,
    version: RancherVersion,
  ): Problem[] {
    const { inheritedClusterRoles: inherited = [], fleetWorkspacePermissions: fleet } = props;
    const namespaced = Object.entries(byNamespace).filter(([, fields]) => fields.length > 0) as [
      NamespacedProp,
      NamespacedFields,
    ][];
    const isEmpty =
      (props.rules ?? []).length === 0 &&
      namespaced.length === 0 &&
      inherited.length === 0 &&
      !fleet;
    return [
      ...checkRoleName('name', this.name),
      ...checkOwnRoleName('name', this.name, true),
      ...checkPolicyRules('rules', ruleFields(props.rules)),
      ...(isEmpty
        ? [
            {
              path: 'rules',
              message: 'cannot be empty: the role has no permissions',
              fix: 'set rules or inheritedClusterRoles',
            },
          ]
        : []),
      ...namespaced.flatMap(([prop, fields]) => checkNamespaced(prop, fields, version)),
      ...inherited.flatMap(({ _role }) =>
        checkBindable('inheritedClusterRoles', _role, 'cluster', version),
      ),
      ...checkPolicyRules('fleetWorkspacePermissions.rules', ruleFields(fleet?.rules)),
      ...(fleet && (fleet.workspaceVerbs ?? []).length === 0
        ? [
            {
              path: 'fleetWorkspacePermissions.workspaceVerbs',
              message: 'cannot be empty',
              fix: 'add a verb on the Fleet workspaces, e.g. get',
            },
          ]
        : []),
    ];
  }
}

class ExistingGlobalRole extends ExistingRancherResource implements IGlobalRole {
  constructor(scope: Construct, id: string, method: string, reference: ObjectReference) {
    super(scope, id, method, KIND, reference);
    failOnErrors(this, checkRoleName('name', this.name));
  }

  public get globalRoleId(): string {
    return this.name;
  }
}

type NamespacedFields = readonly [namespace: string, rules: RuleFields[]][];

const NAMESPACED = {
  namespacedRules: RancherGate.GLOBAL_ROLE_NAMESPACED_RULES,
  inheritedNamespacedRules: RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES,
} as const;

type NamespacedProp = keyof typeof NAMESPACED;

function namespacedFields(
  rules: { readonly [namespace: string]: PolicyRule[] } = {},
): NamespacedFields {
  return Object.entries(rules).map(([namespace, list]) => [namespace, ruleFields(list) ?? []]);
}

function checkNamespaced(
  prop: NamespacedProp,
  fields: NamespacedFields,
  version: RancherVersion,
): Problem[] {
  return [
    ...FeatureGates.of(NAMESPACED[prop])._check(prop, version, 'remove it'),
    ...fields
      .filter(([namespace]) => !RFC1123_LABEL.test(namespace))
      .map(([namespace]) => ({
        path: `${prop}[${namespace}]`,
        message: 'must be the name of a Namespace: Rancher does not expand patterns such as *',
        fix: 'name one namespace',
      })),
    ...fields.flatMap(([namespace, rules]) =>
      checkPolicyRules(`${prop}[${namespace}]`, rules, true),
    ),
  ];
}
