import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER, ON_RANCHER_AND_HARVESTER } from '../../core/kind/kind';
import { kindKey } from '../../core/manifest/manifest';
import { anyText } from '../../core/text/plain-text';

/** Names around virtual machines of guest clusters, each with its source. */

/**
 * The API group of machine configurations.
 * @see rancher/rancher:pkg/capr/common.go DefaultMachineConfigAPIVersion
 */
export const GROUP_MACHINE_CONFIG = 'rke-machine-config.cattle.io';

/** The kind of a machine configuration for the Harvester node driver. */
export const HARVESTER_CONFIG_KIND = 'HarvesterConfig';
export const MACHINE_CONFIG_KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];

/**
 * The kind in Rancher's messages.
 * @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership
 */
export const HARVESTER_CONFIG_GVK = 'rke-machine-config.cattle.io/v1, Kind=HarvesterConfig';

/**
 * The apiVersion of machine configurations.
 * @see rancher/rancher:pkg/controllers/capr/dynamicschema/dynamicschema.go
 */
export const MACHINE_CONFIG_API = `${GROUP_MACHINE_CONFIG}/v1`;

/**
 * What Rancher's UI begins the names of machine configurations with.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue
 */
export const MACHINE_CONFIG_PREFIX = 'nc-';

/**
 * Label of a virtual machine: `<namespace>-<cluster>-<pool>`.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go machineSetNameLabelKey
 */
export const LABEL_MACHINE_SET = 'harvesterhci.io/machineSetName';

/**
 * Label of a virtual machine: its pool.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go poolNameLabelKey (1.0.2 and later)
 */
export const LABEL_NODE_POOL = 'nodepool.harvesterhci.io/name';

/**
 * Labels of nodes for their location.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const TOPOLOGY = {
  HOST: 'kubernetes.io/hostname',
  ZONE: 'topology.kubernetes.io/zone',
  REGION: 'topology.kubernetes.io/region',
} as const;

/**
 * The name that Rancher's UI gives a virtual GPU: a placeholder, Harvester puts the device's own
 * in.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue updateVGpu
 */
export const VGPU_PLACEHOLDER = 'provisioned';

/**
 * Annotations of a MachineDeployment that bound autoscaling, and the only way to do so before
 * Rancher 2.13.
 * @see kubernetes/autoscaler:cluster-autoscaler/cloudprovider/clusterapi/clusterapi_utils.go nodeGroupMinSizeAnnotationKey
 */
export const AUTOSCALER_MIN = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size';
export const AUTOSCALER_MAX = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';

/**
 * Annotations in `machineDeploymentAnnotations` of a pool that kubernetes/autoscaler reads with
 * `--cloud-provider=rancher`: the bounds, and what a node has, for a pool without machines. It reads
 * the resources only where all three are there, and sets `quantity` of the pool.
 * @see kubernetes/autoscaler:cluster-autoscaler/cloudprovider/rancher/rancher_provider.go minSizeAnnotation, rancher_nodegroup.go parseResourceAnnotations
 */
export const RANCHER_AUTOSCALER = {
  MIN: 'cluster.provisioning.cattle.io/autoscaler-min-size',
  MAX: 'cluster.provisioning.cattle.io/autoscaler-max-size',
  CPU: 'cluster.provisioning.cattle.io/autoscaler-resource-cpu',
  MEMORY: 'cluster.provisioning.cattle.io/autoscaler-resource-memory',
  EPHEMERAL_STORAGE: 'cluster.provisioning.cattle.io/autoscaler-resource-ephemeral-storage',
} as const;

/**
 * The longest name of a virtual machine and of a node.
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go getInstanceName
 */
export const MAX_MACHINE_NAME = 63;

/**
 * The least limit that Rancher takes for names of nodes.
 * @see rancher/rancher:pkg/capr/common.go MinimumHostnameLengthLimit
 */
export const MIN_MACHINE_NAME = 10;

/**
 * What Cluster API appends to `<cluster>-<pool>`: a machine set and a machine, five characters
 * each.
 */
export const MACHINE_NAME_SUFFIX = '-xxxxx-xxxxx';

// @see rancher/rancher:pkg/crds/names.go RKE2CRDs
const RKE = {
  group: 'rke.cattle.io',
  version: 'v1',
  scope: 'Namespaced',
  targets: ON_RANCHER_AND_HARVESTER,
  rank: 45,
} as const;

/**
 * HarvesterConfig, and the kinds that Rancher provisions machines by: the Rancher in a Harvester
 * provisions the Harvester itself by them.
 */
export const MACHINE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    group: GROUP_MACHINE_CONFIG,
    version: 'v1',
    kind: HARVESTER_CONFIG_KIND,
    scope: 'Namespaced',
    targets: ON_RANCHER,
    rank: 38,
    deletion: deletes(
      'Rancher deletes it with its Cluster; without it Rancher cannot create machines of the pool',
    ),
    stage: ({ vmNamespace }) => ({ stage: 'machine-configs', part: anyText(vmNamespace) }),
    writtenByOthers: [
      'metadata.annotations[field.cattle.io/creatorId]',
      'metadata.annotations[ownerBindingsCreated]',
      'metadata.ownerReferences',
      'cpuCount',
      'memorySize',
      'diskSize',
      'sshPort',
      'reservedMemorySize',
      'cpuPinning',
      'enableEfi',
      'enableSecureBoot',
      'enableTpm',
      'isolateEmulatorThread',
      'cloudConfig',
      'clusterId',
      'clusterName',
      'clusterType',
      'cpuModel',
      'diskBus',
      'diskInfo',
      'imageName',
      'keyPairName',
      'kubeconfigContent',
      'networkData',
      'networkInfo',
      'networkModel',
      'networkName',
      'networkType',
      'sshPassword',
      'sshPrivateKeyPath',
      'sshUser',
      'userData',
      'vgpuInfo',
      'vmAffinity',
      'vmNamespace',
    ],
    holds: [{ holds: 'machines', what: 'the definition of the machines of its pool' }],
    // @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go
    serverOwner: 'Cluster',
    power: {
      preparedBy: ['Standard User'],
      keeps: 'its creator may edit it, and so what runs in the machines of the pool',
    },
  },
  { ...RKE, kind: 'CustomMachine' },
  { ...RKE, kind: 'ETCDSnapshot' },
  { ...RKE, kind: 'RKEControlPlane' },
  { ...RKE, kind: 'RKECluster' },
];

/** A rule of an RBAC role. */
export interface DriverGrant {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The permissions that the Harvester node driver, and the cleanup of Rancher, need in the namespace
 * of the machines.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/client.go; rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go
 */
export const NODE_DRIVER_GRANTS: readonly DriverGrant[] = [
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachines'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstances'],
    verbs: ['get', 'list', 'watch'],
  },
  {
    apiGroups: ['subresources.kubevirt.io'],
    resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
    verbs: ['update'],
  },
  // the cloud-init of a machine, which is deleted with the machine
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  // driver 1.0.5 and later (Rancher 2.14) lists the volumes of a cluster before it deletes a
  // machine, and keeps the machine if it cannot
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'delete'] },
];

/**
 * The permissions to look up single objects by name, in any namespace, before the driver creates a
 * machine.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/precreate.go
 */
export const NODE_DRIVER_LOOKUP_RULES: readonly DriverGrant[] = [
  {
    apiGroups: ['harvesterhci.io'],
    resources: ['settings'],
    resourceNames: ['server-version'],
    verbs: ['get'],
  },
  {
    apiGroups: ['harvesterhci.io'],
    resources: ['virtualmachineimages', 'keypairs'],
    verbs: ['get'],
  },
  { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: ['get'] },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
];

/**
 * The permission that the CSI driver of a guest cluster needs from 0.2.7 on (chart 0.1.27), in the
 * namespace of the machines: it adds a volume to the VirtualMachine with a patch if Harvester is
 * 1.8 or later, or if it cannot read the version. ClusterRole `harvesterhci.io:csi-driver` has it
 * from Harvester 1.8.0 on.
 *
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM, pkg/utils/version.go; harvester/harvester#10548
 */
export const CSI_PATCH_RULES: readonly DriverGrant[] = [
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['patch'] },
];
