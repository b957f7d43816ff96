import { Duration, Size } from 'cdk8s';
import { Toleration } from '../../../core/manifest/taint';
import type { IGuestCluster } from '../../../guest/parts/guest-cluster-ref';
import { ICloudInitSecret } from '../../cloud-init/cloud-init-secret';
import type { IDeviceClaim } from '../../device/device-claim';
import { NamespacedHarvesterResourceProps } from '../../harvester-resource';
import { IKeyPair } from '../../key-pair/key-pair';
import { MachineProps } from '../../machine/machine-props';
import { OsType } from '../../machine/os-type';

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
  /**
   * The VM runs, and restarts, as with `Always`: the field `running: true` of manifests for Harvester
   * before 1.4, for a VM that exists.
   */
  RUNNING = 'running',
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

/** Who created a virtual machine, by the label `harvesterhci.io/creator`. */
export enum VmCreator {
  /** A program: the VM and its instance have the label `harvester`. */
  PROGRAM = 'harvester',
  /**
   * Harvester's UI: only the VM has the label `harvester`, so that `VmSelector.any` does not find
   * its instance.
   */
  HARVESTER_UI = 'harvester-ui',
  /** Terraform: the VM and its instance have the label `terraform-provider-harvester`. */
  TERRAFORM = 'terraform-provider-harvester',
  /**
   * A manifest without these labels, e.g. one that was written by hand. Its instance lists SSH keys
   * only if there are any.
   */
  NONE = 'none',
}

/**
 * A device of a host that is passed through to a virtual machine, by its claim, or by its names.
 * The VM cannot migrate, and all of its devices are on one node.
 */
export interface VmHostDevice {
  /**
   * The claim of the device: a PciDeviceClaim or a UsbDeviceClaim. The VM waits for it.
   * @default - the device that `name` and `deviceName` describe
   */
  readonly claim?: IDeviceClaim;
  /**
   * The name of the PCIDevice or USBDevice, e.g. `node1-000004000`, which identifies the device.
   * Unique within the VM.
   * @default - that of the claim
   */
  readonly name?: string;
  /**
   * The resource name of this type of device, `<vendor>/<type>`, e.g.
   * `nvidia.com/GP104GL_TESLA_P4`.
   * @default - that of the claim
   */
  readonly deviceName?: string;
}

/** The bus that connects an input device to a virtual machine. */
export enum InputBus {
  /** An emulated USB device. */
  USB = 'usb',
  /** A paravirtualized device. */
  VIRTIO = 'virtio',
}

/** An input device of a virtual machine, of the type tablet. */
export interface VmInput {
  /** The name of the device, unique within the VM. */
  readonly name: string;
  /** The bus. @default InputBus.USB */
  readonly bus?: InputBus;
}

/** The form of the disk from which cloud-init reads its data. */
export enum CloudInitDrive {
  /** The data source NoCloud, which cloud images read. */
  NO_CLOUD = 'cloudInitNoCloud',
  /** A config drive of OpenStack, which e.g. cloudbase-init of Windows reads. */
  CONFIG_DRIVE = 'cloudInitConfigDrive',
}

/**
 * A credential that the guest agent of a running virtual machine sets, also after the first boot.
 */
export class VmAccessCredential {
  /**
   * SSH keys that may log in.
   *
   * @param secretName the name of a Secret in the namespace of the VM, whose values are public keys
   */
  public static sshKeys(secretName: string, users: string[]): VmAccessCredential {
    return new VmAccessCredential({
      sshPublicKey: {
        source: { secret: { secretName } },
        propagationMethod: { qemuGuestAgent: { users } },
      },
    });
  }

  /**
   * Passwords of users.
   *
   * @param secretName the name of a Secret in the namespace of the VM, which contains a password for each key, the name of a user
   */
  public static passwords(secretName: string): VmAccessCredential {
    return new VmAccessCredential({
      userPassword: {
        source: { secret: { secretName } },
        propagationMethod: { qemuGuestAgent: {} },
      },
    });
  }

  declare private readonly nominal: true;

  private constructor(/** @internal */ public readonly _rendered: object) {}
}

/**
 * A file system that the guest mounts by virtiofs: `mount -t virtiofs <name> /mnt`. Harvester 1.8.0
 * and later.
 */
export class VmFilesystem {
  /**
   * The keys of a ConfigMap as files.
   *
   * @param name the name that the guest mounts, unique among the disks and file systems of the VM
   * @param configMapName a ConfigMap in the namespace of the VM
   */
  public static configMap(name: string, configMapName: string): VmFilesystem {
    return new VmFilesystem(name, { configMap: { name: configMapName } });
  }

  /**
   * The keys of a Secret as files.
   *
   * @param name the name that the guest mounts, unique among the disks and file systems of the VM
   * @param secretName a Secret in the namespace of the VM
   */
  public static secret(name: string, secretName: string): VmFilesystem {
    return new VmFilesystem(name, { secret: { secretName } });
  }

  /**
   * The token of a ServiceAccount, for the API of the Harvester.
   *
   * @param name the name that the guest mounts, unique among the disks and file systems of the VM
   * @param serviceAccountName a ServiceAccount in the namespace of the VM
   */
  public static serviceAccount(name: string, serviceAccountName: string): VmFilesystem {
    return new VmFilesystem(name, { serviceAccount: { serviceAccountName } });
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _name: string,
    /** @internal */ public readonly _source: object,
  ) {}
}

/** How far the CPUs and the memory of a virtual machine can grow while it runs. */
export interface VmHotplug {
  /**
   * The most CPUs: at least `cpus`. The UI proposes four times as many, the ratio of the setting
   * `max-hotplug-ratio`. A change takes effect at the next start.
   */
  readonly maxCpus: number;
  /**
   * The most memory: at least `memory`, in steps of 2 MiB. A change takes effect at the next start.
   */
  readonly maxMemory: Size;
}

/**
 * The CPU and memory of a virtual machine by the fields of KubeVirt. Harvester writes the requests, and
 * the memory of the guest, of a VM with limits.
 */
export interface VmResources {
  /** The limit of CPU, in CPUs. @default - no limit */
  readonly cpuLimit?: number;
  /** The limit of memory. @default - no limit */
  readonly memoryLimit?: Size;
  /** The CPU that the scheduler reserves, in CPUs. @default - no request */
  readonly cpuRequest?: number;
  /** The memory that the scheduler reserves. @default - no request */
  readonly memoryRequest?: Size;
  /** The memory that the guest sees. @default - not set */
  readonly guestMemory?: Size;
}

/** Values that keep an existing virtual machine unchanged when you adopt it. */
export interface AdoptedVirtualMachine {
  /**
   * Whether the VM has nothing but its props, as one whose manifest was written by hand: without the
   * labels, boot orders, input device, CPU topology, model and MAC address of NICs, ACPI, eviction
   * strategy, and run strategy annotation that Harvester's UI adds. Harvester then chooses the MAC
   * addresses.
   * @default false
   */
  readonly asWritten?: boolean;
  /**
   * Who created the VM: its labels are kept. Cannot be combined with
   * guestCluster.
   * @default - VmCreator.PROGRAM; VmCreator.NONE with asWritten
   */
  readonly createdBy?: VmCreator;
  /**
   * The name of the Secret that holds cloudInit, networkData and sshKeys; Harvester's UI
   * names it `<VM>-` and five characters.
   * @default - `<name>-cloudinit`
   */
  readonly cloudInitSecretName?: string;
  /**
   * The name of the disk from which cloud-init reads its data.
   * @default - `cloudinitdisk`, as in the UI
   */
  readonly cloudInitDiskName?: string;
}

/** What a VirtualMachine and a version of a template of virtual machines have in common. */
export interface VmSpecProps extends MachineProps {
  /**
   * A Secret with user data, in the namespace of the VM. It replaces cloudInit and networkData, and
   * contains the sshKeys.
   * @default - a Secret with cloudInit, networkData and sshKeys, if any is set
   */
  readonly cloudInitSecret?: ICloudInitSecret;
  /**
   * Whether cloudInit and networkData are in the VirtualMachine itself instead of a Secret:
   * everyone who can read the VM can read them. Each has at most 2048 bytes. Harvester then only
   * shows the sshKeys: cloudInit must contain them.
   * @default false
   */
  readonly cloudInitInline?: boolean;
  /**
   * A Secret with network data of its own, in the namespace of the VM. Cannot be combined with
   * networkData.
   * @default - the network data is in the Secret of the user data, if there is any
   */
  readonly networkDataSecret?: ICloudInitSecret;
  /** The form of the disk from which cloud-init reads its data. @default CloudInitDrive.NO_CLOUD */
  readonly cloudInitDrive?: CloudInitDrive;
  /**
   * Credentials that the guest agent sets, also after the first boot: the guest must run one that
   * permits it.
   * @default - only those of cloud-init
   */
  readonly accessCredentials?: VmAccessCredential[];
  /**
   * File systems of ConfigMaps, Secrets and ServiceAccounts. Harvester 1.8.0 and later.
   * @default - no file systems
   */
  readonly filesystems?: VmFilesystem[];
  /**
   * The name of a Secret with the answer file for the setup of Windows, key `autounattend.xml` or
   * `unattend.xml`, in the namespace of the VM. Windows reads it from a CD-ROM.
   * @default - no answer file
   */
  readonly sysprepSecretName?: string;
  /**
   * SSH keys that may log in, added to cloudInit as the UI does. Keys of `KeyPair.fromName` are
   * late values. With cloudInitSecret, Harvester only shows them: the Secret must contain them.
   * @default - no keys
   */
  readonly sshKeys?: IKeyPair[];
  /**
   * How far `cpus` and `memory` can grow while the VM runs. Each CPU is then a socket, as in the
   * UI, and `memory`, of at least 1 GiB, is all for the guest.
   * A VM that grows migrates to another host. Less CPUs or memory take effect at the next start.
   * Needs a host with x86. Harvester 1.6.0 and later.
   * @default - a change of cpus or memory takes effect at the next start
   */
  readonly hotplug?: VmHotplug;
  /**
   * The number of sockets that the guest sees. `cpus` must be a multiple of sockets times threads.
   * Not with hotplug, where each CPU is a socket.
   * @default 1
   */
  readonly cpuSockets?: number;
  /** The number of threads that the guest sees in each core. @default 1 */
  readonly cpuThreads?: number;
  /**
   * The limits and requests, for a VM whose manifest was written by hand. `cpus` and `memory` then only
   * set the number of cores. Not with hotplug.
   * @default - a limit of `cpus` and `memory`, from which Harvester derives the others
   */
  readonly resources?: VmResources;
  /** When the VM runs. @default VmRunStrategy.RERUN_ON_FAILURE */
  readonly runStrategy?: VmRunStrategy;
  /** The host name of the guest. @default - the name of the VirtualMachine */
  readonly hostname?: string;
  /**
   * Whether the content of the TPM is kept when the VM stops, e.g. keys of BitLocker. Requires tpm.
   * Harvester 1.5.0 and later.
   * @default false
   */
  readonly tpmPersistent?: boolean;
  /**
   * Whether EFI variables are kept when the VM stops, e.g. boot entries. Requires efi. Harvester
   * 1.5.0 and later.
   * @default false
   */
  readonly efiPersistent?: boolean;
  /** The QEMU machine type, e.g. `q35`. @default - KubeVirt decides */
  readonly machineType?: string;
  /** The input devices, of the type tablet. @default - `tablet` on USB, as in the UI */
  readonly inputs?: VmInput[];
  /** PCI and USB devices of the host. @default - no devices */
  readonly hostDevices?: VmHostDevice[];
  /** Labels that the host must have, all of them. @default - any host */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The taints that the host may have. @default - hosts without taints */
  readonly tolerations?: Toleration[];
  /**
   * The name of the PriorityClass of the VM's pod.
   * @default - the priority class of the KubeVirt configuration, otherwise of the cluster
   */
  readonly priorityClassName?: string;
  /**
   * How KubeVirt handles the VM when its node is drained.
   * @default VmEvictionStrategy.LIVE_MIGRATE_IF_POSSIBLE
   */
  readonly evictionStrategy?: VmEvictionStrategy;
  /**
   * How Harvester handles the VM when its host enters maintenance mode.
   * @default VmMaintenanceStrategy.MIGRATE
   */
  readonly maintenanceStrategy?: VmMaintenanceStrategy;
  /**
   * How long the guest may take to shut down, in whole seconds.
   * @default - the setting default-vm-termination-grace-period-seconds
   */
  readonly terminationGracePeriod?: Duration;
  /** The operating system that the UI shows. @default - not set */
  readonly osType?: OsType;
  /** Tags: labels with the prefix `tag.harvesterhci.io/`. @default - no tags */
  readonly tags?: { readonly [key: string]: string };
  /**
   * Additional labels of the VM's instance, which load balancers and affinities select by.
   * @default - only those of Harvester
   */
  readonly instanceLabels?: { readonly [key: string]: string };
  /**
   * Additional annotations of the VM's instance, without that of `sshKeys`.
   * @default - only those of Harvester
   */
  readonly instanceAnnotations?: { readonly [key: string]: string };
  /** Whether the guest has ACPI. @default - true; KubeVirt decides with `adopted.asWritten` */
  readonly acpi?: boolean;
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedVirtualMachine;
}

/** Properties of a virtual machine. */
export interface VirtualMachineProps extends NamespacedHarvesterResourceProps, VmSpecProps {
  /**
   * The guest cluster whose node this VM is, e.g. a CustomCluster. The VM and its instance get the
   * labels by which the cloud provider and Harvester identify the cluster. The VM waits for the
   * cluster, with which it registers at its first boot.
   * @default - the VM is not a node of a cluster of the program
   */
  readonly guestCluster?: IGuestCluster;
}
