import {
  CLUSTER_ROLE_BINDING_IMMUTABLE,
  CONFIG_MAP_IMMUTABLE,
  CSI_DRIVER_IMMUTABLE,
  DAEMON_SET_IMMUTABLE,
  DEFINITION_IMMUTABLE,
  DEPLOYMENT_IMMUTABLE,
  INGRESS_CLASS_IMMUTABLE,
  JOB_IMMUTABLE,
  POD_IMMUTABLE,
  PRIORITY_CLASS_IMMUTABLE,
  QUOTA_IMMUTABLE,
  REPLICA_SET_IMMUTABLE,
  ROLE_BINDING_IMMUTABLE,
  RUNTIME_CLASS_IMMUTABLE,
  SERVICE_IMMUTABLE,
  STATEFUL_SET_IMMUTABLE,
  VOLUME_ATTACHMENT_IMMUTABLE,
  VOLUME_IMMUTABLE,
} from './kubernetes-immutable.data';
import {
  available,
  daemonSet,
  definition,
  deployment,
  job,
  pod,
  replicaSet,
  service,
  statefulSet,
  withoutProblems,
} from './kubernetes-readiness';
import { NEEDED_BY_NODES, deletes, sharedValues } from '../kind/description/removal';
import { EVERYWHERE, KindDescription } from '../kind/kind';
import { EXISTS } from '../kind/ready/health';
import { Manifest, isRecord, itemsAt, valueAt } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/** What a description holds beyond group, version, kind, scope and rank. */
type More = Partial<KindDescription>;

const kinds =
  (group: string, version: string, scope: KindDescription['scope']) =>
  (kind: string, rank: number, more: More = {}): KindDescription => ({
    group,
    version,
    kind,
    scope,
    rank,
    ...more,
  });

const core = kinds('', 'v1', 'Namespaced');
const apps = kinds('apps', 'v1', 'Namespaced');
const batch = kinds('batch', 'v1', 'Namespaced');
const role = kinds(GROUPS.RBAC, 'v1', 'Namespaced');
const clusterRole = kinds(GROUPS.RBAC, 'v1', 'Cluster');
const logging = kinds('logging.banzaicloud.io', 'v1beta1', 'Namespaced');
const admission = kinds('admissionregistration.k8s.io', 'v1', 'Cluster');

/** What remains of a role and of a binding that someone else made. */
const BOUND = 'its subjects keep its permissions';
const GIVEN = 'it gives the role to its subjects';

/** The kinds of Kubernetes itself that the products have no rules about. */
export const KUBERNETES_KINDS: readonly KindDescription[] = [
  core('ConfigMap', 15, {
    immutable: CONFIG_MAP_IMMUTABLE,
    refers: 'nothing',
    namedBy: { objects: ['configMapRef', 'configMapKeyRef', 'configMap'] },
    appliedFirst: true,
    deletions: {
      'cloud-init': deletes('virtual machines keep their copies'),
      'node-plan': NEEDED_BY_NODES,
    },
  }),
  core('ServiceAccount', 14, {
    part: { noun: 'service account', order: 290 },
    namedBy: { fields: { serviceAccountName: 'name' } },
    writtenByOthers: ['secrets', 'imagePullSecrets'],
    appliedFirst: true,
    power: {
      preparedBy: ['project owner'],
      keeps:
        'its creator may hold tokens of it, which get the permissions that the program gives it',
      // Kubernetes creates it in every namespace
      when: ({ metadata }) => metadata.name !== 'default',
    },
  }),
  core('Service', 60, {
    part: {
      noun: (manifest) =>
        valueAt(manifest, 'spec', 'type') === 'LoadBalancer' ? 'load balancer' : undefined,
      order: 70,
    },
    immutable: SERVICE_IMMUTABLE,
    ready: {
      judge: service,
      hint: () =>
        'Usual causes: no controller of load balancers runs in this cluster, or its pool has no free address. Fix: check the cloud provider and its log',
    },
    deletions: {
      'load-balancer': deletes(
        'releases its address; refused while other Services share it, and an IP pool can only be deleted after it',
      ),
    },
    writtenByOthers: [
      'metadata.annotations',
      'metadata.labels',
      'spec.loadBalancerIP',
      'spec.clusterIP',
      'spec.clusterIPs',
      'spec.ports[*].nodePort',
      'spec.healthCheckNodePort',
    ],
    // of type LoadBalancer: engines wait for its address
    health: { healthy: EXISTS, misread: true },
    // @see kubernetes/kubernetes:pkg/registry/core/service/portallocator: provided port is already
    // allocated
    unique: {
      what: 'nodePort',
      shared: sharedValues(nodePorts),
      fix: 'give the new Service another nodePort',
    },
  }),
  core('PersistentVolume', 41, { immutable: VOLUME_IMMUTABLE, scope: 'Cluster' }),
  core('Pod', 50, { immutable: POD_IMMUTABLE, isWorkload: true, ready: { judge: pod } }),
  core('Node', 45, {
    scope: 'Cluster',
    deletion: { policy: 'keep', reason: 'is a machine of the cluster, and keeps its labels' },
    neverCreated: {
      says: 'a Node joins the cluster with its machine',
      fix: 'use the name of an existing node, as kubectl get nodes prints it',
    },
    kept: [
      {
        never: true,
        says: 'is a machine of the cluster: deleting it drops the machine from the cluster',
      },
    ],
  }),
  core('LimitRange', 20),
  core('ResourceQuota', 20, { immutable: QUOTA_IMMUTABLE }),
  core('ReplicationController', 50),
  core('Endpoints', 60, { resource: 'endpoints' }),
  kinds(GROUPS.DEFINITIONS, 'v1', 'Cluster')('CustomResourceDefinition', 0, {
    immutable: DEFINITION_IMMUTABLE,
    refers: 'nothing',
    ready: { judge: definition },
    kept: [{ never: true, says: 'would take all objects of its kind along' }],
  }),
  kinds('apiregistration.k8s.io', 'v1', 'Cluster')('APIService', 70, {
    ready: { judge: available },
  }),
  admission('MutatingWebhookConfiguration', 90),
  admission('ValidatingWebhookConfiguration', 90),
  admission('ValidatingAdmissionPolicy', 90),
  admission('ValidatingAdmissionPolicyBinding', 90),
  clusterRole('ClusterRole', 16, {
    access: 'role',
    stage: 'access',
    grantsAccess: true,
    appliedFirst: true,
    alwaysThere: 'cluster-admin',
    power: { preparedBy: [], keeps: BOUND },
  }),
  clusterRole('ClusterRoleBinding', 18, {
    immutable: CLUSTER_ROLE_BINDING_IMMUTABLE,
    access: 'binding',
    stage: 'access',
    grantsAccess: true,
    power: { preparedBy: [], keeps: GIVEN },
  }),
  role('Role', 17, {
    access: 'role',
    stage: 'access',
    grantsAccess: true,
    appliedFirst: true,
    power: { preparedBy: ['project owner'], keeps: BOUND },
  }),
  role('RoleBinding', 19, {
    immutable: ROLE_BINDING_IMMUTABLE,
    access: 'binding',
    stage: 'access',
    grantsAccess: true,
    power: { preparedBy: ['project owner'], keeps: GIVEN },
  }),
  kinds('storage.k8s.io', 'v1', 'Cluster')('CSIDriver', 20, { immutable: CSI_DRIVER_IMMUTABLE }),
  kinds('storage.k8s.io', 'v1', 'Cluster')('VolumeAttachment', 45, {
    immutable: VOLUME_ATTACHMENT_IMMUTABLE,
  }),
  kinds('snapshot.storage.k8s.io', 'v1', 'Cluster')('VolumeSnapshotClass', 20, {
    stage: 'storage',
    namedBy: { fields: { volumeSnapshotClassName: 'name' } },
    deletion: deletes('existing snapshots are kept, new ones cannot be created'),
  }),
  kinds('snapshot.storage.k8s.io', 'v1', 'Cluster')('VolumeSnapshotContent', 44),
  kinds('snapshot.storage.k8s.io', 'v1', 'Namespaced')('VolumeSnapshot', 44, {
    stage: 'backups',
    holds: [{ holds: 'data', what: 'the snapshot', asks: true, searchedOn: EVERYWHERE }],
  }),
  kinds('scheduling.k8s.io', 'v1', 'Cluster')('PriorityClass', 13, {
    immutable: PRIORITY_CLASS_IMMUTABLE,
    namedBy: { fields: { priorityClassName: 'name' } },
  }),
  kinds('node.k8s.io', 'v1', 'Cluster')('RuntimeClass', 13, {
    immutable: RUNTIME_CLASS_IMMUTABLE,
    namedBy: { fields: { runtimeClassName: 'name' } },
  }),
  kinds('networking.k8s.io', 'v1', 'Cluster')('IngressClass', 20, {
    immutable: INGRESS_CLASS_IMMUTABLE,
    namedBy: { fields: { ingressClassName: 'name' } },
  }),
  kinds('networking.k8s.io', 'v1', 'Namespaced')('Ingress', 62),
  kinds('networking.k8s.io', 'v1', 'Namespaced')('NetworkPolicy', 40, {
    deletions: {
      tenant: deletes('other teams can then connect to its machines on the management network'),
    },
  }),
  // of the charts rancher-logging and rancher-monitoring, which Harvester has as add-ons
  ...['Output', 'ClusterOutput', 'Flow', 'ClusterFlow'].map((kind) =>
    logging(kind, 46, { ready: { judge: withoutProblems } }),
  ),
  ...['AlertmanagerConfig', 'ScrapeConfig'].map((kind) =>
    kinds('monitoring.coreos.com', 'v1alpha1', 'Namespaced')(kind, 46),
  ),
  ...['PrometheusRule', 'ServiceMonitor', 'PodMonitor', 'Probe'].map((kind) =>
    kinds('monitoring.coreos.com', 'v1', 'Namespaced')(kind, 46),
  ),
  apps('Deployment', 50, {
    immutable: DEPLOYMENT_IMMUTABLE,
    isWorkload: true,
    ready: { judge: deployment },
  }),
  apps('StatefulSet', 50, {
    immutable: STATEFUL_SET_IMMUTABLE,
    isWorkload: true,
    ready: { judge: statefulSet },
  }),
  apps('DaemonSet', 50, {
    immutable: DAEMON_SET_IMMUTABLE,
    isWorkload: true,
    ready: { judge: daemonSet },
  }),
  apps('ReplicaSet', 50, { immutable: REPLICA_SET_IMMUTABLE, ready: { judge: replicaSet } }),
  batch('Job', 50, { immutable: JOB_IMMUTABLE, isWorkload: true, ready: { judge: job } }),
  batch('CronJob', 50, { isWorkload: true }),
];

function nodePorts(manifest: Manifest): string[] {
  return itemsAt(manifest, 'spec', 'ports').flatMap((port: unknown) =>
    isRecord(port) && typeof port.nodePort === 'number'
      ? [`${String(port.protocol ?? 'TCP')} ${port.nodePort}`]
      : [],
  );
}
