import {
  AGENT_HINT,
  PREDICTABLE,
  clusterBindings,
  CONDITION,
  LABEL_PROVIDER,
  hasConnected,
  derivedMirroredId,
} from './cluster.facts';
import { NeededPermission } from '../../core/kind/description/access';
import { called, deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';
import { EXISTS } from '../../core/kind/ready/health';
import {
  MINUTE,
  READY,
  Readiness,
  conditionOf,
  conditionText,
  waiting,
} from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { textOrEmpty } from '../../core/text/plain-text';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import { IMMUTABLE_CREATOR } from '../binding/binding.kind';
import { secretsOfImport } from '../credential/named-secrets.facts';

/**
 * What Rancher deletes with a management cluster besides the objects in its namespace that it made
 * itself: in the namespace of the cluster, and in those of its projects.
 *
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/cluster_handler.go and
 *   project_handler.go Remove: they delete the namespaces
 */
export const TENANT_KINDS: readonly string[] = [
  'Project',
  'ProjectRoleTemplateBinding',
  'ClusterRoleTemplateBinding',
];

/** The Cluster of management.cattle.io, which Rancher's agents serve on guests, too. */
export const MANAGEMENT_CLUSTER_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'Cluster',
  part: { noun: 'management cluster', order: 20 },
  scope: 'Cluster',
  rank: 40,
  stage: (cluster) =>
    isRke1(cluster) ? { stage: 'guest', part: cluster.metadata.name } : { stage: 'clusters' },
  alwaysThere: LOCAL_CLUSTER,
  usesCredentials: true,
  deletions: {
    import: deletes(
      'deletes its projects, members and registration; Rancher removes its agents from the cluster, whose workloads remain',
    ),
    rke1: deletes(
      'Rancher deletes the machines, with their disks; delete its node templates, its credential and its namespace on Harvester only after its ' +
        'namespace on Rancher is gone, since the deletion of machines needs them',
    ),
  },
  texts: [{ path: 'spec.rancherKubernetesEngineConfig.addons' }],
  ready: { judge: managementReadiness, timeoutMs: 45 * MINUTE, hint: () => AGENT_HINT },
  // what Rancher fills in, or finds out from the cluster
  writtenByOthers: [
    'spec.agentImageOverride',
    'spec.assetsImageOverride',
    'spec.clusterSecrets',
    'spec.desiredAgentImage',
    'spec.desiredAssetsImage',
    'spec.desiredAuthImage',
    'spec.dockerRootDir',
    'spec.importedConfig.kubeConfig',
    'spec.internal',
    'spec.k3sConfig',
    'spec.localClusterAuthEndpoint',
    'spec.rke2Config',
    'spec.windowsPreferedCluster',
    `metadata.labels[${LABEL_PROVIDER}]`,
    'metadata.annotations',
    'metadata.labels',
  ],
  // projects and tokens need only the object; an import is not Ready until its agent is connected
  health: { healthy: EXISTS, misread: true },
  permissions: ({ spec }) => addsToWorkspace(valueAt(spec, 'fleetWorkspaceName')),
  namesSecrets: secretsOfImport,
  immutable: [
    {
      ...IMMUTABLE_CREATOR,
      id: 'management-cluster/creator-changed',
      what: "the annotations of a cluster's creator can be removed, but not changed or added",
    },
  ],
  holds: [
    { holds: 'machines', what: 'its machines and their disks', asks: true, when: isRke1 },
    { holds: 'tenants', what: 'its projects, members and registration' },
  ],
  kept: [
    { never: true, says: 'is the cluster that Rancher runs on', when: called(LOCAL_CLUSTER) },
    { says: 'its projects, members and registration would be lost with it' },
  ],
  power: {
    preparedBy: ['Standard User'],
    keeps: 'its creator remains owner of the cluster',
    when: ({ metadata }) => metadata.name !== LOCAL_CLUSTER,
    bindings: ({ metadata }) => clusterBindings(metadata.name),
    predictable: (manifest) => {
      const { spec } = manifest;
      const { name } = manifest.metadata;
      const [workspace, displayName] = ['fleetWorkspaceName', 'displayName'].map((field) =>
        textOrEmpty(valueAt(spec, field)),
      );
      return name === derivedMirroredId(workspace, displayName)
        ? { path: 'metadata.name', value: name, ...PREDICTABLE }
        : undefined;
    },
  },
};

/**
 * A user who adds a cluster to a Fleet workspace.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go
 * validateFleetPermissions
 */
function addsToWorkspace(workspace: unknown): NeededPermission[] {
  const perhaps =
    "Rancher's webhook asks for it when a cluster is new, or moves to another Fleet workspace";
  if (typeof workspace === 'string' && workspace !== '' && !isLate(workspace)) {
    return [
      {
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'FleetWorkspace',
        name: workspace,
        verbs: ['fleetaddcluster'],
        perhaps,
      },
    ];
  }
  return [];
}

/**
 * Rancher asks the agent of every cluster each 15 seconds, and sets Ready to False once the agent
 * is gone.
 *
 * @see rancher/rancher:pkg/controllers/management/clusterconnected/clusterconnected.go (2.13.8,
 * 2.14.4, 2.15.0)
 */
function managementReadiness(live: Manifest): Readiness {
  const connected = conditionOf(live, CONDITION.CONNECTED);
  const ready = conditionOf(live, CONDITION.READY);
  if (connected?.status !== 'True') {
    if (!hasConnected(live)) {
      return waiting('its agent has not connected yet');
    }
    const text = [connected, ready]
      .flatMap((condition) =>
        condition && condition.status !== 'True' ? [conditionText(condition)] : [],
      )
      .join('; ');
    return waiting(`its agent is not connected: ${text}`);
  }
  if (ready?.status === 'True') {
    return READY;
  }
  return waiting(
    ready ? conditionText(ready) : 'Rancher has not checked its API yet (no condition Ready)',
  );
}

function isRke1(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', RKE1_CONFIG));
}
