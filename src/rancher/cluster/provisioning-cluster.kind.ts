import {
  AGENT_HINT,
  PREDICTABLE,
  clusterBindings,
  CONDITION,
  isProvisioned,
  derivedClusterId,
  managementClusterIdOf,
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
} from './cluster.facts';
import { NeededPermission } from '../../core/kind/description/access';
import { ImmutableField } from '../../core/kind/description/immutable-fields';
import { FoundReference } from '../../core/kind/description/references';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER, ON_RANCHER_AND_HARVESTER } from '../../core/kind/kind';
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
import { Manifest, isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import {
  API_VERSIONS,
  GROUPS,
  LOCAL_CLUSTER,
  FLEET_LOCAL,
  SETTING_REGISTRATION_URL,
} from '../../core/manifest/names';
import { textOrEmpty } from '../../core/text/plain-text';
import { goDuration } from '../../core/text/time';
import { quantitiesOfAutoscaler } from '../../guest/autoscaler/autoscaler.facts';
import { DATA_DIRECTORIES } from '../../guest/cluster/cluster.check';
import { GROUP_MACHINE_CONFIG } from '../../guest/machine-config/machine-config.kind';
import { isUpgradeDefault } from '../../guest/upgrade/upgrade-default.facts';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import { secretsOfCluster } from '../credential/named-secrets.facts';
import { CREDENTIAL_REFERENCE, GLOBAL_DATA } from '../credential/secret.kind';
import { RancherGate } from '../version/rancher-version';

/** Why a cluster of machines is not ready after a while. */
const MACHINES_HINT =
  'Usual causes: the credential or the namespace of the machines is refused by Harvester, or a machine has no network. Fix: read the machines ' +
  '(kubectl get machines.cluster.x-k8s.io in its namespace) and the pods …-machine-provision there, or run `cdk8s-harvester doctor`';

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
  part: {
    noun: (manifest) => (isProvisioned(manifest) ? 'guest cluster' : 'imported cluster'),
    order: 10,
  },
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
      when: ({ metadata }) => metadata.namespace === FLEET_LOCAL,
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
      if (id === undefined || id !== derivedClusterId(namespace, name)) {
        return undefined;
      }
      return {
        path: `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`,
        value: id,
        ...PREDICTABLE,
      };
    },
  },
};

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
