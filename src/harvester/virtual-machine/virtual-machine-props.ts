import { Duration, Size } from 'cdk8s';
import { INamespace } from '../../core/app/target';
import type { IGuestCluster } from '../../guest/cluster/guest-cluster-ref';
import type { InterfaceModel } from '../../guest/machine-pool/machine-devices';
import type { VmAffinity } from '../../guest/machine-pool/vm-affinity';
import { CloudInit } from '../cloud-init/cloud-init';
import { ICloudInitSecret } from '../cloud-init/cloud-init-secret';
import { NetworkData } from '../cloud-init/network-data';
import { IKeyPair } from '../key-pair/key-pair';
import { IVmNetwork } from '../network/vm-network';
import { VmDisk } from '../storage/volume';

/**
 * Options of a network card.
 */
export interface VmNicOptions {
  /**
   * The name of the card, an RFC 1123 label, once in a machine.
   * @default - `nic-<place>`, from 0; `default` for the management network, as the UI has it
   */
  readonly name?: string;
  /** The card that the machine sees. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /**
   * The hardware address, e.g. `52:54:00:12:34:56`; of an even first number, and once on a cluster network. Set it for a machine that is there
   * already where a GitOps engine applies the manifests.
   * @default - a locally administered address, derived from the target, the machine, and the name or network of the card: always the same
   */
  readonly macAddress?: string;
  /** The place in the order of devices that the machine tries to start from, from 1. @default - it does not start from it */
  readonly bootOrder?: number;
  /**
   * Whether KubeVirt binds the card by `managedtap` instead of a bridge, which DHCP of an overlay network needs: for an `OverlayNetwork` whose Subnet has
   * `enableDHCP`. Harvester 1.6.0 and later. From 1.8.0 on, Harvester itself exchanges the two by what the Subnet says, at every write: set it to
   * what Harvester decides, so that a GitOps engine sees no difference.
   * @default false
   * @see https://github.com/harvester/harvester/blob/v1.8.0/pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding
   */
  readonly managedTap?: boolean;
}

/**
 * A network card of a virtual machine.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNic {
  /**
   * A card in a network of virtual machines, by a bridge.
   *
   * @param network on the same Harvester
   */
  public static network(network: IVmNetwork, options: VmNicOptions = {}): VmNic {
    return new VmNic(options, network);
  }

  /**
   * A card in the management network, behind the address of the host's pod: the machine reaches out, and others reach it through Services only. One
   * card of a machine may be it.
   */
  public static management(options: VmNicOptions = {}): VmNic {
    return new VmNic(options);
  }

  private constructor(/** @internal */ public readonly _options: VmNicOptions, /** @internal */ public readonly _network?: IVmNetwork) {}
}

/** When a virtual machine runs. */
export enum VmRunStrategy {
  /** It is started, and again when it fails; when it is shut down from within, it stays down. */
  RERUN_ON_FAILURE = 'RerunOnFailure',
  /** It runs: when it is shut down from within, it is started again. */
  ALWAYS = 'Always',
  /** It does not run. */
  HALTED = 'Halted',
  /** People start and stop it. */
  MANUAL = 'Manual',
  /** It runs once, and is not started again. */
  ONCE = 'Once',
}

/** What becomes of a virtual machine when its host goes into maintenance. */
export enum VmMaintenanceStrategy {
  /** It migrates to another host. */
  MIGRATE = 'Migrate',
  /** It is shut down, and started on another host. */
  SHUTDOWN_AND_RESTART_AFTER_ENABLE = 'ShutdownAndRestartAfterEnable',
  /** It is shut down, and started when the maintenance is over. */
  SHUTDOWN_AND_RESTART_AFTER_DISABLE = 'ShutdownAndRestartAfterDisable',
  /** It is shut down. */
  SHUTDOWN = 'Shutdown',
}

/** What becomes of a virtual machine when its node is drained. */
export enum VmEvictionStrategy {
  /** It migrates where it can, and is shut down where it can not. */
  LIVE_MIGRATE_IF_POSSIBLE = 'LiveMigrateIfPossible',
  /** It migrates; where it can not, the drain waits. */
  LIVE_MIGRATE = 'LiveMigrate',
  /** It is shut down. */
  NONE = 'None',
}

/**
 * A device of a host that a virtual machine has to itself: it must be enabled there, by the add-on pcidevices-controller. The machine can not
 * migrate.
 */
export interface VmHostDevice {
  /** The name of the PCIDevice, or of the VGPUDevice, e.g. `node1-000004000`: it names the device itself. Once in a machine. */
  readonly name: string;
  /** The resource that devices of its kind are, `<vendor>/<type>`, e.g. `nvidia.com/GP104GL_TESLA_P4`. */
  readonly deviceName: string;
}

/**
 * A device that people point with.
 */
export interface VmInput {
  /** The name of the device, once in a machine. */
  readonly name: string;
  /** The bus: `usb` or `virtio`. @default 'usb' */
  readonly bus?: string;
}

/**
 * Properties of a virtual machine.
 */
export interface VirtualMachineProps {
  /** How many processors it has: a whole number from 1. */
  readonly cpus: number;
  /** How much memory it takes; the guest gets less by `reservedMemory`. Whole MiB. */
  readonly memory: Size;
  /** Its disks, one at least; the first is the one that it starts from. */
  readonly disks: VmDisk[];
  /** Its network cards. @default - one in the management network */
  readonly nics?: VmNic[];

  /** What it does at its first start. @default - nothing; with sshKeys, they are let in and qemu-guest-agent is installed */
  readonly cloudInit?: CloudInit;
  /** How it configures its network cards at its first start. @default - as the image has it */
  readonly networkData?: NetworkData;
  /** A Secret with user data, in the namespace of the machine; in place of cloudInit, networkData and sshKeys. @default - one is made of these */
  readonly cloudInitSecret?: ICloudInitSecret;
  /** Keys that may log in, put into cloudInit as the UI does. Those of `KeyPair.fromName` are late values. @default - none */
  readonly sshKeys?: IKeyPair[];

  /** When it runs. @default VmRunStrategy.RERUN_ON_FAILURE */
  readonly runStrategy?: VmRunStrategy;
  /** Its host name. @default - the name of the VirtualMachine */
  readonly hostname?: string;
  /**
   * The guest cluster that it is a node of, e.g. a CustomCluster: it and its instance get the labels by which the cloud provider and Harvester know
   * whose it is, and it waits for the cluster, which it registers with at its first start.
   * @default - it is no node of a cluster of the program
   */
  readonly guestCluster?: IGuestCluster;
  /**
   * The name of the provisioning Cluster that it is a node of, for one that the program does not declare.
   * @default - it is no node
   */
  readonly guestClusterName?: string;

  /** Memory of it that is kept for QEMU, in whole MiB. @default - 100 MiB, or what Harvester's settings say */
  readonly reservedMemory?: Size;
  /** The model of its processors, e.g. `host-passthrough`. @default - as KubeVirt decides */
  readonly cpuModel?: string;
  /** Whether it has processors of a host to itself. A host needs its CPU manager enabled. @default false */
  readonly cpuPinning?: boolean;
  /** Whether QEMU has a processor of its own beside; needs cpuPinning. @default false */
  readonly isolateEmulatorThread?: boolean;
  /** The type of machine, e.g. `q35`. @default - as KubeVirt decides */
  readonly machineType?: string;
  /** Whether it starts by EFI rather than BIOS. @default false */
  readonly efi?: boolean;
  /** Whether it starts signed systems only; needs efi. @default false */
  readonly secureBoot?: boolean;
  /** Whether it has a TPM. @default false */
  readonly tpm?: boolean;
  /** Devices that people point with, of the type tablet. @default - `tablet` on USB, as the UI has it */
  readonly inputs?: VmInput[];
  /** PCI devices of a host. @default - none */
  readonly hostDevices?: VmHostDevice[];
  /** Virtual GPUs. @default - none */
  readonly gpus?: VmHostDevice[];

  /** Labels that its host has, all of them. @default - any host */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The hosts that it runs on. @default - any; a node of a guest cluster is apart from other machines where possible, as those of the node driver */
  readonly affinity?: VmAffinity;
  /** What becomes of it when its node is drained. @default VmEvictionStrategy.LIVE_MIGRATE_IF_POSSIBLE */
  readonly evictionStrategy?: VmEvictionStrategy;
  /** What becomes of it when its host goes into maintenance. @default VmMaintenanceStrategy.MIGRATE */
  readonly maintenanceStrategy?: VmMaintenanceStrategy;
  /** How long it may take to shut down: whole seconds. @default - the setting default-vm-termination-grace-period-seconds */
  readonly terminationGracePeriod?: Duration;

  /** The name of the VirtualMachine, an RFC 1123 label. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Its operating system as the UI knows it, e.g. `linux`, `ubuntu`, `windows`. @default - none */
  readonly osType?: string;
  /** Tags: labels with `tag.harvesterhci.io/` before them. @default - none */
  readonly tags?: { readonly [key: string]: string };
  /** Further labels of the VirtualMachine. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
  /** Further labels of its instance, by which load balancers and affinities find it. @default - only those of Harvester */
  readonly instanceLabels?: { readonly [key: string]: string };
}
