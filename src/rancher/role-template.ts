import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { ruleFields } from './_rules';
import { PolicyRule } from './policy-rule';
import { EdgeType, Edges } from '../late';
import { failOnErrors, failUnlessLiteral } from '../model/errors';
import { know } from '../model/known-objects';
import { API_VERSIONS } from '../model/names';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { rancherTargetOf } from '../model/target';
import { builtInRoleTemplate } from '../model/tenancy/built-in-role-data';
import { checkPolicyRules } from '../model/tenancy/policy-rules';
import { checkOwnRoleName, checkRoleName } from '../model/tenancy/role-checks';
import { FeatureGates, GateId, RancherVersion } from '../versions';
import { roleVersionProblem } from '../versions/built-in-roles';

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
