import { Construct, IConstruct } from 'constructs';
import { checkMember, writeBinding } from './_binding';
import { checkQuota, quotaLimit } from './_quota';
import { namespaceTarget, TenantNamespace } from './_tenant-namespace';
import { IManagedCluster } from './managed-cluster';
import { ProjectMember } from './project-member';
import { ITenantProject, TenantNamespaceOptions } from './tenant-project-ref';
import { fail, failOnErrors } from '../model/errors';
import { INamespace } from '../model/namespace';
import { Problem } from '../model/problem';
import { rancherTargetOf } from '../model/target';
import { backingNamespaceOf } from '../model/tenancy/backing-namespace';
import { BINDING_PREFIX, projectIdOf } from '../model/tenancy/names';
import { checkNamespaceKeys, checkQuotaLimit, checkQuotaSums, NamespaceQuota } from '../model/tenancy/quota-checks';
import { QuotaLimit } from '../model/tenancy/quota-keys';
import { FeatureGates, GateId, RancherVersion } from '../versions';

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
