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

/** What a project knows of one of its namespaces. */
export interface TenantNamespaceParts {
  readonly project: ITenantProject;
  readonly name: string;
  readonly options: TenantNamespaceOptions;
  /** Its quota with what it takes from the project; nothing where the project has none. */
  readonly quota?: QuotaLimit;
  /** The container defaults of the project. */
  readonly containerDefaults?: QuotaLimit;
  /** What the project wrote on Rancher, which it comes after. */
  readonly after?: IConstruct;
}

/**
 * A Namespace of a project: it lies below the target chart of its cluster, and annotations name the project and its quota.
 */
export class TenantNamespace extends Construct implements INamespace {
  public readonly namespaceName: string;

  constructor(public readonly target: ITarget, { project, name, options, quota, containerDefaults, after }: TenantNamespaceParts) {
    // the name is unique on the cluster, and so the id below its chart
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
      deletion: { policy: 'delete', reason: 'takes everything in it along, virtual machines and their volumes too' },
      othersWrite: [
        'metadata.annotations[cattle.io/status]', 'metadata.annotations[lifecycle.cattle.io/create.namespace-auth]',
        'metadata.annotations[field.cattle.io/resourceQuotaProjectId]', 'metadata.labels[field.cattle.io/projectId]', 'metadata.finalizers',
        ...(quota ? [] : [`metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`]),
        ...(limits ? [] : [`metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`]),
      ],
    });
    // a project that is not there yet leaves it without members and quota until Rancher looks again
    if (after) { Edges.of(namespace)._add(after, EdgeType.APPLIED); }
  }
}

/** The target of a project's namespaces; throws where the program does not know it or the name can't be taken there. */
export function namespaceTarget(project: ITenantProject, name: string, options: TenantNamespaceOptions): ITarget {
  const { target } = project.cluster;
  if (!target) {
    fail(project, [{
      path: 'namespaces',
      value: name,
      message: `has nowhere to go: the program does not know the cluster ${project.cluster.node.path} itself, only its id`,
      fix: 'give the cluster\'s chart where it is referred to, e.g. HarvesterImport.fromClusterId(scope, id, clusterId, harvester)',
    }]);
  }
  const problems = [...checkNamespaceName(name, target), ...checkOptions(name, options)];
  if (problems.length > 0) { fail(project, problems); }
  const other = (target as unknown as Construct).node.tryFindChild(`TenantNamespace-${name}`);
  if (other) {
    fail(project, [{
      path: 'namespaces', value: name, message: `is declared already, as a namespace of a project, on ${target.targetName}`, fix: 'a namespace is in one project, once: choose another name',
    }]);
  }
  return target;
}

/** What is wrong with the name of a namespace of a project, on its target. */
export function checkNamespaceName(name: string, target: ITarget): Problem[] {
  if (isLate(name) || !RFC1123_LABEL.test(name)) {
    return [{ path: 'namespaces', value: name, message: 'is no name of a Namespace', fix: 'use up to 63 of a-z, 0-9 and hyphens' }];
  }
  const taken = [...SYSTEM_NAMESPACES, ...(target.targetKind === TargetKind.HARVESTER ? HARVESTER_SYSTEM_NAMESPACES : [])];
  return taken.includes(name) ? [{
    path: 'namespaces', value: name, message: 'is a namespace of the system, which is in the System or the Default project, or in none', fix: 'choose another name',
  }] : [];
}

function checkOptions(name: string, { annotations, containerDefaults }: TenantNamespaceOptions): Problem[] {
  return [
    ...checkOwnKeys(`namespaces[${name}].annotations`, annotations, {
      [ANNOTATION_PROJECT_ID]: 'leave it out: the project writes it', [ANNOTATION_RESOURCE_QUOTA]: 'use quota', [ANNOTATION_CONTAINER_LIMIT]: 'use containerDefaults',
    }),
    ...(containerDefaults ? checkContainerLimits(`namespaces[${name}].containerDefaults`, containerLimit(containerDefaults)) : []),
  ];
}
