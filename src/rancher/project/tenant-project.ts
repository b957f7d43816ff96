import { Construct, IConstruct } from 'constructs';
import {
  BuiltInTenantProjectOptions,
  DisplayedTenantProjectOptions,
  ExistingTenantProject,
  ExistingTenantProjectOptions,
  Project,
} from './project';
import { LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT } from './project.kind';
import { ITenantProject, ProjectMember, TenantNamespaceProps } from './tenant-namespace';
import { ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { LateType } from '../../core/late/late-text';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { byDisplayName } from '../../core/value/late-value';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import {
  checkOwnKeys,
  creatorAnnotations,
  IManagedCluster,
  ManagedCluster,
} from '../cluster/managed-cluster';
import {
  ContainerDefaults,
  Quota,
  checkQuota,
  containerLimit,
  inProps,
  quotaLimit,
} from '../quota/quota';
import {
  QuotaLimit,
  checkContainerLimits,
  OF_PROJECT,
  checkProjectQuotas,
  checkQuotaLimit,
  containerLimitFields,
  quotaFields,
} from '../quota/quota.check';

/** Values that keep an existing project unchanged when you adopt it. */
export interface AdoptedProject {
  /**
   * The namespace of the project's bindings on Rancher. Set it only for a project that Rancher
   * created before 2.9.9, 2.10.5 or 2.11.1, to its bare name: see `status.backingNamespace`. In
   * another namespace the bindings have no effect.
   * @default - the namespace that this version of Rancher derives
   */
  readonly backingNamespace?: string;
  /**
   * Whether Rancher makes the user who creates the project its owner, as for projects of its UI.
   * Immutable: set it for a project without the annotation
   * `field.cattle.io/no-creator-rbac`. False needs Rancher 2.10.0: earlier versions always create
   * the binding.
   * @default false
   */
  readonly creatorRbac?: boolean;
}

/**
 * Properties of a project. Labels and annotations are those of the Project and of the bindings of
 * its members; each namespace has its own.
 */
export interface TenantProjectProps extends ResourceOptions {
  /** The cluster of the project: an import or a guest cluster. Immutable. */
  readonly cluster: IManagedCluster;
  /**
   * The name of the Project object: a-z, 0-9 and hyphens. `<management cluster ID>-<name>` has at
   * most 63 characters.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /** Users and groups with a role in the project. @default - no members; see grant */
  readonly members?: ProjectMember[];
  /** The namespaces of the project on the cluster. @default - no namespaces; see addNamespace */
  readonly tenantNamespaces?: TenantNamespaceProps[];
  /** Quota of all its namespaces together. @default - not limited */
  readonly quota?: Quota;
  /**
   * Default quota of a namespace: the same resources as `quota`, each at most as large. Rancher
   * requires one if the project has a quota.
   * @default - the quota of the project, which is valid for a single namespace
   */
  readonly namespaceQuota?: Quota;
  /** Default requests and limits of containers. @default - no defaults */
  readonly containerDefaults?: ContainerDefaults;
  /**
   * Values that keep an existing project unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new project needs none.
   * @default - the program creates the project
   */
  readonly adopted?: AdoptedProject;
}

/** The length of the IDs that Rancher chooses. */
const LATE_ID_LENGTH = 'c-m-12345678'.length;

/**
 * A project of a cluster with its members, namespaces and quotas.
 *
 * On Rancher it writes a Project and a ProjectRoleTemplateBinding for each member, on the cluster a
 * Namespace for each name. Only Rancher creates the namespace of the bindings: with an existing one
 * the Project is refused.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/manage-clusters/projects-and-namespaces
 * @example
 * new TenantProject(rancher, 'payments', {
 *   cluster: harvester,
 *   tenantNamespaces: [{ name: 'payments-vms' }],
 *   quota: { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) },
 *   members: [ProjectMember.owner(Principal.user('local://u-ana'))],
 * });
 */
export class TenantProject extends Project implements ITenantProject {
  /**
   * References an existing project, to add members and namespaces. Its quota is unknown, so sums
   * are not checked.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingTenantProjectOptions,
  ): ITenantProject {
    return new ExistingTenantProject(scope, id, options);
  }

  /**
   * References an existing project by the name that Rancher's UI shows, to add members and
   * namespaces. Its quota is unknown, so sums are not checked.
   *
   * The name of the Project, e.g. `p-x7k2p`, is a late value: the members and the namespaces wait
   * for it. `apply` needs permission to list all Projects of the cluster.
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayedTenantProjectOptions,
  ): ITenantProject {
    const { displayName, ...reference } = options;
    return new ExistingTenantProject(scope, id, {
      ...reference,
      match: { ...byDisplayName(displayName), type: LateType.NAME },
    });
  }

  /**
   * References the project Default of a cluster, which contains the namespace `default`. Rancher
   * creates it with the cluster under a generated name, which is a late value if you do not set it.
   */
  public static defaultOf(
    scope: Construct,
    id: string,
    options: BuiltInTenantProjectOptions,
  ): ITenantProject {
    return new ExistingTenantProject(scope, id, { ...options, label: LABEL_DEFAULT_PROJECT });
  }

  /**
   * References the project System of a cluster, which contains its system namespaces. Its members
   * can change the cluster itself. Rancher creates it with the cluster under a generated name,
   * which is a late value if you do not set it.
   */
  public static systemOf(
    scope: Construct,
    id: string,
    options: BuiltInTenantProjectOptions,
  ): ITenantProject {
    return new ExistingTenantProject(scope, id, { ...options, label: LABEL_SYSTEM_PROJECT });
  }

  constructor(scope: Construct, id: string, props: TenantProjectProps) {
    super(scope, id, { ...props, backingNamespace: props.adopted?.backingNamespace });
    const quota = props.quota && quotaLimit(props.quota);
    const namespaceDefault = props.namespaceQuota ? quotaLimit(props.namespaceQuota) : quota;
    const containerDefaults = props.containerDefaults && containerLimit(props.containerDefaults);
    const { members = [], tenantNamespaces: namespaces = [] } = props;
    this._limits = quota && namespaceDefault && { quota, namespaceDefault };
    failOnErrors(
      this,
      inProps(
        checkName(this.name, props.cluster.clusterId).concat(
          checkMetadata(props),
          checkQuota('quota', props.quota, quota, this._version),
          checkQuota('namespaceQuota', props.namespaceQuota, namespaceDefault, this._version),
          checkQuotaLimit('quota', quota ?? {}),
          checkQuotaLimit('namespaceQuota', props.namespaceQuota ? namespaceDefault! : {}),
          checkProjectQuotas(
            { quota: 'quota', namespaceDefault: 'namespaceQuota' },
            quota,
            namespaceDefault,
          ),
          checkContainerLimits('containerDefaults', containerDefaults ?? {}, OF_PROJECT),
          this._checkMembers(members),
          this._checkNamespaces(namespaces),
        ),
      ),
    );
    this._containerDefaults = containerDefaults;
    this.writeProject(props, containerDefaults);
    for (const member of members) {
      this._writeMember(member);
    }
    for (const namespace of namespaces) {
      this._writeNamespace(namespace);
    }
  }

  /** @internal */
  protected get _written(): IConstruct {
    return this.apiObject;
  }

  /** The quota of a namespace has an effect only if the project has one. @internal */
  protected _checkOwn(path: string, given: QuotaLimit): Problem[] {
    if (this._limits) {
      return super._checkOwn(path, given);
    }
    return [
      {
        path,
        message: 'cannot be set without a quota of the project: Rancher removes it',
        fix: 'set the quota of the project, or remove it',
      },
    ];
  }

  private writeProject(props: TenantProjectProps, containerDefaults: QuotaLimit | undefined): void {
    const { cluster } = props;
    // by its method, not by its class: two copies of the library in one program have two classes
    if (!isLate(cluster.clusterId) && '_ensureNamespace' in cluster) {
      (cluster as ManagedCluster)._ensureNamespace();
    }
    const [whole, each] = [this._limits?.quota, this._limits?.namespaceDefault].map(
      (limit) => this._split(limit).quota,
    );
    const annotations = creatorAnnotations(props.adopted?.creatorRbac, this._version);
    const project = this._write(
      {
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'Project',
        metadata: {
          namespace: cluster.clusterId,
          annotations: ANNOTATION_NO_CREATOR_RBAC in annotations ? annotations : undefined,
        },
        spec: {
          displayName: props.displayName ?? this.name,
          description: props.description,
          clusterName: cluster.clusterId,
          resourceQuota: whole && { limit: quotaFields(whole) },
          namespaceDefaultResourceQuota: each && { limit: quotaFields(each) },
          containerDefaultResourceLimit:
            containerDefaults && containerLimitFields(containerDefaults),
        },
      },
      {
        props: {
          'spec.resourceQuota.limit': 'quota',
          'spec.namespaceDefaultResourceQuota.limit': props.namespaceQuota
            ? 'namespaceQuota'
            : 'quota',
          'spec.containerDefaultResourceLimit': 'containerDefaults',
        },
      },
    );
    const { defaultChild } = cluster.node;
    if (defaultChild) {
      Ordering.of(project)._add(defaultChild, OrderingType.APPLIED);
    }
  }
}

function checkMetadata({ labels = {}, annotations }: TenantProjectProps): Problem[] {
  const fix = 'remove it: a project of a manifest has no creator, its owners are members';
  const ofAnnotations = checkOwnKeys('annotations', annotations, {
    [ANNOTATION_NO_CREATOR_RBAC]: fix,
    [ANNOTATION_CREATOR_ID]: fix,
    [ANNOTATION_CREATOR_PRINCIPAL]: fix,
  });
  const ofLabels = [LABEL_SYSTEM_PROJECT, LABEL_DEFAULT_PROJECT]
    .filter((key) => key in labels)
    .map((key) => ({
      path: `labels[${key}]`,
      value: labels[key],
      message: 'cannot be set: it marks a project that Rancher creates',
      fix: 'remove it',
    }));
  return ofAnnotations.concat(ofLabels);
}

function checkName(name: string, clusterId: string): Problem[] {
  const idLength = isLate(clusterId) ? LATE_ID_LENGTH : clusterId.length;
  const most = 63 - idLength - 1;
  return name.length <= most
    ? []
    : [
        {
          path: 'name',
          value: name,
          message: `must have at most ${most} characters (it has ${name.length}): the management cluster ID precedes it`,
          fix: 'use a shorter name, or a shorter management cluster ID',
        },
      ];
}
