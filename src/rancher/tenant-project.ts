import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { Project } from './_project';
import { checkOwnKeys } from './_provisioning-cluster';
import { checkQuota, containerLimit, quotaLimit } from './_quota';
import { checkNamespaceName } from './_tenant-namespace';
import { IManagedCluster, ManagedCluster } from './managed-cluster';
import { ProjectMember } from './project-member';
import { ContainerDefaults, Quota } from './quota';
import { ITenantProject } from './tenant-project-ref';
import { EdgeType, Edges } from '../late';
import { failOnErrors, failUnlessLiteral } from '../model/errors';
import { know } from '../model/known-objects';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../model/labels';
import { isLate } from '../model/late-token';
import { API_VERSIONS, RFC1123_LABEL } from '../model/names';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT } from '../model/tenancy/names';
import { checkContainerLimits, checkProjectQuotas, checkQuotaLimit } from '../model/tenancy/quota-checks';
import { QuotaLimit } from '../model/tenancy/quota-keys';
import { containerLimitFields, quotaFields } from '../model/tenancy/quota-text';
import { FeatureGates, GateId } from '../versions';

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
