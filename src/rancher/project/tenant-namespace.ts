import { IConstruct } from 'constructs';
import {
  ANNOTATION_CONTAINER_LIMIT,
  ANNOTATION_RESOURCE_QUOTA,
  HARVESTER_SYSTEM_NAMESPACES,
} from './project.kind';
import { Resource, ResourceOptions } from '../../core/app/resource';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { INamespace, ITarget, TargetKind, chartOf, targetOf } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import {
  ANNOTATION_PROJECT_ID,
  API_VERSIONS,
  RFC1123_LABEL,
  SYSTEM_NAMESPACES,
} from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { MemberOptions } from '../binding/binding';
import { checkOwnKeys, IManagedCluster } from '../cluster/managed-cluster';
import { Principal } from '../members/principal';
import { ContainerDefaults, containerLimit, Quota } from '../quota/quota';
import {
  checkContainerLimits,
  containerLimitJson,
  EXTENDED_PREFIX,
  quotaJson,
  QuotaLimit,
  VM_COUNT,
} from '../quota/quota.check';
import { IRancherResource } from '../rancher-resource';
import { ProjectMemberRole } from '../role/roles';

/** A user or group with a role in a project. */
export class ProjectMember {
  /** A project owner: manages everything in the project, and its members. */
  public static owner(principal: Principal, options: MemberOptions = {}): ProjectMember {
    return new ProjectMember(ProjectMemberRole.OWNER, principal, options.bindingName);
  }

  /** A project member: manages everything in the project except members and quota. */
  public static member(principal: Principal, options: MemberOptions = {}): ProjectMember {
    return new ProjectMember(ProjectMemberRole.MEMBER, principal, options.bindingName);
  }

  /**
   * A reader: views everything in the project; Secrets only on Harvester, which adds them to
   * Kubernetes' ClusterRole `view`.
   */
  public static readOnly(principal: Principal, options: MemberOptions = {}): ProjectMember {
    return new ProjectMember(ProjectMemberRole.READ_ONLY, principal, options.bindingName);
  }

  /**
   * A member with another role.
   *
   * @param role e.g. `ProjectMemberRole.template(template)`
   */
  public static of(
    principal: Principal,
    role: ProjectMemberRole,
    options: MemberOptions = {},
  ): ProjectMember {
    return new ProjectMember(role, principal, options.bindingName);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The role. */
    public readonly role: ProjectMemberRole,
    /** The user or group that has the role. */
    public readonly principal: Principal,
    /** The name of the binding. @default - the name that Rancher's webhook derives */
    public readonly bindingName?: string,
  ) {}
}

/** Options of a namespace of a project. */
export interface TenantNamespaceOptions extends ResourceOptions {
  /**
   * The quota of the namespace, completed by the project's default for namespaces. The quotas of
   * all namespaces together must fit the project.
   * @default - the project's default for namespaces
   */
  readonly quota?: Quota;
  /** Default requests and limits of the containers in it. @default - the defaults of the project */
  readonly containerDefaults?: ContainerDefaults;
}

/** A namespace of a project, by its name. */
export interface TenantNamespaceProps extends TenantNamespaceOptions {
  /**
   * The name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens, unique on the
   * cluster.
   */
  readonly name: string;
}

/** A project of a cluster, declared by the program or existing. */
export interface ITenantProject extends IRancherResource {
  /** The cluster of the project. */
  readonly cluster: IManagedCluster;
  /** The project ID, `<management cluster ID>:<project>`. May be a late value. */
  readonly projectId: string;
  /**
   * The namespace of the project's bindings on Rancher; Rancher creates it. May be a late value.
   */
  readonly backingNamespace: string;

  /** Grants a user or group a role in the project. */
  grant(member: ProjectMember): void;

  /**
   * Creates a namespace of the project on its cluster.
   *
   * @param name name of the Namespace: at most 63 characters of a-z, 0-9 and hyphens, unique on the cluster
   */
  addNamespace(name: string, options?: TenantNamespaceOptions): INamespace;

  /**
   * Returns a declared namespace of the project, e.g. for virtual machines and guest clusters.
   *
   * @param name a name in `tenantNamespaces`, or one passed to `addNamespace`
   */
  declaredNamespace(name: string): INamespace;
}

/** The parts of a project's namespace. */
interface TenantNamespaceParts {
  readonly project: ITenantProject;
  readonly props: TenantNamespaceProps;
  /** Its quota, completed by that of the project; undefined if the project has none. */
  readonly quota?: QuotaLimit;
  /** The maximum number of virtual machines, if Rancher cannot limit it. */
  readonly vmCount?: string;
  /** The container defaults of the project. */
  readonly containerDefaults?: QuotaLimit;
  /** The Project object on Rancher, which is applied first. */
  readonly after?: IConstruct;
}

/** The props that set the quota of a namespace; the others come from its project. */
function quotaProps({ name, quota = {} }: TenantNamespaceProps): {
  readonly [field: string]: string;
} {
  return Object.fromEntries(
    Object.keys(quota).map((key) => [
      `metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}].limit.${key}`,
      `tenantNamespaces[${name}].quota.${key}`,
    ]),
  );
}

/**
 * A Namespace of a project, below the target chart of its cluster. Annotations name the project and
 * its quota.
 */
export class TenantNamespace extends Resource implements INamespace {
  constructor(
    target: ITarget,
    { project, props, quota, vmCount, containerDefaults, after }: TenantNamespaceParts,
  ) {
    super(chartOf(target), idOf(props.name), props);
    const limits = props.containerDefaults && {
      ...containerDefaults,
      ...containerLimit(props.containerDefaults),
    };
    const namespace = this._write(
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Namespace',
        metadata: {
          annotations: {
            [ANNOTATION_PROJECT_ID]: project.projectId,
            ...(quota ? { [ANNOTATION_RESOURCE_QUOTA]: quotaJson(quota) } : {}),
            ...(limits ? { [ANNOTATION_CONTAINER_LIMIT]: containerLimitJson(limits) } : {}),
          },
        },
      },
      { props: quotaProps(props) },
    );
    if (vmCount !== undefined) {
      this._writePart('VirtualMachineQuota', {
        apiVersion: API_VERSIONS.CORE,
        kind: 'ResourceQuota',
        metadata: { name: 'virtual-machines', namespace: this.name },
        spec: { hard: { [VM_COUNT.slice(EXTENDED_PREFIX.length)]: vmCount } },
      });
    }
    // without its project it has no members and no quota until Rancher's next sync
    if (after) {
      Ordering.of(namespace)._add(after, OrderingType.APPLIED);
    }
  }

  public get namespaceId(): string {
    return this.name;
  }

  /** @internal */
  public _requireTarget(): ITarget {
    return targetOf(this)!;
  }
}

/** Checks the names of namespaces that a project declares. */
export function checkNamespaces(project: ITenantProject, names: readonly string[]): Problem[] {
  const { _clusterTarget: target } = project.cluster;
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? checkNamespace(project, name) : [declaredTwice(name, target)],
  );
}

function checkNamespace({ cluster }: ITenantProject, name: string): Problem[] {
  const { _clusterTarget: target } = cluster;
  const at = { path: 'tenantNamespaces', value: name };
  if (!target) {
    return [
      {
        ...at,
        message: `cannot be created: the program knows only the ID of cluster ${cluster.node.path}`,
        fix: 'set the chart of the cluster, e.g. HarvesterImport.fromClusterId(scope, id, { clusterId, harvester })',
      },
    ];
  }
  if (isLate(name) || !RFC1123_LABEL.test(name)) {
    return [
      {
        ...at,
        message: 'must have at most 63 characters of a-z, 0-9 and hyphens',
        fix: 'use a-z, 0-9 and hyphens, e.g. payments-vms',
      },
    ];
  }
  if (isSystemNamespace(target, name)) {
    return [{ ...at, message: 'cannot be a system namespace', fix: 'choose another name' }];
  }
  return target.node.tryFindChild(idOf(name)) ? [declaredTwice(name, target)] : [];
}

function isSystemNamespace({ targetKind }: ITarget, name: string): boolean {
  return (
    SYSTEM_NAMESPACES.includes(name) ||
    (targetKind === TargetKind.HARVESTER && HARVESTER_SYSTEM_NAMESPACES.includes(name))
  );
}

function declaredTwice(value: string, target?: ITarget): Problem {
  const where = target ? ` on ${target.targetName}` : '';
  return {
    path: 'tenantNamespaces',
    value,
    message: `cannot be declared twice${where}: a namespace is in one project`,
    fix: 'choose another name',
  };
}

// unique below the chart, since the name is unique on the cluster
function idOf(name: string): string {
  return `TenantNamespace-${name}`;
}

/** Checks the options of a project's namespace. */
export function checkNamespaceOptions({
  name,
  annotations,
  containerDefaults,
}: TenantNamespaceProps): Problem[] {
  return [
    ...checkOwnKeys(`tenantNamespaces[${name}].annotations`, annotations, {
      [ANNOTATION_PROJECT_ID]: 'remove it: the project writes it',
      [ANNOTATION_RESOURCE_QUOTA]: 'use quota',
      [ANNOTATION_CONTAINER_LIMIT]: 'use containerDefaults',
    }),
    ...(containerDefaults
      ? checkContainerLimits(
          `tenantNamespaces[${name}].containerDefaults`,
          containerLimit(containerDefaults),
        )
      : []),
  ];
}
