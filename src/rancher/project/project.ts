import { Construct, IConstruct } from 'constructs';
import { backingNamespaceOf, projectIdOf } from './project.kind';
import {
  ITenantProject,
  ProjectMember,
  TenantNamespace,
  TenantNamespaceOptions,
  TenantNamespaceProps,
  checkNamespaceOptions,
  checkNamespaces,
} from './tenant-namespace';
import {
  DisplayNameOptions,
  ResourceOptions,
  ResourceProps,
  labelName,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { own } from '../../core/construct/ownership';
import { INamespace, IRancherTarget, know, rancherTargetOf } from '../../core/construct/target';
import { requireOpen } from '../../core/growing/synthesized';
import { LateType } from '../../core/late/late-text';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, fail, failOnErrors } from '../../core/problem/problem';
import { LateSource, LateValue, lookUp, Match, nameOfMatch } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { checkMembers, writeBinding } from '../binding/binding';
import { BINDING_PREFIX } from '../binding/binding.kind';
import { IManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { checkQuota, inProps, quotaLimit } from '../quota/quota';
import {
  NamespaceQuota,
  QuotaLimit,
  VM_COUNT,
  checkNamespaceKeys,
  checkQuotaLimit,
  checkQuotaSums,
  withoutVmCount,
} from '../quota/quota.check';
import { RancherResource } from '../rancher-resource';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** The names of a project; late values are allowed. */
interface ProjectNames {
  readonly cluster: IManagedCluster;
  readonly name?: string;
  /** @default - the namespace that this version of Rancher derives */
  readonly backingNamespace?: string;
}

/** The quotas of a project as text. */
export interface ProjectLimits {
  readonly quota: QuotaLimit;
  readonly namespaceDefault: QuotaLimit;
}

/** A project with its members and namespaces, declared or existing. @internal */
export abstract class Project extends RancherResource implements ITenantProject {
  /** The cluster of the project. */
  public readonly cluster: IManagedCluster;
  /** The project ID, `<management cluster ID>:<project>`. May be a late value. */
  public readonly projectId: string;
  /**
   * The namespace of the project's bindings on Rancher; Rancher creates it. May be a late value.
   */
  public readonly backingNamespace: string;
  /** @internal */
  protected readonly _version: RancherVersion;
  /** Quotas of the project; undefined without quotas, or if they are unknown. @internal */
  protected _limits?: ProjectLimits;
  /** @internal */
  protected _containerDefaults?: QuotaLimit;
  private readonly namespaces = new Map<string, INamespace>();
  private readonly quotas: NamespaceQuota[] = [];

  protected constructor(scope: Construct, id: string, props: ProjectNames & ResourceOptions) {
    super(scope, id, props);
    const { cluster } = props;
    requireSameRancher(this, 'project', this.rancher, cluster);
    this._version = RancherVersion.parse(this.rancher.version);
    this.cluster = cluster;
    this.projectId = projectIdOf(cluster.clusterId, this.name);
    this.backingNamespace = this._backingNamespaceOf(props);
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'payments');
  }

  /**
   * The namespace of the bindings: as given, otherwise the one that this version of Rancher
   * derives. @internal
   */
  protected _backingNamespaceOf({ cluster, backingNamespace }: ProjectNames): string {
    const hasClusterId = FeatureGates.of(RancherGate.PROJECT_BACKING_NAMESPACE).supports(
      this._version,
    );
    return backingNamespace ?? backingNamespaceOf(cluster.clusterId, this.name, hasClusterId);
  }

  /**
   * The Project object, which is applied before members and namespaces; undefined for an existing
   * project. @internal
   */
  protected abstract get _written(): IConstruct | undefined;

  /** Grants a user or group a role in the project. */
  public grant(member: ProjectMember): void {
    failOnErrors(this, this._checkMembers([member]));
    this._writeMember(member);
  }

  /** @internal */
  protected _writeMember(member: ProjectMember): void {
    const { _role: role } = member.role;
    writeBinding(this, {
      kind: 'ProjectRoleTemplateBinding',
      prefix: BINDING_PREFIX.project,
      role,
      principal: member.principal,
      name: member.bindingName,
      place: this.projectId,
      placeName: projectIdOf(this.cluster.node.path, this.name),
      namespace: this.backingNamespace,
      fields: { projectName: this.projectId, roleTemplateName: role.name },
      after: [this._written],
    });
  }

  /**
   * Creates a namespace of the project on its cluster.
   *
   * @param name name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens, unique on the cluster
   */
  public addNamespace(name: string, options: TenantNamespaceOptions = {}): INamespace {
    requireOpen(this, 'addNamespace');
    const namespace = { ...options, name };
    failOnErrors(this, this._checkNamespaces([namespace]));
    return this._writeNamespace(namespace);
  }

  /**
   * Checks namespaces that the project declares, so that all problems are reported at once.
   * @internal
   */
  protected _checkNamespaces(namespaces: readonly TenantNamespaceProps[]): Problem[] {
    const sums = this._limits
      ? checkSums(this._limits, [
          ...this.quotas,
          ...namespaces.map((namespace) => this.quotaOf(namespace)!),
        ])
      : [];
    return [
      ...checkNamespaces(
        this,
        namespaces.map(({ name }) => name),
      ),
      ...namespaces.flatMap((namespace) => [
        ...checkNamespaceOptions(namespace),
        ...this.checkQuotaOf(namespace),
      ]),
      ...sums,
    ];
  }

  /** @internal */
  protected _writeNamespace(props: TenantNamespaceProps): INamespace {
    const quota = this.quotaOf(props);
    if (quota) {
      this.quotas.push(quota);
    }
    const namespace = own(
      this,
      new TenantNamespace(this.cluster._clusterTarget!, {
        project: this,
        props,
        ...this._split(quota?.limit),
        containerDefaults: this._containerDefaults,
        after: this._written,
      }),
    );
    this.namespaces.set(props.name, namespace);
    return namespace;
  }

  /**
   * Returns a declared namespace of the project, e.g. for virtual machines and guest clusters.
   *
   * @param name a name in `tenantNamespaces`, or one passed to `addNamespace`
   */
  public declaredNamespace(name: string): INamespace {
    const namespace = this.namespaces.get(name);
    if (!namespace) {
      const declared = [...this.namespaces.keys()];
      fail(this, [
        {
          path: 'namespace',
          value: name,
          message: `must be a declared namespace of this project${declared.length > 0 ? `: ${declared.join(', ')}` : ', which has none'}`,
          fix: 'add it to tenantNamespaces, or call addNamespace',
        },
      ]);
    }
    return namespace;
  }

  /**
   * A quota as this version of Rancher takes it, and the number of virtual machines if it does not.
   * @internal
   */
  protected _split(limit: QuotaLimit | undefined): {
    readonly quota?: QuotaLimit;
    readonly vmCount?: string;
  } {
    const isWhole =
      limit?.[VM_COUNT] === undefined ||
      FeatureGates.of(RancherGate.PROJECT_QUOTA_EXTENDED).supports(this._version);
    if (isWhole) {
      return { quota: limit };
    }
    return { quota: withoutVmCount(limit), vmCount: limit[VM_COUNT] };
  }

  /** Checks members, so that all problems are reported at once. @internal */
  protected _checkMembers(members: readonly ProjectMember[]): Problem[] {
    return checkMembers(members, 'project', this._version, this.rancher);
  }

  private checkQuotaOf({ name, quota }: TenantNamespaceProps): Problem[] {
    if (!quota) {
      return [];
    }
    const path = `tenantNamespaces[${name}].quota`;
    const limit = quotaLimit(quota);
    return inProps([
      ...checkQuota(path, quota, limit, this._version),
      ...checkQuotaLimit(path, limit),
      ...this._checkOwn(path, limit),
    ]);
  }

  private quotaOf({ name: namespace, quota }: TenantNamespaceProps): NamespaceQuota | undefined {
    const given = quota && quotaLimit(quota);
    const limit = this._limits ? { ...this._limits.namespaceDefault, ...given } : given;
    return limit && { namespace, limit };
  }

  /** Checks the quota of a namespace against that of the project. @internal */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    return this._limits ? checkNamespaceKeys(path, given, this._limits.namespaceDefault) : [];
  }
}

/** Checks that the quotas of namespaces together fit the quota of their project. */
export function checkSums({ quota }: ProjectLimits, quotas: readonly NamespaceQuota[]): Problem[] {
  return inProps(checkQuotaSums('quota', quota, quotas)).map((problem) => ({
    ...problem,
    fix: 'raise quota, or lower namespaceQuota or the quotas of namespaces; a namespace that is not used yet can have the quota 0',
  }));
}

/** Properties of an existing project. */
export interface ExistingTenantProjectOptions {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object: `p-` and five characters if Rancher created it, as the projects
   * Default and System.
   */
  readonly name: string;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - the namespace that this version of Rancher derives; a project of an earlier version has its bare name
   */
  readonly backingNamespace?: string;
}

/** Options of a reference to an existing project by the name that Rancher's UI shows. */
export interface DisplayedTenantProjectOptions extends DisplayNameOptions {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - a late value
   */
  readonly backingNamespace?: string;
}

/** Properties of a project that Rancher creates with a cluster: Default or System. */
export interface BuiltInTenantProjectOptions {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object, `p-` and five characters, if you know it. With it, everything
   * in the project is plain text.
   * @default - a late value: the name of the project with the label of Rancher
   */
  readonly name?: string;
  /**
   * The namespace of the project's bindings on Rancher: `status.backingNamespace` of the Project.
   * @default - with a name, the namespace that this version of Rancher derives; otherwise a late value
   */
  readonly backingNamespace?: string;
}

/** How the program refers to a project that it does not declare. */
interface ProjectReference extends BuiltInTenantProjectOptions {
  /** The label that finds it if its name is unknown. */
  readonly label?: string;
  /** The value that finds it if its name is unknown. */
  readonly match?: Match;
}

/** Where the projects of a cluster are. */
const projectsOf = ({ rancher: target, clusterId: namespace }: IManagedCluster) => ({
  target,
  apiVersion: API_VERSIONS.MANAGEMENT,
  kind: 'Project',
  namespace,
});

/** A project that the program does not declare. */
export class ExistingTenantProject extends Project {
  constructor(scope: Construct, id: string, props: ProjectReference) {
    super(scope, id, props);
    failOnErrors(this);
    const { cluster, name } = props;
    const { defaultChild } = cluster.node;
    // a cluster that the program creates has no projects before
    for (const late of this.node.children) {
      if (defaultChild) {
        Ordering.of(late)._add(defaultChild, OrderingType.APPLIED);
      }
    }
    if (name !== undefined) {
      know(this, { ...projectsOf(cluster), name });
    }
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'TenantProject');
  }

  /** @internal */
  public _nameOf(props: ProjectReference): string {
    const { cluster, name, label, match } = props;
    if (match) {
      return nameOfMatch(this, projectsOf(cluster), match);
    }
    return name === undefined && label !== undefined
      ? this.late(props, 'Name', 'name', 'metadata.name')
      : super._nameOf(props);
  }

  /** @internal */
  protected _backingNamespaceOf(props: ProjectReference): string {
    if (props.name !== undefined || props.backingNamespace !== undefined) {
      return super._backingNamespaceOf(props);
    }
    // a project of an earlier version has an empty status: its namespace has its bare name
    if (!FeatureGates.of(RancherGate.PROJECT_BACKING_NAMESPACE).supports(this._version)) {
      return this.name;
    }
    const [id, path] = ['BackingNamespace', 'status.backingNamespace|metadata.name'];
    return props.match
      ? lookUp(this, { id, path }, projectsOf(props.cluster), props.match)
      : this.late(props, id, 'backing namespace', path);
  }

  /** @internal */
  protected get _written(): undefined {
    return undefined;
  }

  private late(
    { cluster, label }: ProjectReference,
    id: string,
    what: string,
    path: string,
  ): string {
    return new LateValue(this, id, {
      description: `${what} of the project of ${cluster.node.path} with label ${label}`,
      type: LateType.NAME,
      source: LateSource.labeledField(path, { ...projectsOf(cluster), label: `${label}=true` }),
    }).token;
  }
}
