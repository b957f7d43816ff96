import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT, backingNamespaceOf, projectIdOf } from './project.kind';
import { ContainerDefaults, Quota, checkQuota, containerLimit, quotaLimit } from './quota';
import {
  NamespaceQuota, QuotaLimit, checkContainerLimits, checkNamespaceKeys, checkProjectQuotas, checkQuotaLimit, checkQuotaSums,
  containerLimitFields, quotaFields,
} from './quota.check';
import { TenantNamespace, checkNamespaceName, namespaceTarget } from './tenant-namespace';
import { ITenantProject, ProjectMember, TenantNamespaceOptions } from './tenant-project-ref';
import { know } from '../../core/app/known-objects';
import { INamespace, rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors, failUnlessLiteral } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { IManagedCluster, ManagedCluster } from '../cluster/managed-cluster';
import { checkOwnKeys } from '../cluster/provisioning-cluster';
import { checkMember, writeBinding } from '../members/binding';
import { BINDING_PREFIX } from '../members/binding.kind';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { RancherVersion } from '../version/rancher-version';

/** The quotas of a project as text. */
export interface ProjectLimits {
  readonly quota: QuotaLimit;
  readonly namespaceDefault: QuotaLimit;
}

/**
 * A project, its members and its namespaces, wherever the Project object comes from.
 * @internal
 */
export abstract class Project extends Construct implements ITenantProject {
  /** The cluster that it is in. */
  public readonly cluster: IManagedCluster;
  /** The name of the Project object. */
  public readonly projectName: string;
  /** `<cluster id>:<project>`: how namespaces and bindings name it. May hold a late value. */
  public readonly projectId: string;
  /** The namespace on Rancher that holds its bindings; Rancher makes it. May hold a late value. */
  public readonly backingNamespace: string;
  /** @internal */
  protected readonly _version: RancherVersion;
  /**
   * Quotas, where the project has any; undefined also where they are not known.
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
    if (target !== cluster.rancher) {
      fail(this, [{
        path: 'cluster',
        value: cluster.node.path,
        message: `is a cluster of ${cluster.rancher.targetName}, its projects lie in ${target.targetName}`,
        fix: 'create the project below the chart of the cluster\'s Rancher',
      }]);
    }
    this._version = RancherVersion.parse(target.version);
    this.cluster = cluster;
    this.projectName = name;
    this.projectId = projectIdOf(cluster.clusterId, name);
    const hasClusterId = FeatureGates.of(GateId.PROJECT_BACKING_NAMESPACE).supports(this._version);
    this.backingNamespace = backingNamespace ?? backingNamespaceOf(cluster.clusterId, name, hasClusterId);
  }

  /**
   * What members and namespaces come after: what was written of the project itself.
   * @internal
   */
  protected abstract get _written(): IConstruct | undefined;

  /**
   * Gives somebody a role in the project.
   *
   * @param member who, and which role
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
      gone: 'takes the role in the project',
    });
  }

  /**
   * Makes a namespace of the project on its cluster.
   *
   * @param name of the Namespace: up to 63 of a-z, 0-9 and hyphens, unique on the cluster
   * @param options quota and more
   */
  public addNamespace(name: string, options: TenantNamespaceOptions = {}): INamespace {
    const target = namespaceTarget(this, name, options);
    const quota = this.quotaOf(name, options);
    const { _containerDefaults: containerDefaults, _written: written } = this;
    const namespace = new TenantNamespace(target, { project: this, name, options, quota, containerDefaults, after: written });
    this.namespaces.set(name, namespace);
    return namespace;
  }

  /**
   * A namespace of the project that the program declares, e.g. for virtual machines and guest clusters.
   *
   * @param name as it was given to `namespaces` or `addNamespace`
   */
  public namespace(name: string): INamespace {
    const namespace = this.namespaces.get(name);
    if (!namespace) {
      const declared = [...this.namespaces.keys()];
      fail(this, [{
        path: 'namespace',
        value: name,
        message: `is no namespace that the program declares in this project; ${declared.length > 0 ? `there are ${declared.join(', ')}` : 'there is none'}`,
        fix: 'name it in namespaces, or add it by addNamespace',
      }]);
    }
    return namespace;
  }

  /**
   * What is wrong with members, so that all of it is told at once.
   * @internal
   */
  protected _checkMembers(members: readonly ProjectMember[]): Problem[] {
    return members.flatMap(({ role, principal }) => checkMember(role._role, principal, 'project', this._version));
  }

  private quotaOf(name: string, { quota: own }: TenantNamespaceOptions): QuotaLimit | undefined {
    const path = `namespaces[${name}].quota`;
    const given = own && quotaLimit(own);
    failOnErrors(this, checkQuota(path, own, this._version));
    if (given) { failOnErrors(this, [...checkQuotaLimit(path, given), ...this._checkOwn(path, given)]); }
    if (!this._limits) { return given; }
    const limit = { ...this._limits.namespaceDefault, ...given };
    const quotas = [...this.quotas, { namespace: name, limit }];
    failOnErrors(this, checkQuotaSums('quota', this._limits.quota, quotas).map((problem) => ({
      ...problem, fix: 'raise the quota of the project, or lower namespaceQuota, which a namespace without a quota of its own has, or quotas of namespaces',
    })));
    this.quotas.push({ namespace: name, limit });
    return limit;
  }

  /**
   * What the project has against a quota of a namespace.
   * @internal
   */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    return this._limits ? checkNamespaceKeys(path, given, this._limits.namespaceDefault) : [];
  }
}

/**
 * Properties of a project that is there.
 */
export interface ExistingTenantProjectProps {
  /** The cluster that it is in. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object: `p-` and five characters where Rancher's UI made it, also for its projects Default and System. */
  readonly name: string;
  /**
   * The namespace on Rancher that holds its bindings: `status.backingNamespace` of the Project.
   * @default - as this version of Rancher makes it; a project of an earlier version has its bare name
   */
  readonly backingNamespace?: string;
}

/**
 * Properties of a project.
 */
export interface TenantProjectProps {
  /** The cluster that it is in: an import or a guest cluster. Create-only. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object: up to 63 of a-z, 0-9 and hyphens; `<cluster id>-<name>` must fit 63 as well.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Text that Rancher's UI shows. @default - none */
  readonly description?: string;
  /** Who has which role in it. @default - none, see addMember */
  readonly members?: ProjectMember[];
  /** Its namespaces on the cluster, by name. @default - none, see addNamespace */
  readonly namespaces?: string[];
  /** How much all of its namespaces may use together. @default - not limited */
  readonly quota?: Quota;
  /**
   * The quota of a namespace that has none of its own; the same resources as the project's, none of them larger. Rancher wants one where the
   * project has a quota.
   * @default - the quota of the project: enough for one namespace, with several an error asks for it
   */
  readonly namespaceQuota?: Quota;
  /** What containers get that name no requests or limits. @default - nothing */
  readonly containerDefaults?: ContainerDefaults;
  /** Labels of the Project. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the Project. @default - only that of Rancher's which says that nobody made it by hand */
  readonly annotations?: { readonly [key: string]: string };
  /**
   * The namespace on Rancher that holds its bindings. Only for a project that a Rancher before 2.9.9, 2.10.5 or 2.11.1 has made: its bare name,
   * see `status.backingNamespace`. In another namespace the bindings give nothing.
   * @default - as this version of Rancher makes it
   */
  readonly backingNamespace?: string;
}

/** The ids that Rancher makes have so many characters. */
const LATE_ID_LENGTH = 'c-m-12345678'.length;

/**
 * A tenant: a project of a cluster with its members, namespaces and quotas.
 *
 * On Rancher: a Project and a ProjectRoleTemplateBinding for each member. On the cluster itself: a Namespace for each name, which annotations put
 * into the project. The namespace that holds the bindings is Rancher's to make, and never written: it would keep the Project from being created.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/manage-clusters/projects-and-namespaces
 */
export class TenantProject extends Project implements ITenantProject {
  /**
   * A project that is there, e.g. one of Rancher's UI: for further members and namespaces. Its quota is not known, so sums are not checked.
   *
   * @param scope below a RancherChart
   * @param id of the construct
   * @param props cluster and name
   */
  public static fromName(scope: Construct, id: string, props: ExistingTenantProjectProps): ITenantProject {
    return new ExistingTenantProject(scope, id, props);
  }

  private readonly project: ApiObject;

  constructor(scope: Construct, id: string, props: TenantProjectProps) {
    super(scope, id, 'TenantProject', props.cluster, props.name ?? id, props.backingNamespace);
    failUnlessLiteral(this, 'name', this.projectName);
    const quota = props.quota && quotaLimit(props.quota);
    const namespaceDefault = props.namespaceQuota ? quotaLimit(props.namespaceQuota) : quota;
    const containerDefaults = props.containerDefaults && containerLimit(props.containerDefaults);
    failOnErrors(this, [
      ...checkName(this.projectName, props.cluster.clusterId), ...checkMetadata(props),
      ...checkQuota('quota', props.quota, this._version), ...checkQuota('namespaceQuota', props.namespaceQuota, this._version),
      ...checkQuotaLimit('quota', quota ?? {}), ...checkQuotaLimit('namespaceQuota', props.namespaceQuota ? namespaceDefault! : {}),
      ...checkProjectQuotas({ quota: 'quota', namespaceDefault: 'namespaceQuota' }, quota, namespaceDefault),
      ...checkContainerLimits('containerDefaults', containerDefaults ?? {}),
      ...this._checkMembers(props.members ?? []), ...this.checkNamespaces(props.namespaces ?? []),
    ]);
    this._limits = quota && namespaceDefault && { quota, namespaceDefault };
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
   * A quota of a namespace counts only where the project has one.
   * @internal
   */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    if (this._limits) { return super._checkOwn(path, given); }
    return [{ path, message: 'counts for nothing: the project has no quota, and Rancher removes that of the namespace', fix: 'give the project a quota, or leave it out' }];
  }

  // one that the program does not know is told where the first namespace is added
  private checkNamespaces(names: readonly string[]): Problem[] {
    const { target } = this.cluster;
    return target ? names.flatMap((name) => checkNamespaceName(name, target)) : [];
  }

  private writeProject(props: TenantProjectProps, containerDefaults: QuotaLimit | undefined): ApiObject {
    const { cluster } = props;
    // by what it can, not by its class: two copies of the library in one program have two of these
    if (!isLate(cluster.clusterId) && '_ensureNamespace' in cluster) { (cluster as ManagedCluster)._ensureNamespace(); }
    const withoutCreator = FeatureGates.of(GateId.NO_CREATOR_RBAC).supports(this._version);
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
        reason: `takes its members' rights along and leaves its namespaces on the cluster in no project; ${this.backingNamespace} is going for a while after, and `
          + 'the project can\'t be made again until it is gone',
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
    failUnlessLiteral(this, 'name', name);
    if (!RFC1123_LABEL.test(name)) { failOnErrors(this, [badName(name)]); }
    know(this, { target: cluster.rancher, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', namespace: cluster.clusterId, name });
  }

  /** @internal */
  protected get _written(): undefined {
    return undefined;
  }
}

function checkMetadata({ labels = {}, annotations }: TenantProjectProps): Problem[] {
  const fix = 'leave it out: a project of a manifest has no creator, its owners are members';
  return [
    ...checkOwnKeys('annotations', annotations, { [ANNOTATION_NO_CREATOR_RBAC]: fix, [ANNOTATION_CREATOR_ID]: fix, [ANNOTATION_CREATOR_PRINCIPAL]: fix }),
    ...[LABEL_SYSTEM_PROJECT, LABEL_DEFAULT_PROJECT].filter((key) => key in labels).map((key) => ({
      path: `labels[${key}]`, value: labels[key], message: 'marks a project that Rancher makes itself', fix: 'leave it out',
    })),
  ];
}

function badName(name: string): Problem {
  return { path: 'name', value: name, message: 'is no name of a project: namespaces carry it as a label, and a colon divides it from the cluster', fix: 'use up to 63 of a-z, 0-9 and hyphens' };
}

function checkName(name: string, clusterId: string): Problem[] {
  if (!RFC1123_LABEL.test(name)) { return [badName(name)]; }
  const idLength = isLate(clusterId) ? LATE_ID_LENGTH : clusterId.length;
  const most = 63 - idLength - 1;
  return name.length <= most ? [] : [{
    path: 'name', value: name, message: `has ${name.length} characters, and with the cluster's id before it, which has ${idLength}, only ${most} fit`, fix: `use at most ${most} characters`,
  }];
}
