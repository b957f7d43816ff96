/** Names that Harvester reads from, or writes to, virtual machines and their volumes, each with its source. */

/** The API of virtual machines. */
export const API_KUBEVIRT = 'kubevirt.io/v1';
export const GROUP_KUBEVIRT = 'kubevirt.io';
export const KIND_VIRTUAL_MACHINE = 'VirtualMachine';

/** Annotation of a claim: the image that it is created from, `<namespace>/<name>`. @see harvester/harvester:pkg/util/constants.go AnnotationImageID */
export const ANNOTATION_IMAGE_ID = 'harvesterhci.io/imageId';

/** Annotation of a VirtualMachine: the claims of its volumes, as JSON. @see harvester/harvester:pkg/util/constants.go AnnotationVolumeClaimTemplates */
export const ANNOTATION_VOLUME_CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

/**
 * Annotation of a claim: it is for a virtual machine, so that CDI fills a claim with a file system.
 * @see harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/mutator.go patchDataSource
 */
export const ANNOTATION_VOLUME_FOR_VM = 'harvesterhci.io/volumeForVirtualMachine';

/**
 * Annotation of a VirtualMachine: the names of claims that are deleted with it, separated by commas.
 * @see harvester/harvester:pkg/util/constants.go RemovedPVCsAnnotationKey
 */
export const ANNOTATION_REMOVED_CLAIMS = 'harvesterhci.io/removedPersistentVolumeClaims';

/** Annotation of a VirtualMachine: memory that is reserved for QEMU. @see harvester/harvester:pkg/util/constants.go AnnotationReservedMemory */
export const ANNOTATION_RESERVED_MEMORY = 'harvesterhci.io/reservedMemory';

/** Annotation of a VirtualMachine: CPU and memory can be added while it runs. @see harvester/harvester:pkg/util/constants.go (1.6.0) */
export const ANNOTATION_HOTPLUG = 'harvesterhci.io/enableCPUAndMemoryHotplug';

/**
 * Annotation of a VirtualMachine: the runStrategy that it gets when it leaves Halted, regardless of the manifest.
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchRunStrategy
 */
export const ANNOTATION_RUN_STRATEGY = 'harvesterhci.io/vmRunStrategy';

/** The runStrategy of a VM that leaves Halted without that annotation. */
export const DEFAULT_RUN_STRATEGY = 'RerunOnFailure';

/** Annotation of the template: the KeyPairs, as JSON. @see harvester/harvester:pkg/builder/vm.go AnnotationKeyVirtualMachineSSHNames */
export const ANNOTATION_SSH_NAMES = 'harvesterhci.io/sshNames';

/**
 * Annotations that the server writes: MAC addresses, IP addresses, devices.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js
 */
export const ANNOTATION_MAC_ADDRESS = 'harvesterhci.io/mac-address';
export const ANNOTATION_NETWORK_IPS = 'network.harvesterhci.io/ips';
export const ANNOTATION_DEVICES = 'harvesterhci.io/deviceAllocationDetails';
export const ANNOTATION_INSUFFICIENT = 'harvesterhci.io/insufficient-resource-quota';

/** Label of the template: the name of the VM. @see harvester/harvester:pkg/builder/vm.go LabelKeyVirtualMachineName */
export const LABEL_VM_NAME = 'harvesterhci.io/vmName';

/**
 * The creator of VMs that are not nodes of a guest cluster, as the UI writes it.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js
 */
export const CREATOR_HARVESTER = 'harvester';

/** Label of a VirtualMachine: its operating system, for the UI. @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js */
export const LABEL_OS = 'harvesterhci.io/os';

/** The prefix of labels that Terraform and the UI show as tags. @see harvester/harvester:pkg/builder/vm.go LabelPrefixHarvesterTag */
export const TAG_PREFIX = 'tag.harvesterhci.io/';

/**
 * Label of a VirtualMachine: how Harvester handles it when its host enters maintenance mode.
 * @see harvester/harvester:pkg/util/constants.go LabelMaintainModeStrategy
 */
export const LABEL_MAINTENANCE = 'harvesterhci.io/maintain-mode-strategy';

/** The values of that label. @see harvester/harvester:pkg/util/constants.go MaintainModeStrategy… */
export const MAINTENANCE_STRATEGIES: readonly string[] = ['Migrate', 'ShutdownAndRestartAfterEnable', 'ShutdownAndRestartAfterDisable', 'Shutdown'];

/** The volume of cloud-init. @see harvester/docker-machine-driver-harvester:harvester/create.go */
export const CLOUD_INIT_VOLUME = 'cloudinitdisk';

/** The name of the NIC in the management network, as in the UI, and the prefix of the names of others. */
export const NIC_MANAGEMENT = 'default';
export const NIC_PREFIX = 'nic-';

/** The network binding plugin of KubeVirt that lets DHCP of an overlay network reach a VM. @see harvester/harvester:deploy/charts/harvester/values.yaml (1.6.0) */
export const BINDING_MANAGED_TAP = 'managedtap';
