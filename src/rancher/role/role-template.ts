import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { builtInRoleTemplate } from './built-in-role.data';
import { checkOwnRoleName, checkPolicyRules, checkRoleName, roleVersionProblem } from './role.check';
import { know } from '../../core/app/known-objects';
import { rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, failUnlessLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { RancherVersion } from '../version/rancher-version';

/**
 * What a role allows: verbs on resources, or on URLs that are no resources. As in Kubernetes.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export interface PolicyRule {
  /** What is allowed, in lower case, e.g. `get`, `list`, `watch`; `*` is everything. */
  readonly verbs: string[];
  /** The API groups of the resources, `''` is the core one. @default - none: a rule on URLs */
  readonly apiGroups?: string[];
  /** The resources in the plural, e.g. `virtualmachines`, with a subresource `virtualmachines/start`. @default - none: a rule on URLs */
  readonly resources?: string[];
  /** The names of the objects that it is restricted to. @default - all objects */
  readonly resourceNames?: string[];
  /** URLs that are no resources, e.g. `/metrics`. They stand in a rule of their own. @default - none */
  readonly nonResourceUrls?: string[];
}

/** A rule as Kubernetes stores it. */
export interface RuleFields {
  readonly verbs: string[];
  readonly apiGroups?: string[];
  readonly resources?: string[];
  readonly resourceNames?: string[];
  readonly nonResourceURLs?: string[];
}

/** Rules as Kubernetes stores them; nothing for none. */
export function ruleFields(rules: PolicyRule[] | undefined): RuleFields[] | undefined {
  if (!rules || rules.length === 0) { return undefined; }
  return rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceUrls }) => ({
    verbs, apiGroups, resources, resourceNames, nonResourceURLs: nonResourceUrls,
  }));
}

/**
 * Where the roles of a RoleTemplate can be given.
 */
export enum RoleTemplateContext {
  /** In a cluster: it counts in all of its namespaces and for what is in none. */
  CLUSTER = 'cluster',
  /** In a project: it counts in the namespaces of the project. */
  PROJECT = 'project',
}

/**
 * A RoleTemplate on a Rancher: one that the program declares, or one that is there.
 */
export interface IRoleTemplate extends IConstruct {
  /** The name of the RoleTemplate object. */
  readonly roleTemplateName: string;
  /** Where it can be given. @default - not known to the program */
  readonly context?: RoleTemplateContext;
}

/**
 * Properties of a RoleTemplate.
 */
export interface RoleTemplateProps {
  /** Where it can be given. Create-only. */
  readonly context: RoleTemplateContext;
  /**
   * The name of the RoleTemplate object: lower-case letters, digits, hyphens. Not the name of a built-in role.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Text that Rancher's UI shows. @default - none */
  readonly description?: string;
  /** What it allows. @default - only what it inherits */
  readonly rules?: PolicyRule[];
  /**
   * Whether it stands for the ClusterRole of its name in the cluster where it is given, e.g. one of a chart, instead of rules of its own. The
   * ClusterRole must be on Rancher too, or externalRules say what it allows.
   * @default false
   */
  readonly external?: boolean;
  /**
   * What the ClusterRole of an external role allows, for Rancher to see whether who gives the role has those rights. Who applies it needs the verb
   * `escalate` on RoleTemplates. Rancher 2.9.0 and later; 2.8 with the feature external-rules.
   * @default - that of the ClusterRole on Rancher
   */
  readonly externalRules?: PolicyRule[];
  /** The roles that it inherits: built-in ones by id, e.g. `read-only`, and others by name. They must be there. @default - none */
  readonly inherits?: string[];
  /** The RoleTemplates of the program that it inherits. @default - none */
  readonly inheritsFrom?: IRoleTemplate[];
  /** Whether it can no longer be given to anybody; those who have it keep it. @default false */
  readonly locked?: boolean;
  /** Whether who creates a cluster in Rancher's UI gets it there; context cluster. @default false */
  readonly clusterCreatorDefault?: boolean;
  /** Whether who creates a project in Rancher's UI gets it there; context project. @default false */
  readonly projectCreatorDefault?: boolean;
}

/**
 * A role for members of clusters or projects, on Rancher: the pattern that Rancher makes Kubernetes roles of in every cluster where it is given.
 *
 * Who applies it needs every right that it gives, or the verb `escalate` on RoleTemplates.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/manage-role-based-access-control-rbac/custom-roles
 */
export class RoleTemplate extends Construct implements IRoleTemplate {
  /**
   * A RoleTemplate that is there, e.g. one of a chart.
   *
   * @param scope below a RancherChart
   * @param id of the construct
   * @param name of the RoleTemplate
   */
  public static fromName(scope: Construct, id: string, name: string): IRoleTemplate {
    return new ExistingRoleTemplate(scope, id, name);
  }

  /** The name of the RoleTemplate object. */
  public readonly roleTemplateName: string;
  /** Where it can be given. */
  public readonly context?: RoleTemplateContext;

  constructor(scope: Construct, id: string, props: RoleTemplateProps) {
    super(scope, id);
    const target = rancherTargetOf(this, 'RoleTemplate');
    this.roleTemplateName = props.name ?? id;
    this.context = props.context;
    failUnlessLiteral(this, 'name', this.roleTemplateName);
    failOnErrors(this, this.check(props, RancherVersion.parse(target.version)));
    const inherited = [...props.inherits ?? [], ...(props.inheritsFrom ?? []).map(({ roleTemplateName }) => roleTemplateName)];
    const template = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'RoleTemplate',
      metadata: { name: this.roleTemplateName },
      displayName: props.displayName ?? this.roleTemplateName,
      description: props.description,
      context: props.context,
      rules: ruleFields(props.rules),
      external: props.external,
      externalRules: ruleFields(props.externalRules),
      roleTemplateNames: inherited.length > 0 ? inherited : undefined,
      locked: props.locked,
      clusterCreatorDefault: props.clusterCreatorDefault,
      projectCreatorDefault: props.projectCreatorDefault,
    });
    note(template, {
      deletion: { policy: 'delete', reason: 'takes the rights of all who have it; refused while another role inherits it, so bindings and those roles go first' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
    for (const role of props.inheritsFrom ?? []) { Edges.of(this)._add(role, EdgeType.APPLIED); }
  }

  private check(props: RoleTemplateProps, version: RancherVersion): Problem[] {
    const { context, rules = [], inherits = [], inheritsFrom = [] } = props;
    const isEmpty = rules.length === 0 && inherits.length === 0 && inheritsFrom.length === 0 && !props.external;
    return [
      ...checkRoleName('name', this.roleTemplateName),
      ...checkOwnRoleName('name', this.roleTemplateName, false),
      ...checkPolicyRules('rules', ruleFields(rules)),
      ...checkExternal(props, version),
      ...inherits.flatMap((role) => checkInherited(role, version)),
      ...(isEmpty ? [{ path: 'rules', message: 'is empty, and so is inherits: the role allows nothing', fix: 'give rules, or roles to inherit' }] : []),
      ...(props.clusterCreatorDefault && context !== RoleTemplateContext.CLUSTER ? [onlyIn('clusterCreatorDefault', 'cluster')] : []),
      ...(props.projectCreatorDefault && context !== RoleTemplateContext.PROJECT ? [onlyIn('projectCreatorDefault', 'project')] : []),
    ];
  }
}

class ExistingRoleTemplate extends Construct implements IRoleTemplate {
  public readonly context?: RoleTemplateContext;

  constructor(scope: Construct, id: string, public readonly roleTemplateName: string) {
    super(scope, id);
    const target = rancherTargetOf(this, 'RoleTemplate.fromName');
    failOnErrors(this, checkRoleName('name', roleTemplateName));
    know(this, { target, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'RoleTemplate', name: roleTemplateName });
    this.context = builtInRoleTemplate(roleTemplateName)?.kind as RoleTemplateContext | undefined;
  }
}

function checkExternal({ external, rules = [], externalRules }: RoleTemplateProps, version: RancherVersion): Problem[] {
  const gate = externalRules && FeatureGates.of(GateId.ROLE_TEMPLATE_EXTERNAL_RULES).problem(version, '');
  return [
    ...(external && rules.length > 0 ? [{ path: 'rules', message: 'count for nothing in an external role', fix: 'leave them out, or make a role of its own of them' }] : []),
    ...(externalRules && !external ? [{ path: 'externalRules', message: 'stand in a role that is not external', fix: 'give them as rules, or set external' }] : []),
    ...(gate ? [{ path: 'externalRules', message: gate, fix: 'leave it out, and install the ClusterRole on Rancher too' }] : []),
    ...checkPolicyRules('externalRules', ruleFields(externalRules)),
  ];
}

function checkInherited(role: string, version: RancherVersion): Problem[] {
  const known = builtInRoleTemplate(role);
  const gone = known && roleVersionProblem(known, version);
  return gone ? [{ path: 'inherits', message: gone, fix: 'inherit another role, or name another version' }] : checkRoleName('inherits', role);
}

function onlyIn(path: string, context: string): Problem {
  return { path, value: true, message: `is for roles of context ${context}`, fix: 'leave it out, or give that context' };
}
