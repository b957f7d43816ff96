import { Duration, Size } from 'cdk8s';
import { Disk, MachineInterface, VGpu } from './machine-devices';
import { VmAffinity } from './vm-affinity';
import { SecretValue } from '../../core/late/secret-value';
import { CloudInit } from '../../harvester/cloud-init/cloud-init';
import { NetworkData } from '../../harvester/cloud-init/network-data';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';

/**
 * Which roles the nodes of a pool have.
 */
export interface MachineRolesProps {
  /** Whether they run the control plane. @default false */
  readonly controlPlane?: boolean;
  /** Whether they run etcd. An odd number of them over all pools keeps a quorum. @default false */
  readonly etcd?: boolean;
  /** Whether they run workloads. @default false */
  readonly worker?: boolean;
}

/**
 * The roles of the nodes of a pool. All pools of a cluster together need each role.
 */
export class MachineRoles {
  /** Control plane, etcd and workloads: for small clusters. */
  public static readonly ALL = new MachineRoles(true, true, true);
  /** Control plane and etcd. */
  public static readonly CONTROL_PLANE_ETCD = new MachineRoles(true, true, false);
  /** The control plane alone. */
  public static readonly CONTROL_PLANE = new MachineRoles(true, false, false);
  /** Etcd alone. */
  public static readonly ETCD = new MachineRoles(false, true, false);
  /** Workloads alone. */
  public static readonly WORKER = new MachineRoles(false, false, true);

  /**
   * Any set of roles.
   *
   * @param roles one at least
   */
  public static of(roles: MachineRolesProps): MachineRoles {
    return new MachineRoles(roles.controlPlane ?? false, roles.etcd ?? false, roles.worker ?? false);
  }

  private constructor(
    /** Whether the nodes run the control plane. */
    public readonly controlPlane: boolean,
    /** Whether the nodes run etcd. */
    public readonly etcd: boolean,
    /** Whether the nodes run workloads. */
    public readonly worker: boolean,
  ) {}
}

/** What a taint does with pods that do not tolerate it. */
export enum MachineTaintEffect {
  NO_SCHEDULE = 'NoSchedule',
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',
  NO_EXECUTE = 'NoExecute',
}

/**
 * A taint of the nodes of a pool.
 */
export interface MachineTaint {
  /** The key, named like a label. */
  readonly key: string;
  /** The value. @default - none */
  readonly value?: string;
  /** What it does. */
  readonly effect: MachineTaintEffect;
}

/**
 * Bounds between which the cluster autoscaler sets the number of machines of a pool.
 */
export interface MachineAutoscaling {
  /** The least number; 1 or more for pools with control plane or etcd. */
  readonly min: number;
  /** The largest number. */
  readonly max: number;
}

/**
 * How many machines are exchanged at a time when a pool is replaced.
 */
export interface MachineRollingUpdate {
  /** How many more than the quantity there may be: a number or a percentage, e.g. `1` or `25%`. @default - Cluster API's, 1 */
  readonly maxSurge?: string;
  /** How many fewer than the quantity there may be: a number or a percentage. @default - Cluster API's, 0 */
  readonly maxUnavailable?: string;
}

/**
 * A pool of equal machines of a guest cluster: virtual machines on a Harvester, which Rancher makes by its node driver.
 *
 * On Rancher: a HarvesterConfig and an entry of `rkeConfig.machinePools`. On the Harvester the node driver makes the virtual machines.
 *
 * Rancher replaces all machines of a pool, one after the other, when anything of their HarvesterConfig changes: cpus, memory, disks, networks,
 * user data and all else down to `affinity` below. Roles are fixed too. Quantity, labels, taints and the drain and health settings change in place.
 *
 * @see https://docs.harvesterhci.io/v1.7/rancher/node/rke2-cluster
 */
export interface MachinePool {
  /** The name: unique in the cluster, a-z, 0-9 and hyphens. With the name of the cluster it has up to 50 characters. Another name is another pool. */
  readonly name: string;
  /** How many machines; 0 is allowed. Leave it out with `autoscaling`. @default 1 */
  readonly quantity?: number;
  /** What the nodes do. */
  readonly roles: MachineRoles;

  /** Virtual CPUs of a machine. */
  readonly cpus: number;
  /** Memory of a machine, in whole GiB. */
  readonly memory: Size;
  /** Memory of a machine that the hypervisor keeps for itself, in whole MiB. Rancher 2.12.0 and later. @default - Harvester's own */
  readonly reservedMemory?: Size;
  /** The disks, in boot order; the first one from a cloud image. */
  readonly disks: Disk[];
  /** The networks, each with a card of the default model; the first one is where Rancher finds the machine's IPv4 address. @default - see interfaces */
  readonly networks?: IVmNetwork[];
  /** Network cards in detail, in place of `networks`. @default - see networks */
  readonly interfaces?: MachineInterface[];
  /** The model of the CPU that machines see, e.g. `host-passthrough`. Rancher 2.14.0 and later. @default - KubeVirt's, host-model */
  readonly cpuModel?: string;
  /** Whether each virtual CPU has a core of its own; needs the CPU manager on a Harvester node. Rancher 2.11.0, Harvester 1.4.0 and later. @default false */
  readonly cpuPinning?: boolean;
  /** Whether the emulator has a core of its own; needs cpuPinning. @default false */
  readonly isolateEmulatorThread?: boolean;
  /** Whether machines start by UEFI. Rancher 2.7.11, 2.8.3, 2.9.0 and later. @default false */
  readonly efi?: boolean;
  /** Whether UEFI starts signed systems only; needs efi. @default false */
  readonly secureBoot?: boolean;
  /** Whether machines have a TPM. Rancher 2.11.0 and later. @default false */
  readonly tpm?: boolean;
  /** Virtual GPUs of each machine. Rancher 2.7.11, 2.8.3, 2.9.0 and later. @default - none */
  readonly vgpus?: VGpu[];

  /**
   * The user of the image that Rancher's UI opens a shell as, e.g. `ubuntu`, `opensuse` or `sles`. Provisioning itself does without.
   * @default - the node driver's, `root`, which most cloud images do not let in
   */
  readonly sshUser?: string;
  /** A password for sshUser; it stands in the HarvesterConfig in clear. @default - none; Rancher makes a key for each machine */
  readonly sshPassword?: SecretValue;
  /** The port of the machines' ssh server. @default 22 */
  readonly sshPort?: number;
  /**
   * What the machines do at their first start. SSH keys of people belong here: a Harvester KeyPair can't be used by Rancher's node driver.
   * @default - installs qemu-guest-agent, as Rancher's UI does
   */
  readonly cloudInit?: CloudInit;
  /** The machines' own network configuration; with static addresses only for pools of one machine. @default - DHCP on all cards */
  readonly networkData?: NetworkData;
  /** Where the virtual machines run. @default - on different Harvester nodes where possible */
  readonly affinity?: VmAffinity;

  /** Labels of the nodes. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Taints of the nodes. @default - none */
  readonly taints?: MachineTaint[];
  /** Labels of the MachineDeployment of Cluster API. @default - none */
  readonly machineDeploymentLabels?: { readonly [key: string]: string };
  /** Annotations of the MachineDeployment of Cluster API. @default - none */
  readonly machineDeploymentAnnotations?: { readonly [key: string]: string };

  /** Whether a node is drained before its machine is deleted. @default true */
  readonly drainBeforeDelete?: boolean;
  /** How long that may take, e.g. before a pod that can't be evicted is left behind. @default - no limit */
  readonly drainBeforeDeleteTimeout?: Duration;
  /** How long a node may be unhealthy before its machine is replaced; zero: for ever. @default Duration.seconds(0) */
  readonly unhealthyNodeTimeout?: Duration;
  /** How long a new machine may take to become a node before it is replaced. @default - for ever, or 10 minutes with unhealthyNodeTimeout */
  readonly nodeStartupTimeout?: Duration;
  /** Above how many unhealthy machines none is replaced: a number or a percentage. @default - Cluster API's, 100% */
  readonly maxUnhealthy?: string;
  /** Within which range of unhealthy machines they are replaced, e.g. `[3-5]`. @default - none */
  readonly unhealthyRange?: string;
  /** How many machines are exchanged at a time. @default - Cluster API's */
  readonly rollingUpdate?: MachineRollingUpdate;
  /**
   * The longest host name of a machine, 10 to 63 characters. Longer ones are cut and end in a hash, so that the node is called otherwise than its
   * virtual machine, by whose name the Harvester cloud provider looks for it. Rancher 2.7.5 and later.
   * @default 63
   */
  readonly hostnameLengthLimit?: number;
  /** Whether Rancher leaves the pool as it is. @default false */
  readonly paused?: boolean;
  /** The operating system of the nodes, `linux` or `windows`. @default 'linux' */
  readonly machineOs?: string;
  /** Lets the cluster autoscaler set the quantity. @default - none */
  readonly autoscaling?: MachineAutoscaling;
  /** A credential of its own for the pool. @default - that of the cluster */
  readonly credential?: ICloudCredential;
  /**
   * The name of the HarvesterConfig. Pools of one cluster that name the same share it; their machines must be equal then.
   * @default - `nc-<cluster>-<pool>`
   */
  readonly machineConfigName?: string;
}
