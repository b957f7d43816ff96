import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isRecord,
  Manifest,
  records,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { filledText, plainText } from '../../core/text/plain-text';
import { jsonOf } from '../../core/text/values';

/**
 * Names that Harvester reads from, or writes to, virtual machines and their volumes, each with its
 * source.
 */

/** The API of virtual machines. */
export const API_KUBEVIRT = 'kubevirt.io/v1';
export const GROUP_KUBEVIRT = 'kubevirt.io';
export const KIND_VIRTUAL_MACHINE = 'VirtualMachine';
export const KIND_INSTANCE = 'VirtualMachineInstance';

/**
 * Annotation of a claim: the image that it is created from, `<namespace>/<name>`.
 * @see harvester/harvester:pkg/util/constants.go AnnotationImageID
 */
export const ANNOTATION_IMAGE_ID = 'harvesterhci.io/imageId';

/**
 * Annotation of a VirtualMachine: the claims of its volumes, as JSON.
 * @see harvester/harvester:pkg/util/constants.go AnnotationVolumeClaimTemplates
 */
export const ANNOTATION_VOLUME_CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

/**
 * Annotation of a claim: it is for a virtual machine, so that CDI fills a claim with a file system.
 * @see harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/mutator.go patchDataSource
 */
export const ANNOTATION_VOLUME_FOR_VM = 'harvesterhci.io/volumeForVirtualMachine';

/**
 * Annotation of a VirtualMachine: the names of claims that are deleted with it, separated by
 * commas.
 * @see harvester/harvester:pkg/util/constants.go RemovedPVCsAnnotationKey
 */
export const ANNOTATION_REMOVED_CLAIMS = 'harvesterhci.io/removedPersistentVolumeClaims';

/**
 * Annotation of a claim: Terraform deletes it with the VM. Harvester does not read it.
 * @see harvester/terraform-provider-harvester:pkg/constants/constants_virtualmachine.go AnnotationDiskAutoDelete
 */
export const ANNOTATION_AUTO_DELETE = 'terraform-provider-harvester-auto-delete';

/**
 * Annotation of a VirtualMachine: memory that is reserved for QEMU.
 * @see harvester/harvester:pkg/util/constants.go AnnotationReservedMemory
 */
export const ANNOTATION_RESERVED_MEMORY = 'harvesterhci.io/reservedMemory';

/**
 * Annotation of a VirtualMachine: CPU and memory can be added while it runs.
 * @see harvester/harvester:pkg/util/constants.go (1.6.0)
 */
export const ANNOTATION_HOTPLUG = 'harvesterhci.io/enableCPUAndMemoryHotplug';

/**
 * Annotation of a VirtualMachine: the runStrategy that it gets when it leaves Halted, regardless of
 * the manifest.
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchRunStrategy
 */
export const ANNOTATION_RUN_STRATEGY = 'harvesterhci.io/vmRunStrategy';

/** The runStrategy of a VM that leaves Halted without that annotation. */
export const DEFAULT_RUN_STRATEGY = 'RerunOnFailure';

/**
 * Annotation of the template: the KeyPairs, as JSON.
 * @see harvester/harvester:pkg/builder/vm.go AnnotationKeyVirtualMachineSSHNames
 */
export const ANNOTATION_SSH_NAMES = 'harvesterhci.io/sshNames';

/**
 * Annotations that the server writes: MAC addresses, IP addresses, devices.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js
 */
export const ANNOTATION_MAC_ADDRESS = 'harvesterhci.io/mac-address';
export const ANNOTATION_NETWORK_IPS = 'network.harvesterhci.io/ips';
export const ANNOTATION_DEVICES = 'harvesterhci.io/deviceAllocationDetails';
export const ANNOTATION_INSUFFICIENT = 'harvesterhci.io/insufficient-resource-quota';

/**
 * Label of the template: the name of the VM.
 * @see harvester/harvester:pkg/builder/vm.go LabelKeyVirtualMachineName
 */
export const LABEL_VM_NAME = 'harvesterhci.io/vmName';

/**
 * The creator of VMs that are not nodes of a guest cluster, as the UI writes it.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js
 */
export const CREATOR_HARVESTER = 'harvester';

/**
 * The creator of VMs of the Terraform provider.
 * @see harvester/terraform-provider-harvester:internal/provider/virtualmachine/resource_virtualmachine_constructor.go vmCreator
 */
export const CREATOR_TERRAFORM = 'terraform-provider-harvester';

/**
 * Label of a VirtualMachine: its operating system, for the UI.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js
 */
export const LABEL_OS = 'harvesterhci.io/os';

/**
 * The prefix of labels that Terraform and the UI show as tags.
 * @see harvester/harvester:pkg/builder/vm.go LabelPrefixHarvesterTag
 */
export const TAG_PREFIX = 'tag.harvesterhci.io/';

/**
 * Label of a VirtualMachine: how Harvester handles it when its host enters maintenance mode.
 * @see harvester/harvester:pkg/util/constants.go LabelMaintainModeStrategy
 */
export const LABEL_MAINTENANCE = 'harvesterhci.io/maintain-mode-strategy';

/**
 * The values of that label.
 * @see harvester/harvester:pkg/util/constants.go MaintainModeStrategy…
 */
export const MAINTENANCE_STRATEGIES: readonly string[] = [
  'Migrate',
  'ShutdownAndRestartAfterEnable',
  'ShutdownAndRestartAfterDisable',
  'Shutdown',
];

/** The volume of cloud-init. @see harvester/docker-machine-driver-harvester:harvester/create.go */
export const CLOUD_INIT_VOLUME = 'cloudinitdisk';

/**
 * The CD-ROM with the answer file of Windows.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js parseDiskRows
 */
export const SYSPREP_VOLUME = 'sysprep';

/**
 * The name of the NIC in the management network, as in the UI, and the prefix of the names of
 * others.
 */
export const NIC_MANAGEMENT = 'default';
export const NIC_PREFIX = 'nic-';

/**
 * Annotation of a VirtualMachine: the address of a NIC in an overlay network.
 * @see harvester/harvester:pkg/util/constants.go StaticIPAnnotationKeyPrefix (1.9.0)
 */
export const STATIC_ADDRESS_PREFIX = 'static-ip.harvesterhci.io/';

/**
 * The network binding plugin of KubeVirt that lets DHCP of an overlay network reach a VM.
 * @see harvester/harvester:deploy/charts/harvester/values.yaml (1.6.0)
 */
export const BINDING_MANAGED_TAP = 'managedtap';

/** The kinds that rules on virtual machines judge. */
export const MACHINE_KINDS = [`${GROUP_KUBEVIRT}/${KIND_VIRTUAL_MACHINE}`];

/** The validator that rules on virtual machines follow. */
export const VM_VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go';

/**
 * Whether an object is on a Harvester: KubeVirt runs on other clusters too, without what Harvester
 * adds.
 */
export const isHarvesters = ({
  target,
}: {
  readonly target: { readonly kind?: string };
}): boolean => target.kind === 'harvester';

/** The spec of a VM's instance. */
export function instanceOf(machine: Manifest): { readonly [field: string]: unknown } {
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  return isRecord(instance) ? instance : {};
}

/**
 * Whether CPU and memory of a VM can be added while it runs.
 * @see harvester/harvester:pkg/util/virtualmachine/virtualmachine.go SupportCPUAndMemoryHotplug (1.6.0)
 */
export function isHotplug(machine: Manifest): boolean {
  return plainText(annotationsOf(machine)[ANNOTATION_HOTPLUG]).toLowerCase() === 'true';
}

/** A NIC, and its network. */
export interface ManifestNic {
  readonly index: number;
  readonly name: string;
  readonly mac?: string;
  /** The address that the machine had first, by the annotation that Harvester reads. */
  readonly observedMac?: string;
  /**
   * `<namespace>/<name>` of a NetworkAttachmentDefinition. Harvester reads a name alone as one in
   * `default`.
   */
  readonly network?: string;
  /** Whether the NIC is in the management network, behind the address of the pod. */
  readonly isPod: boolean;
}

/** The NICs of a VM. */
export function nicsIn(machine: Manifest): ManifestNic[] {
  const instance = instanceOf(machine);
  const networks = new Map(
    records(instance.networks).map(([, network]) => [network.name, network]),
  );
  const observed = jsonOf(annotationsOf(machine)[ANNOTATION_MAC_ADDRESS]);
  return records(instance, 'domain', 'devices', 'interfaces').map(
    ([index, { name, macAddress }]) => {
      const found = networks.get(name);
      const network = filledText(valueAt(found, 'multus', 'networkName'));
      const known = network !== undefined && !isLate(network) ? network : undefined;
      return {
        index,
        name: filledText(name) ?? '',
        mac: filledText(macAddress)?.toLowerCase(),
        observedMac: filledText(valueAt(observed, plainText(name)))?.toLowerCase(),
        isPod: isRecord(valueAt(found, 'pod')),
        network: known === undefined || known.includes('/') ? known : `default/${known}`,
      };
    },
  );
}

/** The volume of cloud-init: that of the UI, otherwise the last one, where constructs write it. */
export function cloudInitVolumeOf(
  machine: Manifest,
): { readonly [field: string]: unknown } | undefined {
  const volumes = records(instanceOf(machine).volumes).map(([, volume]) => volume);
  const last = volumes.at(-1);
  return (
    volumes.find(({ name }) => name === CLOUD_INIT_VOLUME) ??
    (last && ('cloudInitNoCloud' in last || 'cloudInitConfigDrive' in last) ? last : undefined)
  );
}

/** A claim from which Harvester creates a volume, in the terms of the annotation. */
export interface ClaimTemplate {
  readonly name: string;
  readonly imageId?: string;
  readonly storageClassName?: string;
  readonly size?: unknown;
  readonly accessModes?: unknown;
  /** The claim to which Harvester 1.8 and later migrate the data. */
  readonly targetVolume?: string;
}

/** The path of the claims in a manifest. */
export const CLAIMS_PATH = `metadata.annotations[${ANNOTATION_VOLUME_CLAIMS}]`;

/** The input of a claim, in the order of the UI's keys. */
export interface ClaimFields {
  readonly name: string;
  readonly imageId?: string;
  readonly accessMode: string;
  readonly storage: string;
  readonly volumeMode: string;
  readonly storageClassName?: string;
}

/**
 * The claims as the annotation holds them: compact JSON with the keys in the order of Harvester's
 * UI.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js parseVolumeClaimTemplate
 */
export function printClaims(claims: readonly ClaimFields[]): string {
  return JSON.stringify(
    claims.map(({ name, imageId, accessMode, storage, volumeMode, storageClassName }) => ({
      metadata: {
        name,
        ...(imageId === undefined ? {} : { annotations: { [ANNOTATION_IMAGE_ID]: imageId } }),
      },
      spec: {
        accessModes: [accessMode],
        resources: { requests: { storage } },
        volumeMode,
        ...(storageClassName === undefined ? {} : { storageClassName }),
      },
    })),
  );
}

/** The claims of a VM: an empty list if there are none, or if they cannot be read. */
export function claimsOf(machine: Manifest): readonly ClaimTemplate[] {
  return readClaims(machine).claims ?? [];
}

/** The claims of a VM, or what Harvester answers to their text. */
export function readClaims(machine: Manifest): {
  readonly claims?: readonly ClaimTemplate[];
  readonly says?: string;
} {
  const text = annotationsOf(machine)[ANNOTATION_VOLUME_CLAIMS];
  if (typeof text !== 'string' || text === '') {
    return {};
  }
  const list = jsonOf(text);
  // a late text is checked once it is known
  if (list === undefined) {
    return isLate(text) ? {} : { says: 'invalid character' };
  }
  if (list === null) {
    return {};
  }
  if (!Array.isArray(list)) {
    return { says: 'json: cannot unmarshal into Go value of type []*v1.PersistentVolumeClaim' };
  }
  if (list.some((claim) => !isRecord(claim))) {
    return { says: 'json: cannot unmarshal into Go value of type v1.PersistentVolumeClaim' };
  }
  const claims = list.map((claim) => templateOf(claim));
  return claims.some(({ name }) => name === '') ? { says: 'PVC name is required' } : { claims };
}

function templateOf(claim: unknown): ClaimTemplate {
  const [name, storageClassName, imageId, targetVolume] = [
    valueAt(claim, 'metadata', 'name'),
    valueAt(claim, 'spec', 'storageClassName'),
    valueAt(claim, 'metadata', 'annotations', ANNOTATION_IMAGE_ID),
    valueAt(claim, 'targetVolume'),
  ];
  return {
    name: filledText(name) ?? '',
    imageId: filledText(imageId),
    storageClassName: filledText(storageClassName),
    size: valueAt(claim, 'spec', 'resources', 'requests', 'storage'),
    accessModes: valueAt(claim, 'spec', 'accessModes'),
    targetVolume: filledText(targetVolume),
  };
}

/** The names of a VM's volumes that are claims, in the order of the volumes. */
export function claimNamesOf(machine: Manifest): string[] {
  return itemsAt(machine, 'spec', 'template', 'spec', 'volumes').flatMap((volume) => {
    const name = valueAt(volume, 'persistentVolumeClaim', 'claimName');
    return typeof name === 'string' && name !== '' && !isLate(name) ? [name] : [];
  });
}

/** The claims that are deleted with a VM. */
export function removedClaimsOf(machine: Manifest): string[] {
  const text = annotationsOf(machine)[ANNOTATION_REMOVED_CLAIMS];
  if (typeof text === 'string') {
    return text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  }
  return [];
}
