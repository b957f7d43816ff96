import { BindingPlace, NeededPermission } from '../../core/kind/description/access';
import { REFUSED } from '../../core/kind/description/refusals';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { Readiness, allTrue } from '../../core/kind/ready/readiness';
import { phase } from '../../core/kubernetes/kubernetes-readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest, kindKey, labelsOf, valueAt } from '../../core/manifest/manifest';
import {
  ANNOTATION_PROJECT_ID,
  API_VERSIONS,
  GROUPS,
  HARVESTER_PUBLIC,
  SYSTEM_NAMESPACES,
} from '../../core/manifest/names';
import { safeConcatName } from '../../core/text/plain-text';
import { ANNOTATION_NO_CREATOR_RBAC, IMMUTABLE_CREATOR } from '../binding/binding.kind';

/** Labels, annotations and names of projects, each with its source. */

/**
 * Annotation on a Namespace: its quota, as JSON.
 * @see rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go resourceQuotaAnnotation
 */
export const ANNOTATION_RESOURCE_QUOTA = 'field.cattle.io/resourceQuota';

/**
 * Annotation on a Namespace: limits of containers that name none, as JSON.
 * @see rancher/webhook:pkg/resources/core/v1/namespace (resourceLimitAnnotation)
 */
export const ANNOTATION_CONTAINER_LIMIT = 'field.cattle.io/containerDefaultResourceLimit';

/**
 * Label on a Project: the System project of a cluster, which can't be deleted.
 * @see rancher/rancher:pkg/project/project.go
 */
export const LABEL_SYSTEM_PROJECT = 'authz.management.cattle.io/system-project';

/**
 * Label on a Project: the Default project of a cluster.
 * @see rancher/rancher:pkg/project/project.go
 */
export const LABEL_DEFAULT_PROJECT = 'authz.management.cattle.io/default-project';

/** Whether Rancher made a Project: each cluster has its Default and its System project. */
export function isProjectOfRancher(project: Manifest): boolean {
  return [LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT].some(
    (key) => labelsOf(project)[key] === 'true',
  );
}

/**
 * Namespaces of Harvester itself: those of Rancher's System project, which a controller of
 * Harvester keeps there, and shared ones. No tenant's.
 * @see harvester/harvester:pkg/controller/master/rancher/namespace.go, pkg/util/supportbundle DefaultNamespaces
 */
export const HARVESTER_SYSTEM_NAMESPACES: readonly string[] = [
  'harvester-system',
  HARVESTER_PUBLIC,
  'longhorn-system',
  'local',
  'cattle-dashboards',
  'cattle-fleet-clusters-system',
  'cattle-logging-system',
  'cattle-monitoring-system',
  'cattle-provisioning-capi-system',
];

/** `<cluster id>:<project>`: how namespaces and bindings name a project. */
export const projectIdOf = (clusterId: string, project: string): string =>
  `${clusterId}:${project}`;

/**
 * The namespace that Rancher makes for a project and looks its bindings up in.
 *
 * @param hasClusterId whether this version of Rancher puts the cluster's id before it: `RancherGate.PROJECT_BACKING_NAMESPACE`
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go GetProjectBackingNamespace; seen on Rancher 2.13.8
 */
export function backingNamespaceOf(
  clusterId: string,
  project: string,
  hasClusterId: boolean,
): string {
  return hasClusterId ? safeConcatName(clusterId, project.toLowerCase()) : project;
}

const PROJECT = kindKey(GROUPS.MANAGEMENT, 'Project');

/**
 * Rancher's Project.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go; seen on Rancher 2.13.8
 */
export const PROJECT_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'Project',
  part: { noun: 'project', order: 30 },
  scope: 'Namespaced',
  targets: ON_RANCHER,
  rank: 50,
  // of one cluster: the others can go on without it
  stage: ({ metadata }) => ({ stage: 'projects', part: metadata.namespace }),
  deletion: deletes(
    "removes its members' permissions and leaves its namespaces in no project; its backing namespace is deleted afterwards, " +
      'and the project cannot be created again until then',
  ),
  shownWhenAdded: [
    ['spec', 'resourceQuota'],
    ['spec', 'namespaceDefaultResourceQuota'],
  ],
  writtenByOthers: [
    'metadata.annotations[authz.management.cattle.io/creator-role-bindings]',
    'metadata.annotations[field.cattle.io/creatorId]',
    'metadata.annotations',
    'metadata.labels',
    'spec.resourceQuota.usedLimit',
  ],
  grantsAccess: true,
  immutable: [
    {
      id: 'project/immutable',
      what: 'the cluster of a Project does not change',
      says: 'field is immutable',
      source:
        'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go admitUpdate',
      fields: [{ path: 'spec.clusterName', omitted: 'keeps' }],
      fix: 'restore it, or create another Project',
    },
    {
      ...IMMUTABLE_CREATOR,
      id: 'project/creator-changed',
      what: "the annotations of a Project's creator can be removed, but not changed or added",
    },
  ],
  passing: [
    {
      // status.clusterName of the Cluster is written before the webhook's cache has the management
      // cluster
      status: REFUSED,
      words: /project\.spec\.clusterName: Invalid value: "([^"]+)": cluster not found/,
      missing: ([, name]) => ({ kind: kindKey(GROUPS.PROVISIONING, 'Cluster'), name }),
      source:
        'seen on Rancher 2.13.8; rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go',
    },
    {
      // the previous Project of that name is still being deleted
      status: REFUSED,
      words: /failed to create project namespace\W+namespace (\S+) already exists/,
      missing: ([, name]) => ({ kind: kindKey('', 'Namespace'), name, going: true }),
      source: 'seen on Rancher 2.13.8',
    },
  ],
  ready: { judge: projectReadiness },
  // members need its namespace, and nothing else
  health: { healthy: whenTrue('BackingNamespaceCreated') },
  holds: [{ holds: 'tenants', what: 'its members and quotas' }],
  power: {
    // who is member of a cluster can create Projects in it: cluster-member, projects-create
    preparedBy: [],
    keeps: 'its creator remains owner of the project, and its members remain members',
    bindings: projectBindings,
  },
};

/** The bindings of a project are in its own namespace. */
function projectBindings({ metadata, status }: Manifest): readonly BindingPlace[] {
  const { name } = metadata;
  const backing = valueAt(status, 'backingNamespace');
  return [
    {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'ProjectRoleTemplateBinding',
      namespace: typeof backing === 'string' && backing !== '' ? backing : name,
    },
  ];
}

/**
 * Without Rancher's webhook the namespace comes later, and has no name in the status. A Project
 * without a creator gets no role of a creator. Seen on Rancher 2.13.8.
 */
function projectReadiness(live: Manifest): Readiness {
  const hasCreator = live.metadata.annotations?.[ANNOTATION_NO_CREATOR_RBAC] !== 'true';
  return allTrue(live, [
    'BackingNamespaceCreated',
    ...(hasCreator ? ['InitialRolesPopulated'] : []),
  ]);
}

/** Namespaces that Kubernetes, Rancher, Harvester and Longhorn live in. */
const SYSTEM_NAMESPACE = /^(kube|cattle|fleet|harvester|longhorn|rancher)-|^(default|local)$/;

/**
 * Namespace, with what Rancher writes into it.
 * @see rancher/rancher issues 33800 and 37874 for cattle-system
 */
export const NAMESPACE_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  part: { noun: 'namespace', order: 40 },
  scope: 'Cluster',
  rank: 10,
  appliedFirst: true,
  // with what is in it: one that is refused holds back no other tenant
  stage: ({ metadata }) => ({ stage: 'namespace', part: metadata.name }),
  permissions: webhookPermissions,
  ready: { judge: phase('Active') },
  texts: [ANNOTATION_RESOURCE_QUOTA, ANNOTATION_CONTAINER_LIMIT].map((annotation) => ({
    path: `metadata.annotations[${annotation}]`,
    quantities: true,
  })),
  fieldsOfOthers: [
    {
      path: `metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`,
      kind: PROJECT,
      field: 'spec.resourceQuota',
    },
    {
      path: `metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`,
      kind: PROJECT,
      field: 'spec.containerDefaultResourceLimit',
    },
  ],
  shownWhenAdded: [['metadata', 'annotations', ANNOTATION_RESOURCE_QUOTA]],
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'spec.finalizers'],
  deletion: deletes('deletes everything in it, including virtual machines and their volumes'),
  deletions: {
    cluster: {
      policy: 'keep',
      reason:
        'Rancher adopts it and removes it with the Cluster; deleting it first would take tokens and projects along',
    },
  },
  holds: [{ holds: 'data', what: 'everything in it' }],
  kept: [{ never: true, says: 'is a namespace of the system', when: isSystemNamespace }],
  power: {
    preparedBy: ['project owner'],
    keeps: 'everyone with a role in it keeps access to what the program creates there',
    when: (namespace) => !isSystemNamespace(namespace),
    onlyIfHeld: true,
    bindings: ({ metadata }) => [
      { apiVersion: API_VERSIONS.RBAC, kind: 'RoleBinding', namespace: metadata.name },
    ],
  },
};

/** Whether a Namespace is one of Kubernetes, Rancher or Harvester. */
export function isSystemNamespace({ metadata }: Pick<Manifest, 'metadata'>): boolean {
  const { name } = metadata;
  return SYSTEM_NAMESPACES.includes(name) || SYSTEM_NAMESPACE.test(name);
}

/**
 * Labels that Rancher's webhook asks for a permission of its own for.
 * @see rancher/webhook:pkg/resources/core/v1/namespace/Namespace.md
 */
const POD_SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(enforce|audit|warn)(-version)?$/;

/**
 * What Rancher's webhook asks for, on the clusters that it runs on and for changes of what it looks
 * at.
 */
function webhookPermissions({ metadata }: Manifest): NeededPermission[] {
  const { annotations = {}, labels = {} } = metadata;
  const project = {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'Project',
    perhaps: "Rancher's webhook may check it",
  } as const;
  const id = annotations[ANNOTATION_PROJECT_ID];
  const name = id === undefined || isLate(id) ? undefined : id.slice(id.indexOf(':') + 1);
  return [
    ...(id === undefined
      ? []
      : [
          {
            ...project,
            ...(name === undefined ? {} : { name }),
            verbs: ['manage-namespaces'] as const,
          },
        ]),
    ...(Object.keys(labels).some((label) => POD_SECURITY_LABEL.test(label))
      ? [{ ...project, verbs: ['updatepsa'] as const }]
      : []),
  ];
}
