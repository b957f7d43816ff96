import { GateRow, rowsOf } from '../../core/version/feature-gate';
import { ProductVersion, versionParser, knownVersion } from '../../core/version/product-version';
import { Product } from '../../core/version/semver';

/** Harvester, also sold as SUSE Virtualization. */
export const HARVESTER_PRODUCT: Product = {
  id: 'harvester',
  name: 'Harvester',
  what: 'harvester version',
  example: '1.7.2',
  distributions: false,
  known: {
    first: '1.1',
    last: '1.9',
    source: 'harvester/harvester at the release tags, of 1.9 at v1.9.0-rc6',
    patches: { '1.4': 3, '1.5': 2, '1.6': 1, '1.7': 3, '1.8': 2 },
  },
};

/**
 * Features that depend on the version of Harvester. Each of its settings is one, too:
 * `FeatureGates.harvesterSetting`.
 */
export enum HarvesterGate {
  REGISTRATION_URL_JSON = 'registration-url-json',
  CLOUD_INIT_RESOURCE = 'cloud-init-resource',
  IMAGE_CLASS_BY_UID = 'image-class-by-uid',
  IMAGE_NAME_IS_LABEL = 'image-name-is-label',
  CPU_MANAGER = 'cpu-manager',
  NODE_AFFINITY = 'node-affinity',
  WORKLOAD_AFFINITY = 'workload-affinity',
  RKE1_GUESTS = 'rke1-guests',
  CLOUD_PROVIDER_V0_2 = 'cloud-provider-v0-2',
  CSI_CLUSTER_ROLE = 'csi-cluster-role',
  CSI_VOLUMES_RWX = 'csi-volumes-rwx',
  CSI_SNAPSHOTS = 'csi-snapshots',
  CSI_BACKUPS = 'csi-backups',
  CSI_MACHINE_PATCH = 'csi-machine-patch',
  IMAGE_BACKEND_CDI = 'image-backend-cdi',
  IMAGE_CRYPTO = 'image-crypto',
  IMAGE_DISPLAY_NAME_LABEL = 'image-display-name-label',
  VOLUME_SHARED = 'volume-shared',
  VOLUME_CLASS_FIXED = 'volume-class-fixed',
  SHAREABLE_DISK_CHECKED = 'shareable-disk-checked',
  CLAIM_CLASS_CHECKED = 'claim-class-checked',
  CPU_MANAGER_TERM_FIXED = 'cpu-manager-term-fixed',
  SUPPORT_BUNDLE_FIXED = 'support-bundle-fixed',
  FS_FREEZE_DEADLINE = 'fs-freeze-deadline',
  BACKUP_TYPE_FIXED = 'backup-type-fixed',
  VOLUME_REMOTE_BACKUP = 'volume-remote-backup',
  LVM_ADDON_KEPT_IN_USE = 'lvm-addon-kept-in-use',
  DEVICE_ADDON_KEPT_IN_USE = 'device-addon-kept-in-use',
  MAINTENANCE_STRATEGY_CHECKED = 'maintenance-strategy-checked',
  NODE_JOIN_BLOCKED = 'node-join-blocked',
  ADDON_DELETION_REFUSED = 'addon-deletion-refused',
  VCLUSTER_GLOBAL_HOSTNAME = 'vcluster-global-hostname',
  STORAGE_ACCESS_MODES_ASKED = 'storage-access-modes-asked',
  VLAN_CONFIG_LABEL_CHECKED = 'vlan-config-label-checked',
  CLUSTER_NETWORK_MUST_EXIST = 'cluster-network-must-exist',
  SYSTEM_NETWORK_FIXED = 'system-network-fixed',
  NETWORK_TRUNK = 'network-trunk',
  NETWORK_OVERLAY = 'network-overlay',
  OVERLAY_BINDING_BY_SUBNET = 'overlay-binding-by-subnet',
  VM_PERSISTENT_STATE = 'vm-persistent-state',
  EMPTY_CD_ROM = 'empty-cd-rom',
  CPU_MEMORY_HOTPLUG = 'cpu-memory-hotplug',
  STATIC_ADDRESSES = 'static-addresses',
  VM_FILESYSTEMS = 'vm-filesystems',
  HOST_NETWORK_CONFIG = 'host-network-config',
  STORAGE_VLAN_EXCLUSIVE = 'storage-vlan-exclusive',
  LOAD_BALANCER_NETWORK = 'load-balancer-network',
  LOAD_BALANCER_LOOSE_POOLS = 'load-balancer-loose-pools',
  LOAD_BALANCER_IPAM_FIXED = 'load-balancer-ipam-fixed',
  LONGHORN_STATIC_RESERVED = 'longhorn-static-reserved',
  VMSTATE_PERSISTENCE_RESERVED = 'vmstate-persistence-reserved',
  MEMORY_ASKED = 'memory-asked',
  GUEST_MEMORY_CHECKED = 'guest-memory-checked',
  SOCKETS_LIMITED = 'sockets-limited',
  MAC_ADDRESS_GENERATED = 'mac-address-generated',
  VGPU_IS_HOST_DEVICE = 'vgpu-is-host-device',
}

/**
 * A version of Harvester, such as `1.7.2`: the value of the Setting `server-version`, with or
 * without its leading v.
 *
 * @see https://github.com/harvester/harvester/releases
 */
export class HarvesterVersion extends ProductVersion {
  /**
   * Parses a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.7.2`, `v1.7.2`, `v1.8.0-dev.1`
   */
  public static readonly parse = versionParser((version) => new HarvesterVersion(version));

  private constructor(version: string) {
    super(HARVESTER_PRODUCT, version);
  }
}

/** The version of Harvester on a target, if known. */
export function harvesterVersionOf({
  harvesterVersion,
}: {
  readonly harvesterVersion?: string;
}): HarvesterVersion | undefined {
  return knownVersion(HarvesterVersion.parse, harvesterVersion);
}

const ADDON_VALIDATOR = 'harvester/harvester pkg/webhook/resources/addon/validator.go';
const harvester = rowsOf(HARVESTER_PRODUCT);

/** What Harvester's version decides, its settings aside. Not exported by the folder. */
export const HARVESTER_GATES: readonly GateRow[] = [
  // Two lines although 1.8.0 comes after 1.7.2: pre-releases of 1.8.0 were not read, and the plain
  // form works everywhere.
  harvester(
    HarvesterGate.REGISTRATION_URL_JSON,
    ['1.7.2', '1.8.0'],
    'the JSON form of the setting cluster-registration-url',
    'harvester/harvester pkg/settings/settings_helper.go (CVE-2025-71261); seen on Harvester 1.7.2',
  ),
  harvester(
    HarvesterGate.CLOUD_INIT_RESOURCE,
    ['1.3.0'],
    'the resource CloudInit of node.harvesterhci.io',
    'harvester/docs advanced/cloudinitcrd.md',
    { hint: 'write the file to /oem on every node' },
  ),
  harvester(
    HarvesterGate.IMAGE_CLASS_BY_UID,
    ['1.8.0'],
    'a storage class of an image named lh-<uid> in place of longhorn-<image>',
    'harvester/harvester v1.8.0',
  ),
  harvester(
    HarvesterGate.IMAGE_NAME_IS_LABEL,
    ['1.9.0'],
    'the rule that displayName of an image is a label value',
    'harvester/harvester pkg/image/common/validator.go CheckDisplayName, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.NODE_AFFINITY,
    ['1.0.3'],
    'an affinity of guest machines to Harvester nodes',
    'harvester/docs rancher/node/node-driver.md',
  ),
  harvester(
    HarvesterGate.WORKLOAD_AFFINITY,
    ['1.2.0'],
    'an affinity of guest machines to other virtual machines',
    'harvester/docs rancher/node/node-driver.md',
  ),
  harvester(HarvesterGate.RKE1_GUESTS, [], 'an RKE1 guest cluster', 'harvester/docs v1.6', {
    until: ['1.6.0'],
  }),
  harvester(
    HarvesterGate.CLOUD_PROVIDER_V0_2,
    ['1.2.0'],
    'the cloud provider chart 0.2.2 and later',
    'harvester/docs rancher/cloud-provider.md, backward compatibility notice',
  ),
  harvester(
    HarvesterGate.CSI_CLUSTER_ROLE,
    ['1.2.2'],
    'the ClusterRole harvesterhci.io:csi-driver',
    'harvester/harvester deploy/charts/harvester/templates/rbac.yaml at the release tags',
  ),
  harvester(
    HarvesterGate.CSI_VOLUMES_RWX,
    ['1.4.0'],
    'ReadWriteMany volumes in guest clusters (CSI chart 0.1.20)',
    'harvester/docs rancher/csi-driver.md',
  ),
  harvester(
    HarvesterGate.CSI_SNAPSHOTS,
    ['1.7.0'],
    'volume snapshots in guest clusters (CSI chart 0.1.25)',
    'harvester/docs rancher/csi-driver.md',
  ),
  harvester(
    HarvesterGate.CSI_BACKUPS,
    ['1.8.0'],
    'volume backups in guest clusters (CSI chart 0.1.28)',
    'harvester/docs rancher/csi-driver.md',
  ),
  harvester(
    HarvesterGate.CSI_MACHINE_PATCH,
    ['1.8.0'],
    'the permission to patch virtual machines in ClusterRole harvesterhci.io:csi-driver',
    'harvester/harvester deploy/charts/harvester/templates/rbac.yaml at the release tags; harvester#10548',
  ),
  harvester(
    HarvesterGate.IMAGE_BACKEND_CDI,
    ['1.5.0'],
    'the backend of an image, and so images outside of Longhorn v1',
    'harvester/harvester v1.5.0 pkg/apis/harvesterhci.io/v1beta1/image.go',
  ),
  harvester(
    HarvesterGate.IMAGE_CRYPTO,
    ['1.4.0'],
    'an image that is encrypted or decrypted from another',
    'harvester/docs v1.4 image/image-security.md',
  ),
  harvester(
    HarvesterGate.IMAGE_DISPLAY_NAME_LABEL,
    ['1.7.3', '1.8.2', '1.9.0'],
    'the displayName of an image as a label that its webhook writes, so that a second one of that name is refused',
    'harvester/harvester pkg/webhook/resources/virtualmachineimage/mutator.go at the release tags',
  ),
  harvester(
    HarvesterGate.VOLUME_SHARED,
    ['1.7.0'],
    'a volume that several virtual machines have as a shareable disk',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkOccupiedPVCs, at the release tags',
  ),
  harvester(
    HarvesterGate.VOLUME_CLASS_FIXED,
    ['1.7.0'],
    'the rule that the volumes of a virtual machine keep their storage classes',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkPVCsStorageRequestsAndClass, at the release tags',
  ),
  harvester(
    HarvesterGate.FS_FREEZE_DEADLINE,
    ['1.9.0'],
    'fsFreezeDeadline of a VirtualMachineBackup, and the refusal of backups of shareable disks',
    'harvester/harvester pkg/webhook/resources/virtualmachinebackup/validator.go, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.BACKUP_TYPE_FIXED,
    ['1.9.0'],
    'the rule that the type of a VirtualMachineBackup is immutable',
    'harvester/harvester deploy/charts/harvester-crd harvesterhci.io_virtualmachinebackups.yaml, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.LVM_ADDON_KEPT_IN_USE,
    ['1.9.0'],
    'the rule that the add-on harvester-csi-driver-lvm is disabled after everything that uses it is deleted',
    `${ADDON_VALIDATOR} validateDisableLVMAddon, in v1.9.0-rc6, not in v1.8.2`,
  ),
  harvester(
    HarvesterGate.DEVICE_ADDON_KEPT_IN_USE,
    ['1.8.0'],
    'the rule that the add-ons of devices are disabled after virtual machines have none of them',
    `${ADDON_VALIDATOR} validatePCIDevicesControllerAddon, in v1.8.0, not in v1.7.3-rc1`,
  ),
  harvester(
    HarvesterGate.MAINTENANCE_STRATEGY_CHECKED,
    ['1.8.0'],
    'the rule that the maintenance strategy of a virtual machine is a known one',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkMaintenanceModeStrategyIsValid, in v1.8.0, not in v1.7.3-rc1',
  ),
  harvester(
    HarvesterGate.NODE_JOIN_BLOCKED,
    ['1.9.0'],
    'the rule that no node joins during an upgrade',
    'harvester/harvester pkg/webhook/resources/node/validator.go Create, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.ADDON_DELETION_REFUSED,
    ['1.7.0'],
    'the rule that an add-on without the label addon.harvesterhci.io/experimental is not deleted',
    `${ADDON_VALIDATOR} Delete, at the release tags`,
  ),
  harvester(
    HarvesterGate.VCLUSTER_GLOBAL_HOSTNAME,
    ['1.7.0'],
    'an add-on rancher-vcluster with its host name below global',
    `${ADDON_VALIDATOR} validateVClusterAddon, at the release tags`,
  ),
  harvester(
    HarvesterGate.STORAGE_ACCESS_MODES_ASKED,
    ['1.6.0'],
    'the rule that a StorageClass of a driver that CDI does not know gives its access modes',
    'harvester/harvester pkg/webhook/resources/storageclass/validator.go validateCDIAnnotations, at the release tags',
  ),
  harvester(
    HarvesterGate.VLAN_CONFIG_LABEL_CHECKED,
    ['1.9.0'],
    'the rule that the label of a VlanConfig names its cluster network',
    'harvester/network-controller-harvester pkg/webhook/vlanconfig/validator.go at the release tags',
  ),
  harvester(
    HarvesterGate.CLUSTER_NETWORK_MUST_EXIST,
    ['1.6.1'],
    'the rule that the cluster network of a VlanConfig or network exists before it',
    'harvester/network-controller-harvester pkg/webhook/vlanconfig/validator.go at the release tags',
  ),
  harvester(
    HarvesterGate.SYSTEM_NETWORK_FIXED,
    ['1.9.0'],
    'the rule that the networks of the settings storage-network and rwx-network are immutable',
    'harvester/network-controller-harvester pkg/webhook/nad/validator.go checkSystemNetwork, in v1.9.0-rc1, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.NETWORK_TRUNK,
    ['1.7.0'],
    'a network of several VLANs (L2VlanTrunkNetwork)',
    'harvester/network-controller-harvester pkg/utils/nad.go at the release tags',
  ),
  harvester(
    HarvesterGate.NETWORK_OVERLAY,
    ['1.6.0'],
    'an overlay network (add-on kubeovn-operator)',
    'harvester/docs v1.6 networking/harvester-network.md',
  ),
  harvester(
    HarvesterGate.OVERLAY_BINDING_BY_SUBNET,
    ['1.8.0'],
    'the binding of NICs on overlay networks by their Subnet (managedtap with DHCP, otherwise a bridge)',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding at the release tags',
  ),
  harvester(
    HarvesterGate.VOLUME_REMOTE_BACKUP,
    ['1.8.0'],
    'VolumeRemoteBackup and VolumeRemoteRestore',
    'harvester/harvester deploy/charts/harvester-crd/templates/harvesterhci.io_volumeremotebackups.yaml at the release tags',
    { hint: 'upgrade Harvester, or back up the virtual machine' },
  ),
  harvester(
    HarvesterGate.HOST_NETWORK_CONFIG,
    ['1.8.0'],
    'HostNetworkConfig',
    'harvester/network-controller-harvester pkg/webhook/hostnetworkconfig at the release tags',
    { hint: 'upgrade Harvester, or write network configuration to the nodes with NodeCloudInit' },
  ),
  harvester(
    HarvesterGate.STORAGE_VLAN_EXCLUSIVE,
    ['1.9.0'],
    'the rule that the exclusive VLAN of the storage network carries no other network',
    'harvester/network-controller-harvester pkg/webhook/nad/validator.go checkVlanOverlapWithSN, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.LOAD_BALANCER_NETWORK,
    ['1.9.0'],
    'a network of its own for a load balancer of a guest cluster with a pool',
    'harvester/load-balancer-harvester pkg/webhook/loadbalancer/mutator.go of the branch v1.9, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.LOAD_BALANCER_LOOSE_POOLS,
    ['1.7.0'],
    'an IP pool that names a namespace only, for load balancers of guest clusters',
    'harvester/load-balancer-harvester pkg/ipam/selector.go of Harvester 1.7.0, absent from 1.6.1',
  ),
  harvester(
    HarvesterGate.LOAD_BALANCER_IPAM_FIXED,
    ['1.4.0'],
    'the rule that a load balancer keeps its ipam and workloadType',
    'harvester/load-balancer-harvester pkg/webhook/loadbalancer/validator.go v0.4.3',
  ),
  harvester(
    HarvesterGate.VM_PERSISTENT_STATE,
    ['1.5.0'],
    'a TPM and EFI variables of a virtual machine that are kept when it stops',
    'harvester/harvester deploy/charts/harvester/values.yaml vmStateStorageClass, in v1.5.0, not in v1.4.3',
  ),
  harvester(
    HarvesterGate.CPU_MEMORY_HOTPLUG,
    ['1.6.0'],
    'hotplug of CPUs and memory of a virtual machine',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch, in v1.6.0, not in v1.5.2',
  ),
  harvester(
    HarvesterGate.STATIC_ADDRESSES,
    ['1.9.0'],
    'a static address of a virtual machine in an overlay network',
    'harvester/harvester pkg/webhook/resources/virtualmachineinstance/mutator.go generateKubeOVNStaticIPPatch, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.VM_FILESYSTEMS,
    ['1.8.0'],
    'a file system of a ConfigMap, Secret or ServiceAccount in a virtual machine',
    'harvester/harvester deploy/charts/harvester/values.yaml EnableVirtioFsConfigVolumes, in v1.8.0, not in v1.7.2',
  ),
  harvester(
    HarvesterGate.EMPTY_CD_ROM,
    ['1.8.0'],
    'an empty CD-ROM drive, into which an image is inserted while the virtual machine runs',
    'harvester/harvester pkg/util/virtualmachine/virtualmachine.go SupportInsertCdRomVolume, in v1.8.0, not in v1.7.0',
  ),
  harvester(
    HarvesterGate.SHAREABLE_DISK_CHECKED,
    ['1.9.0'],
    'the rule that a shareable disk is a ReadWriteMany block volume that is not of Longhorn, without cache, and does not boot',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkShareableVolumes, in v1.9.0-rc4 and later, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.SUPPORT_BUNDLE_FIXED,
    ['1.6.0'],
    'the refusal of a change of a SupportBundle',
    'harvester/harvester pkg/webhook/resources/supportbundle/validator.go, in v1.6.0, not in v1.5.2',
  ),
  harvester(
    HarvesterGate.CLAIM_CLASS_CHECKED,
    ['1.9.0'],
    'the rule that the first claims of a live virtual machine have StorageClasses that exist',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkStorageClassesExist, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.CPU_MANAGER_TERM_FIXED,
    ['1.9.0'],
    'the rule that only Harvester writes the key cpumanager of a node affinity',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged, in v1.9.0-rc6, not in v1.8.2',
  ),
  harvester(
    HarvesterGate.CPU_MANAGER,
    ['1.4.0'],
    'the CPU manager, which pinned CPUs need',
    'harvester/harvester v1.4.0',
  ),
  harvester(
    HarvesterGate.LONGHORN_STATIC_RESERVED,
    ['1.7.0'],
    'the rule that no volume has the StorageClass longhorn-static',
    'harvester/harvester pkg/webhook/resources/persistentvolumeclaim/validator.go, in v1.7.0, not in v1.6.1',
  ),
  harvester(
    HarvesterGate.VMSTATE_PERSISTENCE_RESERVED,
    ['1.8.0'],
    'the rule that only KubeVirt creates volumes of the StorageClass vmstate-persistence',
    'harvester/harvester pkg/webhook/resources/persistentvolumeclaim/validator.go validateInternalUsage, in v1.8.0, not in v1.7.2',
  ),
  harvester(
    HarvesterGate.MEMORY_ASKED,
    ['1.7.0'],
    'the rule that a virtual machine has a memory limit or guest memory',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkEmptyMemory, in v1.7.0, not in v1.6.1',
  ),
  harvester(
    HarvesterGate.GUEST_MEMORY_CHECKED,
    ['1.6.0'],
    'the rule that guest memory and reserved memory are at most the limit',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkReservedMemoryAnnotation, in v1.6.0, not in v1.5.2',
  ),
  harvester(
    HarvesterGate.SOCKETS_LIMITED,
    ['1.6.1'],
    'one socket for each virtual machine without hotplug',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch, in v1.6.1 to v1.8.2, not in v1.6.0 and v1.9.0-rc6; harvester/harvester#10757',
    { until: ['1.9.0'] },
  ),
  harvester(
    HarvesterGate.MAC_ADDRESS_GENERATED,
    ['1.7.0'],
    'a MAC address that Harvester generates for each NIC without one',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress, in v1.7.0, not in v1.6.1',
  ),
  harvester(
    HarvesterGate.VGPU_IS_HOST_DEVICE,
    ['1.8.0'],
    'a virtual GPU as a host device',
    'harvester/pcidevices pkg/webhook/vm.go convertGPUsToHostDevices, in v1.8.0, not in v1.7.0; harvester/harvester v1.8.0 pkg/builder/device.go',
  ),
];
