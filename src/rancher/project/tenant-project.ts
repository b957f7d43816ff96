import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT, backingNamespaceOf, projectIdOf } from './project.kind';
import { ContainerDefaults, Quota, checkQuota, containerLimit, quotaLimit } from './quota';
import {
  NamespaceQuota, QuotaLimit, checkContainerLimits, checkNamespaceKeys, checkProjectQuotas, checkQuotaLimit, checkQuotaSums,
  containerLimitFields, quotaFields,
} from './quota.check';
import {
  checkNamespace, checkNamespaceOptions, checkNamespaces, ITenantProject, ProjectMember, TenantNamespace, TenantNamespaceOptions,
} from './tenant-namespace';
import { know } from '../../core/app/known-objects';
import { INamespace, rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors, requireLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { checkOwnKeys, IManagedCluster, ManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { BINDING_PREFIX } from '../members/binding.kind';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { checkMembers, writeBinding } from '../members/members';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/** The quotas of a project as text. */
interface ProjectLimits {
  readonly quota: QuotaLimit;
  readonly namespaceDefault: QuotaLimit;
}

/**
 * A project with its members and namespaces, declared or existing.
 * @internal
 */
export abstract class Project extends Construct implements ITenantProject {
  /** The cluster of the project. */
  public readonly cluster: IManagedCluster;
  /** The name of the Project object. */
  public readonly projectName: string;
  /** The project ID, `<management cluster ID>:<project>`. May be a late value. */
  public readonly projectId: string;
  /** The namespace of the project's bindings on Rancher; Rancher creates it. May be a late value. */
  public readonly backingNamespace: string;
  /** @internal */
  protected readonly _version: RancherVersion;
  /**
   * Quotas of the project; undefined without quotas, or if they are unknown.
   * @internal
   */
  protected _limits?: ProjectLimits;
  /** @internal */
  protected _containerDefaults?: QuotaLimit;
  private readonly namespaces = new Map<string, INamespace>();
  private readonly quotas: NamespaceQuota[] = [];

  protected constructor(scope: Construct, id: string, what: string, cluster: IManagedCluster, name: string, backingNamespace?: string) {
    super(scope, id);
    const target = rancherTargetOf(this, what);
    requireSameRancher(this, 'project', target, cluster);
    this._version = RancherVersion.parse(target.version);
    this.cluster = cluster;
    this.projectName = name;
    this.projectId = projectIdOf(cluster.clusterId, name);
    const hasClusterId = FeatureGates.of(RancherGate.PROJECT_BACKING_NAMESPACE).supports(this._version);
    this.backingNamespace = backingNamespace ?? backingNamespaceOf(cluster.clusterId, name, hasClusterId);
  }

  /**
   * The Project object, which is applied before members and namespaces; undefined for an existing project.
   * @internal
   */
  protected abstract get _written(): IConstruct | undefined;

  /**
   * Grants a user or group a role in the project.
   *
   * @param member the user or group, and the role
   */
  public addMember(member: ProjectMember): void {
    const { _role: role } = member.role;
    failOnErrors(this, this._checkMembers([member]));
    writeBinding(this, {
      kind: 'ProjectRoleTemplateBinding',
      prefix: BINDING_PREFIX.project,
      role,
      principal: member.principal,
      place: this.projectId,
      placeName: projectIdOf(this.cluster.node.path, this.projectName),
      namespace: this.backingNamespace,
      fields: { projectName: this.projectId, roleTemplateName: role.name },
      after: [this._written],
      gone: 'removes the role in the project',
    });
  }

  /**
   * Creates a namespace of the project on its cluster.
   *
   * @param name name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens, unique on the cluster
   * @param options options such as the quota
   */
  public addNamespace(name: string, options: TenantNamespaceOptions = {}): INamespace {
    failOnErrors(this, [...checkNamespace(this, name), ...checkNamespaceOptions(name, options), ...this.checkQuotaOf(name, options)]);
    const quota = this.quotaOf(name, options);
    const { _containerDefaults: containerDefaults, _written: written } = this;
    const namespace = new TenantNamespace(this.cluster.target!, { project: this, name, options, quota, containerDefaults, after: written });
    this.namespaces.set(name, namespace);
    return namespace;
  }

  /**
   * Returns a declared namespace of the project, e.g. for virtual machines and guest clusters.
   *
   * @param name a name in `namespaces`, or one passed to `addNamespace`
   */
  public namespace(name: string): INamespace {
    const namespace = this.namespaces.get(name);
    if (!namespace) {
      const declared = [...this.namespaces.keys()];
      fail(this, [{
        path: 'namespace',
        value: name,
        message: `must be a declared namespace of this project${declared.length > 0 ? `: ${declared.join(', ')}` : ', which has none'}`,
        fix: 'add it to namespaces, or call addNamespace',
      }]);
    }
    return namespace;
  }

  /**
   * Checks members, so that all problems are reported at once.
   * @internal
   */
  protected _checkMembers(members: readonly ProjectMember[]): Problem[] {
    return checkMembers(members, 'project', this._version);
  }

  private checkQuotaOf(name: string, { quota }: TenantNamespaceOptions): Problem[] {
    if (!quota) { return []; }
    const path = `namespaces[${name}].quota`;
    const limit = quotaLimit(quota);
    return [...checkQuota(path, quota, this._version), ...checkQuotaLimit(path, limit), ...this._checkOwn(path, limit)];
  }

  // after the checks: sums are those of valid amounts
  private quotaOf(name: string, { quota: own }: TenantNamespaceOptions): QuotaLimit | undefined {
    const given = own && quotaLimit(own);
    if (!this._limits) { return given; }
    const limit = { ...this._limits.namespaceDefault, ...given };
    const quotas = [...this.quotas, { namespace: name, limit }];
    failOnErrors(this, checkSums(this._limits, quotas));
    this.quotas.push({ namespace: name, limit });
    return limit;
  }

  /**
   * Checks the quota of a namespace against that of the project.
   * @internal
   */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    return this._limits ? checkNamespaceKeys(path, given, this._limits.namespaceDefault) : [];
  }
}

/**
 * Properties of an existing project.
 */
export interface ExistingTenantProjectProps {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object: `p-` and five characters if Rancher created it, as the projects Default and System. */
  readonly name: string;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - the namespace that this version of Rancher derives; a project of an earlier version has its bare name
   */
  readonly backingNamespace?: string;
}

/**
 * Properties of a project.
 */
export interface TenantProjectProps {
  /** The cluster of the project: an import or a guest cluster. Immutable. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object: a-z, 0-9 and hyphens. `<management cluster ID>-<name>` has at most 63 characters.
   * @default - the ID of the construct
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /** Users and groups with a role in the project. @default - no members; see addMember */
  readonly members?: ProjectMember[];
  /** Names of its namespaces on the cluster. @default - no namespaces; see addNamespace */
  readonly namespaces?: string[];
  /** Quota of all its namespaces together. @default - not limited */
  readonly quota?: Quota;
  /**
   * Default quota of a namespace: the same resources as `quota`, each at most as large. Rancher requires one if the project has a quota.
   * @default - the quota of the project, which is valid for a single namespace
   */
  readonly namespaceQuota?: Quota;
  /** Default requests and limits of containers. @default - no defaults */
  readonly containerDefaults?: ContainerDefaults;
  /** Labels of the Project. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Project. @default - only `field.cattle.io/no-creator-rbac` */
  readonly annotations?: { readonly [key: string]: string };
  /**
   * The namespace of the project's bindings on Rancher. Set it only for a project that Rancher created before 2.9.9, 2.10.5 or 2.11.1, to its bare
   * name: see `status.backingNamespace`. In another namespace the bindings have no effect.
   * @default - the namespace that this version of Rancher derives
   */
  readonly backingNamespace?: string;
}

/** The length of the IDs that Rancher chooses. */
const LATE_ID_LENGTH = 'c-m-12345678'.length;

/**
 * A project of a cluster with its members, namespaces and quotas.
 *
 * On Rancher it writes a Project and a ProjectRoleTemplateBinding for each member, on the cluster a Namespace for each name. Only Rancher creates
 * the namespace of the bindings: with an existing one the Project is refused.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/manage-clusters/projects-and-namespaces
 * @example
 * new TenantProject(rancher, 'payments', {
 *   cluster: harvester,
 *   namespaces: ['payments-vms'],
 *   quota: { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) },
 *   members: [ProjectMember.owner(Principal.user('local://u-ana'))],
 * });
 */
export class TenantProject extends Project implements ITenantProject {
  /**
   * References an existing project, to add members and namespaces. Its quota is unknown, so sums are not checked.
   *
   * @param scope below a RancherChart
   * @param id ID of the construct
   * @param props cluster and name
   */
  public static fromName(scope: Construct, id: string, props: ExistingTenantProjectProps): ITenantProject {
    return new ExistingTenantProject(scope, id, props);
  }

  private readonly project: ApiObject;

  constructor(scope: Construct, id: string, props: TenantProjectProps) {
    super(scope, id, 'TenantProject', props.cluster, props.name ?? id, props.backingNamespace);
    requireLiteral(this, 'name', this.projectName);
    const quota = props.quota && quotaLimit(props.quota);
    const namespaceDefault = props.namespaceQuota ? quotaLimit(props.namespaceQuota) : quota;
    const containerDefaults = props.containerDefaults && containerLimit(props.containerDefaults);
    const limits = quota && namespaceDefault && { quota, namespaceDefault };
    failOnErrors(this, [
      ...checkName(this.projectName, props.cluster.clusterId), ...checkMetadata(props),
      ...checkQuota('quota', props.quota, this._version), ...checkQuota('namespaceQuota', props.namespaceQuota, this._version),
      ...checkQuotaLimit('quota', quota ?? {}), ...checkQuotaLimit('namespaceQuota', props.namespaceQuota ? namespaceDefault! : {}),
      ...checkProjectQuotas({ quota: 'quota', namespaceDefault: 'namespaceQuota' }, quota, namespaceDefault),
      ...checkContainerLimits('containerDefaults', containerDefaults ?? {}),
      ...this._checkMembers(props.members ?? []), ...checkNamespaces(this, props.namespaces ?? []),
      ...(limits ? checkSums(limits, (props.namespaces ?? []).map((namespace) => ({ namespace, limit: limits.namespaceDefault }))) : []),
    ]);
    this._limits = limits;
    this._containerDefaults = containerDefaults;
    this.project = this.writeProject(props, containerDefaults);
    for (const member of props.members ?? []) { this.addMember(member); }
    for (const name of props.namespaces ?? []) { this.addNamespace(name); }
  }

  /** @internal */
  protected get _written(): IConstruct {
    return this.project;
  }

  /**
   * The quota of a namespace has an effect only if the project has one.
   * @internal
   */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    if (this._limits) { return super._checkOwn(path, given); }
    return [{ path, message: 'cannot be set without a quota of the project: Rancher removes it', fix: 'set the quota of the project, or remove it' }];
  }

  private writeProject(props: TenantProjectProps, containerDefaults: QuotaLimit | undefined): ApiObject {
    const { cluster } = props;
    // by its method, not by its class: two copies of the library in one program have two classes
    if (!isLate(cluster.clusterId) && '_ensureNamespace' in cluster) { (cluster as ManagedCluster)._ensureNamespace(); }
    const withoutCreator = FeatureGates.of(RancherGate.NO_CREATOR_RBAC).supports(this._version);
    const project = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'Project',
      metadata: {
        name: this.projectName,
        namespace: cluster.clusterId,
        labels: props.labels,
        annotations: withoutCreator || props.annotations ? { ...props.annotations, ...(withoutCreator ? { [ANNOTATION_NO_CREATOR_RBAC]: 'true' } : {}) } : undefined,
      },
      spec: {
        displayName: props.displayName ?? this.projectName,
        description: props.description,
        clusterName: cluster.clusterId,
        resourceQuota: this._limits && { limit: quotaFields(this._limits.quota) },
        namespaceDefaultResourceQuota: this._limits && { limit: quotaFields(this._limits.namespaceDefault) },
        containerDefaultResourceLimit: containerDefaults && containerLimitFields(containerDefaults),
      },
    });
    note(project, {
      deletion: {
        policy: 'delete',
        reason: `removes its members' permissions and leaves its namespaces in no project; ${this.backingNamespace} is deleted afterwards, and the project `
          + 'cannot be created again until then',
      },
      othersWrite: [
        'metadata.annotations[authz.management.cattle.io/creator-role-bindings]', 'metadata.annotations[field.cattle.io/creatorId]',
        'metadata.annotations[lifecycle.cattle.io/create.mgmt-project-rbac-remove]', ...(props.labels ? [] : ['metadata.labels']), 'metadata.finalizers',
        'spec.resourceQuota.usedLimit', 'status',
      ],
    });
    const { defaultChild } = cluster.node;
    if (defaultChild) { Edges.of(project)._add(defaultChild, EdgeType.APPLIED); }
    return project;
  }
}

class ExistingTenantProject extends Project {
  constructor(scope: Construct, id: string, { cluster, name, backingNamespace }: ExistingTenantProjectProps) {
    super(scope, id, 'TenantProject.fromName', cluster, name, backingNamespace);
    requireLiteral(this, 'name', name);
    failOnErrors(this, RFC1123_LABEL.test(name) ? [] : [badName(name)]);
    know(this, { target: cluster.rancher, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', namespace: cluster.clusterId, name });
  }

  /** @internal */
  protected get _written(): undefined {
    return undefined;
  }
}

function checkMetadata({ labels = {}, annotations }: TenantProjectProps): Problem[] {
  const fix = 'remove it: a project of a manifest has no creator, its owners are members';
  return [
    ...checkOwnKeys('annotations', annotations, { [ANNOTATION_NO_CREATOR_RBAC]: fix, [ANNOTATION_CREATOR_ID]: fix, [ANNOTATION_CREATOR_PRINCIPAL]: fix }),
    ...[LABEL_SYSTEM_PROJECT, LABEL_DEFAULT_PROJECT].filter((key) => key in labels).map((key) => ({
      path: `labels[${key}]`, value: labels[key], message: 'cannot be set: it marks a project that Rancher creates', fix: 'remove it',
    })),
  ];
}

function checkSums({ quota }: ProjectLimits, quotas: readonly NamespaceQuota[]): Problem[] {
  return checkQuotaSums('quota', quota, quotas).map((problem) => ({
    ...problem, fix: 'raise the quota of the project, or lower namespaceQuota, the default of namespaces, or the quotas of namespaces',
  }));
}

function badName(name: string): Problem {
  return { path: 'name', value: name, message: 'must have at most 63 characters of a-z, 0-9 and hyphens', fix: 'choose such a name' };
}

function checkName(name: string, clusterId: string): Problem[] {
  if (!RFC1123_LABEL.test(name)) { return [badName(name)]; }
  const idLength = isLate(clusterId) ? LATE_ID_LENGTH : clusterId.length;
  const most = 63 - idLength - 1;
  return name.length <= most ? [] : [{
    path: 'name', value: name, message: `must have at most ${most} characters (it has ${name.length}): the management cluster ID precedes it`, fix: 'use a shorter name, or a shorter management cluster ID',
  }];
}
