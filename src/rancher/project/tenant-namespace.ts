import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { ANNOTATION_CONTAINER_LIMIT, ANNOTATION_PROJECT_ID, ANNOTATION_RESOURCE_QUOTA, HARVESTER_SYSTEM_NAMESPACES } from './project.kind';
import { containerLimit } from './quota';
import { QuotaLimit, checkContainerLimits, containerLimitJson, quotaJson } from './quota.check';
import { ITenantProject, TenantNamespaceOptions } from './tenant-project-ref';
import { INamespace, ITarget, TargetKind } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, RFC1123_LABEL, SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail } from '../../core/rule/problem';
import { checkOwnKeys } from '../cluster/provisioning-cluster';

/** The parts of a project's namespace. */
interface TenantNamespaceParts {
  readonly project: ITenantProject;
  readonly name: string;
  readonly options: TenantNamespaceOptions;
  /** Its quota, completed by that of the project; undefined if the project has none. */
  readonly quota?: QuotaLimit;
  /** The container defaults of the project. */
  readonly containerDefaults?: QuotaLimit;
  /** The Project object on Rancher, which is applied first. */
  readonly after?: IConstruct;
}

/**
 * A Namespace of a project, below the target chart of its cluster. Annotations name the project and its quota.
 */
export class TenantNamespace extends Construct implements INamespace {
  public readonly namespaceName: string;

  constructor(public readonly target: ITarget, { project, name, options, quota, containerDefaults, after }: TenantNamespaceParts) {
    // the name is unique on the cluster, so the ID is unique below its chart
    super(target as unknown as Construct, `TenantNamespace-${name}`);
    this.namespaceName = name;
    const limits = options.containerDefaults && { ...containerDefaults, ...containerLimit(options.containerDefaults) };
    const namespace = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Namespace',
      metadata: {
        name,
        labels: options.labels,
        annotations: {
          ...options.annotations,
          [ANNOTATION_PROJECT_ID]: project.projectId,
          ...(quota ? { [ANNOTATION_RESOURCE_QUOTA]: quotaJson(quota) } : {}),
          ...(limits ? { [ANNOTATION_CONTAINER_LIMIT]: containerLimitJson(limits) } : {}),
        },
      },
    });
    note(namespace, {
      deletion: { policy: 'delete', reason: 'deletes everything in it, virtual machines and their volumes, too' },
      othersWrite: [
        'metadata.annotations[cattle.io/status]', 'metadata.annotations[lifecycle.cattle.io/create.namespace-auth]',
        'metadata.annotations[field.cattle.io/resourceQuotaProjectId]', 'metadata.labels[field.cattle.io/projectId]', 'metadata.finalizers',
        ...(quota ? [] : [`metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`]),
        ...(limits ? [] : [`metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`]),
      ],
    });
    // without its project it has no members and no quota until Rancher's next sync
    if (after) { Edges.of(namespace)._add(after, EdgeType.APPLIED); }
  }
}

/** The target of a project's namespaces. Throws if the program does not know it or the name is not allowed there. */
export function namespaceTarget(project: ITenantProject, name: string, options: TenantNamespaceOptions): ITarget {
  const { target } = project.cluster;
  if (!target) {
    fail(project, [{
      path: 'namespaces',
      value: name,
      message: `cannot be created: the program knows only the ID of cluster ${project.cluster.node.path}`,
      fix: 'set the chart of the cluster, e.g. HarvesterImport.fromClusterId(scope, id, clusterId, harvester)',
    }]);
  }
  const problems = [...checkNamespaceName(name, target), ...checkOptions(name, options)];
  if (problems.length > 0) { fail(project, problems); }
  const other = (target as unknown as Construct).node.tryFindChild(`TenantNamespace-${name}`);
  if (other) {
    fail(project, [{
      path: 'namespaces', value: name, message: `cannot be declared twice on ${target.targetName}: a namespace is in one project`, fix: 'choose another name',
    }]);
  }
  return target;
}

/** Checks the name of a project's namespace on its target. */
export function checkNamespaceName(name: string, target: ITarget): Problem[] {
  if (isLate(name) || !RFC1123_LABEL.test(name)) {
    return [{ path: 'namespaces', value: name, message: 'must have at most 63 characters of a-z, 0-9 and hyphens', fix: 'choose such a name' }];
  }
  const taken = [...SYSTEM_NAMESPACES, ...(target.targetKind === TargetKind.HARVESTER ? HARVESTER_SYSTEM_NAMESPACES : [])];
  return taken.includes(name) ? [{
    path: 'namespaces', value: name, message: 'cannot be a system namespace', fix: 'choose another name',
  }] : [];
}

function checkOptions(name: string, { annotations, containerDefaults }: TenantNamespaceOptions): Problem[] {
  return [
    ...checkOwnKeys(`namespaces[${name}].annotations`, annotations, {
      [ANNOTATION_PROJECT_ID]: 'remove it: the project writes it', [ANNOTATION_RESOURCE_QUOTA]: 'use quota', [ANNOTATION_CONTAINER_LIMIT]: 'use containerDefaults',
    }),
    ...(containerDefaults ? checkContainerLimits(`namespaces[${name}].containerDefaults`, containerLimit(containerDefaults)) : []),
  ];
}
