import { Construct } from 'constructs';
import { DISPLAY_NAME, POLICY_RULES, PolicyRule, policyRulesField } from './role-template';
import {
  GLOBAL_ROLE_FACTS,
  checkFleetPermissions,
  checkOwnRoleName,
  checkRoleName,
} from './role.check';
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
import { Field, FieldTable } from '../../core/fields/field-table';
import { booleanField, structField, textField, textsField } from '../../core/fields/fields';
import { GrowingProps } from '../../core/growing/growing-props';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem, asProps, failOnErrors } from '../../core/problem/problem';
import { checkAlone } from '../../core/rule/kit/object-fact';
import { filledFields, filledList } from '../../core/text/values';
import { byDisplayName } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { ExistingRancherResource, RancherResource } from '../rancher-resource';
import { RancherVersion, RancherGate } from '../version/rancher-version';

const KIND = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'GlobalRole' };

/**
 * Permissions of a GlobalRole on all Fleet workspaces except `fleet-local`. Set both: Rancher does not
 * bind one without the other.
 */
export interface FleetWorkspacePermissions {
  /** Permissions on objects in every Fleet workspace, with verbs; no URLs. @default - no permissions */
  readonly rules?: PolicyRule[];
  /** Verbs on the Fleet workspaces themselves, e.g. `get`, with rules. @default - no permissions */
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

/** The fields of a GlobalRole. */
export const GLOBAL_ROLE_FIELDS = new FieldTable<Omit<GlobalRoleProps, keyof ResourceProps>>('', {
  displayName: DISPLAY_NAME,
  description: textField('description'),
  rules: POLICY_RULES,
  namespacedRules: byNamespaceField('namespacedRules'),
  inheritedNamespacedRules: byNamespaceField('inheritedNamespacedRules'),
  inheritedClusterRoles: {
    path: 'inheritedClusterRoles',
    write: (roles) => filledList(roles.map(({ roleTemplateName }) => roleTemplateName)),
    // how a program writes a role depends on what else was found: the inverse reads them
    read: () => undefined,
  },
  fleetWorkspacePermissions: structField('inheritedFleetWorkspacePermissions', {
    rules: policyRulesField('resourceRules'),
    workspaceVerbs: textsField('workspaceVerbs'),
  }),
  newUserDefault: booleanField('newUserDefault', { serverDefault: false }),
});

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
    this._writeGrowing(this.growing, { props: GLOBAL_ROLE_FIELDS.names });
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
    const displayName = props.displayName ?? this.name;
    const fields = GLOBAL_ROLE_FIELDS.write({ ...props, displayName });
    // the list that programs add to, also where it is empty as yet
    const manifest = { ...KIND, ...fields, rules: fields.rules };
    failOnErrors(this, this.check(props, { ...manifest, metadata: { name: this.name } }));
    return manifest;
  }

  private check(props: GlobalRoleProps, manifest: Manifest): Problem[] {
    const { inheritedClusterRoles: inherited = [] } = props;
    const version = RancherVersion.parse(this.rancher.version);
    const alone = checkAlone(manifest, GLOBAL_ROLE_FACTS);
    return [
      ...checkRoleName('name', this.name),
      ...checkOwnRoleName('name', this.name, true),
      ...asProps([...alone, ...checkFleetPermissions(manifest)], GLOBAL_ROLE_FIELDS.names),
      ...checkNotEmpty(manifest),
      ...NAMESPACED.flatMap(([prop, gate]) =>
        checkNamespaces(prop, Object.keys(props[prop] ?? {}), gate, version),
      ),
      ...inherited.flatMap(({ _role }) =>
        checkBindable('inheritedClusterRoles', _role, 'cluster', version),
      ),
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

const NAMESPACED = [
  ['namespacedRules', RancherGate.GLOBAL_ROLE_NAMESPACED_RULES],
  ['inheritedNamespacedRules', RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES],
] as const;

/** The fields that give permissions. */
const PERMISSIONS = [
  'rules',
  'namespacedRules',
  'inheritedNamespacedRules',
  'inheritedClusterRoles',
  'inheritedFleetWorkspacePermissions',
];

/** Rules by namespace. An empty map is not written. */
function byNamespaceField(path: string): Field<{ readonly [namespace: string]: PolicyRule[] }> {
  return {
    path,
    write: (byNamespace, asWritten) =>
      filledFields(
        mapped(byNamespace, (rules) => POLICY_RULES.write(rules as PolicyRule[], asWritten) ?? []),
      ),
    read: (byNamespace, source) =>
      filledFields(mapped(byNamespace, (rules) => POLICY_RULES.read(rules, source) ?? [])),
  };
}

function mapped<T>(
  byNamespace: unknown,
  change: (rules: unknown) => T,
): { [namespace: string]: T } {
  const entries = Object.entries(isRecord(byNamespace) ? byNamespace : {});
  return Object.fromEntries(entries.map(([namespace, rules]) => [namespace, change(rules)]));
}

/** Rancher accepts a role without permissions: in a program, it is a mistake. */
function checkNotEmpty(manifest: Manifest): readonly Problem[] {
  if (PERMISSIONS.some((field) => !isEmpty(manifest[field]))) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: 'rules',
      message: 'cannot be empty: the role has no permissions',
      fix: 'set rules or inheritedClusterRoles',
    },
  ];
}

function isEmpty(permissions: unknown): boolean {
  return (
    permissions === undefined || (isRecord(permissions) && Object.keys(permissions).length === 0)
  );
}

/** Checks the version for rules by namespace, and the names, of which Rancher accepts any text. */
function checkNamespaces(
  prop: string,
  namespaces: readonly string[],
  gate: RancherGate,
  version: RancherVersion,
): readonly Problem[] {
  if (namespaces.length === 0) {
    return NO_PROBLEMS;
  }
  return [
    ...FeatureGates.of(gate)._check(prop, version, 'remove it'),
    ...namespaces
      .filter((namespace) => !RFC1123_LABEL.test(namespace))
      .map((namespace) => ({
        path: `${prop}[${namespace}]`,
        message: 'must be the name of a Namespace: Rancher does not expand patterns such as *',
        fix: 'name one namespace',
      })),
  ];
}
