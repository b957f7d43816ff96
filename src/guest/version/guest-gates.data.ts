import { GuestGate } from './guest-gate';
import { NODE_DRIVER_PRODUCT } from './products';
import { GateId, GateRow } from '../../core/version/gate';
import { RANCHER_PRODUCT } from '../../rancher/version/rancher-version';

const SCAN = 'scan of the Go types of provisioning.cattle.io and rke.cattle.io at every release tag of rancher/rancher';
const DRIVER = 'harvester/docker-machine-driver-harvester flags.go at its tags';
const DRIVER_OF = 'rancher/rancher pkg/data/management/machinedriver_data.go at the release tags';
const NODE_DRIVER_DOCS = 'harvester/docs rancher/node/node-driver.md';

function rancher(id: GateId, since: string[], what: string, rest: Partial<GateRow> = {}): GateRow {
  return { id, product: RANCHER_PRODUCT, since, what, source: SCAN, ...rest };
}

function machine(id: GateId, since: string[], what: string, first: string, rest: Partial<GateRow> = {}): GateRow {
  return rancher(id, since, what, { source: `${DRIVER_OF}: node driver ${first}`, ...rest });
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
  rancher(GuestGate.MACHINE_METADATA_IN_PLACE, ['2.8.0'], 'a change of labels, annotations and drain timeouts of machines without replacing them', {
    confirmed: false, // the Cluster API version of earlier releases was not read
    source: 'kubernetes-sigs/cluster-api: in-place propagation of MachineDeployments, from 1.4 on',
  }),
  rancher(GuestGate.INGRESS_CONTROLLER_KEY, ['2.14.0'], 'the key ingress-controller as the dashboard writes it', {
    source: 'rancher/dashboard of Rancher 2.14; RKE2 releases with the traefik chart',
  }),
  rancher(GuestGate.RKE1, [], 'an RKE1 cluster', {
    until: ['2.12.0'], source: 'rancher/rancher chart/scripts/pre-upgrade-hook.sh', hint: 'use RKE2 or K3s',
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
