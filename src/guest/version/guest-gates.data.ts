import { GateId, GateRow } from '../../core/version/feature-gate';
import { Product } from '../../core/version/semver';
import { RANCHER_PRODUCT } from '../../rancher/version/rancher-version';

/** Kubernetes of a guest cluster, with the release of its distribution (RKE2 or K3s). */
export const KUBERNETES_PRODUCT: Product = {
  id: 'kubernetes',
  name: 'Kubernetes',
  prefix: 'v',
  what: 'kubernetes version',
  example: 'v1.33.6+rke2r1',
  distributions: true,
  known: { first: '1.24', last: '1.36', source: 'rancher/rke2 and k3s-io/k3s at their tags' },
};

/** The machine driver by which Rancher creates virtual machines on Harvester. */
export const NODE_DRIVER_PRODUCT: Product = {
  id: 'node-driver', name: 'the Harvester node driver', what: 'node driver version', example: '1.0.6', distributions: false,
};

/** Features of guest clusters that depend on the version of Rancher or of the node driver. */
export enum GuestGate {
  // Rancher: guest clusters
  PROVISIONING_CLUSTER = 'provisioning-cluster',
  LOCAL_CLUSTER_AUTH_ENDPOINT = 'local-cluster-auth-endpoint',
  MACHINE_POOL_HEALTH = 'machine-pool-health',
  CERTIFICATE_ROTATION = 'certificate-rotation',
  DRAIN_BEFORE_DELETE_TIMEOUT = 'drain-before-delete-timeout',
  MACHINE_SELECTOR_FILES = 'machine-selector-files',
  POD_SECURITY_TEMPLATE = 'pod-security-template',
  MACHINE_POOL_DEFAULTS = 'machine-pool-defaults',
  STACK_PREFERENCE = 'stack-preference',
  DATA_DIRECTORIES = 'data-directories',
  STRUCTURAL_CLUSTER_DEFINITION = 'structural-cluster-definition',
  AUTOSCALING = 'autoscaling',
  ETCD_S3_RETENTION = 'etcd-s3-retention',
  MACHINE_POOL_USERDATA = 'machine-pool-userdata',
  VOLUMES_DELETED_WITH_CLUSTER = 'volumes-deleted-with-cluster',
  MACHINE_METADATA_IN_PLACE = 'machine-metadata-in-place',
  INGRESS_CONTROLLER_KEY = 'ingress-controller-key',
  RKE1 = 'rke1',
  VM_MULTIPLE_DISKS = 'vm-multiple-disks',
  VM_EFI = 'vm-efi',
  VM_VGPU = 'vm-vgpu',
  VM_CPU_PINNING = 'vm-cpu-pinning',
  VM_TPM = 'vm-tpm',
  VM_RESERVED_MEMORY = 'vm-reserved-memory',
  VM_CPU_MODEL = 'vm-cpu-model',
  VM_GUEST_LABELS = 'vm-guest-labels',
  VM_NODE_AFFINITY = 'vm-node-affinity',
  VM_WORKLOAD_AFFINITY = 'vm-workload-affinity',
  // the node driver
  DRIVER_MULTIPLE_DISKS = 'driver-multiple-disks',
  DRIVER_EFI = 'driver-efi',
  DRIVER_CPU_PINNING = 'driver-cpu-pinning',
  DRIVER_TPM = 'driver-tpm',
  DRIVER_GUEST_LABELS = 'driver-guest-labels',
  DRIVER_RESERVED_MEMORY = 'driver-reserved-memory',
  DRIVER_CPU_MODEL = 'driver-cpu-model',
}

const SCAN = 'scan of the Go types of provisioning.cattle.io and rke.cattle.io at every release tag of rancher/rancher';
const DRIVER = 'harvester/docker-machine-driver-harvester flags.go at its tags';
const DRIVER_OF = 'rancher/rancher pkg/data/management/machinedriver_data.go at the release tags';
const NODE_DRIVER_DOCS = 'harvester/docs rancher/node/node-driver.md';

function rancher(id: GateId, since: string[], what: string, rest: Partial<GateRow> = {}): GateRow {
  return { id, product: RANCHER_PRODUCT, since, what, source: SCAN, ...rest };
}

function machine(id: GateId, since: string[], what: string, first: string): GateRow {
  return rancher(id, since, what, { source: `${DRIVER_OF}: node driver ${first}` });
}

function driver(id: GateId, since: string, what: string): GateRow {
  return { id, product: NODE_DRIVER_PRODUCT, since: [since], what, source: DRIVER };
}

/** Features of guest clusters that depend on the version of Rancher or of the node driver. */
export const GUEST_GATES: readonly GateRow[] = [
  rancher(GuestGate.PROVISIONING_CLUSTER, ['2.6.0'], 'a provisioning Cluster with rkeConfig'),
  rancher(GuestGate.LOCAL_CLUSTER_AUTH_ENDPOINT, ['2.6.3'], 'localClusterAuthEndpoint'),
  rancher(GuestGate.MACHINE_POOL_HEALTH, ['2.6.4'], 'node start-up, unhealthy and drainBeforeDelete fields of a machine pool'),
  rancher(GuestGate.CERTIFICATE_ROTATION, ['2.6.4'], 'rotateCertificates and rotateEncryptionKeys'),
  rancher(GuestGate.DRAIN_BEFORE_DELETE_TIMEOUT, ['2.6.5'], 'drainBeforeDeleteTimeout'),
  rancher(GuestGate.MACHINE_SELECTOR_FILES, ['2.7.2'], 'machineSelectorFiles'),
  rancher(GuestGate.POD_SECURITY_TEMPLATE, ['2.7.2'], 'defaultPodSecurityAdmissionConfigurationTemplateName'),
  rancher(GuestGate.MACHINE_POOL_DEFAULTS, ['2.7.5'], 'machinePoolDefaults and hostnameLengthLimit'),
  rancher(GuestGate.STACK_PREFERENCE, ['2.8.0'], 'networking.stackPreference'),
  rancher(GuestGate.DATA_DIRECTORIES, ['2.9.0'], 'dataDirectories'),
  rancher(GuestGate.STRUCTURAL_CLUSTER_DEFINITION, ['2.12.0'], 'the structural definition of Cluster (machine pools merged by name)'),
  rancher(GuestGate.AUTOSCALING, ['2.13.0'], 'autoscalingMinSize and autoscalingMaxSize of a machine pool'),
  rancher(GuestGate.ETCD_S3_RETENTION, ['2.14.0'], 'retention of etcd snapshots in S3'),
  rancher(GuestGate.MACHINE_POOL_USERDATA, ['2.14.0'], 'userdata of a machine pool'),
  rancher(GuestGate.VOLUMES_DELETED_WITH_CLUSTER, ['2.11.0'], 'the deletion of the volumes that the machines of a deleted cluster have attached', {
    source: 'rancher/rancher pkg/controllers/provisioningv2/harvestercleanup at the release tags: absent from 2.10, in 2.11.0',
  }),
  rancher(GuestGate.MACHINE_METADATA_IN_PLACE, ['2.8.0'], 'a change of labels, annotations and drain timeouts of machines without replacing them', {
    confirmed: false, // the Cluster API version of earlier releases was not read
    source: 'kubernetes-sigs/cluster-api: in-place propagation of MachineDeployments, from 1.4 on',
  }),
  rancher(GuestGate.INGRESS_CONTROLLER_KEY, ['2.14.0'], 'the key ingress-controller as the dashboard writes it', {
    source: 'rancher/dashboard of Rancher 2.14; RKE2 releases with the traefik chart',
  }),
  rancher(GuestGate.RKE1, [], 'an RKE1 cluster', {
    until: ['2.12.0'], source: 'rancher/rancher chart/scripts/pre-upgrade-hook.sh',
  }),

  machine(GuestGate.VM_MULTIPLE_DISKS, ['2.6.11', '2.7.2'], 'a machine with several disks or networks (diskInfo, networkInfo)', '0.6.0'),
  machine(GuestGate.VM_EFI, ['2.7.11', '2.8.3', '2.9.0'], 'a machine with EFI or secure boot', '0.6.7'),
  machine(GuestGate.VM_VGPU, ['2.7.11', '2.8.3', '2.9.0'], 'a machine with a virtual GPU', '0.6.7'),
  machine(GuestGate.VM_CPU_PINNING, ['2.11.0'], 'a machine with pinned CPUs or an isolated emulator thread', '1.0.0'),
  machine(GuestGate.VM_TPM, ['2.11.0'], 'a machine with a TPM', '1.0.1'),
  machine(GuestGate.VM_GUEST_LABELS, ['2.11.0'], 'guest cluster labels on the virtual machines', '1.0.2'),
  machine(GuestGate.VM_RESERVED_MEMORY, ['2.12.0'], 'reservedMemorySize of a machine', '1.0.3'),
  machine(GuestGate.VM_CPU_MODEL, ['2.14.0'], 'cpuModel of a machine', '1.0.6'),

  rancher(GuestGate.VM_NODE_AFFINITY, ['2.6.7'], 'an affinity of machines to Harvester nodes', { source: NODE_DRIVER_DOCS }),
  rancher(GuestGate.VM_WORKLOAD_AFFINITY, ['2.7.6'], 'an affinity of machines to other virtual machines', { source: NODE_DRIVER_DOCS }),

  driver(GuestGate.DRIVER_MULTIPLE_DISKS, '0.6.0', 'a machine with several disks or networks (diskInfo, networkInfo)'),
  driver(GuestGate.DRIVER_EFI, '0.6.7', 'a machine with EFI, secure boot or a virtual GPU'),
  driver(GuestGate.DRIVER_CPU_PINNING, '1.0.0', 'a machine with pinned CPUs or an isolated emulator thread'),
  driver(GuestGate.DRIVER_TPM, '1.0.1', 'a machine with a TPM'),
  driver(GuestGate.DRIVER_GUEST_LABELS, '1.0.2', 'guest cluster labels on the virtual machines'),
  driver(GuestGate.DRIVER_RESERVED_MEMORY, '1.0.3', 'reservedMemorySize of a machine'),
  driver(GuestGate.DRIVER_CPU_MODEL, '1.0.6', 'cpuModel of a machine'),
];
