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
import { Problem } from '../../core/rule/problem';
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
    super(target as unknown as Construct, idOf(name));
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

/** Checks the names of namespaces that a project declares. */
export function checkNamespaces(project: ITenantProject, names: readonly string[]): Problem[] {
  const { target } = project.cluster;
  return names.flatMap((name, index) => (names.indexOf(name) === index ? checkNamespace(project, name) : [declaredTwice(name, target)]));
}

/** Checks that a project can declare a namespace on its cluster. */
export function checkNamespace({ cluster }: ITenantProject, name: string): Problem[] {
  const { target } = cluster;
  const at = { path: 'namespaces', value: name };
  if (!target) {
    return [{
      ...at,
      message: `cannot be created: the program knows only the ID of cluster ${cluster.node.path}`,
      fix: 'set the chart of the cluster, e.g. HarvesterImport.fromClusterId(scope, id, clusterId, harvester)',
    }];
  }
  if (isLate(name) || !RFC1123_LABEL.test(name)) {
    return [{ ...at, message: 'must have at most 63 characters of a-z, 0-9 and hyphens', fix: 'choose such a name' }];
  }
  const taken = [...SYSTEM_NAMESPACES, ...(target.targetKind === TargetKind.HARVESTER ? HARVESTER_SYSTEM_NAMESPACES : [])];
  if (taken.includes(name)) { return [{ ...at, message: 'cannot be a system namespace', fix: 'choose another name' }]; }
  return target.node.tryFindChild(idOf(name)) ? [declaredTwice(name, target)] : [];
}

function declaredTwice(value: string, target?: ITarget): Problem {
  const where = target ? ` on ${target.targetName}` : '';
  return { path: 'namespaces', value, message: `cannot be declared twice${where}: a namespace is in one project`, fix: 'choose another name' };
}

// unique below the chart, since the name is unique on the cluster
function idOf(name: string): string {
  return `TenantNamespace-${name}`;
}

/** Checks the options of a project's namespace. */
export function checkNamespaceOptions(name: string, { annotations, containerDefaults }: TenantNamespaceOptions): Problem[] {
  return [
    ...checkOwnKeys(`namespaces[${name}].annotations`, annotations, {
      [ANNOTATION_PROJECT_ID]: 'remove it: the project writes it', [ANNOTATION_RESOURCE_QUOTA]: 'use quota', [ANNOTATION_CONTAINER_LIMIT]: 'use containerDefaults',
    }),
    ...(containerDefaults ? checkContainerLimits(`namespaces[${name}].containerDefaults`, containerLimit(containerDefaults)) : []),
  ];
}
