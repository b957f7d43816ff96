import { hash } from 'crypto';
import { BindingPlace, NeededPermission } from '../../core/kind/description/access';
import { ImmutableField } from '../../core/kind/description/immutable-fields';
import { FoundReference } from '../../core/kind/description/references';
import { called, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER, ON_RANCHER_AND_HARVESTER } from '../../core/kind/kind';
import { EXISTS } from '../../core/kind/ready/health';
import {
  MINUTE,
  NamedObject,
  READY,
  Readiness,
  allTrue,
  conditionOf,
  conditionText,
  waiting,
} from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import {
  Manifest,
  isRecord,
  valueAt,
  annotationsOf,
  labelsOf,
  itemsAt,
} from '../../core/manifest/manifest';
import {
  API_VERSIONS,
  GROUPS,
  LOCAL_CLUSTER,
  FLEET_LOCAL,
  SETTING_REGISTRATION_URL,
} from '../../core/manifest/names';
import { anyText, base32, filledText, textOrEmpty } from '../../core/text/plain-text';
import { goDuration } from '../../core/text/time';
import { quantitiesOfAutoscaler } from '../../guest/autoscaler/autoscaler.facts';
import { DATA_DIRECTORIES } from '../../guest/cluster/cluster.check';
import { GROUP_MACHINE_CONFIG } from '../../guest/cluster/cluster.kind';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import { isUpgradeDefault } from '../../guest/upgrade/upgrade-default.facts';
import {
  IMMUTABLE_CREATOR,
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import { secretsOfCluster, secretsOfImport } from '../credential/named-secrets.facts';
import { CREDENTIAL_REFERENCE, GLOBAL_DATA } from '../credential/secret.kind';
import { RancherGate } from '../version/rancher-version';

/**
 * Rancher's agent on a cluster that it manages.
 * @see rancher/rancher:pkg/systemtemplate/template.go
 */
export const CLUSTER_AGENT = {
  namespace: 'cattle-system',
  deployment: 'cattle-cluster-agent',
  selector: 'app=cattle-cluster-agent',
} as const;

/**
 * Fleet's agent on such a cluster.
 * @see rancher/fleet:charts/fleet-agent/templates/deployment.yaml
 */
export const FLEET_AGENT = {
  namespace: 'cattle-fleet-system',
  deployment: 'fleet-agent',
  selector: 'app=fleet-agent',
} as const;

/**
 * The conditions of a Harvester Setting, a management Cluster and a LoadBalancer that report
 * whether it works.
 */
export const CONDITION = {
  CONFIGURED: 'configured',
  CONNECTED: 'Connected',
  READY: 'Ready',
} as const;

/**
 * Finalizer on namespaces of clusters that Rancher manages.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go
 */
export const FINALIZER_NAMESPACE_AUTH = 'controller.cattle.io/namespace-auth';

/**
 * Annotation on a management Cluster of an imported RKE2 or K3s cluster: whether Rancher manages
 * its version.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go
 * VersionManagementAnno
 */
export const ANNOTATION_VERSION_MANAGEMENT = 'rancher.io/imported-cluster-version-management';

/**
 * Annotation on the same: whether Rancher takes and restores its snapshots and rotates its keys.
 * @see rancher/rancher:pkg/controllers/management/systemagent/controller.go
 * OperationsEnabledForCluster (2.15.0)
 */
export const ANNOTATION_OPERATIONS = 'rancher.io/operations-enabled';

/**
 * Label on a Cluster: marks an import as a Harvester.
 * @see rancher/dashboard:shell/utils/cluster.js isHarvesterCluster
 */
export const LABEL_PROVIDER = 'provider.cattle.io';

/** Why a cluster that registers is not ready after a while. */
const AGENT_HINT =
  "Usual cause: the cluster cannot reach Rancher's URL, or does not trust its certificate, so that its agent does not connect. Fix: run `cdk8s-harvester doctor`";

/** Why a cluster of machines is not ready after a while. */
const MACHINES_HINT =
  'Usual causes: the credential or the namespace of the machines is refused by Harvester, or a machine has no network. Fix: read the machines ' +
  '(kubectl get machines.cluster.x-k8s.io in its namespace) and the pods …-machine-provision there, or run `cdk8s-harvester doctor`';

/** The Cluster of management.cattle.io, which Rancher's agents serve on guests, too. */
export const MANAGEMENT_CLUSTER_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'Cluster',
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
    when: ({ metadata: { name } }) => name !== LOCAL_CLUSTER,
    bindings: ({ metadata: { name } }) => clusterBindings(name),
    predictable: (manifest) => {
      const {
        metadata: { name },
        spec,
      } = manifest;
      const [workspace, displayName] = ['fleetWorkspaceName', 'displayName'].map((field) =>
        textOrEmpty(valueAt(spec, field)),
      );
      return name === derivedMirroredId(workspace, displayName)
        ? { path: 'metadata.name', value: name, ...PREDICTABLE }
        : undefined;
    },
  },
};

const PREDICTABLE = {
  reason:
    'is derived from namespace and name alone: a Standard User of Rancher can create the Cluster before the engine does, and remains its owner',
  fix: 'before the first delivery, set idSalt of HarvesterApp; if the Cluster exists, suppress this finding, since a new ID would be another cluster',
};

/**
 * A user who adds a cluster to a Fleet workspace.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go
 * validateFleetPermissions
 */
function addsToWorkspace(workspace: unknown): NeededPermission[] {
  const perhaps =
    "Rancher's webhook asks for it when a cluster is new, or moves to another Fleet workspace";
  return typeof workspace === 'string' && workspace !== '' && !isLate(workspace)
    ? [
        {
          apiVersion: API_VERSIONS.MANAGEMENT,
          kind: 'FleetWorkspace',
          name: workspace,
          verbs: ['fleetaddcluster'],
          perhaps,
        },
      ]
    : [];
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

/**
 * Whether the agent of a management Cluster was connected before: it is Provisioned since then, and
 * a lost connection gives Ready the reason Disconnected.
 *
 * @see rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go update,
 * clusterconnected/clusterconnected.go
 */
export function hasConnected(live: Manifest): boolean {
  return (
    conditionOf(live, 'Provisioned')?.status === 'True' ||
    conditionOf(live, CONDITION.READY)?.reason === 'Disconnected'
  );
}

function isRke1(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', RKE1_CONFIG));
}

/**
 * A management cluster ID of the legacy form: Rancher mirrors such a cluster back as a second
 * provisioning Cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp; seen on
 * Rancher 2.13.8
 */
export const LEGACY_CLUSTER_ID = /^(c-[a-z0-9]{5}|local)$/;

/** An ID of this form, other than Rancher's own cluster. */
export const MIRRORED_CLUSTER_ID = /^c-[a-z0-9]{5}$/;

/**
 * What a management Cluster with another name lacks.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go
 * generateProvisioningClusterFromLegacyCluster
 */
export const NOT_MIRRORED =
  'must be c- and five of a-z and 0-9: for other IDs Rancher creates no provisioning Cluster, so that neither its UI nor Fleet knows the cluster';

/**
 * The feature that priority class and disruption budget of Rancher's agents need; off by default.
 * @see rancher/rancher:pkg/features/feature.go ClusterAgentSchedulingCustomization
 */
export const FEATURE_AGENT_SCHEDULING = 'cluster-agent-scheduling-customization';

/**
 * The value of the provider label that makes Rancher's UI show the cluster under Virtualization
 * Management.
 */
export const PROVIDER_HARVESTER = 'harvester';

/** The provider of a cluster: by its label, which wins in Rancher's UI, otherwise by its status. */
export function clusterProviderOf(manifest: Manifest): unknown {
  return labelsOf(manifest)[LABEL_PROVIDER] ?? valueAt(manifest, 'status', 'provider');
}

/**
 * Annotation of a provisioning Cluster: with `true`, its deletion keeps the volumes that its
 * machines have attached for pods.
 * @see rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go (2.11.0)
 */
export const ANNOTATION_KEEPS_VOLUMES = 'harvesterhci.io/skipHarvesterMachineProvisionCleanup';

/**
 * Annotation on a provisioning Cluster: the management cluster ID; immutable.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (2.8.0 and later)
 */
export const ANNOTATION_MANAGEMENT_CLUSTER_NAME = 'provisioning.cattle.io/management-cluster-name';

/** The kind that rules on clusters of Rancher judge. */
export const CLUSTER_KINDS = ['provisioning.cattle.io/Cluster'];

/** The validator that rules on clusters of Rancher follow. */
export const CLUSTER_VALIDATOR =
  'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go';

/**
 * Whether a provisioning Cluster is one whose machines Rancher creates: an import has none of its
 * own.
 */
export function isProvisioned(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
}

/** The fields with a duration: `5m`, as Rancher's UI writes it, is `300s`. */
const IS_DURATION = /Timeout$/;

function isSameDuration(path: string, before: unknown, desired: unknown): boolean {
  if (!IS_DURATION.test(path) || typeof before !== 'string' || typeof desired !== 'string') {
    return false;
  }
  const seconds = goDuration(before);
  return seconds !== undefined && seconds === goDuration(desired);
}

/**
 * What Rancher leaves out where it writes the Cluster again: a switch that is off, and a duration
 * of nothing, which has several forms.
 */
function isSameInGo(before: unknown, desired: unknown): boolean {
  const isNone = (value: unknown): boolean =>
    value === undefined ||
    value === false ||
    (typeof value === 'string' && /^(?:0[hms])+$/.test(value));
  return isNone(before) && isNone(desired);
}

/**
 * The Cluster of provisioning.cattle.io: an import, or a cluster whose machines Rancher creates.
 * Seen on Rancher 2.13.8.
 */
export const PROVISIONING_CLUSTER_DESCRIPTION: KindDescription = {
  group: GROUPS.PROVISIONING,
  version: 'v1',
  kind: 'Cluster',
  scope: 'Namespaced',
  targets: ON_RANCHER_AND_HARVESTER,
  rank: 40,
  // machines need networks and images of a Harvester, which is imported before; one guest holds
  // back no other
  stage: (cluster) =>
    isProvisioned(cluster)
      ? { stage: 'guest', part: cluster.metadata.name }
      : { stage: 'clusters' },
  usesCredentials: true,
  deletion: deletes(
    'Rancher deletes the machines that it created, with their disks; delete its credential, its cloud-config Secret and its namespace on ' +
      'Harvester only after the Cluster is gone, since its deletion needs them',
  ),
  deletions: {
    import: deletes(
      'deletes the management cluster, its namespaces, projects and bindings, and cleans nothing on the Harvester: reset its Setting ' +
        `${SETTING_REGISTRATION_URL} first, and never delete its namespace cattle-system, which holds the Rancher that it embeds`,
    ),
  },
  texts: [{ path: 'spec.rkeConfig.additionalManifest' }],
  meansTheSame: (live, path, before, desired) =>
    path.startsWith('spec.rkeConfig.') &&
    (isSameInGo(before, desired) ||
      isSameDuration(path, before, desired) ||
      isUpgradeDefault(live, path, before, desired)),
  references: machineConfigsOf,
  // of the webhook's: rancher/webhook:docs.md "Pod Security Admission Configuration Template",
  // "Dynamic Schema Drop"
  writtenByOthers: [
    'metadata.annotations[provisioning.cattle.io/management-cluster-display-name]',
    'metadata.annotations[field.cattle.io/creatorId]',
    'spec.localClusterAuthEndpoint',
    'spec.rkeConfig.chartValues',
    'spec.rkeConfig.dataDirectories',
    'spec.rkeConfig.machineGlobalConfig',
    'spec.rkeConfig.machinePoolDefaults',
    'spec.rkeConfig.upgradeStrategy',
    'spec.rkeConfig.machinePools[*].dynamicSchemaSpec',
    // set by an autoscaler, where the program sets none
    'spec.rkeConfig.machineSelectorFiles',
    'spec.rkeConfig.machinePools[*].quantity',
  ],
  writtenOnce: quantitiesOfAutoscaler,
  immutable: [
    {
      id: 'cluster/id-changed',
      what: 'the management cluster ID is fixed at creation; Rancher silently ignores a later change',
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go; seen on Rancher 2.13.8',
      fields: [
        { path: `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`, omitted: 'keeps' },
      ],
      fix: 'restore it, or recreate the Cluster, which deletes projects, members and tokens',
    },
    {
      id: 'cluster/import-create-only',
      level: 'warning',
      what: 'from Rancher 2.11, spec, labels and annotations of an imported Cluster take effect only at creation; later edits do nothing',
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go updateImportedCluster (2.11.0 and later)',
      since: RancherGate.IMPORTED_SPEC_CREATE_ONLY,
      when: (now, before) =>
        !isProvisioned(now) && !isProvisioned(before) && now.metadata.name !== LOCAL_CLUSTER,
      fields: [
        { path: 'spec', omitted: 'changes', keys: { except: ['rkeConfig'] } },
        { path: 'metadata.labels', omitted: 'keeps', keys: {} },
        // those of other rules aside
        {
          path: 'metadata.annotations',
          omitted: 'keeps',
          keys: {
            except: [
              ANNOTATION_MANAGEMENT_CLUSTER_NAME,
              ANNOTATION_CREATOR_ID,
              ANNOTATION_CREATOR_PRINCIPAL,
              ANNOTATION_NO_CREATOR_RBAC,
            ],
          },
        },
      ],
      fix: 'edit spec.agentEnvVars, the customizations, spec.description and labels of the management.cattle.io Cluster, too',
    },
    {
      id: 'cluster/data-directories',
      what: 'data directories of a cluster are absolute, clean and distinct, and do not change; CATTLE_AGENT_VAR_DIR is not set; Rancher 2.9 and later',
      source:
        'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateDataDirectories',
      when: (now, before) => isProvisioned(now) && isProvisioned(before),
      fields: [dataDirectory('k8sDistro'), dataDirectory('provisioning')],
      fix: 'restore it, or create another cluster',
    },
  ],
  grantsAccess: true,
  hasGeneratedId: true,
  permissions: (manifest) => [
    ...managementPermissions(manifest),
    ...credentialPermissions(manifest),
  ],
  namesSecrets: secretsOfCluster,
  onlyInDryRun: (words) =>
    words.includes('creatorID annotation does not match user')
      ? // seen on Rancher 2.13.8: the creation itself is allowed, and Rancher sets the annotation
        'Rancher refuses dry runs of a new Cluster without annotation field.cattle.io/no-creator-rbac, and allows its creation'
      : undefined,
  ready: {
    judge: clusterReadiness,
    and: managementClusterOf,
    timeoutMs: 45 * MINUTE,
    hint: (live) => (isProvisioned(live) ? MACHINES_HINT : AGENT_HINT),
  },
  // projects, members and tokens need its ID; an import is Reconciling until its agent is connected
  health: { healthy: { text: 'status.clusterName' }, misread: true },
  holds: [
    {
      holds: 'machines',
      what: 'its machines and their disks',
      asks: true,
      searchedOn: ON_RANCHER,
      when: isProvisioned,
    },
    { holds: 'tenants', what: 'its projects, members and registration', searchedOn: ON_RANCHER },
  ],
  kept: [
    {
      never: true,
      says: 'is the cluster that Rancher runs on',
      when: ({ metadata: { namespace } }) => namespace === FLEET_LOCAL,
    },
  ],
  power: {
    preparedBy: ['Standard User'],
    // seen on Rancher 2.15.0: the binding remains when the annotation of the creator is removed
    keeps:
      'its creator remains owner of the cluster by the ClusterRoleTemplateBinding creator-cluster-owner, even without the annotation of the creator',
    bindings: (live) => clusterBindings(managementClusterIdOf(live)),
    // @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster:
    // it takes the management Cluster of that name
    uses: managementClusterOf,
    predictable: (manifest) => {
      const id = managementClusterOf(manifest)?.name;
      const { namespace = '', name } = manifest.metadata;
      return id === undefined || id !== derivedClusterId(namespace, name)
        ? undefined
        : {
            path: `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`,
            value: id,
            ...PREDICTABLE,
          };
    },
  },
};

/**
 * The management cluster ID that the library derives: the same in every synthesis.
 *
 * @param salt what others do not know. @default - everyone can derive the ID
 */
export function derivedClusterId(namespace: string, name: string, salt?: string): string {
  return `c-m-${hashOf(namespace, name, salt).slice(0, 8)}`;
}

/** The same in the form of a cluster that Rancher mirrors: five characters. */
export function derivedMirroredId(namespace: string, name: string, salt?: string): string {
  return `c-${hashOf(namespace, name, salt).slice(0, 5)}`;
}

function hashOf(namespace: string, name: string, salt: string | undefined): string {
  return base32(
    hash(
      'sha256',
      `${salt === undefined ? '' : `${salt} `}${namespace}/${name}`,
      'buffer',
    ).subarray(0, 5),
  );
}

/**
 * The management Cluster that a Cluster has by its status, or will have by the annotation that
 * fixes its ID.
 */
function managementClusterOf(manifest: Manifest): NamedObject | undefined {
  const name = managementClusterIdOf(manifest);
  return name === undefined || isLate(name) ? undefined : { ...MANAGEMENT_CLUSTER, name };
}

const MANAGEMENT_CLUSTER = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster' } as const;

function managementPermissions(manifest: Manifest): NeededPermission[] {
  const why =
    'a new Cluster is refused if its management Cluster exists already, which later shows whether the agent is connected';
  return [
    { ...(managementClusterOf(manifest) ?? MANAGEMENT_CLUSTER), verbs: ['get'], perhaps: why },
  ];
}

/**
 * The bindings of a cluster by its management cluster ID.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go
 */
function clusterBindings(id: string | undefined): readonly BindingPlace[] {
  return id === undefined
    ? []
    : [{ apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRoleTemplateBinding', namespace: id }];
}

function dataDirectory(field: string): ImmutableField {
  return {
    path: `spec.rkeConfig.dataDirectories.${field}`,
    default: '',
    compared: (directory) => textOrEmpty(directory),
    omitted: 'changes',
    says: `${DATA_DIRECTORIES[field]} data directory cannot be changed after cluster creation`,
  };
}

/**
 * The machine configs of the pools.
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 RKEMachinePool
 */
function machineConfigsOf(manifest: Manifest): FoundReference[] {
  return itemsAt(manifest, 'spec', 'rkeConfig', 'machinePools').flatMap((pool: unknown) => {
    const config = valueAt(pool, 'machineConfigRef');
    if (!isRecord(config) || typeof config.kind !== 'string' || typeof config.name !== 'string') {
      return [];
    }
    return [{ group: GROUP_MACHINE_CONFIG, kind: config.kind, name: config.name }];
  });
}

/**
 * An import is ready when its agent is connected; a cluster of machines when Rancher has applied
 * the declared state. `status.ready` remains true while the agent is gone, and from Rancher 2.15
 * there are no conditions of the management Cluster, which therefore must be ready, too.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (status of imports);
 * pkg/capr/common.go (Provisioned, Updated)
 */
function clusterReadiness(live: Manifest): Readiness {
  if (isProvisioned(live)) {
    const steps = allTrue(live, ['Provisioned', 'Updated']);
    if (steps.state !== 'ready') {
      return steps;
    }
  } else if (!valueAt(live, 'status', 'clusterName')) {
    return waiting('Rancher has not taken it yet (no status.clusterName)');
  }
  // mirrored from the management Cluster before Rancher 2.15; the other conditions keep their state
  // while the agent is disconnected
  const connected = conditionOf(live, CONDITION.CONNECTED);
  if (connected && connected.status !== 'True') {
    return waiting(`its agent is not connected: ${conditionText(connected)}`);
  }
  const ready = conditionOf(live, CONDITION.READY);
  if (valueAt(live, 'status', 'ready') === true || ready?.status === 'True') {
    return READY;
  }
  return waiting(
    ready ? conditionText(ready) : 'its agent has not connected yet (no status.ready)',
  );
}

/**
 * The user who names a credential must be able to read it.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go
 */
function credentialPermissions(manifest: Manifest): NeededPermission[] {
  const secret = valueAt(manifest, 'spec', 'cloudCredentialSecretName');
  const name = typeof secret === 'string' ? CREDENTIAL_REFERENCE.exec(secret)?.[1] : undefined;
  if (name === undefined) {
    return [];
  }
  const perhaps = "Rancher's webhook may check it";
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: GLOBAL_DATA,
      ...(isLate(name) ? {} : { name }),
      verbs: ['get'],
      perhaps,
    },
  ];
}

/**
 * The management cluster ID of a Cluster: `status.clusterName` once it is live, before that the
 * annotation.
 */
export function managementClusterIdOf(manifest: Manifest): string | undefined {
  return (
    filledText(valueAt(manifest, 'status', 'clusterName')) ?? filledText(annotatedIdOf(manifest))
  );
}

/** The management cluster ID that a Cluster requests. */
export function annotatedIdOf(manifest: Manifest): string | undefined {
  return anyText(annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME]);
}

/**
 * The fix where a renamed or moved Cluster would share a management cluster with its previous one.
 */
export function keepName(name: string, namespace?: string): string {
  return (
    `to rename only the construct, set its prop name to ${JSON.stringify(name)}${namespace === undefined ? '' : ` and its prop fleetWorkspace to ${JSON.stringify(namespace)}`}; ` +
    'for another cluster, use another clusterId'
  );
}
