import { Duration, Size } from 'cdk8s';
import type { IGuestCluster } from '../../guest/cluster/guest-cluster-ref';
import type { InterfaceModel } from '../../guest/machine-pool/machine-pool';
import type { VmAffinity } from '../../guest/machine-pool/vm-affinity';
import { CloudInit } from '../cloud-init/cloud-init';
import { ICloudInitSecret } from '../cloud-init/cloud-init-secret';
import { NetworkData } from '../cloud-init/network-data';
import { NamespacedHarvesterResourceProps } from '../harvester-resource';
import { IKeyPair } from '../key-pair/key-pair';
import { IVmNetwork } from '../network/vm-network';
import { VmDisk } from '../storage/volume';

/** Options of a NIC. */
export interface VmNicOptions {
  /**
   * The name of the NIC: an RFC 1123 label, unique within the VM.
   * @default - `nic-<index>`, from 0; `default` for the management network, as in the UI
   */
  readonly name?: string;
  /** The emulated hardware of the NIC. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /**
   * The MAC address, e.g. `52:54:00:12:34:56`. The first number must be even, and the address unique on its cluster network. Set it for a VM that
   * exists already if a GitOps engine applies the manifests.
   * @default - a locally administered address, always the same: derived from the target, the VM, and the name or network of the NIC
   */
  readonly macAddress?: string;
  /** The position in the boot order of the VM's devices, from 1. @default - the VM does not boot from this NIC */
  readonly bootOrder?: number;
  /**
   * Whether KubeVirt binds the NIC by `managedtap` instead of a bridge. DHCP of an overlay network needs it: set it for an `OverlayNetwork` whose
   * Subnet has `enableDHCP`. Harvester 1.6.0 and later. From 1.8.0 on, Harvester itself picks the binding by the Subnet at every write: set the
   * same one, so that a GitOps engine sees no difference.
   * @default false
   * @see https://github.com/harvester/harvester/blob/v1.8.0/pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding
   */
  readonly managedTap?: boolean;
}

/** A network interface of a virtual machine. @see https://docs.harvesterhci.io/latest/networking/harvester-network */
export class VmNic {
  /**
   * A NIC in a VM network, bound by a bridge.
   *
   * @param network the VM network, on the same Harvester
   */
  public static network(network: IVmNetwork, options: VmNicOptions = {}): VmNic {
    return new VmNic(options, network);
  }

  /**
   * A NIC in the management network, behind the address of the VM's pod: the VM can open connections, but is reachable only through Services. A VM
   * can have at most one such NIC.
   */
  public static management(options: VmNicOptions = {}): VmNic {
    return new VmNic(options);
  }

  private constructor(/** @internal */ public readonly _options: VmNicOptions, /** @internal */ public readonly _network?: IVmNetwork) {}
}

/** When a virtual machine runs: the run strategies of KubeVirt. */
export enum VmRunStrategy {
  /** The VM runs, and restarts if it fails. After a shutdown from within, it remains off. */
  RERUN_ON_FAILURE = 'RerunOnFailure',
  /** The VM runs, and restarts also after a shutdown from within. */
  ALWAYS = 'Always',
  /** The VM is off. */
  HALTED = 'Halted',
  /** Users start and stop the VM. */
  MANUAL = 'Manual',
  /** The VM runs once, and does not restart. */
  ONCE = 'Once',
}

/** How Harvester handles a virtual machine when its host enters maintenance mode. */
export enum VmMaintenanceStrategy {
  /** The VM migrates to another host. */
  MIGRATE = 'Migrate',
  /** The VM shuts down, and starts on another host once maintenance mode is enabled. */
  SHUTDOWN_AND_RESTART_AFTER_ENABLE = 'ShutdownAndRestartAfterEnable',
  /** The VM shuts down, and starts once maintenance mode is disabled. */
  SHUTDOWN_AND_RESTART_AFTER_DISABLE = 'ShutdownAndRestartAfterDisable',
  /** The VM shuts down. */
  SHUTDOWN = 'Shutdown',
}

/** How KubeVirt handles a virtual machine when its node is drained. */
export enum VmEvictionStrategy {
  /** The VM migrates if it can, and shuts down otherwise. */
  LIVE_MIGRATE_IF_POSSIBLE = 'LiveMigrateIfPossible',
  /** The VM migrates. If it cannot, the drain waits. */
  LIVE_MIGRATE = 'LiveMigrate',
  /** The VM shuts down. */
  NONE = 'None',
}

/** A device of a host that is passed through to a virtual machine. The add-on pcidevices-controller must have enabled it. The VM cannot migrate. */
export interface VmHostDevice {
  /** The name of the PCIDevice or VGPUDevice, e.g. `node1-000004000`, which identifies the device. Unique within the VM. */
  readonly name: string;
  /** The resource name of this type of device, `<vendor>/<type>`, e.g. `nvidia.com/GP104GL_TESLA_P4`. */
  readonly deviceName: string;
}

/** An input device of a virtual machine, of the type tablet. */
export interface VmInput {
  /** The name of the device, unique within the VM. */
  readonly name: string;
  /** The bus: `usb` or `virtio`. @default 'usb' */
  readonly bus?: string;
}

/** Properties of a virtual machine. */
export interface VirtualMachineProps extends NamespacedHarvesterResourceProps {
  /** The number of CPU cores: a whole number of 1 or more. */
  readonly cpus: number;
  /** The memory limit, in whole MiB. The guest gets `reservedMemory` less. */
  readonly memory: Size;
  /** The disks, at least one. The VM boots from the first. */
  readonly disks: VmDisk[];
  /** The network interfaces. @default - one in the management network */
  readonly nics?: VmNic[];

  /** The user data that cloud-init runs at the first boot. @default - no user data; with sshKeys, the keys and an install of qemu-guest-agent */
  readonly cloudInit?: CloudInit;
  /** The network configuration that cloud-init applies at the first boot. @default - the default of the image */
  readonly networkData?: NetworkData;
  /** A Secret with user data, in the namespace of the VM. It replaces cloudInit, networkData and sshKeys. @default - a Secret made from these */
  readonly cloudInitSecret?: ICloudInitSecret;
  /** SSH keys that may log in, added to cloudInit as the UI does. Keys of `KeyPair.fromName` are late values. @default - no keys */
  readonly sshKeys?: IKeyPair[];

  /** When the VM runs. @default VmRunStrategy.RERUN_ON_FAILURE */
  readonly runStrategy?: VmRunStrategy;
  /** The host name of the guest. @default - the name of the VirtualMachine */
  readonly hostname?: string;
  /**
   * The guest cluster whose node this VM is, e.g. a CustomCluster. The VM and its instance get the labels by which the cloud provider and Harvester
   * identify the cluster. The VM waits for the cluster, with which it registers at its first boot.
   * @default - the VM is not a node of a cluster of the program
   */
  readonly guestCluster?: IGuestCluster;
  /** The name of the provisioning Cluster whose node this VM is, if the program does not declare that cluster. @default - the VM is not a node */
  readonly guestClusterName?: string;

  /** The part of the memory that is reserved for QEMU, in whole MiB. @default - 100 MiB, unless a Harvester setting changes it */
  readonly reservedMemory?: Size;
  /** The CPU model, e.g. `host-passthrough`. @default - KubeVirt decides */
  readonly cpuModel?: string;
  /** Whether the VM gets dedicated CPUs. The host must have its CPU manager enabled. @default false */
  readonly cpuPinning?: boolean;
  /** Whether QEMU gets one more dedicated CPU. Requires cpuPinning. @default false */
  readonly isolateEmulatorThread?: boolean;
  /** The QEMU machine type, e.g. `q35`. @default - KubeVirt decides */
  readonly machineType?: string;
  /** Whether the VM boots with EFI instead of BIOS. @default false */
  readonly efi?: boolean;
  /** Whether the VM boots only signed systems. Requires efi. @default false */
  readonly secureBoot?: boolean;
  /** Whether the VM has a TPM. @default false */
  readonly tpm?: boolean;
  /** The input devices, of the type tablet. @default - `tablet` on USB, as in the UI */
  readonly inputs?: VmInput[];
  /** PCI devices of the host. @default - no PCI devices */
  readonly hostDevices?: VmHostDevice[];
  /** Virtual GPUs of the host. @default - no vGPUs */
  readonly gpus?: VmHostDevice[];

  /** Labels that the host must have, all of them. @default - any host */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The hosts that the VM may run on. @default - any host; nodes of one guest cluster are spread where possible, as the node driver does */
  readonly affinity?: VmAffinity;
  /** How KubeVirt handles the VM when its node is drained. @default VmEvictionStrategy.LIVE_MIGRATE_IF_POSSIBLE */
  readonly evictionStrategy?: VmEvictionStrategy;
  /** How Harvester handles the VM when its host enters maintenance mode. @default VmMaintenanceStrategy.MIGRATE */
  readonly maintenanceStrategy?: VmMaintenanceStrategy;
  /** How long the guest may take to shut down, in whole seconds. @default - the setting default-vm-termination-grace-period-seconds */
  readonly terminationGracePeriod?: Duration;

  /** The operating system that the UI shows, e.g. `linux`, `ubuntu`, `windows`. @default - not set */
  readonly osType?: string;
  /** Tags: labels with the prefix `tag.harvesterhci.io/`. @default - no tags */
  readonly tags?: { readonly [key: string]: string };
  /** Additional labels of the VM's instance, which load balancers and affinities select by. @default - only those of Harvester */
  readonly instanceLabels?: { readonly [key: string]: string };
}
