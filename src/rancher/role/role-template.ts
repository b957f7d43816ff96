import { Construct } from 'constructs';
import {
  ROLE_TEMPLATE_FACTS,
  checkOnlyInContext,
  checkOwnRoleName,
  checkRoleName,
  roleVersionProblem,
} from './role.check';
import { ROLE_TEMPLATE, builtInRoleTemplate } from './role.kind';
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
import { refer, unless } from '../../core/draft/draft';
import { Field, FieldTable } from '../../core/fields/field-table';
import {
  booleanField,
  enumField,
  structsField,
  textField,
  textsField,
} from '../../core/fields/fields';
import { GrowingProps } from '../../core/growing/growing-props';
import { Manifest, itemsAt, textsAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import {
  NO_PROBLEMS,
  Problem,
  asProps,
  collectProblems,
  failOnErrors,
} from '../../core/problem/problem';
import { checkAlone } from '../../core/rule/kit/object-fact';
import { filledText, textOrEmpty } from '../../core/text/plain-text';
import { filledList } from '../../core/text/values';
import { byDisplayName } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import {
  VM_PRESETS,
  VM_UI_ACTIONS,
  VmPreset,
  vmPresetRules,
} from '../../harvester/account/vm-role.data';
import { ExistingRancherResource, IRancherResource, RancherResource } from '../rancher-resource';
import { RancherGate, RancherVersion } from '../version/rancher-version';

const KIND = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'RoleTemplate' };

/**
 * A rule of a role: verbs on resources, or on non-resource URLs, as in Kubernetes.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export interface PolicyRule {
  /** The allowed verbs, in lower case, e.g. `get`, `list`, `watch`; `*` allows all. */
  readonly verbs: string[];
  /**
   * The API groups of the resources; `''` is the core group.
   * @default - no groups, in a rule on URLs
   */
  readonly apiGroups?: string[];
  /**
   * The resources in the plural, e.g. `virtualmachines`, or a subresource such as
   * `virtualmachines/start`.
   * @default - no resources, in a rule on URLs
   */
  readonly resources?: string[];
  /** Names of the objects that the rule is restricted to. @default - all objects */
  readonly resourceNames?: string[];
  /** Non-resource URLs, e.g. `/metrics`. They need a rule of their own. @default - no URLs */
  readonly nonResourceUrls?: string[];
}

/** A list of rules. An empty one is not written. */
export function policyRulesField(path: string): Field<PolicyRule[]> {
  const list = structsField<PolicyRule>(path, {
    verbs: {
      path: 'verbs',
      write: (verbs) => verbs,
      read: (verbs) => textsAt(verbs),
    },
    apiGroups: textsField('apiGroups'),
    resources: textsField('resources'),
    resourceNames: textsField('resourceNames'),
    nonResourceUrls: textsField('nonResourceURLs'),
  });
  return {
    ...list,
    write: (rules, asWritten) => (rules.length > 0 ? list.write(rules, asWritten) : undefined),
    read: (rules, source) => (itemsAt(rules).length > 0 ? list.read(rules, source) : undefined),
  };
}

/** The rules of a role. */
export const POLICY_RULES = policyRulesField('rules');

/** The name that Rancher's UI shows. The name of the object is read as none. */
export const DISPLAY_NAME: Field<string> = {
  path: 'displayName',
  write: filledText,
  read: (name, { object }) => unless(textOrEmpty(name), object.manifest.metadata.name),
};

/** The context of a RoleTemplate: where it can be granted. */
export enum RoleTemplateContext {
  /** In a cluster: it applies to all namespaces and to cluster-scoped objects. */
  CLUSTER = 'cluster',
  /** In a project: it applies to the namespaces of the project. */
  PROJECT = 'project',
}

/** A RoleTemplate of Rancher, declared by the program or existing. */
export interface IRoleTemplate extends IRancherResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly roleTemplateId: string;
  /** What the role is for: clusters or projects. @default - the program does not know it */
  readonly context?: RoleTemplateContext;
}

/** Properties of a RoleTemplate. */
export interface RoleTemplateProps extends ResourceOptions {
  /** What the role is for: clusters or projects. Immutable. */
  readonly context: RoleTemplateContext;
  /**
   * The name of the RoleTemplate object: lower-case letters, digits, hyphens. Not the name of a
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
  /** The permissions of the role. @default - only inherited permissions */
  readonly rules?: PolicyRule[];
  /**
   * Whether it refers to the ClusterRole of its name in the cluster where it is granted, e.g. one
   * of a chart, instead of rules of its own. The ClusterRole must also exist on Rancher, unless you
   * set externalRules.
   * @default false
   */
  readonly external?: boolean;
  /**
   * Permissions of the ClusterRole of an external role: Rancher grants the role only to users with
   * at least these permissions. To apply it you need the verb `escalate` on RoleTemplates. Rancher
   * 2.9.0 and later; 2.8 with the feature `external-rules`.
   * @default - the permissions of the ClusterRole on Rancher
   */
  readonly externalRules?: PolicyRule[];
  /**
   * RoleTemplates that it inherits: of the program, or e.g. `read-only` by `RoleTemplate.fromName`.
   * @default - no roles
   */
  readonly inherits?: IRoleTemplate[];
  /** Whether the role can no longer be granted; existing members keep it. @default false */
  readonly locked?: boolean;
  /** Whether Rancher's UI does not list the role. @default false */
  readonly hidden?: boolean;
  /**
   * Whether users who create a cluster in Rancher's UI receive the role there; only with context
   * cluster.
   * @default false
   */
  readonly clusterCreatorDefault?: boolean;
  /**
   * Whether users who create a project in Rancher's UI receive the role there; only with context
   * project.
   * @default false
   */
  readonly projectCreatorDefault?: boolean;
}

/** Options of a RoleTemplate for virtual machines. */
export interface VmRoleTemplateOptions extends ResourceProps {
  /**
   * The name that Rancher's UI shows. An empty string omits it, and the UI shows the object name.
   * @default - the name
   */
  readonly displayName?: string;
  /** Permissions in addition to those of the preset. @default - only those of the preset */
  readonly rules?: PolicyRule[];
}

/** Options of a RoleTemplate that operates virtual machines. */
export interface VmOperatorRoleTemplateOptions extends VmRoleTemplateOptions {
  /**
   * Whether members can use the actions of Harvester's UI, such as Start. The UI offers them only
   * to users who can change all fields of a virtual machine (`update`). Without it they use
   * `virtctl` or the API.
   * @default false
   */
  readonly uiActions?: boolean;
}

/** The fields of a RoleTemplate. */
export const ROLE_TEMPLATE_FIELDS = new FieldTable<Omit<RoleTemplateProps, keyof ResourceProps>>(
  '',
  {
    context: enumField('context', 'RoleTemplateContext'),
    displayName: DISPLAY_NAME,
    description: textField('description'),
    rules: POLICY_RULES,
    external: booleanField('external', { serverDefault: false }),
    externalRules: policyRulesField('externalRules'),
    inherits: {
      path: 'roleTemplateNames',
      write: (roles) => filledList(roles.map(({ name }) => name)),
      read: (names, { object }) =>
        filledList(textsAt(names).map((name) => refer(object, ROLE_TEMPLATE, name))),
    },
    locked: booleanField('locked', { serverDefault: false }),
    hidden: booleanField('hidden', { serverDefault: false }),
    clusterCreatorDefault: booleanField('clusterCreatorDefault', { serverDefault: false }),
    projectCreatorDefault: booleanField('projectCreatorDefault', { serverDefault: false }),
  },
);

/**
 * A role for members of clusters or projects: Rancher creates Kubernetes roles from it in each
 * cluster where it is granted.
 *
 * To apply it you need all its permissions, or the verb `escalate` on RoleTemplates.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/custom-roles
 * @example
 * new RoleTemplate(rancher, 'vm-backup', {
 *   context: RoleTemplateContext.PROJECT,
 *   displayName: 'VM Backup',
 *   rules: [{ apiGroups: ['harvesterhci.io'], resources: ['virtualmachinebackups'], verbs: ['get', 'list', 'watch', 'create'] }],
 * });
 */
export class RoleTemplate extends RancherResource implements IRoleTemplate {
  /** A reference to an existing RoleTemplate: one of Rancher, e.g. `read-only`, or of a chart. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IRoleTemplate {
    return new ExistingRoleTemplate(scope, id, 'RoleTemplate.fromName', options);
  }

  /**
   * A reference to an existing RoleTemplate by the name that Rancher's UI shows. The name of the
   * RoleTemplate, e.g. `rt-x7k2p`, is a late value: objects that refer to the role wait for it.
   * `apply` needs permission to list all RoleTemplates. Its context is not known to the program, so
   * it is not checked.
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayNameOptions,
  ): IRoleTemplate {
    return new ExistingRoleTemplate(scope, id, 'RoleTemplate.fromDisplayName', {
      match: byDisplayName(options.displayName, 'displayName'),
    });
  }

  /**
   * A project role that sees virtual machines, images, networks, volumes and backups. Unlike
   * `read-only` it sees no Secrets, and so no cloud-init.
   */
  public static vmViewer(
    scope: Construct,
    id: string,
    options: VmRoleTemplateOptions = {},
  ): RoleTemplate {
    return RoleTemplate.ofPreset(scope, id, 'viewer', options);
  }

  /**
   * A project role that starts, stops, restarts and pauses virtual machines, opens their consoles,
   * and sees what `vmViewer` sees.
   */
  public static vmOperator(
    scope: Construct,
    id: string,
    options: VmOperatorRoleTemplateOptions = {},
  ): RoleTemplate {
    return RoleTemplate.ofPreset(scope, id, 'operator', options);
  }

  /**
   * A project role that creates, changes and deletes virtual machines with their volumes, SSH keys,
   * templates, backups and Secrets, in addition to `vmOperator`. It cannot create images, networks
   * or namespaces.
   */
  public static vmCreator(
    scope: Construct,
    id: string,
    options: VmRoleTemplateOptions = {},
  ): RoleTemplate {
    return RoleTemplate.ofPreset(scope, id, 'creator', options);
  }

  /**
   * A project role that sees images, templates, networks and storage classes: for a project whose
   * images all tenants use.
   */
  public static imageUser(
    scope: Construct,
    id: string,
    options: VmRoleTemplateOptions = {},
  ): RoleTemplate {
    return RoleTemplate.ofPreset(scope, id, 'imageUser', options);
  }

  private static ofPreset(
    scope: Construct,
    id: string,
    preset: VmPreset,
    options: VmOperatorRoleTemplateOptions,
  ): RoleTemplate {
    const { what } = VM_PRESETS[preset];
    const { uiActions, rules = [], ...rest } = options;
    return new RoleTemplate(scope, id, {
      context: RoleTemplateContext.PROJECT,
      ...rest,
      description: `${what[0].toUpperCase()}${what.slice(1)}`,
      rules: [
        ...vmPresetRules(preset),
        ...(uiActions ? [VM_UI_ACTIONS] : []),
        ...rules,
      ] as PolicyRule[],
    });
  }

  /** What the role is for: clusters or projects. */
  public readonly context?: RoleTemplateContext;
  private readonly growing: GrowingProps<RoleTemplateProps>;

  constructor(scope: Construct, id: string, props: RoleTemplateProps) {
    super(scope, id, props);
    this.context = props.context;
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    this._writeGrowing(this.growing, { props: ROLE_TEMPLATE_FIELDS.names });
    for (const role of props.inherits ?? []) {
      Ordering.of(this)._add(role, OrderingType.APPLIED);
    }
  }

  /**
   * Adds a permission. Added rules follow those of the constructor.
   *
   * @example
   * const role = RoleTemplate.vmViewer(rancher, 'vm-and-volume-viewer');
   * role.addRule({ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch'] });
   */
  public addRule(rule: PolicyRule): void {
    this.growing.add('addRule', 'rules', rule);
  }

  /** Adds a rule that Rancher knows of the role of another program. Only with `external`. */
  public addExternalRule(rule: PolicyRule): void {
    this.growing.add('addExternalRule', 'externalRules', rule);
  }

  public get roleTemplateId(): string {
    return this.name;
  }

  /** Names of roles have a form of their own. @internal */
  public _nameOf({ name }: ResourceProps): string {
    return literalName(this, name);
  }

  private manifestOf(props: RoleTemplateProps): ResourceManifest {
    const displayName = props.displayName ?? this.name;
    const fields = ROLE_TEMPLATE_FIELDS.write({ ...props, displayName });
    // the lists that programs add to, also where they are empty as yet
    const { rules, externalRules } = fields;
    const manifest = { ...KIND, ...fields, rules, externalRules };
    collectProblems(this, this.check(props, { ...manifest, metadata: { name: this.name } }));
    return manifest;
  }

  private check(props: RoleTemplateProps, manifest: Manifest): Problem[] {
    const version = RancherVersion.parse(this.rancher.version);
    return [
      ...checkRoleName('name', this.name),
      // a role of a chart, too: the chart writes the same object
      ...checkOwnRoleName('name', this.name, false),
      ...asProps(checkAlone(manifest, ROLE_TEMPLATE_FACTS), ROLE_TEMPLATE_FIELDS.names),
      ...(props.inherits ?? []).flatMap(({ name }) => checkInherited(name, version)),
      ...checkExternalVersion(props, version),
      ...checkWithoutEffect(props, manifest),
    ];
  }
}

class ExistingRoleTemplate extends ExistingRancherResource implements IRoleTemplate {
  public readonly context?: RoleTemplateContext;

  constructor(scope: Construct, id: string, method: string, reference: ObjectReference) {
    super(scope, id, method, KIND, reference);
    failOnErrors(this, checkRoleName('name', this.name));
    this.context = builtInRoleTemplate(this.name)?.kind as RoleTemplateContext | undefined;
  }

  public get roleTemplateId(): string {
    return this.name;
  }
}

function checkExternalVersion(
  { externalRules }: RoleTemplateProps,
  version: RancherVersion,
): readonly Problem[] {
  const gate = FeatureGates.of(RancherGate.ROLE_TEMPLATE_EXTERNAL_RULES);
  const fix = 'remove it, and install the ClusterRole on Rancher, too';
  return externalRules ? gate._check('externalRules', version, fix) : NO_PROBLEMS;
}

/** Checks for what Rancher accepts although it has no effect: in a program, it is a mistake. */
function checkWithoutEffect(
  { external, rules = [], inherits = [] }: RoleTemplateProps,
  manifest: Manifest,
): Problem[] {
  const problems = checkOnlyInContext('clusterCreatorDefault', 'cluster', manifest);
  if (external && rules.length > 0) {
    problems.push({
      path: 'rules',
      message: 'have no effect in an external role',
      fix: 'remove them, or declare another role with them',
    });
  }
  if (!external && rules.length === 0 && inherits.length === 0) {
    problems.push({
      path: 'rules',
      message: 'cannot be empty without inherits: the role has no permissions',
      fix: 'set rules or inherits',
    });
  }
  return problems;
}

function checkInherited(role: string, version: RancherVersion): Problem[] {
  const known = builtInRoleTemplate(role);
  const gone = known && roleVersionProblem(known, version);
  return gone
    ? [
        {
          path: 'inherits',
          message: gone,
          fix: 'inherit another role, or use another version of Rancher',
        },
      ]
    : checkRoleName('inherits', role);
}
